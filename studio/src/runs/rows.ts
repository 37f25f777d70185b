import type { Field } from '../api/types.ts';
import type { NamedEncoding, TextEncoding } from '../../../src/runtime/encoding/decoder.ts';
import { parseCells } from '../form/cells.ts';
import { type NoText, readAsUtf8 } from '../form/text-file.ts';

export type RowFormat = 'csv' | 'ndjson';

/** A part is at most 16 MB: half of that leaves room for a long row at its end. */
const PART_BYTES = 8 * 1_048_576;
/** How much of a file is read to find the names of its columns. */
const HEAD_BYTES = 262_144;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/** A file of rows, and what its beginning says about it. */
export interface RowFile {
  /** The rows in UTF-8. */
  readonly file: Blob;
  /** How the file was read. */
  readonly encoding: TextEncoding;
  readonly name: string;
  readonly format: RowFormat;
  readonly columns: readonly string[];
  /** Bytes of the header line of a CSV; 0 for NDJSON. */
  readonly headBytes: number;
}

/** `unreadable`: the file has no header, or its first line no object. */
export type RowFileFault = 'unreadable' | NoText;

/** Reads the file once to find its encoding, and the names of its columns as the service will. */
export async function readRowFile(
  sent: Blob,
  name: string,
  named: NamedEncoding | null = null,
): Promise<RowFile | RowFileFault> {
  const read = await readAsUtf8(sent, named);
  if (!('text' in read)) return read;
  const { text: file, encoding } = read;
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const format = /\.csv$/i.test(name) ? 'csv' : 'ndjson';
  const end = endOfRow(head, 0, format);
  const text = new TextDecoder().decode(head.subarray(0, end === -1 ? head.length : end));
  const found = { file, encoding, name, format } as const;
  if (format === 'csv') {
    const columns = end === -1 ? [] : (parseCells(text, ',')[0] ?? []);
    return columns.length === 0 ? 'unreadable' : { ...found, columns, headBytes: end };
  }
  const columns = namesOf(text);
  return columns === null ? 'unreadable' : { ...found, columns, headBytes: 0 };
}

function namesOf(line: string): readonly string[] | null {
  try {
    const row = JSON.parse(line) as unknown;
    const isObject = typeof row === 'object' && row !== null && !Array.isArray(row);
    return isObject ? Object.keys(row) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The end of the row that begins at `from`, after its line feed; -1: not in these bytes. */
function endOfRow(bytes: Uint8Array, from: number, format: RowFormat): number {
  let isQuoted = false;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    // A line feed inside quotes belongs to the cell (RFC 4180 §2.6).
    if (byte === QUOTE && format === 'csv') isQuoted = !isQuoted;
    if (byte === LINE_FEED && !isQuoted) return at + 1;
  }
  return -1;
}

/** Cuts a file into parts of whole rows; each part of a CSV starts with the header. */
export async function* partsOf(
  { file, format, headBytes }: RowFile,
  partBytes = PART_BYTES,
): AsyncGenerator<{ readonly rows: Blob; readonly sentBytes: number }> {
  const header = file.slice(0, headBytes);
  let from = headBytes;
  while (from < file.size) {
    const length = await lengthOfPart(file.slice(from, from + 2 * partBytes), format, partBytes);
    const rows = new Blob([header, file.slice(from, from + length)]);
    from += length;
    yield { rows, sentBytes: from };
  }
}

/** Bytes of the whole rows that fit into `partBytes`, at least one row. */
async function lengthOfPart(rest: Blob, format: RowFormat, partBytes: number): Promise<number> {
  const bytes = new Uint8Array(await rest.arrayBuffer());
  if (bytes.length <= partBytes) return bytes.length;
  let length = 0;
  for (;;) {
    const end = endOfRow(bytes, length, format);
    if (end === -1) return length === 0 ? bytes.length : length;
    if (end > partBytes && length > 0) return length;
    length = end;
  }
}

/** How the columns of a file agree with the fields of a template. */
export interface ColumnCheck {
  /** Required fields without a column: every row would be invalid. */
  readonly missing: readonly string[];
  /** Columns that are neither a field nor the row's id. */
  readonly unknown: readonly string[];
  /** Optional fields without a column. */
  readonly absent: readonly string[];
}

export function checkColumns(
  columns: readonly string[],
  fields: readonly Field[],
  idField: string,
): ColumnCheck {
  const has = new Set(columns);
  const names = new Set(fields.map(({ name }) => name));
  const without = fields.filter(({ name }) => !has.has(name));
  return {
    missing: without.filter(({ required }) => required).map(({ name }) => name),
    absent: without.filter(({ required }) => !required).map(({ name }) => name),
    unknown: columns.filter((name) => !names.has(name) && name !== idField),
  };
}
