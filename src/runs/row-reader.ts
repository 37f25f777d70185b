import { readRecords } from '../workers/rows/csv.ts';
import type { RowFormat } from '../store/runs/types.ts';
import type { StoredFile } from '../store/store.ts';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BLANK_MAX = 0x20;
const PIECE_BYTES = 256 * 1024;

/** Rows of one chunk, unchanged from their part. */
export interface RowBlock {
  readonly fromByte: number;
  readonly toByte: number;
  /** A buffer that nothing else uses. */
  readonly bytes: Uint8Array;
  /** Where each row ends in `bytes`. */
  readonly ends: readonly number[];
}

/** Bounds of a block; a row longer than them forms a block by itself. */
export interface BlockBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
}

/**
 * Reads the rows of a part from `fromByte` on, block by block. An empty line belongs to the row after
 * it, empty lines at the end to the last row.
 */
export async function* readBlocks(
  file: StoredFile,
  format: RowFormat,
  fromByte: number,
  bounds: BlockBounds,
): AsyncGenerator<RowBlock> {
  let held: Uint8Array = new Uint8Array(0);
  let at = fromByte;
  let readTo = fromByte;
  while (at < file.bytes) {
    const isWhole = readTo >= file.bytes;
    const ends = rowEnds(held, format, isWhole, bounds);
    const isFull = ends.length >= bounds.rowsMax || (ends.at(-1) ?? 0) >= bounds.bytesMax;
    if (!isWhole && !isFull && held.length < bounds.bytesMax * 2) {
      const piece = await file.read(readTo, PIECE_BYTES);
      if (piece.byteLength === 0) throw new Error('a part is shorter than when it was stored');
      held = Buffer.concat([held, piece]);
      readTo += piece.byteLength;
      continue;
    }
    // A row that does not end within the bound is cut, because no valid row is this long.
    if (ends.length === 0) ends.push(held.length);
    const length = ends.at(-1) ?? 0;
    const bytes = new Uint8Array(held.subarray(0, length));
    yield { fromByte: at, toByte: at + length, bytes, ends };
    held = held.subarray(length);
    at += length;
  }
}

/** Finds the columns of a CSV part and the start of its first row; null: no header, or no row. */
export function readHeaderRow(
  bytes: Uint8Array,
): { readonly columns: readonly string[]; readonly bytes: number } | null {
  const length = recordEnd(bytes, 0, 'csv');
  if (length === -1 || isBlank(bytes, length, bytes.length)) return null;
  const columns = readRecords(Buffer.from(bytes.subarray(0, length)).toString('utf8'))?.[0];
  return columns === undefined ? null : { columns, bytes: length };
}

/** True when the text holds only blanks and line feeds. */
export function isBlankText(bytes: Uint8Array): boolean {
  return isBlank(bytes, 0, bytes.length);
}

/** Finds the ends of complete rows, as many as the bounds allow. */
export function rowEnds(
  bytes: Uint8Array,
  format: RowFormat,
  isWhole: boolean,
  { rowsMax, bytesMax }: BlockBounds,
): number[] {
  const ends: number[] = [];
  for (let start = 0; start < bytes.length && ends.length < rowsMax && start < bytesMax;) {
    let end = recordEnd(bytes, start, format);
    // An empty line is not a row: it belongs to the next one.
    while (end !== -1 && isBlank(bytes, start, end)) end = recordEnd(bytes, end, format);
    if (end === -1) {
      if (isWhole) closeLast(bytes, start, ends);
      break;
    }
    ends.push(end);
    start = end;
  }
  return ends;
}

/** The last row may lack its line feed; blanks at the end belong to the row before them. */
function closeLast(bytes: Uint8Array, start: number, ends: number[]): void {
  if (isBlank(bytes, start, bytes.length) && ends.length > 0) ends.pop();
  ends.push(bytes.length);
}

/** The offset after the line feed that ends a record; -1: there is none. */
function recordEnd(bytes: Uint8Array, start: number, format: RowFormat): number {
  let end = start;
  let quotes = 0;
  do {
    const from = end;
    const at = bytes.indexOf(LINE_FEED, from);
    if (at === -1) return -1;
    end = at + 1;
    if (format === 'csv') quotes += countQuotes(bytes, from, at);
    // RFC 4180: a line feed inside quotes belongs to the cell.
  } while (quotes % 2 === 1);
  return end;
}

function countQuotes(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (
    let at = bytes.indexOf(QUOTE, from);
    at !== -1 && at < to;
    at = bytes.indexOf(QUOTE, at + 1)
  ) {
    count += 1;
  }
  return count;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) > BLANK_MAX) return false;
  return true;
}
