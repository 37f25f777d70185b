import { Chance } from './chance.ts';
import { ZERO, add, readDecimal, subtract, write } from './decimal.ts';
import type { Decimal } from './decimal.ts';
import { CONTAINERS } from './statement-case.ts';
import type {
  Container,
  EntryCase,
  StatementCase,
  SumRowCase,
  SumsCase,
  TableCase,
  Width,
} from './statement-case.ts';
import { lookOf, shownAmount } from './statement-judge.ts';

/** Draws the statement document of a seed. */
export function drawStatement(seed: number): StatementCase {
  const chance = new Chance(seed);
  const container: Container = chance.oneIn(2) ? 'content' : chance.pick(CONTAINERS);
  const fontSize = chance.pick([6, 7, 8, 9, 10, 11, 12, 14]);
  const isTwo = container === 'twoColumns';
  const isWide = isTwo || container === 'snaking';
  const count = isTwo || chance.oneIn(12) ? 2 : 1;
  const drafts = Array.from({ length: count }, () => drawTable(chance, fontSize));
  const outerPt = container === 'column' ? 60 : container === 'list' ? 30 : 12;
  const innerPt = Math.max(...drafts.map(({ leastPt }) => leastPt)) * (1 + chance.unit() * 0.5);
  const left = chance.whole(0, 40);
  const right = chance.whole(0, 40);
  const top = chance.whole(0, 40);
  const bottom = chance.whole(16, 50);
  const roomPt = Math.max(...drafts.map(({ pagePt }) => pagePt));
  const extraPt = chance.oneIn(3) ? chance.whole(0, 500) : chance.whole(0, 80);
  return {
    width: Math.ceil(left + right + outerPt + innerPt * (isWide ? 2 : 1) + (isWide ? 20 : 0)),
    height: Math.ceil(top + bottom + roomPt + extraPt) + chance.pick([0, 0.25, 0.5, 0.77]),
    margins: [left, top, right, bottom],
    fontSize,
    introLines: chance.oneIn(3) ? 0 : chance.whole(0, Math.floor(roomPt / fontSize)),
    outroLines: chance.pick([0, 0, 1, 5]),
    container,
    letterhead: chance.oneIn(6),
    tables: drafts.map(({ table }) => table),
  };
}

interface Draft {
  readonly table: TableCase;
  /** Estimates: the least width of the table, and the height of a page that can hold its rows. */
  readonly leastPt: number;
  readonly pagePt: number;
}

function drawTable(chance: Chance, fontSize: number): Draft {
  const textLinesMax = chance.pick([1, 1, 1, 2, 3, 5]);
  const textPt = chance.whole(60, 160);
  const sizeOfText = Math.floor((textPt / (0.56 * fontSize)) * (textLinesMax - 0.5));
  const shape = { textLinesMax, textMax: Math.max(4, sizeOfText), formatted: chance.oneIn(2) };
  const rows = drawRows(chance, shape.textMax, shape.textLinesMax, shape.formatted);
  const statement = chance.oneIn(5) ? null : drawSums(chance, fontSize);
  const before = chance.oneIn(4) ? chance.whole(1, 2) : 0;
  const after = chance.oneIn(2) ? chance.whole(1, 3) : 0;
  const plain: TableCase = {
    widths: [],
    layout: chance.pick(LAYOUTS),
    headerRows: chance.pick([0, 1, 1, 1, 2, 3]),
    keepWithHeaderRows: chance.oneIn(2) ? 0 : chance.whole(1, 4),
    keepRowsAtStart: chance.oneIn(2) ? 0 : chance.whole(1, 4),
    keepRowsAtEnd: chance.oneIn(2) ? 0 : chance.whole(1, 4),
    dontBreakRows: chance.oneIn(3),
    before,
    after,
    joined: after > 1 && chance.oneIn(3),
    aside: chance.oneIn(10) ? chance.whole(1, 5) : 0,
    narrow: chance.oneIn(12),
    rowPt: chance.oneIn(10) ? chance.whole(10, 30) : 0,
    statement,
    formatted: shape.formatted,
    rows,
  };
  const columns = drawWidths(chance, plain, fontSize, textPt);
  const kept = Math.max(plain.keepWithHeaderRows, plain.keepRowsAtStart, plain.keepRowsAtEnd);
  const size = Math.max(fontSize, ...sumSizes(statement));
  const linePt = Math.max(size * 1.25, plain.rowPt);
  const labels = statement === null ? 0 : 2 * 3;
  const lineCount = plain.headerRows + labels + textLinesMax + chance.whole(0, kept + 1);
  return {
    table: { ...plain, widths: columns.widths },
    leastPt: columns.leastPt,
    pagePt: lineCount * linePt + (plain.headerRows + 5) * 11,
  };
}

function sumSizes(statement: SumsCase | null): number[] {
  if (statement === null) return [];
  return [statement.brought, statement.carried, statement.total].map((row) => row?.fontSize ?? 0);
}

const LAYOUTS: readonly unknown[] = [
  {},
  'noBorders',
  'headerLineOnly',
  'lightHorizontalLines',
  { hLineWidth: { first: 3, last: 5, header: 2, rest: 0.5 }, paddingTop: 4, paddingBottom: 1 },
  { hLineWidth: { even: 0, odd: 2 }, vLineWidth: 0, paddingLeft: 2, paddingRight: 2 },
  { extends: 'lightHorizontalLines', paddingTop: { even: 1, odd: 5 }, fillColor: '#f7f7f2' },
  { defaultBorder: false, paddingTop: 0, paddingBottom: 0 },
  { hLineWhenBroken: false, hLineWidth: { outer: 2, inner: 0.2 } },
];

const WORDS = ['salary', 'rent', 'a', 'transfer', 'fee', 'of', 'card', 'interest', 'Bangkok', 'no'];

function drawRows(
  chance: Chance,
  textMax: number,
  linesMax: number,
  formatted: boolean,
): EntryCase[] {
  const count = chance.pick([0, 1, 2, 3, chance.whole(4, 12), chance.whole(4, 40), 60]);
  const many = chance.oneIn(40) ? chance.whole(100, 300) : count;
  const digitsMax = chance.pick([3, 6, 9]);
  const signs = chance.pick([2, 8, 1000]);
  return Array.from({ length: many }, () => {
    let text = chance.pick(['fee', 'rent', '']);
    if (linesMax > 1 && chance.oneIn(3)) {
      const length = chance.whole(1, textMax);
      while (text.length < length) text += ` ${WORDS[chance.whole(0, WORDS.length - 1)] ?? ''}`;
      text = text.slice(0, textMax).trim();
    }
    const isDebit = chance.oneIn(2);
    const amount = drawAmount(chance, digitsMax, signs, formatted);
    const other = chance.pick(['', '', '-', drawAmount(chance, 2, signs, formatted)]);
    return { text, debit: isDebit ? amount : other, credit: isDebit ? other : amount };
  });
}

function drawAmount(chance: Chance, digitsMax: number, signs: number, plain: boolean): string {
  if (chance.oneIn(30)) return chance.pick(['', '-', '0.00', '0']);
  const digits = chance.whole(1, digitsMax);
  const whole = chance.whole(1, 9) * 10 ** (digits - 1) + chance.whole(0, 10 ** (digits - 1) - 1);
  const places = chance.oneIn(12) ? chance.whole(0, 3) : 2;
  const fraction =
    places === 0 ? '' : `.${String(chance.whole(0, 10 ** places - 1)).padStart(places, '0')}`;
  const value = readDecimal(`${chance.oneIn(signs) ? '-' : ''}${whole}${fraction}`) ?? ZERO;
  const group = plain || chance.oneIn(3) ? '' : ',';
  return write(value, { ...lookOf(null), decimals: null, group });
}

function drawSums(chance: Chance, fontSize: number): SumsCase {
  const row = (): SumRowCase | null => {
    if (chance.oneIn(8)) return null;
    const label = chance.pick(['sum', 'sum', 'sum', 'to the next page', '']);
    const size = chance.oneIn(3) ? fontSize + chance.whole(-1, 4) : fontSize;
    const span = chance.oneIn(3) ? chance.whole(2, 4) : 1;
    return { label, fontSize: size, bold: chance.oneIn(3), span };
  };
  const opening = chance.pick([null, '0', '1000.00', '-25.505', '99999999.99']);
  const decimals = chance.oneIn(6) ? chance.whole(0, 4) : 2;
  const prefix = chance.oneIn(6) ? chance.pick(['฿', 'THB ', '$']) : '';
  return {
    opening,
    decimals,
    prefix,
    brought: row(),
    carried: row(),
    total: chance.oneIn(2) ? row() : null,
  };
}

/** Widths in which every amount fits into its column: an estimate with the widths of Roboto Bold. */
function drawWidths(
  chance: Chance,
  table: TableCase,
  fontSize: number,
  textPt: number,
): { widths: Width[]; leastPt: number } {
  const least = amountWidths(table, fontSize);
  const slack = 1 + (chance.oneIn(2) ? 0 : chance.unit());
  const widths: Width[] = [fontSize * 4, chance.pick([textPt, '*'])];
  const isStar = widths[1] !== '*' && chance.oneIn(3);
  const share = table.narrow ? 0.5 + chance.unit() * 0.4 : slack;
  const star = Math.max(...least);
  let sum = 0;
  for (const width of least) {
    widths.push(isStar ? '*' : chance.pick(['auto', Math.ceil(width * share)]));
    sum += isStar ? star : width * share + 1;
  }
  return { widths, leastPt: fontSize * 4 + textPt + sum + 5 * 8 + 20 };
}

/** The widest text of each amount column, the sums of any page included. */
function amountWidths(table: TableCase, fontSize: number): number[] {
  const { statement, rows } = table;
  const size = Math.max(fontSize, ...sumSizes(statement));
  const look = lookOf(statement);
  const opening = readDecimal(statement?.opening ?? '0') ?? ZERO;
  const debits = extremes(rows.map(({ debit }) => debit));
  const credits = extremes(rows.map(({ credit }) => credit));
  const balances = [
    add(opening, subtract(credits.least, debits.most)),
    add(opening, subtract(credits.most, debits.least)),
  ];
  const shown = rows.map(({ debit, credit }) => [debit, credit, credit]);
  const sums = [Object.values(debits), Object.values(credits), balances];
  return sums.map((values, column) => {
    const cells = shown.map((row) => shownAmount(row[column] ?? '', table));
    const texts = ['H1', ...cells, ...values.map((value) => write(value, look))];
    return Math.max(...texts.map((text) => widthOf(text))) * size * 1.02 + 1;
  });
}

/** The least and the greatest sum that some of the amounts can have. */
function extremes(amounts: readonly string[]): { least: Decimal; most: Decimal } {
  let least = ZERO;
  let most = ZERO;
  for (const amount of amounts) {
    const value = readDecimal(amount) ?? ZERO;
    if (value.units < 0n) least = add(least, value);
    else most = add(most, value);
  }
  return { least, most };
}

function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) width += ',.-'.includes(sign) ? 0.3 : /\d/.test(sign) ? 0.58 : 0.66;
  return width;
}
