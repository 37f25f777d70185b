import type { Glyph, PageText } from './pdf-text.ts';
import { originOf } from './statement-case.ts';
import type { Role, StatementCase, TableCase } from './statement-case.ts';
import type { Fault } from './statement-judge.ts';

/** A printed line of one cell. */
interface Line {
  readonly role: Role;
  readonly table: number;
  readonly column: number;
  readonly text: string;
  readonly top: number;
  readonly baseline: number;
  readonly left: number;
  readonly right: number;
  readonly size: number;
}

/** A row of a table as one page shows it. */
export class PrintedRow {
  readonly role: Role;
  readonly table: number;
  /** The text of its first column, which names it. */
  readonly token: string;
  readonly top: number;
  /** Whether it continues a row of the page before, and whether the next page continues it. */
  readonly continues: boolean;
  isPart = false;
  readonly #cells: string[][] = [[], [], [], [], []];
  #next: PrintedRow | null = null;

  constructor(line: Pick<Line, 'role' | 'table' | 'text' | 'top'>, continues = false) {
    this.role = line.role;
    this.table = line.table;
    this.token = line.text.split(' ')[0] ?? '';
    this.top = line.top;
    this.continues = continues;
  }

  add(line: Line): void {
    this.#cells[line.column]?.push(line.text);
  }

  /** Lines of the cell that has the most. */
  get lineCount(): number {
    return Math.max(...[0, 1, 2, 3, 4].map((column) => this.wholeCell(column).length));
  }

  continueWith(next: PrintedRow): void {
    this.#next = next;
    this.isPart = true;
  }

  /** The lines of a cell, with those on the next pages. */
  wholeCell(column: number): readonly string[] {
    const own = this.#cells[column] ?? [];
    return this.#next === null ? own : [...own, ...this.#next.wholeCell(column)];
  }
}

/** Reads the rows of all tables, by page, from top to bottom; reports what stands in a wrong place. */
export function readRows(
  pages: readonly PageText[],
  wanted: StatementCase,
  faults: Fault[],
): PrintedRow[][] {
  const last = new Map<number, PrintedRow>();
  return pages.map((page, index) => {
    const lines = readLines(page);
    judgePlaces(lines, wanted, index + 1, faults);
    const rows = lines.filter((line) => isStart(line)).map((line) => new PrintedRow(line));
    for (const line of lines) {
      if (!isOfTable(line)) continue;
      const row = rowOf(line, rows) ?? continuation(line, rows, last);
      if (row === null) {
        faults.push({ kind: 'text alone', page: index + 1, message: `${line.role}: ${line.text}` });
      } else row.add(line);
    }
    rows.sort((a, b) => b.top - a.top);
    for (const row of rows) if (row.role === 'entry') last.set(row.table, row);
    return rows;
  });
}

/** Whether a line is the first one of the first cell, which names its row. */
function isStart(line: Line): boolean {
  if (line.column !== 0 || !isOfTable(line)) return false;
  const isOfSums = ['brought', 'carried', 'total'].includes(line.role);
  return !isOfSums || /^(?:BF|CF|PT)/.test(line.text);
}

function isOfTable(line: Line): boolean {
  return !['around', 'pageHeader', 'pageFooter'].includes(line.role);
}

/** Fonts of different sizes in one row start at one height, but not to the last hundredth. */
const TOP_TOLERANCE = 1.5;

/** The row that a line belongs to: the lowest one of its kind that starts no lower. */
function rowOf(line: Line, rows: readonly PrintedRow[]): PrintedRow | null {
  let found: PrintedRow | null = null;
  for (const row of rows) {
    if (row.role !== line.role || row.table !== line.table) continue;
    if (row.top < line.top - TOP_TOLERANCE || row.continues) continue;
    if (found === null || row.top < found.top) found = row;
  }
  return found;
}

/** The rest of an entry that starts on the page before. */
function continuation(
  line: Line,
  rows: PrintedRow[],
  last: ReadonlyMap<number, PrintedRow>,
): PrintedRow | null {
  const known = rows.find((row) => row.continues && row.table === line.table);
  if (known !== undefined) return known;
  const start = last.get(line.table);
  if (line.role !== 'entry' || start === undefined) return null;
  const rest = new PrintedRow({ ...line, text: start.token }, true);
  start.continueWith(rest);
  rows.push(rest);
  return rest;
}

/** Glyphs of one colour on one baseline, in the order in which they are drawn. */
function readLines(page: PageText): Line[] {
  const groups = new Map<string, Glyph[]>();
  for (const glyph of page.glyphs) {
    const key = `${glyph.color} ${glyph.baseline.toFixed(1)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [glyph]);
    else group.push(glyph);
  }
  const lines: Line[] = [];
  for (const glyphs of groups.values()) {
    const [first] = glyphs;
    const origin = first === undefined ? null : originOf(first.color);
    if (first === undefined || origin === null) continue;
    const inked = glyphs.filter((glyph) => glyph.text.trim() !== '');
    if (inked.length === 0) continue;
    lines.push({
      ...origin,
      text: glyphs
        .map((glyph) => glyph.text)
        .join('')
        .trim(),
      top: first.baseline + 0.92773 * first.size,
      baseline: first.baseline,
      size: first.size,
      left: Math.min(...inked.map((glyph) => glyph.left)),
      right: Math.max(...inked.map((glyph) => glyph.right)),
    });
  }
  return lines.toSorted((a, b) => b.baseline - a.baseline);
}

function dueSize(role: Role, table: TableCase | undefined, fontSize: number): number {
  if (role !== 'brought' && role !== 'carried' && role !== 'total') return fontSize;
  return table?.statement?.[role]?.fontSize ?? fontSize;
}

/** No text of a table leaves the area between the margins or meets that of another column. */
function judgePlaces(
  lines: readonly Line[],
  wanted: StatementCase,
  page: number,
  faults: Fault[],
): void {
  const [left, top, right, bottom] = wanted.margins;
  const report = (kind: string, line: Line): void => {
    const place = `${line.left.toFixed(1)} ${line.baseline.toFixed(1)}`;
    faults.push({ kind, page, message: `${line.role} ${line.text} at ${place}` });
  };
  const columns = new Map<number, { left: number; right: number }>();
  for (const line of lines) {
    if (!isOfTable(line)) continue;
    const isLow = line.baseline < bottom + 0.2 * (line.top - line.baseline) - 0.5;
    if (isLow || line.top > wanted.height - top + 0.5) report('outside vertically', line);
    if (line.left < left - 0.5 || line.right > wanted.width - right + 0.5) {
      report('outside horizontally', line);
    }
    const table = wanted.tables[line.table];
    const size = dueSize(line.role, table, wanted.fontSize);
    if (table?.narrow !== true && line.size < size - 0.05) report('small without need', line);
    const key = line.table * 8 + line.column;
    const range = columns.get(key);
    if (range === undefined) columns.set(key, { left: line.left, right: line.right });
    else {
      range.left = Math.min(range.left, line.left);
      range.right = Math.max(range.right, line.right);
    }
  }
  for (const line of lines) {
    // A label may span several columns.
    if (!isOfTable(line) || line.column === 0) continue;
    const next = columns.get(line.table * 8 + line.column + 1);
    if (next !== undefined && line.right > next.left + 0.1) report('columns meet', line);
  }
}
