import { deflateSync } from 'node:zlib';
import type { PdfFile } from '../file.ts';
import { giveBack, PredictedLines, takeZeros } from './predicted-lines.ts';

/** Limits of one object stream: readers inflate all of it to read one object. */
const OBJECTS_MAX = 4_000;
const STREAM_BYTES_MAX = 1 << 20;
const FIELD = '#######';
const BLANK = 32;
/** A line of the head has pairs of numbers: an object's, and where it begins. */
const PAIR = 2 * FIELD.length + 2;
/** Offsets of lines that are so many bytes long differ in fewer digits. */
const ROUND_WIDTH = 10;

/**
 * Objects that differ in numbers only, such as ten thousand cells, in object streams (ISO 32000-1
 * §7.5.7). Each is a line, and PNG's predictor writes a line as its difference from the one above,
 * often one digit that counts up. So most of an object costs neither time nor bytes.
 */
export class ObjectLines {
  readonly #file: PdfFile;
  readonly #width: number;
  readonly #text: string;
  /** In a line of the head. */
  readonly #pairCount: number;
  /** For each number of the pattern, the column of its last digit, and its value in the last line. */
  readonly #lastDigits: readonly number[];
  readonly #values: number[];
  /** Characters of the last line that were put there; 0: as in the pattern. */
  readonly #put: Uint8Array;
  #head: PredictedLines;
  #body: PredictedLines;
  #numbers: number[] = [];
  #offsets: number[] = [];

  /** `pattern` is ASCII; each `#` in it is a number of up to seven digits. */
  constructor(file: PdfFile, pattern: string) {
    this.#file = file;
    const text = pattern.replaceAll('#', FIELD);
    const isShort = text.length <= PAIR;
    this.#width = isShort ? PAIR : Math.ceil(text.length / ROUND_WIDTH) * ROUND_WIDTH;
    this.#pairCount = Math.floor(this.#width / PAIR);
    this.#lastDigits = Array.from(
      text.matchAll(new RegExp(FIELD, 'g')),
      ({ index }) => index + FIELD.length - 1,
    );
    this.#values = this.#lastDigits.map(() => -1);
    this.#put = new Uint8Array(this.#width);
    this.#text = text.replaceAll('#', ' ');
    this.#head = new PredictedLines(this.#width, '');
    this.#body = new PredictedLines(this.#width, this.#text);
  }

  /** Lines of the stream in hand. */
  get lineCount(): number {
    return this.#body.count;
  }

  /** Begins an object, which equals the last one until numbers of it are set. */
  begin(number: number): void {
    const bytes = this.#body.count * this.#width;
    if (this.#numbers.length >= OBJECTS_MAX || bytes > STREAM_BYTES_MAX) this.#endStream();
    this.#locate(number, this.#body.count * this.#width);
    this.line();
  }

  /** Writes where an object is. */
  #locate(number: number, offset: number): void {
    const head = this.#head;
    const above = this.#numbers.length - this.#pairCount;
    const slot = this.#numbers.length % this.#pairCount;
    if (slot === 0) head.next();
    const last = slot * PAIR + FIELD.length - 1;
    head.number(last, above < 0 ? -1 : this.#numbers[above]!, number);
    head.number(last + FIELD.length + 1, above < 0 ? -1 : this.#offsets[above]!, offset);
    this.#offsets.push(offset);
    this.#numbers.push(number);
  }

  /** Continues the object in a new line. */
  line(): void {
    this.#body.next();
  }

  /** Sets a number of the pattern, once a line. */
  set(index: number, value: number): void {
    const above = this.#values[index]!;
    if (above === value) return;
    this.#body.number(this.#lastDigits[index]!, above, value);
    this.#values[index] = value;
  }

  /** Sets a character of the line, once a line. */
  put(column: number, byte: number): void {
    const put = this.#put;
    const above = put[column] === 0 ? BLANK : put[column]!;
    if (above === byte) return;
    this.#body.character(column, above, byte);
    put[column] = byte;
  }

  /**
   * Adds objects of a line each, every one of which differs from the one above as the object `period`
   * before it does. The last of them has `values`.
   */
  repeat(numbers: readonly number[], period: number, values: readonly number[]): void {
    for (let index = 0; index < numbers.length; index++) {
      this.#locate(numbers[index]!, (this.#body.count + index) * this.#width);
    }
    this.#body.repeat(numbers.length, period);
    for (let index = 0; index < values.length; index++) this.#values[index] = values[index]!;
  }

  /** Writes what is left; the lines are not used any more. */
  finish(): void {
    if (this.#numbers.length > 0) this.#endStream();
    this.#head.dispose();
    this.#body.dispose();
  }

  #endStream(): void {
    const data = this.#deflate();
    const first = this.#head.count * this.#width;
    this.#file.objectStream(
      `/Type/ObjStm/N ${this.#numbers.length}/First ${first}/Filter/FlateDecode` +
        `/DecodeParms<</Predictor 12/Columns ${this.#width}>>`,
      data,
      this.#numbers,
    );
    this.#numbers = [];
    this.#offsets = [];
    this.#values.fill(-1);
    this.#put.fill(0);
    this.#head.dispose();
    this.#body.dispose();
    this.#head = new PredictedLines(this.#width, '');
    this.#body = new PredictedLines(this.#width, this.#text);
  }

  #deflate(): Uint8Array {
    const head = this.#head.view();
    const body = this.#body.view();
    const count = head.length + body.length;
    const memory = takeZeros(count);
    memory.set(head);
    memory.set(body, head.length);
    // Level 3 is as fast as 1 on such lines, and finds a third of the bytes.
    const chunkSize = Math.max(1_024, count >> 4);
    const data = deflateSync(memory.subarray(0, count), { level: 3, chunkSize });
    giveBack(memory, count);
    return data;
  }
}
