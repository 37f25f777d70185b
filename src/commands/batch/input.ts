import { parse } from 'csv-parse';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { CommandFailed } from '../failure.ts';

/** One document to make: where it stands in the input, and its `data`. */
export interface BatchRecord {
  /** 1-based, counting records: blank lines and a CSV header do not count. */
  readonly number: number;
  /** JSON text of the data. */
  readonly data: string;
}

export type InputFormat = 'ndjson' | 'csv';

const RECORD_LENGTH_MAX = 1_048_576;

/** Reads a file record by record; memory does not grow with the file. */
export async function* readRecords(
  path: string,
  format: InputFormat,
): AsyncGenerator<BatchRecord, void, undefined> {
  try {
    yield* format === 'csv' ? readCsv(path) : readLines(path);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new CommandFailed(`cannot read ${path}: ${error.message}`);
    }
    throw error;
  }
}

async function* readLines(path: string): AsyncGenerator<BatchRecord, void, undefined> {
  const input = createReadStream(path, 'utf8');
  try {
    let number = 0;
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const data = number === 0 ? line.replace(/^\uFEFF/, '') : line;
      if (data.trim() === '') continue;
      number += 1;
      if (!isJsonObject(data)) {
        throw new CommandFailed(`${path}: record ${number} is not a JSON object on one line`);
      }
      yield { number, data };
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

/** The header names the fields; an empty cell is a field that is absent. */
async function* readCsv(path: string): AsyncGenerator<BatchRecord, void, undefined> {
  const input = createReadStream(path);
  const rows = input.pipe(
    parse({
      bom: true,
      columns: true,
      skip_empty_lines: true,
      max_record_size: RECORD_LENGTH_MAX,
    }),
  );
  // pipe does not hand errors on.
  input.once('error', (error) => rows.destroy(error));
  try {
    let number = 0;
    for await (const row of rows) {
      number += 1;
      // With `columns: true` each row is an object of strings.
      const cells = Object.entries(row as Record<string, string>);
      const filled = cells.filter(([, cell]) => cell !== '');
      yield { number, data: JSON.stringify(Object.fromEntries(filled)) };
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')) {
      throw new CommandFailed(`${path} is not valid CSV (${String(error.code)})`);
    }
    throw error;
  } finally {
    input.destroy();
  }
}
