import type { Field } from '../../api/field-types.ts';
import { parseCells } from '../../form/cells.ts';
import { bytesOf, HEAD_BYTES, objectOf, type RowFile } from './rows.ts';

/** Letters of a cell that are shown. */
const CELL_LENGTH_MAX = 60;

/** Cells in the order of the file's columns. */
export type FirstRows = readonly (readonly string[])[];
/** Values in the order of the file's columns; those of a CSV are texts. */
export type FirstValues = readonly (readonly unknown[])[];

/** The first rows after the header, as they were read. */
export async function firstValuesOf(rows: RowFile, rowsMax: number): Promise<FirstValues> {
  const read = await bytesOf(rows.file.slice(0, rows.headBytes + HEAD_BYTES));
  const head = new TextDecoder().decode(read);
  const found = rows.format === 'csv' ? csvRows(head, rows) : objectRows(head, rows, rowsMax);
  return found.slice(0, rowsMax);
}

/** The values as texts, which are shortened to be shown. */
export function cellsOf(values: FirstValues): FirstRows {
  return values.map((row) => row.map((value) => shortened(textOf(value))));
}

/** A row that the head of the file cuts is left out, unless it is the only one. */
function csvRows(head: string, { separator, file, headBytes }: RowFile): FirstRows {
  const isCut = headBytes + HEAD_BYTES < file.size;
  const parsed = parseCells(head, separator).slice(1);
  const whole = isCut && parsed.length > 1 ? parsed.slice(0, -1) : parsed;
  return whole.filter((cells) => cells.some((cell) => cell !== ''));
}

function objectRows(head: string, { columns }: RowFile, rowsMax: number): FirstValues {
  return head
    .split('\n', rowsMax)
    .map((line) => objectOf(line))
    .filter((row) => row !== null)
    .map((row) => columns.map((name) => row[name]));
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shortened(cell: string): string {
  if (cell.length <= CELL_LENGTH_MAX) return cell;
  // A letter keeps its marks.
  const parts = new Intl.Segmenter().segment(cell.slice(0, 4 * CELL_LENGTH_MAX));
  const letters = Array.from(parts, ({ segment }) => segment);
  return `${letters.slice(0, CELL_LENGTH_MAX - 1).join('')}…`;
}

/** A cell of a CSV that holds a table with these headings: a list for each of its rows, as JSON. */
export function tableCellOf(headings: readonly string[]): string {
  const names = headings.length === 0 ? ['A', 'B'] : headings;
  return JSON.stringify([1, 2].map((row) => names.map((name) => `${name} ${row}`)));
}

/** The columns of a file for these fields: first one that identifies the row, then the fields. */
export function headerOf(fields: readonly Field[]): readonly string[] {
  const names = fields.map(({ name }) => name);
  return names.includes('row') ? names : ['row', ...names];
}
