import type { RowFormat } from '../store/runs/types.ts';
import { countLineFeeds, isBlankText, readHeaderRow } from './row-reader.ts';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const NO_HEADER = new Uint8Array();

/** Whole rows of a stream, for CSV after its header. */
export interface CutPart {
  readonly rows: Uint8Array;
  /** The line of the stream on which the rows after the header begin. */
  readonly firstLine: number;
}

/** Thrown when a row is longer than a part. */
export class RowTooLong extends Error {
  override readonly name = 'RowTooLong';
}

/**
 * Cuts a stream of rows into parts of at most `bytesMax` with whole rows; CSV parts begin with the
 * header. Where it cuts depends only on the bytes, not on the pieces in which they come.
 */
export class PartCutter {
  readonly #format: RowFormat;
  /** The part that is being filled; `#length` bytes of it are used. */
  readonly #buffer: Buffer;
  #length = 0;
  /** Where the last whole row in the buffer ends. */
  #rowsEnd = 0;
  /** The buffer ends inside quotes. */
  #isQuoted = false;
  /** The CSV header, which is empty for NDJSON; null: the first part is not complete yet. */
  #header: Uint8Array | null = null;
  /** The line of the stream on which the buffer begins. */
  #line = 1;

  constructor(format: RowFormat, bytesMax: number) {
    this.#format = format;
    this.#buffer = Buffer.allocUnsafe(bytesMax);
  }

  /** Takes a piece of the stream and yields the parts that it completes; the caller owns them. */
  *add(piece: Uint8Array): Generator<CutPart> {
    for (let at = 0; at < piece.length;) {
      const fitting = piece.subarray(at, at + this.#buffer.length - this.#length);
      this.#append(fitting);
      at += fitting.length;
      if (this.#length < this.#buffer.length) continue;
      if (this.#rowsEnd === 0) throw new RowTooLong();
      yield* this.#take(this.#rowsEnd);
    }
  }

  /** Yields the rest; its last row may lack a line feed. */
  *end(): Generator<CutPart> {
    if (this.#length > 0) yield* this.#take(this.#length);
  }

  #append(bytes: Uint8Array): void {
    const from = this.#length;
    this.#buffer.set(bytes, from);
    this.#length += bytes.length;
    if (this.#format === 'ndjson') {
      const lineFeed = bytes.lastIndexOf(LINE_FEED);
      if (lineFeed !== -1) this.#rowsEnd = from + lineFeed + 1;
    } else {
      this.#findRowsEnd(bytes, from);
    }
  }

  /**
   * Finds the last line feed outside quotes in bytes that lie at `from` in the buffer. One inside
   * quotes belongs to its cell (RFC 4180).
   */
  #findRowsEnd(bytes: Uint8Array, from: number): void {
    let isQuoted = this.#isQuoted;
    let rowsEnd = this.#rowsEnd;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LINE_FEED && !isQuoted) rowsEnd = from + at + 1;
    }
    this.#isQuoted = isQuoted;
    this.#rowsEnd = rowsEnd;
  }

  /** Yields the first `length` bytes as a part and removes them. */
  *#take(length: number): Generator<CutPart> {
    const rows = this.#buffer.subarray(0, length);
    // The first part begins with the header as it is in the stream.
    const header = this.#header;
    let firstLine = this.#line;
    if (header === null) {
      this.#header = this.#format === 'csv' ? headerOf(rows) : NO_HEADER;
      firstLine += countLineFeeds(rows, 0, this.#header.length);
    }
    this.#line += countLineFeeds(rows, 0, length);
    // Blank lines alone do not make a part.
    if (!isBlankText(rows)) yield { rows: Buffer.concat([header ?? NO_HEADER, rows]), firstLine };
    const rest = Buffer.from(this.#buffer.subarray(length, this.#length));
    this.#length = 0;
    this.#rowsEnd = 0;
    this.#isQuoted = false;
    this.#append(rest);
  }
}

function headerOf(rows: Uint8Array): Uint8Array {
  const header = readHeaderRow(rows);
  // `readPartStart` refuses a part without a header.
  return typeof header === 'string' ? NO_HEADER : new Uint8Array(rows.subarray(0, header.bytes));
}
