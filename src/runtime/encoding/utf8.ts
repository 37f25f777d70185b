const LINE_FEED = 0x0a;
const NO_FAULT = -1;

/** A place in a file. Lines and bytes count from 1; `byte` counts within its line. */
export interface Place {
  readonly line: number;
  readonly byte: number;
}

/** Counts the lines of a file that comes in pieces and whose lines end with the byte 0x0A. */
export class Lines {
  #line = 1;
  /** Distance of the line's first byte from the start of the next piece; at most 0. */
  #begin = 0;

  add(bytes: Uint8Array): void {
    for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
      this.#line += 1;
      this.#begin = at + 1;
    }
    this.#begin -= bytes.length;
  }

  /** The place of an offset in the next piece; a negative one lies in the present line. */
  placeIn(bytes: Uint8Array, at: number): Place {
    this.add(bytes.subarray(0, Math.max(0, at)));
    return { line: this.#line, byte: Math.min(0, at) - this.#begin + 1 };
  }
}

/** Checks UTF-8 (RFC 3629 §4) that comes in pieces; a character may be cut between two of them. */
export class Utf8Check {
  /** Bytes that the present character still needs, and the bounds of the next one. */
  #missing = 0;
  #low = 0x80;
  #high = 0xbf;
  /** Distance of the character's first byte from the start of the next piece; at most 0. */
  #begin = 0;

  /** Whether the text ends inside a character. */
  get isCut(): boolean {
    return this.#missing > 0;
  }

  /** Offset of the present character from the start of the next piece. */
  get cutAt(): number {
    return this.#begin;
  }

  /**
   * The offset at which the first character that is not UTF-8 begins; it is negative if that is in
   * a piece before. null: there is none.
   */
  add(bytes: Uint8Array): number | null {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#missing === 0) {
        if (byte < 0x80) continue;
        this.#begin = at;
        if (this.#open(byte) === NO_FAULT) continue;
        return at;
      }
      if (byte < this.#low || byte > this.#high) return this.#begin;
      this.#missing -= 1;
      this.#low = 0x80;
      this.#high = 0xbf;
    }
    this.#begin -= bytes.length;
    return null;
  }

  /** Takes the first byte of a character; NO_FAULT: there are characters that begin with it. */
  #open(byte: number): number {
    if (byte < 0xc2 || byte > 0xf4) return byte;
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    // The second byte is bounded where a longer form, a surrogate or more than U+10FFFF would begin.
    this.#low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    return NO_FAULT;
  }
}
