import { ZERO, add, readDecimal, subtract, write } from './decimal.ts';
import type { Decimal, NumberLook } from './decimal.ts';
import { judgeKeeping } from './keep-judge.ts';
import { readRows } from './printed-rows.ts';
import type { PrintedRow } from './printed-rows.ts';
import type { PageText } from './pdf-text.ts';
import type { StatementCase, SumRowCase, SumsCase, TableCase } from './statement-case.ts';

/** A contradiction between what was printed and what must be printed. */
export interface Fault {
  readonly kind: string;
  /** From 1; 0: the document as a whole. */
  readonly page: number;
  readonly message: string;
}

export function judgeStatement(wanted: StatementCase, pages: readonly PageText[]): Fault[] {
  const faults: Fault[] = [];
  const regions = wanted.container === 'snaking' ? pages.flatMap(halves(wanted)) : pages;
  const printed = readRows(regions, wanted, faults);
  wanted.tables.forEach((table, index) => {
    const ofTable = printed.map((rows) => rows.filter((row) => row.table === index));
    new TableJudge(table, index, faults).judge(ofTable);
    faults.push(...judgeKeeping(wanted, table, ofTable));
  });
  judgeRunning(wanted, pages, faults);
  return faults;
}

/** The columns of a page that a table snakes through count as pages. */
function halves(wanted: StatementCase): (page: PageText) => PageText[] {
  const middle = (wanted.margins[0] + wanted.width - wanted.margins[2]) / 2;
  return (page) => [
    { ...page, glyphs: page.glyphs.filter(({ left }) => left < middle) },
    { ...page, glyphs: page.glyphs.filter(({ left }) => left >= middle) },
  ];
}

/** How sums, and amounts with a `format`, are written. */
export function lookOf(sums: SumsCase | null): NumberLook {
  return {
    decimals: sums?.decimals ?? 2,
    group: ',',
    groupRest: 3,
    point: '.',
    prefix: sums?.prefix ?? '',
    suffix: '',
    thaiDigits: false,
  };
}

/** A cell as it must be printed: `format` leaves what is no plain number as it is. */
export function shownAmount(cell: string, table: TableCase): string {
  const value = /^-?\d+(?:\.\d+)?$/.test(cell) ? readDecimal(cell) : null;
  return table.formatted && value !== null ? write(value, lookOf(null)) : cell;
}

/** The sums over the first entries of a table. */
interface Totals {
  readonly debits: Decimal;
  readonly credits: Decimal;
  readonly balance: Decimal;
}

class TableJudge {
  readonly #table: TableCase;
  readonly #name: string;
  readonly #faults: Fault[];
  /** By number of entries. */
  readonly #totals: Totals[] = [];
  /** Number of entries on earlier pages, and whether any row was. */
  #before = 0;
  #hasBegun = false;

  constructor(table: TableCase, index: number, faults: Fault[]) {
    this.#table = table;
    this.#name = `table ${index + 1}`;
    this.#faults = faults;
    const opening = readDecimal(table.statement?.opening ?? '0') ?? ZERO;
    let totals: Totals = { debits: ZERO, credits: ZERO, balance: opening };
    this.#totals.push(totals);
    for (const { debit, credit } of table.rows) {
      const debits = add(totals.debits, readDecimal(debit) ?? ZERO);
      const credits = add(totals.credits, readDecimal(credit) ?? ZERO);
      totals = { debits, credits, balance: add(opening, subtract(credits, debits)) };
      this.#totals.push(totals);
    }
  }

  judge(pages: readonly (readonly PrintedRow[])[]): void {
    const { before, after, aside, rows } = this.#table;
    const lastPage = pages.findLastIndex((page) => page.some((row) => isOwnRow(row)));
    pages.forEach((page, index) => this.#judgePage(page, index + 1, index === lastPage));
    const all = pages.flat().filter((row) => isOwnRow(row) && !row.continues);
    const found = all.map((row) => row.token);
    const due = [
      ...Array.from({ length: before }, (_, index) => `B${index + 1}`),
      ...rows.map((_, index) => `#${index + 1}`),
      ...Array.from({ length: aside }, (_, index) => `C${index + 1}`),
      ...Array.from({ length: after }, (_, index) => `A${index + 1}`),
    ];
    if (found.join() === due.join()) return;
    const counts = new Map<string, number>();
    for (const token of found) counts.set(token, (counts.get(token) ?? 0) + 1);
    const missing = due.filter((token) => !counts.has(token));
    const doubled = due.filter((token) => (counts.get(token) ?? 0) > 1);
    const kind = missing.length > 0 ? 'row lost' : doubled.length > 0 ? 'row doubled' : 'row order';
    this.#report(
      kind,
      0,
      `missing ${missing.join() || 'none'}, doubled ${doubled.join() || 'none'}`,
    );
  }

  #report(kind: string, page: number, message: string): void {
    this.#faults.push({ kind, page, message: `${this.#name}: ${message}` });
  }

  #judgePage(page: readonly PrintedRow[], number: number, isLast: boolean): void {
    const entries = page.filter((row) => row.role === 'entry' && !row.continues);
    const hasRow = page.some((row) => isOwnRow(row));
    const isOnlyPart = hasRow && !page.some((row) => isOwnRow(row) && !row.continues);
    for (const row of page) this.#judgeRow(row, number);
    const after = this.#before + entries.length;
    this.#judgeOrder(page, number);
    this.#judgeHeader(page, number, hasRow);
    if (this.#table.statement !== null) {
      if (isOnlyPart) this.#report('row split', number, 'a row of a statement is split');
      const place = { page: number, hasRow, isFirst: !this.#hasBegun, isLast };
      this.#judgeSums(page, place, after);
    }
    this.#before = after;
    this.#hasBegun ||= hasRow;
  }

  #judgeRow(row: PrintedRow, page: number): void {
    if (row.role !== 'entry') return;
    const index = Number(row.token.slice(1)) - 1;
    const entry = this.#table.rows[index];
    if (entry === undefined) {
      this.#report('row unknown', page, `${row.token} is printed`);
      return;
    }
    if (row.isPart && this.#table.statement !== null) {
      this.#report('row split', page, `${row.token} is split over two pages`);
    }
    if (row.continues) return;
    const text = row.wholeCell(1).join('').replaceAll(/\s/g, '');
    const dueText = entry.text.replaceAll(/\s/g, '');
    if (text !== dueText) {
      this.#report('cell text', page, `${row.token} has the text ${text}, not ${dueText}`);
    }
    const { statement } = this.#table;
    const credit = shownAmount(entry.credit, this.#table);
    const balance = this.#totals[index + 1]?.balance ?? ZERO;
    this.#judgeAmount(row, page, 2, shownAmount(entry.debit, this.#table));
    this.#judgeAmount(row, page, 3, credit);
    this.#judgeAmount(
      row,
      page,
      4,
      statement === null ? credit : write(balance, lookOf(statement)),
    );
  }

  #judgeAmount(row: PrintedRow, page: number, column: number, due: string): void {
    const lines = row.wholeCell(column);
    const isWhole = lines.join('').replaceAll(' ', '') === due.replaceAll(' ', '');
    // Digits alone may be an account number, which a column that is too narrow for it splits.
    const maySplit = this.#table.narrow && this.#table.statement === null && /^\d+$/.test(due);
    if (isWhole && maySplit) return;
    if (lines.length > 1 && isWhole) {
      this.#report('amount split', page, `${row.token} column ${column}: ${lines.join(' / ')}`);
    } else if (lines.join(' / ') !== due) {
      const kind = row.role === 'entry' ? 'amount wrong' : `${row.role} wrong`;
      const text = lines.join(' / ');
      this.#report(
        kind,
        page,
        `${row.token} column ${column} has ${text || 'nothing'}, not ${due}`,
      );
    }
  }

  /** Header, brought forward, rows, carried forward, total: in this order on each page. */
  #judgeOrder(page: readonly PrintedRow[], number: number): void {
    const ranks = page.map((row) => RANKS[row.role] ?? 0);
    const isSorted = ranks.every((rank, index) => index === 0 || (ranks[index - 1] ?? 0) <= rank);
    if (isSorted) return;
    this.#report('order', number, page.map((row) => row.token).join(' '));
  }

  #judgeHeader(page: readonly PrintedRow[], number: number, hasRow: boolean): void {
    const header = page.filter((row) => row.role === 'header').map((row) => row.token);
    const due = Array.from({ length: this.#table.headerRows }, (_, index) => `H${index + 1}`);
    const found = header.join(' ');
    if (hasRow && found !== due.join(' ')) {
      this.#report('header', number, `header rows ${found || 'none'}`);
    }
    // A row that is higher than its text may leave its empty rest on the next page.
    const isSplitRow = this.#table.rowPt > 0 && this.#table.statement === null;
    if (!hasRow && this.#hasBegun && found !== '' && !isSplitRow) {
      this.#report('header alone', number, 'header rows without a row after the first page');
    }
  }

  get #isEmpty(): boolean {
    const { rows, before, after, aside } = this.#table;
    return rows.length + before + after + aside === 0;
  }

  #judgeSums(page: readonly PrintedRow[], place: Place, after: number): void {
    const { statement } = this.#table;
    const start = this.#totals[this.#before];
    const end = this.#totals[after];
    if (statement === null || start === undefined || end === undefined) return;
    const look = lookOf(statement);
    const pageRows = after - this.#before;
    const debits = write(subtract(end.debits, start.debits), look);
    const credits = write(subtract(end.credits, start.credits), look);
    const { hasRow, isFirst, isLast } = place;
    const { brought, carried, total } = statement;
    const isCarried = hasRow && !isLast;
    this.#judgeSumRow(page, place.page, 'brought', brought, {
      isDue: hasRow && !isFirst && this.#before > 0,
      isAllowed: hasRow && !isFirst,
      cells: [
        `${brought?.label} ${this.#before}`,
        write(start.debits, look),
        write(start.credits, look),
        write(start.balance, look),
      ],
    });
    const balance = write(end.balance, look);
    this.#judgeSumRow(page, place.page, 'carried', carried, {
      isDue: isCarried && pageRows > 0,
      isAllowed: isCarried,
      cells: [`${carried?.label} ${after} ${pageRows}`, debits, credits, balance],
    });
    this.#judgeSumRow(page, place.page, 'total', total, {
      isDue: hasRow && pageRows > 0,
      // A table without rows may say so on its only page.
      isAllowed: hasRow || this.#isEmpty,
      cells: [`${total?.label} ${pageRows}`, debits, credits, balance],
    });
  }

  #judgeSumRow(
    page: readonly PrintedRow[],
    number: number,
    role: 'brought' | 'carried' | 'total',
    wanted: SumRowCase | null,
    due: SumRowDue,
  ): void {
    const rows = page.filter((row) => row.role === role);
    const [row] = rows;
    if (rows.length > 1) this.#report(`${role} doubled`, number, `${rows.length} rows`);
    if (row === undefined) {
      if (due.isDue && wanted !== null)
        this.#report(`${role} missing`, number, 'the row is not there');
      return;
    }
    if (!due.isAllowed || wanted === null) {
      const hasRow = page.some((one) => isOwnRow(one));
      this.#report(`${role} ${hasRow ? 'unexpected' : 'alone'}`, number, 'the row is printed');
    }
    const [label = '', ...amounts] = due.cells;
    const span = wanted?.span ?? 1;
    const found = row
      .wholeCell(span > 1 ? 0 : 1)
      .join('')
      .replaceAll(/\s/g, '');
    if (found !== (span > 1 ? row.token : '') + label.replaceAll(/\s/g, '')) {
      this.#report(`${role} wrong`, number, `the label is ${found}, not ${label}`);
    }
    if (row.isPart || row.continues) this.#report('row split', number, `${row.token} is split`);
    amounts.forEach((amount, index) => {
      if (index + 2 >= span) this.#judgeAmount(row, number, index + 2, amount);
    });
  }
}

interface Place {
  readonly page: number;
  readonly hasRow: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

interface SumRowDue {
  /** Without this row the page is wrong. */
  readonly isDue: boolean;
  /** With this row the page may be right. */
  readonly isAllowed: boolean;
  readonly cells: readonly string[];
}

const RANKS: Readonly<Record<string, number>> = {
  header: 0,
  brought: 1,
  before: 2,
  entry: 3,
  after: 4,
  carried: 5,
  total: 6,
};

/** Whether the template, not the page break, asks for this row. */
function isOwnRow(row: PrintedRow): boolean {
  return row.role === 'entry' || row.role === 'before' || row.role === 'after';
}

/** Page numbers in the footer and the sum in the header. */
function judgeRunning(wanted: StatementCase, pages: readonly PageText[], faults: Fault[]): void {
  const rows = wanted.tables[0]?.rows ?? [];
  const sum = rows.reduce((total, { credit }) => add(total, readDecimal(credit) ?? ZERO), ZERO);
  const dueSum = wanted.margins[1] < 14 ? '' : `Sum ${write(sum, lookOf(null))}`;
  pages.forEach((page, index) => {
    const textOf = (role: number): string =>
      page.glyphs
        .filter(({ color }) => color >> 16 === role)
        .map(({ text }) => text)
        .join('');
    const footer = textOf(10);
    const due = `Page ${index + 1} of ${pages.length}`;
    if (footer !== due) faults.push({ kind: 'page number', page: index + 1, message: footer });
    const header = textOf(9);
    if (header !== dueSum)
      faults.push({ kind: 'sum', page: index + 1, message: `${header}, not ${dueSum}` });
  });
}
