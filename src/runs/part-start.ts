import type { RowFormat } from '../store/runs/types.ts';
import { type Failure, fail, type Outcome, succeed } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { headerFault } from '#engine/light';
import {
  CARRIAGE_RETURNS,
  countLineFeeds,
  headerLength,
  type HeaderRow,
  readHeaderRow,
} from './row-reader.ts';

/** U+FEFF in UTF-8. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const WORKBOOKS = [
  Buffer.from([0x50, 0x4b, 0x03, 0x04]),
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0]),
] as const;

const TOO_LONG =
  `The header row does not end within ${LIMITS.csvHeaderBytesMax} bytes: shorten it, or close the` +
  ' quote in it.';
const RETURNS = `In the part, ${CARRIAGE_RETURNS}.`;
/** The refusal of a part that is not text, such as a workbook. */
export const WORKBOOK =
  'The part is a workbook of Excel, not text: save it in Excel as "CSV UTF-8 (Comma delimited)".';

/** Where the rows of a part begin. */
export interface PartStart {
  /** Bytes before the first row: a byte order mark, and the CSV header. */
  readonly headerBytes: number;
  /** Lines of the header. */
  readonly headerLines: number;
}

/** Whether the bytes begin as .xlsx, which is a ZIP archive, or as .xls. */
export function isWorkbook(bytes: Uint8Array): boolean {
  return WORKBOOKS.some((begin) => begin.equals(bytes.subarray(0, begin.length)));
}

/** Bytes of a part by which `refuseBeginning` judges it. */
export const BEGINNING_BYTES = LIMITS.csvHeaderBytesMax + 1;

/**
 * Refuses a part by its beginning, so that it is refused before the rest has arrived; null: nothing
 * is wrong so far. The bytes are as they were sent.
 */
export function refuseBeginning(beginning: Uint8Array, format: RowFormat): Failure | null {
  if (isWorkbook(beginning)) return fail('bad_request', WORKBOOK);
  // Less than that is the whole part. UTF-16 has zero bytes, and its line feeds are found later.
  if (beginning.length < BEGINNING_BYTES || format !== 'csv' || beginning.includes(0)) return null;
  const length = headerLength(beginning);
  if (length === 'too long') return fail('bad_request', TOO_LONG);
  return length === 'carriage returns' ? fail('bad_request', RETURNS) : null;
}

/** Reads the start of a part; a CSV header must name the id field. `delimiter`: null: recognised. */
export function readPartStart(
  rows: Uint8Array,
  format: RowFormat,
  idField: string,
  delimiter: string | null = null,
): Outcome<PartStart> {
  if (format === 'ndjson') {
    const isMarked = BYTE_ORDER_MARK.equals(rows.subarray(0, 3));
    return succeed({ headerBytes: isMarked ? BYTE_ORDER_MARK.length : 0, headerLines: 0 });
  }
  const header = readHeaderRow(rows, delimiter);
  switch (header) {
    case 'too long':
      return fail('bad_request', TOO_LONG);
    case 'carriage returns':
      return fail('bad_request', RETURNS);
    case 'absent':
      return fail('bad_request', 'The part needs a header row and at least one row after it.');
    default:
      return checkHeader(header, idField, countLineFeeds(rows, 0, header.bytes));
  }
}

function checkHeader(
  { columns, bytes }: HeaderRow,
  idField: string,
  headerLines: number,
): Outcome<PartStart> {
  const fault = headerFault(columns);
  if (fault !== null) return fail('bad_request', `In the header: ${fault}.`);
  if (columns.includes(idField)) return succeed({ headerBytes: bytes, headerLines });
  return fail(
    'bad_request',
    `The header has no column ${JSON.stringify(idField)}, the run's idField.`,
  );
}
