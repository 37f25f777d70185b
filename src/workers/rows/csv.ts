import { parse } from 'csv-parse/sync';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';

const BROKEN = 'The row is not valid CSV.';

/** How every reader of rows reads CSV, so that the same file means the same everywhere. */
export const CSV_OPTIONS = {
  // Without this, the first line break of each block that is read would decide for the block.
  record_delimiter: ['\r\n', '\n'],
  // The readers count the cells, with messages that quote none of them.
  relax_column_count: true,
  skip_empty_lines: true,
};

/** What is wrong with the header of a CSV; null: nothing. */
export function headerFault(columns: readonly string[]): string | null {
  if (columns.length > LIMITS.csvColumnsMax) {
    return `there are ${columns.length} columns, at most ${LIMITS.csvColumnsMax} are possible`;
  }
  const known = new Set<string>();
  const repeated = columns.find((name) => known.size === known.add(name).size);
  if (repeated !== undefined)
    return `column ${JSON.stringify(repeated)} stands twice in the header`;
  // A single column whose name has another separator is a file without commas.
  const [first = ''] = columns;
  const separator = columns.length === 1 ? /[;\t|]/.exec(first)?.[0] : undefined;
  if (separator === undefined) return null;
  return `the cells are separated by ${JSON.stringify(separator)}; a comma is needed`;
}

/**
 * A function that gives the records of `whole`, a block of CSV, as JSON objects by the names of the
 * header; an empty cell makes the field absent. `textOf` gives the text of a single record, so that
 * one that cannot be read fails alone.
 */
export function csvRows(
  textOf: (index: number) => string,
  whole: string,
  count: number,
  header: readonly string[],
): (index: number) => Outcome<Uint8Array> {
  const records = readRecords(whole);
  if (records?.length === count) return (index) => asJson(header, records[index]);
  // A broken quote would swallow the following records, so each record is parsed separately.
  return (index) => {
    const one = readRecords(textOf(index));
    return one?.length === 1 ? asJson(header, one[0]) : fail('bad_request', BROKEN);
  };
}

/** Reads the header of a CSV, which may follow a byte order mark; null when it is not CSV. */
export function readHeader(text: string): readonly string[] | null {
  return readRecords(text.replace(/^\uFEFF/, ''))?.[0] ?? null;
}

/** Reads CSV records; null when the text is not CSV. */
function readRecords(text: string): readonly (readonly string[])[] | null {
  try {
    return parse(text, CSV_OPTIONS);
  } catch (error) {
    // csv-parse names its faults with a code; anything else is a bug.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

function asJson(
  header: readonly string[],
  cells: readonly string[] | undefined,
): Outcome<Uint8Array> {
  if (cells?.length !== header.length) {
    const found = cells?.length ?? 0;
    return fail('bad_request', `The row has ${found} cells, the header has ${header.length}.`);
  }
  const data = Object.create(null) as Record<string, string>;
  for (const [index, name] of header.entries()) {
    const cell = cells[index] ?? '';
    if (cell !== '') data[name] = cell;
  }
  return succeed(Buffer.from(JSON.stringify(data)));
}
