import { ApiError } from '../../api/client.ts';
import type { Field } from '../../api/field-types.ts';
import type { NamedEncoding, TextEncoding } from '../../../../src/runtime/encoding/decoder.ts';
import { CORRECTION } from '../../../../src/runtime/contract/correction.ts';
import { type CsvFormat, delimiterOf } from '../../../../src/runtime/csv/csv-format.ts';
import { parseCells } from '../../form/cells.ts';
import { type NoText, readAsUtf8 } from '../../form/text-file.ts';

/** Columns of a file of corrections, which the template does not know. */
const CORRECTIONS: readonly string[] = Object.values(CORRECTION);

export type RowFormat = 'csv' | 'ndjson';

/** A part is at most 16 MB: half of that leaves room for a long row at its end. */
const PART_BYTES = 8 * 1_048_576;
/** How much of a file is read to find the names of its columns. */
export const HEAD_BYTES = 262_144;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
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
  /** Between the cells of a CSV. */
  readonly separator: string;
  /** The header line of a CSV; empty for NDJSON. */
  readonly header: string;
  /** Its bytes. */
  readonly headBytes: number;
}

/**
 * `unreadable`: the file has no header, or its first line no object. `carriage returns`: these alone
 * end its lines. `workbook`, `pdf`, `picture`: it is a file of Excel, a PDF or a picture. `changed`: it
 * was rewritten, moved or deleted after it was chosen.
 */
export type RowFileFault =
  | 'unreadable'
  | 'carriage returns'
  | 'workbook'
  | 'pdf'
  | 'picture'
  | 'separator line'
  | 'changed'
  | NoText;

/** Reads the file once to find its encoding, and the names of its columns as the service will. */
export async function readRowFile(
  sent: Blob,
  name: string,
  named: NamedEncoding | null = null,
): Promise<RowFile | RowFileFault> {
  try {
    return await readBeginning(sent, name, named);
  } catch (error) {
    if (isChanged(error)) return 'changed';
    throw error;
  }
}

/** Browsers read a chosen file no more once it is another one on the disk (File API, clause 4.1). */
function isChanged(error: unknown): boolean {
  if (!(error instanceof DOMException)) return false;
  return error.name === 'NotReadableError' || error.name === 'NotFoundError';
}

/** Reads bytes of a chosen file; ApiError `file_changed`, which pages explain, if they cannot be read. */
export async function bytesOf(file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    if (isChanged(error)) throw new ApiError(0, { code: 'file_changed' });
    throw error;
  }
}

async function readBeginning(
  sent: Blob,
  name: string,
  named: NamedEncoding | null,
): Promise<RowFile | RowFileFault> {
  if (await isWorkbook(sent)) return 'workbook';
  if ((await sent.slice(0, 5).text()) === '%PDF-') return 'pdf';
  if (await isPicture(sent)) return 'picture';
  const read = await readAsUtf8(sent, named);
  if (!('text' in read)) return read;
  const { text: file, encoding } = read;
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const format = /\.csv$/i.test(name) ? 'csv' : 'ndjson';
  const end = endOfRow(head, 0, format);
  const text = new TextDecoder().decode(head.subarray(0, end === -1 ? head.length : end));
  const found = { file, encoding, name, format } as const;
  if (format === 'csv') {
    if (!head.includes(LINE_FEED) && head.includes(CARRIAGE_RETURN)) return 'carriage returns';
    const separator = separatorOf(text);
    const columns = end === -1 ? [] : columnsOf(text, separator);
    if (/^sep=.?$/i.test(columns[0] ?? '')) return 'separator line';
    return columns.length === 0
      ? 'unreadable'
      : { ...found, separator, columns, header: text, headBytes: end };
  }
  const row = objectOf(text);
  if (row === null) return 'unreadable';
  return { ...found, separator: '', columns: Object.keys(row), header: '', headBytes: 0 };
}

/** Whether its rows correct rows that the run has: they name these by part and line. */
export function isCorrections({ columns }: RowFile): boolean {
  return columns.includes(CORRECTION.part) && columns.includes(CORRECTION.line);
}

/** Whether the file begins as .xlsx, which is a ZIP archive, or as .xls. */
async function isWorkbook(file: Blob): Promise<boolean> {
  const [first, second, third, fourth] = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const isZip = first === 0x50 && second === 0x4b && third === 0x03 && fourth === 0x04;
  return isZip || (first === 0xd0 && second === 0xcf && third === 0x11 && fourth === 0xe0);
}

/** How PNG, JPEG, GIF and WebP files begin, byte by byte. */
const PICTURES = [/^\x89PNG\r\n/, /^\xff\xd8\xff/, /^GIF8[79]a/, /^RIFF[^]{4}WEBP/];

/** Whether the file begins as a picture, which people drop when they miss the file beside it. */
async function isPicture(file: Blob): Promise<boolean> {
  const bytes = new Uint8Array(await file.slice(0, 12).arrayBuffer());
  const begin = String.fromCharCode(...bytes);
  return PICTURES.some((picture) => picture.test(begin));
}

/**
 * The separator of the cells, found as the service finds it (src/engine/rows/csv.ts). A separator
 * that was named takes precedence.
 */
function separatorOf(header: string, named: string | null = null): string {
  return [named ?? ',', ',', ';', '\t'].find((separator) => splits(header, separator)) ?? ',';
}

function splits(header: string, separator: string): boolean {
  return (parseCells(header, separator)[0] ?? []).length > 1;
}

/** The CSV with the delimiter of this format. Other files are returned unchanged. */
export function separatedBy(rows: RowFile, format: CsvFormat): RowFile {
  if (rows.format !== 'csv') return rows;
  const separator = separatorOf(rows.header, delimiterOf(format));
  return { ...rows, separator, columns: columnsOf(rows.header, separator) };
}

/** The initial format for a file. The service does not detect `|`, so it must be named. */
export function formatAtFirst({ format, header, columns }: RowFile): CsvFormat {
  const isNamed = format === 'csv' && columns.length === 1 && splits(header, '|');
  return isNamed ? { delimiter: '|' } : {};
}

function columnsOf(header: string, separator: string): readonly string[] {
  const columns = (parseCells(header, separator)[0] ?? []).map((name) => name.trim());
  while (columns.length > 1 && columns.at(-1) === '') columns.pop();
  return columns;
}

/** The JSON object on a line; null: it is none. */
export function objectOf(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const row = JSON.parse(line) as unknown;
    const isObject = typeof row === 'object' && row !== null && !Array.isArray(row);
    return isObject ? (row as Readonly<Record<string, unknown>>) : null;
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

/** Rows to upload as one part. */
interface FilePart {
  readonly rows: Blob;
  /** The line of the file on which the rows after the header begin. */
  readonly firstLine: number;
  /** Bytes of the file up to the end of these rows. */
  readonly sentBytes: number;
}

/**
 * Cuts a file into parts of whole rows; each part of a CSV starts with the header. A part holds the
 * bytes that were read, not a range of the file: a file that changes would fail the request as if the
 * network had. Throws ApiError `file_changed`.
 */
export async function* partsOf(
  { file, format, headBytes }: RowFile,
  partBytes = PART_BYTES,
): AsyncGenerator<FilePart> {
  const header = await bytesOf(file.slice(0, headBytes));
  let from = headBytes;
  let firstLine = 1 + countLines(header, headBytes);
  while (from < file.size) {
    const rest = await bytesOf(file.slice(from, from + 2 * partBytes));
    const length = lengthOfPart(rest, format, partBytes);
    const rows = new Blob([header, rest.subarray(0, length)]);
    from += length;
    yield { rows, firstLine, sentBytes: from };
    firstLine += countLines(rest, length);
  }
}

function countLines(bytes: Uint8Array, length: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1 && at < length;) {
    count += 1;
    at = bytes.indexOf(LINE_FEED, at + 1);
  }
  return count;
}

/** Bytes of the whole rows that fit into `partBytes`, at least one row. */
function lengthOfPart(bytes: Uint8Array, format: RowFormat, partBytes: number): number {
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
    unknown: columns.filter(
      (name) => !names.has(name) && name !== idField && !CORRECTIONS.includes(name),
    ),
  };
}
