import { LIMITS } from '../../../limits.ts';
import type { Shape } from '../../font/font.ts';
import type { TextNode } from '../../model/nodes.ts';
import { LayoutFault } from '../layout-fault.ts';
import type { GridText } from '../../model/frame.ts';
import { type Atom, buildAtoms, measureAtoms, type RunText } from '../text/atom.ts';
import { BidiParagraph, paragraphDirection } from '../text/bidi.ts';
import { bestLineEnds } from '../text/best.ts';
import { hasDictionaryScript } from '../text/classes.ts';
import { Line, type LineStart, nextLine } from '../text/line.ts';
import type { RunStyle } from '../text/run-style.ts';
import { SizedBox } from './box.ts';

/** The lines of a paragraph in one width, and where each began. */
export interface Lines {
  readonly widthPt: number;
  readonly lines: readonly Line[];
  /** Parallel to `lines`: to go on in another width from there. */
  readonly starts: readonly Readonly<LineStart>[];
}

/**
 * One run without newlines, as it is painted when it fits on one line: split at spaces only, so that
 * its words come from the shaping cache and nothing looks for break opportunities.
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
  /** Null where only whole line building will do. */
  readonly phrase: Phrase | null;
  #bidi: { readonly is: BidiParagraph | null } | null = null;
  #atoms: readonly Atom[] | null = null;
  #lines: Lines | null = null;

  constructor(node: TextNode, runs: readonly RunText[]) {
    super();
    this.node = node;
    this.runs = runs;
    const only = runs.length === 1 && node.leadingIndentPt === 0 ? runs[0] : undefined;
    this.phrase = only === undefined ? null : measurePhrase(only.run, only.text);
  }

  /** The paragraph's levels, or null: nothing in it runs leftwards. */
  get bidi(): BidiParagraph | null {
    if (this.phrase !== null) return null;
    if (this.#bidi === null) {
      const direction = paragraphDirection(this.runs.map((run) => run.text));
      this.#bidi = { is: direction === null ? null : new BidiParagraph(this.atoms, direction) };
    }
    return this.#bidi.is;
  }

  get atoms(): readonly Atom[] {
    this.#atoms ??= buildAtoms(this.runs, this.node.leadingIndentPt);
    return this.#atoms;
  }

  /** All lines in a width; the last answer is kept. */
  lines(widthPt: number): Lines {
    if (this.#lines?.widthPt !== widthPt)
      this.#lines = this.linesFrom({ index: 0, rest: null }, widthPt);
    return this.#lines;
  }

  linesFrom(from: Readonly<LineStart>, widthPt: number): Lines {
    const { atoms } = this;
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

  /** Whether lines are chosen for the whole paragraph: as asked, or in justified Thai and the like. */
  #breaksWhole(): boolean {
    const { lineBreaking, alignment } = this.node;
    if (lineBreaking !== undefined) return lineBreaking === 'best';
    return alignment === 'justify' && this.runs.some(({ text }) => hasDictionaryScript(text));
  }

  protected minContentPt(): number {
    const { minPt, maxPt } = measureAtoms(this.atoms);
    // pdfmake asks the node, not the run, whether lines may be broken.
    return this.runs.length > 0 && this.runs.every(({ run }) => run.noWrap) ? maxPt : minPt;
  }

  protected override minBoundContentPt(): number | null {
    const { phrase } = this;
    return phrase === null ? null : widestWord(phrase.shapes) * phrase.run.sizePt;
  }

  protected maxContentPt(): number {
    return this.phrase === null ? measureAtoms(this.atoms).maxPt : this.phrase.widthPt;
  }
}

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

/** Where `scanPhrase` leaves its findings: one object, so that a table cell makes none. */
export const scanned: { text: GridText; advancePt: number; trailingCutPt: number } = {
  text: '',
  advancePt: 0,
  trailingCutPt: 0,
};

/** The text as one line, or null where that is not enough (see `scanPhrase`). */
function measurePhrase(run: RunStyle, text: string): Phrase | null {
  if (!allowsPhrases(run) || !scanPhrase(run, text)) return null;
  const { text: found, advancePt, trailingCutPt } = scanned;
  if (typeof found === 'string') {
    return new Phrase(run, [run.style.stack.shape(found)], advancePt, trailingCutPt);
  }
  return new Phrase(run, 'text' in found ? [found] : found, advancePt, trailingCutPt);
}

/** Whether lines of this run are glyphs alone, so that its texts may be phrases. */
export function allowsPhrases(run: RunStyle): boolean {
  return run.isPlain && run.spacingPt === 0 && !run.breakAll && run.reference === null;
}

/**
 * Measures a text of a run that allows phrases as one line, into `scanned`. False where it may hold
 * newlines, odd spaces or spaces at its start.
 */
export function scanPhrase(run: RunStyle, text: string): boolean {
  const { stack } = run.style;
  const plainEm = stack.plainWordWidthEm(text);
  if (plainEm >= 0) {
    // Amounts and dates, in one look at each character: none of a plain shape is a newline.
    scanned.text = text;
    scanned.advancePt = plainEm * run.sizePt;
    scanned.trailingCutPt = 0;
    return true;
  }
  if (mayNotBePhrase(text)) return false;
  const space = text.indexOf(' ');
  if (space < 0) {
    const shape = stack.shape(text);
    scanned.text = shape.clusters === null ? text : shape;
    scanned.advancePt = shape.widthEm * run.sizePt;
    scanned.trailingCutPt = 0;
    return true;
  }
  if (space === 0) return false;
  measureWords(run, text, space);
  return true;
}

/**
 * Words of the text in hand: copied out at its end, so that each list has its exact length. Emptying
 * it would give its room back.
 */
const words: Shape[] = [];
/** Longer texts leave no room behind. */
const WORDS_IN_HAND_MAX = 1_024;

/** Splits a text after its spaces, the first of which is at `space`, into `scanned`. */
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
  scanned.text = words.slice(0, count);
  if (count > WORDS_IN_HAND_MAX) words.length = 0;
  scanned.advancePt = widthEm * run.sizePt;
  scanned.trailingCutPt = trailingEm * run.sizePt;
}

/** Newlines, and spaces beyond U+0020 at the end, which a line would cut off. */
function mayNotBePhrase(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x85 || code === 0xa0) return true;
    if (code >= 0x590 && isUnusual(code)) return true;
  }
  return false;
}

/** Right-to-left letters, line separators and spaces of the punctuation block. */
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
