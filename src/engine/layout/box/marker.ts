import { entryAt } from '../../../errors.ts';
import type { PathData, Stroke, TextStyle } from '../../model/style.ts';
import { TextItem } from '../../model/frame.ts';
import type { Marker } from './list-box.ts';
import type { Sheet } from '../place/sheet.ts';
import { CLOSE, CURVE, MOVE, RECTANGLE } from '../../model/path.ts';

/** Length of the Bézier handles of a quarter circle of radius 1. */
const ARC = 0.552284749831;

const HAIRLINE_PT = 1;

/** A disc, circle or square before an item. */
export class ShapeMarker implements Marker {
  readonly isText = false;
  readonly #style: TextStyle;
  readonly #indentPt: number;
  readonly #path: PathData;
  readonly #isOutline: boolean;

  constructor(type: string, style: TextStyle, indentPt: number) {
    this.#style = style;
    this.#indentPt = indentPt;
    const size = style.sizePt / 3;
    this.#path = type === 'square' ? [RECTANGLE, 0, -size / 2, size, size] : circle(size / 2);
    this.#isOutline = type === 'circle';
  }

  draw(sheet: Sheet, x: number, y: number): void {
    const { stack, sizePt, color, opacity } = this.#style;
    const stroke: Stroke = {
      paint: color,
      widthPt: HAIRLINE_PT,
      opacity,
      cap: 0,
      join: 0,
      miterLimit: 10,
      dash: null,
    };
    sheet.items.push({
      kind: 'path',
      x: x - this.#indentPt,
      y: y + stack.ascentEm * sizePt - sizePt / 3,
      path: this.#path,
      fill: this.#isOutline ? null : { paint: color, opacity, rule: 'nonzero' },
      stroke: this.#isOutline ? stroke : null,
    });
  }
}

/** A circle of radius r whose leftmost point is at (0, 0). */
function circle(r: number): PathData {
  const k = r * ARC;
  const segments = [
    [MOVE, 0, 0],
    [CURVE, 0, -k, r - k, -r, r, -r],
    [CURVE, r + k, -r, 2 * r, -k, 2 * r, 0],
    [CURVE, 2 * r, k, r + k, r, r, r],
    [CURVE, r - k, r, 0, k, 0, 0],
    [CLOSE],
  ];
  return segments.flat();
}

/** A number or letter before an item, on the baseline of its first line. */
export class NumberMarker implements Marker {
  readonly isText = true;
  readonly #text: string;
  readonly #style: TextStyle;
  readonly #indentPt: number;

  constructor(text: string, style: TextStyle, indentPt: number) {
    this.#text = text;
    this.#style = style;
    this.#indentPt = indentPt;
  }

  draw(sheet: Sheet, x: number, y: number, ascentPt: number): void {
    const shapes = [this.#style.stack.shape(this.#text)];
    sheet.items.push(new TextItem(this.#style, x - this.#indentPt, y + ascentPt, shapes, null));
  }
}

/** The text of an ordered list's marker with its separators; null for type `none`. */
export function counterText(
  counter: number,
  type: string,
  separator: readonly [string, string],
): string | null {
  if (type === 'none') return null;
  return `${separator[0]}${counterDigits(counter, type)}${separator[1]} `;
}

function counterDigits(counter: number, type: string): string {
  switch (type) {
    case 'lower-alpha':
      return toLetters(counter);
    case 'upper-alpha':
      return toLetters(counter).toUpperCase();
    case 'lower-roman':
      return toRoman(counter).toLowerCase();
    case 'upper-roman':
      return toRoman(counter);
    default:
      return String(counter);
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** a to z, aa to zz, …; numbers below 1 as digits. */
function toLetters(counter: number): string {
  if (counter < 1) return String(counter);
  let text = '';
  for (let rest = Math.floor(counter); rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = entryAt(LETTERS, (rest - 1) % 26) + text;
  }
  return text;
}

const ROMAN: readonly (readonly [string, number])[] = [
  ['M', 1000],
  ['CM', 900],
  ['D', 500],
  ['CD', 400],
  ['C', 100],
  ['XC', 90],
  ['L', 50],
  ['XL', 40],
  ['X', 10],
  ['IX', 9],
  ['V', 5],
  ['IV', 4],
  ['I', 1],
];

/** Roman numerals from 1 to 4999; other numbers as digits. */
function toRoman(counter: number): string {
  if (counter < 1 || counter > 4999) return String(counter);
  let text = '';
  let rest = counter;
  for (const [letters, value] of ROMAN) {
    while (rest >= value) {
      text += letters;
      rest -= value;
    }
  }
  return text;
}
