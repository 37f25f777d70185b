import type { RowFormat } from '../store/runs/types.ts';
import { fail, type Outcome, succeed } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { headerFault } from '../workers/rows/csv.ts';
import { readHeaderRow } from './row-reader.ts';

/** U+FEFF in UTF-8. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Returns the number of bytes before the first row of a part: a byte order mark, and the CSV header,
 * which must name the id field.
 */
export function readPartStart(
  rows: Uint8Array,
  format: RowFormat,
  idField: string,
): Outcome<number> {
  if (format === 'ndjson') {
    return succeed(BYTE_ORDER_MARK.equals(rows.subarray(0, 3)) ? BYTE_ORDER_MARK.length : 0);
  }
  const header = readHeaderRow(rows);
  if (header === 'too long') {
    return fail(
      'bad_request',
      `The header row does not end within ${LIMITS.csvHeaderBytesMax} bytes: shorten it, or close the` +
        ' quote in it.',
    );
  }
  if (header === 'absent') {
    return fail('bad_request', 'The part needs a header row and at least one row after it.');
  }
  const { columns, bytes } = header;
  const fault = headerFault(columns);
  if (fault !== null) return fail('bad_request', `In the header: ${fault}.`);
  if (!columns.includes(idField)) {
    return fail(
      'bad_request',
      `The header has no column ${JSON.stringify(idField)}, the run's idField.`,
    );
  }
  return succeed(bytes);
}
