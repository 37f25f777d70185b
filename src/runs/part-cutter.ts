import type { RowFormat } from '../store/runs/types.ts';
import { isBlankText, readHeaderRow } from './row-reader.ts';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;

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
  readonly #held: Buffer;
  #length = 0;
  /** The end of the last whole row held. */
  #cut = 0;
  #isQuoted = false;
  #header: Uint8Array | null = null;

  constructor(format: RowFormat, bytesMax: number) {
    this.#format = format;
    this.#held = Buffer.allocUnsafe(bytesMax);
  }

  /** Takes a piece of the stream and yields the parts that it completes; the caller owns them. */
  *add(piece: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < piece.length;) {
      const taken = piece.subarray(at, at + this.#held.length - this.#length);
      this.#append(taken);
      at += taken.length;
      if (this.#length < this.#held.length) continue;
      if (this.#cut === 0) throw new RowTooLong();
      yield* this.#take(this.#cut);
    }
  }

  /** Yields the rest; its last row may lack a line feed. */
  *end(): Generator<Uint8Array> {
    if (this.#length > 0) yield* this.#take(this.#length);
  }

  #append(bytes: Uint8Array): void {
    const from = this.#length;
    this.#held.set(bytes, from);
    this.#length += bytes.length;
    if (this.#format === 'ndjson') {
      const last = bytes.lastIndexOf(LINE_FEED);
      if (last !== -1) this.#cut = from + last + 1;
    } else this.#scanQuotes(bytes, from);
  }

  /** RFC 4180: a line feed inside quotes belongs to the cell. */
  #scanQuotes(bytes: Uint8Array, from: number): void {
    for (let at = 0; at < bytes.length;) {
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote === -1 ? bytes.length : quote;
      if (!this.#isQuoted && end > at) {
        const last = bytes.lastIndexOf(LINE_FEED, end - 1);
        if (last >= at) this.#cut = from + last + 1;
      }
      if (quote !== -1) this.#isQuoted = !this.#isQuoted;
      at = end + 1;
    }
  }

  *#take(length: number): Generator<Uint8Array> {
    const rows = this.#held.subarray(0, length);
    const isFirst = this.#header === null;
    if (isFirst) this.#header = this.#format === 'csv' ? headerOf(rows) : new Uint8Array(0);
    // Blank lines alone do not make a part.
    const header = isFirst ? null : this.#header;
    if (!isBlankText(rows)) yield Buffer.concat(header === null ? [rows] : [header, rows]);
    const rest = Buffer.from(this.#held.subarray(length, this.#length));
    this.#length = 0;
    this.#cut = 0;
    this.#isQuoted = false;
    this.#append(rest);
  }
}

function headerOf(rows: Uint8Array): Uint8Array {
  return new Uint8Array(rows.subarray(0, readHeaderRow(rows)?.bytes ?? 0));
}
