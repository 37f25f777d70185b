import { LIMITS } from '../limits.ts';
import type { CsvHeader } from '#engine';
import { readHeader } from '#engine/light';
import type { RowFormat } from '../store/runs/types.ts';
import type { StoredFile } from '../store/store.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
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
  readonly lines: RowLines;
}

/** The lines on which rows begin; the first line of the block is 0. */
export interface RowLines {
  readonly begins: readonly number[];
  /** The line on which the bytes after the last row begin. */
  readonly end: number;
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
    const rowsTo = ends.at(-1) ?? 0;
    const isFull = ends.length >= bounds.rowsMax || rowsTo >= bounds.bytesMax;
    // Only blanks follow the last complete row so far. If the file ends here, they belong to that
    // row.
    const isBlankAfter = ends.length > 0 && isBlank(pending, rowsTo, pending.length);
    if (!isEnd && (!isFull || isBlankAfter) && pending.length < bounds.bytesMax * 2) {
      const piece = await file.read(readTo, PIECE_BYTES);
      if (piece.byteLength === 0) throw new Error('a part is shorter than when it was stored');
      pending = Buffer.concat([pending, piece]);
      readTo += piece.byteLength;
      continue;
    }
    // A row that does not end within the bound is cut, because no valid row is this long.
    if (ends.length === 0) ends.push(pending.length);
    else if (isEnd && isBlankAfter) ends[ends.length - 1] = pending.length;
    const length = ends.at(-1) ?? 0;
    const bytes = new Uint8Array(pending.subarray(0, length));
    const lines = linesOfRows(bytes, ends);
    yield { fromByte: blockStart, toByte: blockStart + length, bytes, ends, lines };
    pending = pending.subarray(length);
    blockStart += length;
  }
}

/** Counts the lines of rows; a line feed inside quotes begins a line, too, as an editor shows it. */
export function linesOfRows(bytes: Uint8Array, ends: readonly number[]): RowLines {
  const begins: number[] = [];
  let line = 0;
  let at = 0;
  for (const end of ends) {
    // Empty lines before a row belong to it.
    for (; at < end && (bytes[at] ?? 0) <= BLANK_MAX; at += 1)
      if (bytes[at] === LINE_FEED) line += 1;
    begins.push(line);
    line += countLineFeeds(bytes, at, end);
    at = end;
  }
  return { begins, end: line };
}

export function countLineFeeds(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to;) {
    const found = bytes.indexOf(LINE_FEED, at);
    if (found === -1 || found >= to) break;
    count += 1;
    at = found + 1;
  }
  return count;
}

/** The refusal of a file whose lines end with carriage returns alone. */
export const CARRIAGE_RETURNS =
  'the lines end with a carriage return alone, as on old Macs: save the file as "CSV UTF-8 (Comma' +
  ' delimited)"';

/** The header of a CSV part, and where its first row begins. */
export interface HeaderRow extends CsvHeader {
  readonly bytes: number;
}

/**
 * Reads the header of a CSV part. `absent`: there is no header, or no row after it; `too long`: it
 * does not end within the limit, beyond which nothing is searched; `carriage returns`: these alone
 * end its lines. `delimiter`: the one that was named; null: it is recognised.
 */
export function readHeaderRow(
  bytes: Uint8Array,
  delimiter: string | null = null,
): HeaderRow | 'absent' | 'too long' | 'carriage returns' {
  const length = headerLength(bytes);
  if (typeof length !== 'number') return length;
  if (isBlank(bytes, length, bytes.length)) return 'absent';
  const header = readHeader(Buffer.from(bytes.subarray(0, length)).toString('utf8'), delimiter);
  return header === null ? 'absent' : { ...header, bytes: length };
}

/** Bytes of the first record of a CSV, which is looked for within the limit; or as above. */
export function headerLength(
  bytes: Uint8Array,
): number | 'absent' | 'too long' | 'carriage returns' {
  const start = bytes.subarray(0, LIMITS.csvHeaderBytesMax);
  if (!start.includes(LINE_FEED) && start.includes(CARRIAGE_RETURN)) return 'carriage returns';
  const length = new RecordEnds(start, 'csv').after(0);
  if (length !== -1) return length;
  return start.length < bytes.length ? 'too long' : 'absent';
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
  const records = new RecordEnds(bytes, format);
  for (let start = 0; start < bytes.length && ends.length < rowsMax && start < bytesMax;) {
    let lineStart = start;
    let end = records.after(start);
    // An empty line is not a row: it belongs to the next one.
    while (end !== -1 && isBlank(bytes, lineStart, end)) {
      lineStart = end;
      end = records.after(end);
    }
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

/**
 * Finds the ends of records from start to end of a text. It remembers the next line feed and the next
 * quote, so that no byte is searched twice, however rare or frequent they are.
 */
class RecordEnds {
  readonly #bytes: Uint8Array;
  readonly #isCsv: boolean;
  /** The first one at or after the place last asked for; the length of the text: there is none. */
  #lineFeed = -1;
  #quote = -1;

  constructor(bytes: Uint8Array, format: RowFormat) {
    this.#bytes = bytes;
    this.#isCsv = format === 'csv';
  }

  /** The offset after the line feed that ends the record at `start`; -1: there is none. */
  after(start: number): number {
    const { length } = this.#bytes;
    for (let at = start; ;) {
      if (this.#lineFeed < at) this.#lineFeed = this.#find(LINE_FEED, at);
      if (this.#isCsv && this.#quote < at) this.#quote = this.#find(QUOTE, at);
      if (!this.#isCsv || this.#lineFeed <= this.#quote) {
        return this.#lineFeed === length ? -1 : this.#lineFeed + 1;
      }
      // RFC 4180: a line feed inside quotes belongs to the cell.
      const closing = this.#find(QUOTE, this.#quote + 1);
      if (closing === length) return -1;
      at = closing + 1;
    }
  }

  #find(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at === -1 ? this.#bytes.length : at;
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) > BLANK_MAX) return false;
  return true;
}
