import type { Item } from '../../src/engine/model/frame.ts';
import { layoutDocument } from '../../src/engine/layout/layout.ts';
import { loadFonts } from '../../src/engine/font/library.ts';
import { compileFile } from '../../src/engine/template/fixtures.ts';
import { type Case, MARGIN_PT } from './cases.ts';

/** What was found when the page of a case was read back. */
export interface Verdict {
  readonly outcome: 'printed' | 'refused';
  /** Amounts that are in pieces, changed, missing or outside their page; empty when all is right. */
  readonly faults: readonly string[];
  /** Pieces of text that are smaller than the template says. */
  readonly shrunk: number;
}

/** Lays out the page of a case and reads back what was painted. */
export async function auditCase(given: Case): Promise<Verdict> {
  const { template, findings } = await compileFile(given.template);
  if (template === null) throw new Error(JSON.stringify(findings));
  const checked = await template.contract.check(Buffer.from(JSON.stringify(given.data)));
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  const document = layoutDocument(template, checked.value);
  if (!document.ok) {
    const isRight = document.code === 'invalid_data' && !fitsEverywhere(given);
    const fault = `${document.code}, though all amounts fit: ${document.message}`;
    return { outcome: 'refused', faults: isRight ? [] : [fault], shrunk: 0 };
  }
  const items = document.value.pages.flatMap((page) => piecesOf(page.body));
  return { outcome: 'printed', ...read(given, items) };
}

const { library } = loadFonts(null);
/** The widest face that a case uses. */
const BOLD = library.stack('Sarabun', true, false);

/** Whether each amount, in the least size, fits the narrowest place that it is printed in. */
function fitsEverywhere({ places, fontSizePt }: Case): boolean {
  const leastPt = fontSizePt * LEAST_SCALE;
  return places.every(({ amount, roomPt }) => BOLD.shape(amount).widthEm * leastPt <= roomPt);
}

interface Piece {
  readonly text: string;
  readonly x: number;
  readonly endX: number;
  readonly sizePt: number;
}

const EDGE_SLACK_PT = 0.01;

/** Reads the pieces of text: each amount must stand whole in one of them, as often as expected. */
function read(given: Case, pieces: readonly Piece[]): Omit<Verdict, 'outcome'> {
  const faults: string[] = [];
  const expected = new Map<string, number>();
  for (const amount of given.amounts) expected.set(amount, (expected.get(amount) ?? 0) + 1);
  for (const [amount, count] of expected) {
    const found = pieces.reduce((sum, { text }) => sum + occurrences(text, amount.trim()), 0);
    if (found !== count) faults.push(`${JSON.stringify(amount)}: ${found} of ${count} are whole`);
  }
  const missing = digitCount(given.amounts) - digitCount(pieces.map(({ text }) => text));
  if (missing !== 0) faults.push(`${missing} digits are missing`);
  const right = MARGIN_PT + given.widthPt + EDGE_SLACK_PT;
  for (const { text, x, endX } of pieces) {
    const isInside = x >= MARGIN_PT - EDGE_SLACK_PT && endX <= right;
    if (!isInside && /[\d๐-๙]/u.test(text)) faults.push(`${JSON.stringify(text)} leaves the page`);
  }
  const shrunk = pieces.filter(({ sizePt }) => sizePt < given.fontSizePt).length;
  const least = given.fontSizePt * LEAST_SCALE - EDGE_SLACK_PT;
  if (pieces.some(({ sizePt }) => sizePt < least)) faults.push('text is smaller than allowed');
  return { faults, shrunk };
}

const LEAST_SCALE = 0.6;

function digitCount(texts: readonly string[]): number {
  return texts.join('').replace(/[^\d๐-๙]/gu, '').length;
}

/** How often an amount stands in a text without another digit or separator beside it. */
function occurrences(text: string, amount: string): number {
  let count = 0;
  for (let at = text.indexOf(amount); at >= 0; at = text.indexOf(amount, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.slice(at + amount.length, at + amount.length + 2);
    if (!/[\d๐-๙.,-]/u.test(before) && !/^[.,]?[\d๐-๙]/u.test(after)) count++;
  }
  return count;
}

function piecesOf(items: readonly Item[]): Piece[] {
  return items.flatMap((item): Piece[] => {
    if (item.kind === 'group') return piecesOf(item.items);
    if (item.kind === 'text') {
      const { sizePt } = item.style;
      const text = item.shapes.map((shape) => shape.text).join('');
      const spaces = text.length - text.trimEnd().length;
      const spaceEm = spaces === 0 ? 0 : item.style.stack.shape(' '.repeat(spaces)).widthEm;
      const widthEm = item.shapes.reduce((sum, shape) => sum + shape.widthEm, 0) - spaceEm;
      const gaps = item.gaps?.slice(0, -1).reduce((sum, gap) => sum + gap, 0) ?? 0;
      const clusters = item.shapes.reduce((sum, shape) => sum + shape.clusterCount, 0);
      const spacing = item.style.characterSpacingPt * (clusters - spaces - 1);
      return [{ text, x: item.x, endX: item.x + widthEm * sizePt + gaps + spacing, sizePt }];
    }
    if (item.kind !== 'grid') return [];
    const columns = item.styles.length;
    return item.tops.flatMap((_, row) =>
      item.styles.map((style, column) => {
        const at = item.first + row * columns + column;
        const cell = item.texts[at] ?? '';
        const shapes =
          typeof cell === 'string' ? [style.stack.shape(cell)] : 'text' in cell ? [cell] : cell;
        const text = shapes.map((shape) => shape.text).join('');
        const widthEm = style.stack.shape(text.trimEnd()).widthEm;
        const x = item.x + (item.xs[at] ?? 0);
        return { text, x, endX: x + widthEm * style.sizePt, sizePt: style.sizePt };
      }),
    );
  });
}
