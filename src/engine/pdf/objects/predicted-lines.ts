const BLANK = 32;
const ZERO = 48;
/** PNG's filters for a line: as it is, or as the difference to the line above. */
const NONE = 0;
const UP = 2;
const LINES_MIN = 64;

/**
 * Lines of one width. The first of a form is written as it is, the others as their difference from
 * the line above (ISO 32000-1 §7.4.4.4), which is zero wherever nothing changes.
 */
export class PredictedLines {
  readonly width: number;
  /** Lines so far. */
  count = 0;
  readonly #stride: number;
  #bytes: Uint8Array;
  /** Where the line's first character is, after the filter's number. */
  #at: number;
  #text = '';
  #isFirst = true;
  /** For each number of the form, the column of its last digit, and its value in the last line. */
  #lastDigits: readonly number[] = [];
  #values: number[] = [];

  constructor(width: number) {
    this.width = width;
    this.#stride = width + 1;
    this.#bytes = new Uint8Array(LINES_MIN * this.#stride);
    this.#at = 1 - this.#stride;
  }

  /** The lines that follow have this ASCII text; each `#` in it is a number of up to `digits`. */
  form(pattern: string, digits: number): void {
    const text = roomFor(pattern, digits);
    const fields = text.matchAll(new RegExp(`#{${digits}}`, 'g'));
    this.#lastDigits = Array.from(fields, ({ index }) => index + digits - 1);
    this.#values = this.#lastDigits.map(() => -1);
    this.#text = text.replaceAll('#', ' ').padEnd(this.width);
    this.#isFirst = true;
  }

  /** Goes to a new line, which reads as the one above until a number of it is set. */
  next(): void {
    this.#at += this.#stride;
    this.count++;
    this.#reserve();
    this.#bytes[this.#at - 1] = this.#isFirst ? NONE : UP;
    if (!this.#isFirst) return;
    this.#isFirst = false;
    for (let index = 0; index < this.width; index++) {
      this.#bytes[this.#at + index] = this.#text.charCodeAt(index);
    }
  }

  #reserve(): void {
    if (this.count * this.#stride <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * this.#bytes.length);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }

  /** Sets a number of the form, once a line. Hot: most numbers change by a digit or two. */
  set(index: number, value: number): void {
    const above = this.#values[index]!;
    if (above === value) return;
    this.#values[index] = value;
    const bytes = this.#bytes;
    let column = this.#at + this.#lastDigits[index]!;
    let high = (value / 10) | 0;
    // A line without a number above it is compared with blanks.
    let highAbove = above < 0 ? 0 : (above / 10) | 0;
    bytes[column]! +=
      ZERO + value - high * 10 - (above < 0 ? BLANK : ZERO + above - highAbove * 10);
    while (high !== highAbove) {
      column--;
      const rest = (high / 10) | 0;
      const restAbove = (highAbove / 10) | 0;
      const digit = high === 0 ? BLANK : ZERO + high - rest * 10;
      const digitAbove = highAbove === 0 ? BLANK : ZERO + highAbove - restAbove * 10;
      bytes[column]! += digit - digitAbove;
      high = rest;
      highAbove = restAbove;
    }
  }

  /** Sets the last character of the line, which was a blank in all lines so far. */
  lastCharacter(character: string): void {
    this.#bytes[this.#at + this.width - 1]! += character.charCodeAt(0) - BLANK;
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.count * this.#stride);
  }
}

/** A pattern with room for its numbers. */
export function roomFor(pattern: string, digits: number): string {
  return pattern.replaceAll('#', '#'.repeat(digits));
}
