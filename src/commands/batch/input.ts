import { parse } from 'csv-parse';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';

import type { NamedEncoding, TextEncoding } from '../../runtime/encoding/decoder.ts';
import { type CsvFormat, delimiterOf } from '../../runtime/csv/csv-format.ts';
import { LIMITS } from '../../limits.ts';
import { CARRIAGE_RETURNS, type HeaderRow, readHeaderRow } from '../../runs/row-reader.ts';
import { CSV_OPTIONS, headerFault, recordData } from '#engine/light';
import { CommandFailed, unreadable } from '../console/failure.ts';
import { demandRepeatable, utf8Pieces } from '../console/files/text-file.ts';
import { explainCsv } from './csv.ts';

/** One record of the input: its number, and the `data` of its document. */
export interface BatchRecord {
  /** Counts records from 1, without blank lines and the CSV header. */
  readonly number: number;
  /** The line of the file on which it ends. */
  readonly line: number;
  /** JSON text of the data. */
  readonly data: string;
  /** The record as it is in the input: the cells of a row, or a line. */
  readonly source: readonly string[] | string;
}

/** `record 3 (line 4)`: its number, and its line where that differs, as below the header of CSV. */
export function placeOf({ number, line }: Pick<BatchRecord, 'number' | 'line'>): string {
  return line === number ? `record ${number}` : `record ${number} (line ${line})`;
}

export type InputFormat = 'ndjson' | 'csv';

/** The file of a batch. */
export interface Input {
  readonly path: string;
  readonly format: InputFormat;
  /** null: it is recognised. */
  readonly encoding: NamedEncoding | null;
  /** How CSV is written; absent: it is recognised. */
  readonly csv?: CsvFormat | undefined;
}

/** Result of reading the whole input once before the run. */
export interface Survey {
  readonly count: number;
  /** Columns of the CSV header, or keys that occur in NDJSON records; at most KEYS_MAX. */
  readonly keys: readonly string[];
  readonly encoding: TextEncoding;
  /** Between the cells of CSV. */
  readonly delimiter: string;
  /** Whether the file begins with a byte order mark. */
  readonly hasMark: boolean;
}

/** Told what a reader learns beside the records. */
interface Watch {
  readonly header: (columns: readonly string[], delimiter: string) => void;
  /** Called at the end. */
  readonly encoding: (encoding: TextEncoding) => void;
}

const NO_WATCH: Watch = { header: () => undefined, encoding: () => undefined };
const LINE_FEED = 0x0a;
const RECORD_LENGTH_MAX = 1_048_576;
const KEYS_MAX = 2_000;

/** Reads a file record by record; memory does not grow with the file. */
export async function* readRecords(
  input: Input,
  watch: Watch = NO_WATCH,
): AsyncGenerator<BatchRecord, void, undefined> {
  const { path, format, encoding, csv } = input;
  const pieces = utf8Pieces(path, encoding, { encoding: watch.encoding });
  try {
    yield* format === 'csv'
      ? readCsv(path, pieces, watch.header, delimiterOf(csv))
      : readLines(path, pieces);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(path, error);
    throw error;
  }
}

/**
 * Reads the input once before anything is made: a broken record, bytes that are no text, or no
 * record at all stop the batch at the start.
 */
export async function surveyInput(input: Input): Promise<Survey> {
  demandRepeatable(input.path);
  let count = 0;
  let encoding: TextEncoding = 'utf-8';
  const keys = new Set<string>();
  const addKeys = (names: readonly string[]): void => {
    for (const name of names) if (keys.size < KEYS_MAX) keys.add(name);
  };
  let delimiter = ',';
  const watch: Watch = {
    header: (columns, sign) => {
      delimiter = sign;
      addKeys(columns);
    },
    encoding: (read) => void (encoding = read),
  };
  for await (const { number, data } of readRecords(input, watch)) {
    count = number;
    // readRecords yields JSON objects only.
    if (input.format === 'ndjson') addKeys(Object.keys(JSON.parse(data) as object));
  }
  if (count > 0) {
    return { count, keys: [...keys], encoding, delimiter, hasMark: await isMarked(input.path) };
  }
  const what = keys.size > 0 ? 'a header, but no record' : 'no record';
  throw new CommandFailed(`${input.path} holds ${what}: nothing to make`);
}

/** Whether a byte order mark of UTF-8 or UTF-16 comes first. */
async function isMarked(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(3), 0, 3, 0);
    return /^(?:efbbbf|fffe|feff)/.test(buffer.toString('hex'));
  } finally {
    await file.close();
  }
}

async function* readLines(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<BatchRecord, void, undefined> {
  let number = 0;
  let lineNumber = 0;
  for await (const line of linesOf(path, pieces)) {
    lineNumber += 1;
    const data = (lineNumber === 1 ? line.replace(/^\uFEFF/, '') : line).replace(/\r$/, '');
    if (BLANK.test(data)) continue;
    number += 1;
    if (!isJsonObject(data)) {
      throw new CommandFailed(
        `${path}: line ${lineNumber}: record ${number} is not a JSON object on one line`,
      );
    }
    yield { number, line: lineNumber, data, source: data };
  }
}

/** The characters that runs take for blanks; a line that holds only these is skipped. */
const BLANK = /^[\0-\u0020]*$/;

/** Splits UTF-8 at line feeds only: JSON strings may hold U+2028 and U+2029 (RFC 8259 §7). */
async function* linesOf(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  let begun: Uint8Array[] = [];
  let length = 0;
  let count = 0;
  const take = (piece: Uint8Array): string => {
    const line = Buffer.concat([...begun, piece]).toString();
    begun = [];
    length = 0;
    count += 1;
    return line;
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      yield take(piece.subarray(from, at));
      from = at + 1;
    }
    begun.push(piece.subarray(from));
    length += piece.length - from;
    if (length <= RECORD_LENGTH_MAX) continue;
    throw new CommandFailed(
      `${path}: line ${count + 1}: the record is larger than ${RECORD_LENGTH_MAX} bytes`,
    );
  }
  if (length > 0) yield take(new Uint8Array());
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

/** A row as csv-parse yields it with the option `info`. */
interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Yields rows as records: the header names the fields, and an empty cell means an absent field. */
async function* readCsv(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  onHeader: Watch['header'],
  delimiter: string | null,
): AsyncGenerator<BatchRecord, void, undefined> {
  const { header: found, all } = await peekHeader(path, pieces, delimiter);
  const rows = parse({
    ...CSV_OPTIONS,
    ...(found === null ? {} : { delimiter: found.delimiter }),
    bom: true,
    info: true,
    max_record_size: RECORD_LENGTH_MAX,
  });
  // Errors of both streams reach the loop below through `rows`.
  pipeline(Readable.from(all, { objectMode: false }), rows, () => undefined);
  let header: readonly string[] | null = null;
  let number = 0;
  let lastLine = 0;
  try {
    for await (const row of rows) {
      // csv-parse yields this shape with `info` and without `columns`.
      const { record, info } = row as Row;
      lastLine = info.lines;
      if (header === null) {
        header = found?.columns ?? record;
        const fault = headerFault(header);
        if (fault !== null) throw new CommandFailed(`${path}: ${fault}`);
        onHeader(header, found?.delimiter ?? ',');
        continue;
      }
      const data = recordData({ columns: header }, record);
      // All its cells are empty.
      if (record.every((cell) => cell === '')) continue;
      number += 1;
      if (data === null) {
        throw new CommandFailed(
          `${path}: line ${info.lines} has ${record.length} cells, the header has ${header.length}`,
        );
      }
      const source = record.slice(0, header.length);
      yield { number, line: lastLine, data: JSON.stringify(data), source };
    }
  } catch (error) {
    throw explainCsv(error, path, lastLine, RECORD_LENGTH_MAX);
  } finally {
    rows.destroy();
  }
}

/** Reads the header ahead, which shows what separates the cells; `all`: every piece once more. */
async function peekHeader(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  delimiter: string | null,
): Promise<{ readonly header: HeaderRow | null; readonly all: AsyncIterable<Uint8Array> }> {
  const reading = pieces[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let length = 0;
  let header: ReturnType<typeof readHeaderRow> = 'absent';
  let isWhole = false;
  while (typeof header === 'string' && length < LIMITS.csvHeaderBytesMax) {
    const read = await reading.next();
    if (read.done === true) {
      isWhole = true;
      break;
    }
    held.push(read.value);
    length += read.value.length;
    header = readHeaderRow(Buffer.concat(held), delimiter);
  }
  if (header === 'absent' && isWhole) {
    // A header is read only before a row, which the file may lack.
    header = readHeaderRow(Buffer.concat([...held, Buffer.from('\n.\n')]), delimiter);
  }
  if (header === 'carriage returns') {
    throw new CommandFailed(`${path}: ${CARRIAGE_RETURNS}`);
  }
  // Other faults are found with their lines by the reader itself.
  return { header: typeof header === 'string' ? null : header, all: following(held, reading) };
}

async function* following(
  held: readonly Uint8Array[],
  reading: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* held;
  for (;;) {
    const read = await reading.next();
    if (read.done === true) return;
    yield read.value;
  }
}
