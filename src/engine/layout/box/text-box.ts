import { LIMITS } from '../../../limits.ts';
import type { TextNode } from '../../model/nodes.ts';
import { LayoutFault } from '../layout-fault.ts';
import { fitAmounts, leastAmountPt, leastAtoms } from '../amounts/fit.ts';
import { type Atom, buildAtoms, measureAtoms, type RunText } from '../text/atom.ts';
import { BidiParagraph, paragraphDirection } from '../text/bidi.ts';
import { bestLineEnds } from '../text/best.ts';
import { hasDictionaryScript } from '../text/classes.ts';
import { Line, type LineStart, nextLine } from '../text/line.ts';
import { SizedBox } from './box.ts';
import { measurePhrase, type Phrase, widestWord } from './phrase.ts';

/** The lines of a paragraph at one width. */
export interface Lines {
  readonly widthPt: number;
  readonly lines: readonly Line[];
  /** Where each of `lines` starts, so that the rest can be set again at another width. */
  readonly starts: readonly Readonly<LineStart>[];
}

export class TextBox extends SizedBox {
  readonly kind = 'text';
  readonly node: TextNode;
  readonly runs: readonly RunText[];
  /** Null when the text needs full line building. */
  readonly phrase: Phrase | null;
  /** Null before the first look for right-to-left text. */
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
