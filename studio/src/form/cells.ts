/** Rows of a table field; the contract requires every cell to be a string. */
export type Rows = readonly (readonly string[])[];

export const ROWS_MAX = 2_000;
export const CELLS_MAX = 20_000;

/**
 * Reads cells that a spreadsheet puts on the clipboard (separated by tabs), or a CSV (RFC 4180).
 * The separator is the candidate that occurs most often in the first line, unless it is given.
 */
export function parseCells(text: string, givenSeparator?: string): Rows {
  const clean = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const separator = givenSeparator ?? separatorOf(clean);
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at <= clean.length) {
    const { cell, end } = readCell(clean, at, separator);
    row.push(cell);
    if (clean[end] === separator) {
      at = end + 1;
      continue;
    }
    rows.push(row);
    row = [];
    at = end + 1;
    if (at >= clean.length) break;
  }
  return rows;
}

function separatorOf(text: string): string {
  const [line = ''] = text.split('\n', 1);
  if (line.includes('\t')) return '\t';
  // Where semicolons separate the cells, commas are decimal separators.
  return line.includes(';') && line.split(';').length >= line.split(',').length ? ';' : ',';
}

interface ReadCell {
  readonly cell: string;
  /** Offset of the separator or line feed behind it. */
  readonly end: number;
}

/** Reads the cell that begins at `from`. */
function readCell(text: string, from: number, separator: string): ReadCell {
  if (text[from] !== '"') {
    let end = from;
    while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1;
    return { cell: text.slice(from, end), end };
  }
  let cell = '';
  let at = from + 1;
  while (at < text.length) {
    if (text[at] === '"' && text[at + 1] === '"') at += 1;
    else if (text[at] === '"') break;
    cell += text[at] ?? '';
    at += 1;
  }
  let end = at + 1;
  while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1;
  return { cell, end: Math.min(end, text.length) };
}

/** Writes `pasted` over `rows` from a cell on; rows and cells are added as needed. */
export function pasteInto(rows: Rows, pasted: Rows, atRow: number, atColumn: number): Rows {
  const next = rows.map((row) => [...row]);
  for (const [down, cells] of pasted.entries()) {
    const index = atRow + down;
    while (next.length <= index) next.push([]);
    const row = next[index] ?? [];
    for (const [along, cell] of cells.entries()) {
      while (row.length <= atColumn + along) row.push('');
      row[atColumn + along] = cell;
    }
  }
  return next;
}

/** Rows from a list of lists of strings, or from the same as JSON; null for anything else. */
export function rowsOf(value: unknown): Rows | null {
  const list = typeof value === 'string' && value.trim().startsWith('[') ? parse(value) : value;
  if (!Array.isArray(list)) return value === undefined || value === '' ? [] : null;
  return list.every(isRow) ? list : null;
}

function isRow(row: unknown): row is readonly string[] {
  return Array.isArray(row) && row.every((cell) => typeof cell === 'string');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function widthOf(rows: Rows): number {
  return rows.reduce((widest, row) => Math.max(widest, row.length), 0);
}
