import type { Shape } from '../../font/font.ts';
import type { GridText } from '../../model/frame.ts';
import type { RunStyle } from '../text/run-style.ts';

/**
 * A text of one run without newlines, ready to be painted if it fits on one line. It is split at
 * spaces only: its words come from the shaping cache, and break opportunities are not searched.
 */
export class Phrase {
  readonly run: RunStyle;
  readonly shapes: readonly Shape[];
  /** Trailing spaces included. */
  readonly advancePt: number;
  readonly trailingCutPt: number;

  constructor(run: RunStyle, shapes: readonly Shape[], advancePt: number, trailingCutPt: number) {
    this.run = run;
    this.shapes = shapes;
    this.advancePt = advancePt;
    this.trailingCutPt = trailingCutPt;
  }

  get widthPt(): number {
    return this.advancePt - this.trailingCutPt;
  }
}

/** Width in em of the widest of some words, trailing spaces included. */
export function widestWord(shapes: readonly Shape[]): number {
  let widest = 0;
  for (let index = 0; index < shapes.length; index++) {
    widest = Math.max(widest, shapes[index]?.widthEm ?? 0);
  }
  return widest;
}

const SPACE = 0x20;

/** What `scanPhrase` measures. */
interface PhraseScan {
  text: GridText;
  /** Trailing spaces included. */
  advancePt: number;
  trailingCutPt: number;
}

/** The result of the last `scanPhrase`: one shared object, so that a table cell allocates none. */
export const lastScan: PhraseScan = { text: '', advancePt: 0, trailingCutPt: 0 };

/** Measures the text as one line; null when it is not a phrase (see `scanPhrase`). */
export function measurePhrase(run: RunStyle, text: string): Phrase | null {
  if (!allowsPhrases(run) || !scanPhrase(run, text)) return null;
  const { text: found, advancePt, trailingCutPt } = lastScan;
  return new Phrase(run, shapesOf(run, found), advancePt, trailingCutPt);
}

function shapesOf(run: RunStyle, text: GridText): readonly Shape[] {
  if (typeof text === 'string') return [run.style.stack.shape(text)];
  const isOneShape = 'text' in text;
  return isOneShape ? [text] : text;
}

/** Whether texts of this run may be phrases: their lines paint nothing but glyphs. */
export function allowsPhrases(run: RunStyle): boolean {
  return run.isPlain && run.spacingPt === 0 && !run.breakAll && run.reference === null;
}

/**
 * Measures a text as one line and leaves the result in `lastScan`. False when it may hold newlines,
 * right-to-left letters, unusual spaces or leading spaces. The run must allow phrases.
 */
export function scanPhrase(run: RunStyle, text: string): boolean {
  const { stack } = run.style;
  const plainEm = stack.plainWordWidthEm(text);
  if (plainEm >= 0) {
    // Amounts and dates, in one look at each character: none of a plain shape is a newline.
    lastScan.text = text;
    lastScan.advancePt = plainEm * run.sizePt;
    lastScan.trailingCutPt = 0;
    return true;
  }
  if (mayNotBePhrase(text)) return false;
  const space = text.indexOf(' ');
  if (space < 0) {
    const shape = stack.shapeOnce(text);
    lastScan.text = shape.clusters === null ? text : shape;
    lastScan.advancePt = shape.widthEm * run.sizePt;
    lastScan.trailingCutPt = 0;
    return true;
  }
  if (space === 0) return false;
  measureWords(run, text, space);
  return true;
}

/**
 * The words of the current text, copied at its end into a list of exact length. This list is not
 * emptied, because that would release its memory.
 */
const words: Shape[] = [];
/** After a text of more words the list is emptied after all. */
const KEPT_WORDS_MAX = 1_024;

/** Splits a text after its spaces, the first at index `space`, and measures it into `lastScan`. */
function measureWords(run: RunStyle, text: string, space: number): void {
  const { stack } = run.style;
  const { length } = text;
  let widthEm = 0;
  let trailingEm = 0;
  let from = 0;
  let next = space;
  let count = 0;
  while (next >= 0) {
    let to = next + 1;
    while (to < length && text.charCodeAt(to) === SPACE) to++;
    const shape = stack.shapeOnce(text.slice(from, to));
    widthEm += shape.widthEm;
    words[count++] = shape;
    from = to;
    next = to < length ? text.indexOf(' ', to) : -1;
  }
  if (from < length) {
    const shape = stack.shapeOnce(text.slice(from));
    widthEm += shape.widthEm;
    words[count++] = shape;
  } else if (!run.keepsTrailingSpaces) {
    let end = length;
    while (text.charCodeAt(end - 1) === SPACE) end--;
    trailingEm = stack.shape(text.slice(end)).widthEm;
  }
  lastScan.text = words.slice(0, count);
  if (count > KEPT_WORDS_MAX) words.length = 0;
  lastScan.advancePt = widthEm * run.sizePt;
  lastScan.trailingCutPt = trailingEm * run.sizePt;
}

/** Whether a text may hold newlines, right-to-left letters or spaces other than U+0020. */
function mayNotBePhrase(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x85 || code === 0xa0) return true;
    if (code >= 0x590 && isUnusual(code)) return true;
  }
  return false;
}

/** Right-to-left letters, line separators, and spaces from U+2000 on. */
function isUnusual(code: number): boolean {
  return (
    (code >= 0x590 && code <= 0x8ff) ||
    (code >= 0x2000 && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202f) ||
    code === 0x205f ||
    code === 0x3000 ||
    (code >= 0xfb1d && code <= 0xfeff)
  );
}
