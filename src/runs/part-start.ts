import type { RowFormat } from '../store/runs/types.ts';
import { fail, type Outcome, succeed } from '../errors.ts';
import { readHeaderRow } from './row-reader.ts';

/**
 * Length of what precedes the first row: a byte order mark and the CSV header, which must name the
 * id field.
 */
export function readPartStart(
  rows: Uint8Array,
  format: RowFormat,
  idField: string,
): Outcome<number> {
  const isMarked = rows[0] === 0xef && rows[1] === 0xbb && rows[2] === 0xbf;
  if (format === 'ndjson') return succeed(isMarked ? 3 : 0);
  const header = readHeaderRow(rows);
  if (header === null)
    return fail('bad_request', 'The part needs a header row and at least one row after it.');
  const { columns, bytes } = header;
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined) {
    return fail('bad_request', `Column ${JSON.stringify(twice)} appears twice in the header.`);
  }
  if (columns.includes(idField)) return succeed(bytes);
  return fail(
    'bad_request',
    `The header has no column ${JSON.stringify(idField)}, the run's idField.`,
  );
}
