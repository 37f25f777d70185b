import { parse } from 'csv-parse/sync';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';

const BROKEN = 'The row is not valid CSV.';

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

/** Reads CSV records; null when the text is not CSV. */
export function readRecords(text: string): readonly (readonly string[])[] | null {
  try {
    return parse(text, { bom: true, relax_column_count: true, skip_empty_lines: true });
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
