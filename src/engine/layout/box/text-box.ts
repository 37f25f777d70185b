import { LIMITS } from '../../../limits.ts';
import type { Shape } from '../../font/font.ts';
import type { TextNode } from '../../model/nodes.ts';
import { LayoutFault } from '../layout-fault.ts';
import type { GridText } from '../../model/frame.ts';
import { fitAmounts, leastAmountPt, leastAtoms } from '../amounts/fit.ts';
import { type Atom, buildAtoms, measureAtoms, type RunText } from '../text/atom.ts';
import { BidiParagraph, paragraphDirection } from '../text/bidi.ts';
import { bestLineEnds } from '../text/best.ts';
import { hasDictionaryScript } from '../text/classes.ts';
import { Line, type LineStart, nextLine } from '../text/line.ts';
import type { RunStyle } from '../text/run-style.ts';
import { SizedBox } from './box.ts';

/** The lines of a paragraph at one width. */
export interface Lines {
  readonly widthPt: number;
  readonly lines: readonly Line[];
  /** Where each of `lines` starts, so that the rest can be set again at another width. */
  readonly starts: readonly Readonly<LineStart>[];
}

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

export class TextBox extends SizedBox {
  readonly kind = 'text';
  readonly node: TextNode;
  readonly runs: readonly RunText[];
  /** Null when the text needs full line building. */
  readonly phrase: Phrase | null;
  /** Null until it is known whether the paragraph has right-to-left text. */
  #bidi: { readonly paragraph: BidiParagraph | null } | null = null;
  #atoms: readonly Atom[] | null = null;
  #lines: Lines | null = null;
  /** The atoms with amounts that fit a line of this width. */
  #fitted: { readonly widthPt: number; readonly atoms: readonly Atom[] } | null = null;
  readonly hasAmounts: boolean;
  /** It has bindings. */
  readonly hasValues: boolean;

  constructor(node: TextNode, runs: readonly RunText[]) {
    super();
    this.node = node;
    this.runs = runs;
    this.hasAmounts = holdAmounts(runs);
    this.hasValues = this.hasAmounts || holdValues(runs);
    const only = runs.length === 1 && node.leadingIndentPt === 0 ? runs[0] : undefined;
    this.phrase = only === undefined ? null : measurePhrase(only.run, only.text);
  }

  /** The embedding levels of the paragraph; null when all of it runs from left to right. */
  get bidi(): BidiParagraph | null {
    if (this.phrase !== null) return null;
    if (this.#bidi === null) {
      const direction = paragraphDirection(this.runs.map((run) => run.text));
      const paragraph = direction === null ? null : new BidiParagraph(this.atoms, direction);
      this.#bidi = { paragraph };
    }
    return this.#bidi.paragraph;
  }

  get atoms(): readonly Atom[] {
    this.#atoms ??= buildAtoms(this.runs, this.node.leadingIndentPt);
    return this.#atoms;
  }

  /** All lines at a width; the last result is cached. */
  lines(widthPt: number): Lines {
    if (this.#lines?.widthPt !== widthPt) {
      this.#lines = this.linesFrom({ index: 0, rest: null }, widthPt);
    }
    return this.#lines;
  }

  /** The lines from a place in the paragraph on. */
  linesFrom(from: Readonly<LineStart>, widthPt: number): Lines {
    const atoms = this.#atomsAt(widthPt);
    if (from.rest === null && this.#breaksWhole()) {
      const ends = bestLineEnds(atoms, from.index, widthPt);
      if (ends !== null) return linesAt(atoms, from.index, ends, widthPt);
    }
    const start = { ...from };
    const lines: Line[] = [];
    const starts: LineStart[] = [];
    for (;;) {
      const at = { ...start };
      const line = nextLine(atoms, start, widthPt);
      if (line === null) return { widthPt, lines, starts };
      lines.push(line);
      starts.push(at);
      if (lines.length > LIMITS.paragraphLinesMax) {
        const most = LIMITS.paragraphLinesMax;
        throw new LayoutFault(this.node.path, `the paragraph has more than ${most} lines`);
      }
    }
  }

  /** The atoms, with the amounts made smaller that are wider than a line of `widthPt`. */
  #atomsAt(widthPt: number): readonly Atom[] {
    if (!this.hasAmounts) return this.atoms;
    if (this.#fitted?.widthPt !== widthPt) {
      this.#fitted = { widthPt, atoms: fitAmounts(this.atoms, widthPt, this.node) };
    }
    return this.#fitted.atoms;
  }

  /** Whether breaks are chosen for the whole paragraph: if asked for, or for justified Thai etc. */
  #breaksWhole(): boolean {
    const { lineBreaking, alignment } = this.node;
    if (lineBreaking !== undefined) return lineBreaking === 'best';
    return alignment === 'justify' && this.runs.some(({ text }) => hasDictionaryScript(text));
  }

  protected minContentPt(): number {
    const { minPt, maxPt } = measureAtoms(this.atoms);
    // As in pdfmake, `noWrap` counts only when it holds for the whole node.
    return this.runs.length > 0 && this.runs.every(({ run }) => run.noWrap) ? maxPt : minPt;
  }

  protected override leastContentPt(): number | null {
    // A text that shrinks as a whole has a least size of its own.
    if (!this.hasAmounts || this.node.shrinkPt !== null) return null;
    return measureAtoms(leastAtoms(this.atoms)).minPt;
  }

  protected override tightContentPt(): number {
    // A letter of a word needs at most about its size.
    let letterPt = 0;
    for (const { run } of this.runs) letterPt = Math.max(letterPt, run.sizePt);
    const wordPt = Math.min(letterPt, this.minContentPt());
    return this.hasAmounts ? Math.max(wordPt, leastAmountPt(this.atoms, this.node)) : wordPt;
  }

  protected override minBoundContentPt(): number | null {
    const { phrase } = this;
    // An amount may be several words of the phrase.
    if (this.hasAmounts && phrase !== null) return phrase.widthPt;
    return phrase === null ? null : widestWord(phrase.shapes) * phrase.run.sizePt;
  }

  protected maxContentPt(): number {
    return this.phrase === null ? measureAtoms(this.atoms).maxPt : this.phrase.widthPt;
  }
}

function holdAmounts(runs: readonly RunText[]): boolean {
  for (let index = 0; index < runs.length; index++) {
    const amounts = runs[index]?.amounts;
    if (amounts !== undefined && amounts !== null) return true;
  }
  return false;
}

function holdValues(runs: readonly RunText[]): boolean {
  for (let index = 0; index < runs.length; index++) {
    if (runs[index]?.kept === null) return true;
  }
  return false;
}

/** The lines that end before the atoms with the indices `ends`. */
function linesAt(
  atoms: readonly Atom[],
  from: number,
  ends: readonly number[],
  widthPt: number,
): Lines {
  const lines: Line[] = [];
  const starts: LineStart[] = [];
  let index = from;
  for (const end of ends) {
    lines.push(new Line(atoms.slice(index, end), end === atoms.length));
    starts.push({ index, rest: null });
    index = end;
  }
  return { widthPt, lines, starts };
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
function measurePhrase(run: RunStyle, text: string): Phrase | null {
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
    const shape = stack.shape(text);
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
    const shape = stack.shape(text.slice(from, to));
    widthEm += shape.widthEm;
    words[count++] = shape;
    from = to;
    next = to < length ? text.indexOf(' ', to) : -1;
  }
  if (from < length) {
    const shape = stack.shape(text.slice(from));
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
