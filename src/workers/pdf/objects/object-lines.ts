import { deflateSync } from 'node:zlib';
import type { PdfFile } from '../file.ts';

/** Limits of one object stream: readers inflate all of it to read one object. */
const OBJECTS_MAX = 4_000;
const STREAM_BYTES_MAX = 1 << 20;
const FIELD = '#######';
const BLANK = 32;
const ZERO = 48;
/** PNG's filters for a line: as it is, or as the difference from the line above. */
const NONE = 0;
const UP = 2;

/** Lines of one width, each as its difference from the one above (ISO 32000-1 §7.4.4.4). */
class PredictedLines {
  readonly #stride: number;
  /** The current line as plain text. */
  readonly #line: Uint8Array;
  #bytes: Uint8Array;
  /** Where the line's first character is, after the filter's number. */
  #at: number;
  count = 0;

  constructor(width: number) {
    this.#stride = width + 1;
    this.#line = new Uint8Array(width).fill(BLANK);
    this.#bytes = new Uint8Array(this.#stride * 256);
    this.#at = 1 - this.#stride;
  }

  /** Begins a new line, which equals the one above until something in it is set. */
  next(): void {
    this.#at += this.#stride;
    const end = this.#at + this.#stride;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#at - 1] = this.count === 0 ? NONE : UP;
    if (this.count++ === 0) this.#bytes.set(this.#line, this.#at);
  }

  set(column: number, byte: number): void {
    const before = this.#line[column]!;
    if (byte === before) return;
    this.#line[column] = byte;
    this.#bytes[this.#at + column]! += byte - before;
  }

  text(column: number, text: string): void {
    for (let index = 0; index < text.length; index++) {
      this.set(column + index, text.charCodeAt(index));
    }
  }

  /**
   * A number with its last digit in this column, and blanks before it. Hot: most digits are those of
   * the line above.
   */
  number(last: number, value: number): void {
    const line = this.#line;
    const bytes = this.#bytes;
    const at = this.#at;
    let rest = value;
    for (let column = last; column > last - FIELD.length; column--) {
      const before = line[column]!;
      if (rest === 0 && column < last) {
        if (before === BLANK) return;
        line[column] = BLANK;
        bytes[at + column]! += BLANK - before;
        continue;
      }
      const tens = (rest / 10) | 0;
      const digit = ZERO + rest - tens * 10;
      rest = tens;
      if (digit === before) continue;
      line[column] = digit;
      bytes[at + column]! += digit - before;
    }
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.count * this.#stride);
  }
}

/**
 * Objects that differ in numbers only, such as ten thousand cells, in object streams (ISO 32000-1
 * §7.5.7). Each is a line, and PNG's predictor writes a line as its difference from the one above,
 * often one digit that counts up. So most of an object costs neither time nor bytes.
 */
export class ObjectLines {
  readonly #file: PdfFile;
  readonly #width: number;
  readonly #text: string;
  /** For each number of the pattern, the column of its last digit. */
  readonly #lastDigits: readonly number[];
  #head: PredictedLines;
  #body: PredictedLines;
  #numbers: number[] = [];

  /** `pattern` is ASCII; each `#` in it is a number of up to seven digits. */
  constructor(file: PdfFile, pattern: string) {
    this.#file = file;
    const text = pattern.replaceAll('#', FIELD);
    // A line of the head holds two numbers.
    this.#width = Math.max(text.length, 2 * FIELD.length + 2);
    this.#lastDigits = Array.from(
      text.matchAll(new RegExp(FIELD, 'g')),
      ({ index }) => index + FIELD.length - 1,
    );
    this.#text = text.replaceAll('#', ' ');
    this.#head = new PredictedLines(this.#width);
    this.#body = new PredictedLines(this.#width);
  }

  /** Begins an object, which equals the last one until numbers of it are set. */
  begin(number: number): void {
    const bytes = this.#body.count * this.#width;
    if (this.#numbers.length === OBJECTS_MAX || bytes > STREAM_BYTES_MAX) this.#endStream();
    this.#head.next();
    this.#head.number(FIELD.length - 1, number);
    this.#head.number(2 * FIELD.length, this.#body.count * this.#width);
    this.#numbers.push(number);
    this.line();
  }

  /** Continues the object in a new line. */
  line(): void {
    this.#body.next();
    if (this.#body.count === 1) this.#body.text(0, this.#text);
  }

  /** Sets a number of the pattern. */
  set(index: number, value: number): void {
    this.#body.number(this.#lastDigits[index]!, value);
  }

  /** Sets a character of the line. */
  put(column: number, byte: number): void {
    this.#body.set(column, byte);
  }

  finish(): void {
    if (this.#numbers.length > 0) this.#endStream();
  }

  #endStream(): void {
    const plain = Buffer.concat([this.#head.view(), this.#body.view()]);
    // Level 3 is as fast as 1 on such lines, and gives a third of the bytes.
    const chunkSize = Math.max(1_024, plain.length >> 4);
    const data = deflateSync(plain, { level: 3, chunkSize });
    const first = this.#head.count * this.#width;
    this.#file.objectStream(
      `/Type/ObjStm/N ${this.#numbers.length}/First ${first}/Filter/FlateDecode` +
        `/DecodeParms<</Predictor 12/Columns ${this.#width}>>`,
      data,
      this.#numbers,
    );
    this.#numbers = [];
    this.#head = new PredictedLines(this.#width);
    this.#body = new PredictedLines(this.#width);
  }
}
