import { readHeader } from '../workers/rows/csv.ts';
import type { RowFormat } from '../store/runs/types.ts';
import type { StoredFile } from '../store/store.ts';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
/** Bytes up to this one, the space, are blank. */
const BLANK_MAX = 0x20;
/** Bytes read at a time. */
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

/** Limits of a block. A row longer than `bytesMax` is a block by itself. */
export interface BlockBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
}

/**
 * Reads the rows of a part from `fromByte` on, block by block. An empty line counts as part of the row
 * after it; at the end of the file, of the last row.
 */
export async function* readBlocks(
  file: StoredFile,
  format: RowFormat,
  fromByte: number,
  bounds: BlockBounds,
): AsyncGenerator<RowBlock> {
  /** Bytes that were read and belong to no block yet; the first lies at `blockStart`. */
  let pending: Uint8Array = new Uint8Array(0);
  let blockStart = fromByte;
  let readTo = fromByte;
  while (blockStart < file.bytes) {
    const isEnd = readTo >= file.bytes;
    const ends = rowEnds(pending, format, isEnd, bounds);
    const isFull = ends.length >= bounds.rowsMax || (ends.at(-1) ?? 0) >= bounds.bytesMax;
    if (!isEnd && !isFull && pending.length < bounds.bytesMax * 2) {
      const piece = await file.read(readTo, PIECE_BYTES);
      if (piece.byteLength === 0) throw new Error('a part is shorter than when it was stored');
      pending = Buffer.concat([pending, piece]);
      readTo += piece.byteLength;
      continue;
    }
    // A row that does not end within the bound is cut, because no valid row is this long.
    if (ends.length === 0) ends.push(pending.length);
    const length = ends.at(-1) ?? 0;
    const bytes = new Uint8Array(pending.subarray(0, length));
    yield { fromByte: blockStart, toByte: blockStart + length, bytes, ends };
    pending = pending.subarray(length);
    blockStart += length;
  }
}

/** Finds the columns of a CSV part and the start of its first row; null: no header, or no row. */
export function readHeaderRow(
  bytes: Uint8Array,
): { readonly columns: readonly string[]; readonly bytes: number } | null {
  const length = recordEnd(bytes, 0, 'csv');
  if (length === -1 || isBlank(bytes, length, bytes.length)) return null;
  const columns = readHeader(Buffer.from(bytes.subarray(0, length)).toString('utf8'));
  return columns === null ? null : { columns, bytes: length };
}

/** Whether the text has only blanks and line feeds. */
export function isBlankText(bytes: Uint8Array): boolean {
  return isBlank(bytes, 0, bytes.length);
}

/** Finds where complete rows end, as many as the bounds allow; `isEnd`: no more bytes follow. */
export function rowEnds(
  bytes: Uint8Array,
  format: RowFormat,
  isEnd: boolean,
  { rowsMax, bytesMax }: BlockBounds,
): number[] {
  const ends: number[] = [];
  for (let start = 0; start < bytes.length && ends.length < rowsMax && start < bytesMax;) {
    let end = recordEnd(bytes, start, format);
    // An empty line is not a row: it belongs to the next one.
    while (end !== -1 && isBlank(bytes, start, end)) end = recordEnd(bytes, end, format);
    if (end === -1) {
      if (isEnd) endLastRow(bytes, start, ends);
      break;
    }
    ends.push(end);
    start = end;
  }
  return ends;
}

/** The last row may lack its line feed; blanks at the end belong to the row before them. */
function endLastRow(bytes: Uint8Array, start: number, ends: number[]): void {
  if (isBlank(bytes, start, bytes.length) && ends.length > 0) ends.pop();
  ends.push(bytes.length);
}

/** The offset after the line feed that ends a record; -1: there is none. */
function recordEnd(bytes: Uint8Array, start: number, format: RowFormat): number {
  let end = start;
  let quotes = 0;
  do {
    const lineStart = end;
    const lineFeed = bytes.indexOf(LINE_FEED, lineStart);
    if (lineFeed === -1) return -1;
    end = lineFeed + 1;
    if (format === 'csv') quotes += countQuotes(bytes, lineStart, lineFeed);
    // RFC 4180: a line feed inside quotes belongs to the cell.
  } while (quotes % 2 === 1);
  return end;
}

function countQuotes(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  let quote = bytes.indexOf(QUOTE, from);
  while (quote !== -1 && quote < to) {
    count += 1;
    quote = bytes.indexOf(QUOTE, quote + 1);
  }
  return count;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) > BLANK_MAX) return false;
  return true;
}
