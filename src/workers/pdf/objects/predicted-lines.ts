const BLANK = 32;
const ZERO = 48;
/** PNG's filters for a line: as it is, or as the difference to the line above. */
const NONE = 0;
const UP = 2;

/** Memory of lines, all zeros: a long table takes a megabyte, which costs more to get than to fill. */
const SPARE_MAX = 8;
const SPARE_BYTES_MAX = 1 << 20;
const SPARE_BYTES_MIN = 1 << 16;
const spare: Uint8Array[] = [];

/** Memory for a caller who gives it back as zeros. */
export function takeZeros(countMin: number): Uint8Array {
  const bytes = spare.pop();
  if (bytes !== undefined && bytes.length >= countMin) return bytes;
  return new Uint8Array(Math.max(SPARE_BYTES_MIN, countMin));
}

export function giveBack(bytes: Uint8Array, usedCount: number): void {
  if (spare.length >= SPARE_MAX || bytes.length > SPARE_BYTES_MAX) return;
  bytes.fill(0, 0, usedCount);
  spare.push(bytes);
}

/** Lines of one width, each as its difference from the one above (ISO 32000-1 §7.4.4.4). */
export class PredictedLines {
  readonly #stride: number;
  readonly #text: string;
  #bytes: Uint8Array;
  /** Where the line's first character is, after the filter's number. */
  #at: number;
  count = 0;

  /** `text` is the first line. */
  constructor(width: number, text: string) {
    this.#stride = width + 1;
    this.#text = text.padEnd(width);
    this.#bytes = takeZeros(this.#stride);
    this.#at = 1 - this.#stride;
  }

  /** Goes to a new line, which reads as the one above until something in it changes. */
  next(): void {
    this.#at += this.#stride;
    this.#reserve(1);
    if (this.count++ > 0) {
      this.#bytes[this.#at - 1] = UP;
      return;
    }
    this.#bytes[this.#at - 1] = NONE;
    for (let index = 0; index < this.#text.length; index++) {
      this.#bytes[this.#at + index] = this.#text.charCodeAt(index);
    }
  }

  /** Adds lines, each of which differs from the one above as the line `period` lines earlier does. */
  repeat(lineCount: number, period: number): void {
    const from = this.#at - 1 + (1 - period) * this.#stride;
    this.#at += this.#stride;
    this.#reserve(lineCount);
    this.#bytes.copyWithin(this.#at - 1, from, from + lineCount * this.#stride);
    this.#at += (lineCount - 1) * this.#stride;
    this.count += lineCount;
  }

  #reserve(lineCount: number): void {
    const end = this.#at + lineCount * this.#stride;
    if (end <= this.#bytes.length) return;
    const grown = takeZeros(Math.max(this.#bytes.length * 2, end));
    const used = this.view();
    grown.set(used);
    giveBack(this.#bytes, used.length);
    this.#bytes = grown;
  }

  /** Changes a character from what it is in the line above. */
  character(column: number, above: number, byte: number): void {
    this.#bytes[this.#at + column]! += byte - above;
  }

  /**
   * Changes a number whose last digit is in this column, once a line; `above` is the number in the
   * line above, -1 where there are blanks. Hot: most numbers change by a digit or two.
   */
  number(last: number, above: number, value: number): void {
    const bytes = this.#bytes;
    let column = this.#at + last;
    let high = (value / 10) | 0;
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

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.count * this.#stride);
  }

  /** The lines are not used any more. */
  dispose(): void {
    giveBack(this.#bytes, this.count * this.#stride);
  }
}
