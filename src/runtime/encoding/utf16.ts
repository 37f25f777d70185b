import type { Place } from './utf8.ts';

const LINE_FEED = 0x0a;

/** Turns UTF-16 that comes in pieces into UTF-8; a character may be cut between two of them. */
export class Utf16 {
  readonly #isBigEndian: boolean;
  /** The first byte of a unit whose second is in the next piece; -1: none. */
  #half = -1;
  /** A high surrogate whose low one is still to come; 0: none. */
  #high = 0;
  #line = 1;
  /** Units of the present line before the next one. */
  #units = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  /** Whether the text ends inside a character. */
  get isCut(): boolean {
    return this.#half !== -1 || this.#high !== 0;
  }

  /** The place of the unit that was read last, or that the text ends inside. */
  get place(): Place {
    return { line: this.#line, byte: Math.max(0, this.#units - 1) * 2 + 1 };
  }

  /** The text as UTF-8; null: a surrogate has no other half. */
  add(bytes: Uint8Array): Uint8Array<ArrayBuffer> | null {
    // A unit gives three bytes at most, and two surrogates four.
    const utf8 = new Uint8Array((bytes.length + 1) * 2);
    let length = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#half === -1) {
        this.#half = byte;
        continue;
      }
      const unit = this.#isBigEndian ? (this.#half << 8) | byte : (byte << 8) | this.#half;
      this.#half = -1;
      this.#units += 1;
      const isLow = unit >= 0xdc00 && unit <= 0xdfff;
      if (isLow !== this.#high > 0) return null;
      if (unit >= 0xd800 && unit <= 0xdbff) {
        this.#high = unit;
        continue;
      }
      const code = isLow ? ((this.#high - 0xd800) << 10) + (unit - 0xdc00) + 0x10000 : unit;
      this.#high = 0;
      length = putCode(utf8, length, code);
      if (code !== LINE_FEED) continue;
      this.#line += 1;
      this.#units = 0;
    }
    return utf8.subarray(0, length);
  }
}

/** Writes a code point (RFC 3629 §3) at an offset; returns the offset after it. */
function putCode(utf8: Uint8Array, at: number, code: number): number {
  let end = at;
  if (code < 0x80) {
    utf8[end++] = code;
    return end;
  }
  if (code < 0x800) {
    utf8[end++] = 0xc0 | (code >> 6);
  } else {
    if (code < 0x10000) {
      utf8[end++] = 0xe0 | (code >> 12);
    } else {
      utf8[end++] = 0xf0 | (code >> 18);
      utf8[end++] = 0x80 | ((code >> 12) & 0x3f);
    }
    utf8[end++] = 0x80 | ((code >> 6) & 0x3f);
  }
  utf8[end++] = 0x80 | (code & 0x3f);
  return end;
}

/** Bytes at the start of a text that are searched. */
const HEAD_BYTES = 4_096;
/** So many NULs within so many bytes, on every other byte, do not stand in other text. */
const NULS = 3;
const NEAR_BYTES = 256;

/**
 * Finds UTF-16 without its byte order mark, which passes for UTF-8: the bytes of Thai there are below
 * 0x80, too. Each comma, quote, digit or line end has a NUL; a cell of other text may hold a stray one.
 */
export class UnmarkedUtf16 {
  /** Bytes that are still to be searched. */
  #left = HEAD_BYTES;
  /** Places of the last NULs. */
  readonly #places: number[] = [];

  /** The offset at which it is certain, in bytes of which those before `from` were searched. */
  find(bytes: Uint8Array, from = 0): number | null {
    const to = Math.min(bytes.length, from + this.#left);
    const begin = HEAD_BYTES - this.#left - from;
    this.#left -= to - from;
    for (let at = bytes.indexOf(0, from); at !== -1 && at < to; at = bytes.indexOf(0, at + 1)) {
      if (this.#isThird(begin + at)) return at;
    }
    return null;
  }

  /** Searches no more: the text has the mark. */
  stop(): void {
    this.#left = 0;
  }

  #isThird(place: number): boolean {
    const places = this.#places;
    if (places.push(place) > NULS) places.shift();
    const [first = 0] = places;
    const isOnSameSide = places.every((one) => (place - one) % 2 === 0);
    return places.length === NULS && place - first <= NEAR_BYTES && isOnSameSide;
  }
}
