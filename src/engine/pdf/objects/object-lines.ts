import { deflateSync } from 'node:zlib';
import type { PackedObjects } from './packed-objects.ts';
import { PredictedLines, roomFor } from './predicted-lines.ts';

/** Numbers of a list that are on one line: last digits are the same on all lines. */
const LIST_COLUMNS = 20;
const LIST_ITEM = ' # 0 R';
/** An object's number and its offset, and the digits that both have at most. */
const HEAD_ITEM = ' # #';
const HEAD_DIGITS = 8;
const HEAD_ITEM_WIDTH = 2 * (HEAD_DIGITS + 1);
/** Offsets of lines that are so many bytes long differ in fewer digits. */
const ROUND_WIDTH = 100;

/**
 * Objects that differ in numbers only, such as the cells of a page, for an object stream. A line has
 * the same objects as the line above with other numbers, and PNG's predictor writes it as the
 * difference, often one digit that counts up: most of an object costs neither time nor bytes.
 */
export class ObjectLines {
  readonly #width: number;
  readonly #digits: number;
  readonly #lines: PredictedLines;
  /** Number and offset of each object, in turns. */
  readonly #head: number[] = [];
  /** Objects on a line of the first form. */
  #columnCount = 0;
  /** The objects of the form, and where each begins in its line. */
  #form = '';
  #starts: readonly number[] = [];

  /** `forms` are those of all lines to come, `numberMax` the greatest number in them. */
  constructor(forms: readonly (readonly string[])[], numberMax: number) {
    this.#digits = String(numberMax).length;
    const list = `[${LIST_ITEM.repeat(LIST_COLUMNS)}]`;
    const widths = forms.map((objects) =>
      Math.max(roomFor(objects.join(''), this.#digits).length, HEAD_ITEM_WIDTH * objects.length),
    );
    const width = Math.max(roomFor(list, this.#digits).length, ...widths);
    this.#width = Math.ceil(width / ROUND_WIDTH) * ROUND_WIDTH;
    this.#lines = new PredictedLines(this.#width);
  }

  /** The lines that follow have these objects; each `#` in them is a number. */
  form(objects: readonly string[]): void {
    const form = objects.join('');
    if (form === this.#form) return;
    this.#form = form;
    if (this.#columnCount === 0) this.#columnCount = objects.length;
    let start = 0;
    this.#starts = objects.map((object) => {
      const own = start;
      start += roomFor(object, this.#digits).length;
      return own;
    });
    this.#lines.form(form, this.#digits);
  }

  /** Begins a line, which reads as the one above. */
  line(): void {
    this.#lines.next();
  }

  /** Gives the object of this index in the line its number. */
  object(index: number, number: number): void {
    this.#head.push(number, (this.#lines.count - 1) * this.#width + this.#starts[index]!);
  }

  /** Sets a number of the line. */
  set(index: number, value: number): void {
    this.#lines.set(index, value);
  }

  /** Writes an object that is an array of references. */
  list(number: number, targets: readonly number[]): void {
    this.form(['[']);
    this.line();
    this.object(0, number);
    writeSeries(this.#lines, LIST_ITEM, LIST_COLUMNS, this.#digits, targets);
    this.#lines.lastCharacter(']');
    this.#form = '';
  }

  pack(): PackedObjects {
    const head = this.#table();
    const table = head.view();
    const body = this.#lines.view();
    const plain = new Uint8Array(table.length + body.length);
    plain.set(table);
    plain.set(body, table.length);
    const numbers = Uint32Array.from(
      { length: this.#head.length / 2 },
      (_, index) => this.#head[2 * index]!,
    );
    return {
      entries:
        `/Type/ObjStm/N ${numbers.length}/First ${head.count * this.#width}/Filter/FlateDecode` +
        `/DecodeParms<</Predictor 12/Columns ${this.#width}>>`,
      // Level 3 is as fast as 1 on such lines, and finds a third of the bytes.
      data: deflateSync(plain, { level: 3 }),
      numbers,
    };
  }

  /** The table of the objects' numbers and offsets: whole lines of the first form on each line. */
  #table(): PredictedLines {
    const table = new PredictedLines(this.#width);
    const linesOnLine = Math.floor(this.#width / HEAD_ITEM_WIDTH / this.#columnCount);
    writeSeries(table, HEAD_ITEM, linesOnLine * this.#columnCount, HEAD_DIGITS, this.#head);
    return table;
  }
}

/** Writes an item again and again, `columnCount` times on each line but the first. */
function writeSeries(
  lines: PredictedLines,
  item: string,
  columnCount: number,
  digits: number,
  numbers: readonly number[],
): void {
  const numbersInItem = item.split('#').length - 1;
  const fillLine = (from: number, count: number): void => {
    lines.next();
    for (let index = 0; index < count; index++) lines.set(index, numbers[from + index]!);
  };
  const lineCount = columnCount * numbersInItem;
  const oddCount = numbers.length % lineCount;
  if (oddCount > 0) {
    lines.form(item.repeat(oddCount / numbersInItem), digits);
    fillLine(0, oddCount);
  }
  lines.form(item.repeat(columnCount), digits);
  for (let at = oddCount; at < numbers.length; at += lineCount) fillLine(at, lineCount);
}
