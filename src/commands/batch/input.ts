import { parse } from 'csv-parse';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { CommandFailed, unreadable } from '../console/failure.ts';
import { explainCsv } from './csv.ts';

/** One record of the input: its number, and the `data` of its document. */
export interface BatchRecord {
  /** Counts records from 1, without blank lines and the CSV header. */
  readonly number: number;
  /** JSON text of the data. */
  readonly data: string;
  /** The record as it is in the input: the cells of a row, or a line. */
  readonly source: readonly string[] | string;
}

export type InputFormat = 'ndjson' | 'csv';

/** Result of reading the whole input once before the run. */
export interface Survey {
  readonly count: number;
  /** Columns of the CSV header, or keys that occur in NDJSON records; at most KEYS_MAX. */
  readonly keys: readonly string[];
}

const RECORD_LENGTH_MAX = 1_048_576;
const KEYS_MAX = 2_000;

/** Reads a file record by record; memory does not grow with the file. */
export async function* readRecords(
  path: string,
  format: InputFormat,
  onHeader: (columns: readonly string[]) => void = () => undefined,
): AsyncGenerator<BatchRecord, void, undefined> {
  try {
    yield* format === 'csv' ? readCsv(path, onHeader) : readLines(path);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(path, error);
    throw error;
  }
}

/**
 * Reads the input once before anything is made: a broken record, or none at all, stops the batch at
 * the start.
 */
export async function surveyInput(path: string, format: InputFormat): Promise<Survey> {
  let count = 0;
  const keys = new Set<string>();
  const addKeys = (names: readonly string[]): void => {
    for (const name of names) if (keys.size < KEYS_MAX) keys.add(name);
  };
  for await (const { number, data } of readRecords(path, format, addKeys)) {
    count = number;
    // readRecords yields JSON objects only.
    if (format === 'ndjson') addKeys(Object.keys(JSON.parse(data) as object));
  }
  if (count > 0) return { count, keys: [...keys] };
  const what = keys.size > 0 ? 'a header, but no record' : 'no record';
  throw new CommandFailed(`${path} holds ${what}: nothing to make`);
}

async function* readLines(path: string): AsyncGenerator<BatchRecord, void, undefined> {
  const input = createReadStream(path, 'utf8');
  try {
    let number = 0;
    let lineNumber = 0;
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      lineNumber += 1;
      const data = lineNumber === 1 ? line.replace(/^\uFEFF/, '') : line;
      if (data.trim() === '') continue;
      number += 1;
      if (!isJsonObject(data)) {
        throw new CommandFailed(
          `${path}: line ${lineNumber}: record ${number} is not a JSON object on one line`,
        );
      }
      yield { number, data, source: data };
    }
  } finally {
    input.destroy();
  }
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
  onHeader: (columns: readonly string[]) => void,
): AsyncGenerator<BatchRecord, void, undefined> {
  const input = createReadStream(path);
  const rows = input.pipe(
    parse({
      bom: true,
      info: true,
      skip_empty_lines: true,
      // The cells are counted below, with a message that quotes none of them.
      relax_column_count: true,
      max_record_size: RECORD_LENGTH_MAX,
    }),
  );
  // `pipe` does not forward errors.
  input.once('error', (error) => rows.destroy(error));
  let header: readonly string[] | null = null;
  let number = 0;
  let lastLine = 0;
  try {
    for await (const row of rows) {
      // csv-parse yields this shape with `info` and without `columns`.
      const { record, info } = row as Row;
      lastLine = info.lines;
      if (header === null) {
        header = demandHeader(record, path);
        onHeader(header);
        continue;
      }
      number += 1;
      if (record.length !== header.length) {
        throw new CommandFailed(
          `${path}: line ${info.lines} has ${record.length} cells, the header has ${header.length}`,
        );
      }
      yield { number, data: JSON.stringify(dataOf(header, record)), source: record };
    }
  } catch (error) {
    throw explainCsv(error, path, lastLine, RECORD_LENGTH_MAX);
  } finally {
    input.destroy();
  }
}

function demandHeader(columns: readonly string[], path: string): readonly string[] {
  const repeated = columns.find((name, index) => columns.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new CommandFailed(
      `${path}: column ${JSON.stringify(repeated)} stands twice in the header`,
    );
  }
  // A single column whose name has another separator is a file without commas.
  const [first = ''] = columns;
  const separator = columns.length === 1 ? /[;\t|]/.exec(first)?.[0] : undefined;
  if (separator === undefined) return columns;
  throw new CommandFailed(
    `${path}: the cells are separated by ${JSON.stringify(separator)}; a comma is needed`,
  );
}

function dataOf(header: readonly string[], cells: readonly string[]): object {
  const data = Object.create(null) as Record<string, string>;
  header.forEach((name, index) => {
    const cell = cells[index] ?? '';
    if (cell !== '') data[name] = cell;
  });
  return data;
}
