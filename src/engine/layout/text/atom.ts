import type { Shape } from '../../font/font.ts';
import { type Amount, amountsIn } from '../amounts/amounts.ts';
import { type Breaks, findBreaks } from './break.ts';
import type { RunStyle } from './run-style.ts';

/**
 * Where a word that is wider than its line may be split. This is found once for the whole word and
 * passed on with its rest, because each line takes only a few letters.
 */
export interface Tears {
  /** Lists of ascending indices into the whole word, the best first; the last has all clusters. */
  readonly choices: readonly (readonly number[])[];
  /** Whether it is a word of a script without spaces. */
  readonly isDictionary: boolean;
  /** Index in the whole word at which the rest begins. */
  readonly from: number;
}

/**
 * The smallest piece of a paragraph that a line takes as a whole: a word with the spaces after it.
 */
export class Atom {
  readonly shape: Shape;
  readonly run: RunStyle;
  readonly widthPt: number;
  /** Width of leading spaces, which are dropped at the start of a line; negative: an indent. */
  readonly leadingCutPt: number;
  /** Width of trailing spaces, not counted at the end of a line. */
  readonly trailingCutPt: number;
  /** A newline follows. */
  readonly endsLine: boolean;
  /** No line may end between this atom and the next: two runs in one word, or a very long word. */
  readonly glued: boolean;
  /** Where the rest of a split word may be split again. */
  readonly tears: Tears | null;
  /** 1 or 2: a line ends after this atom only if much or most of it would stay empty otherwise. */
  readonly reluctance: number;
  /** Amounts in its text, which no line end splits; null: none. */
  readonly amounts: readonly Amount[] | null;

  constructor(
    shape: Shape,
    run: RunStyle,
    widthPt: number,
    leadingCutPt = 0,
    trailingCutPt = 0,
    endsLine = false,
    glued = false,
    reluctance = 0,
    tears: Tears | null = null,
    amounts: readonly Amount[] | null = null,
  ) {
    this.shape = shape;
    this.run = run;
    this.widthPt = widthPt;
    this.leadingCutPt = leadingCutPt;
    this.trailingCutPt = trailingCutPt;
    this.endsLine = endsLine;
    this.glued = glued;
    this.reluctance = reluctance;
    this.tears = tears;
    this.amounts = amounts;
  }
}

/** One run of a paragraph with its bindings filled in. */
export interface RunText {
  readonly run: RunStyle;
  readonly text: string;
  /** Shared by all documents when the text has no bindings, else null. */
  readonly kept: KeptText | null;
  /** The amounts in the text, which no line end splits; null: none. */
  readonly amounts: readonly Amount[] | null;
}

/** What the first document finds out about a text without bindings, for all others. */
export interface KeptText {
  breaks: Breaks | null;
  /** The style that all documents share; null: each makes its own, with atoms of its own. */
  readonly run: RunStyle | null;
  /** Its atoms in `run`, before and after which other runs may stand. */
  atoms: readonly Atom[] | null;
}

/** A word, a code or an amount: it contains no break opportunity. */
const SIMPLE_WORD = /^[0-9A-Za-z]+(?:[.,][0-9]+)*$/u;
const SIMPLE_WORD_LENGTH_MAX = 40;
/** A longer word becomes several atoms, because splitting it examines the whole atom each time. */
const WORD_PIECE_LENGTH_MAX = 128;
const SPACES_AT_START = /^\s+/u;
const SPACES_AT_END = /\s+$/u;
const NEWLINE_AT_END = /\r?\n$|[\r\u2028\u2029]$/u;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;

const clusterer = new Intl.Segmenter('th', { granularity: 'grapheme' });

/** Splits runs into atoms as pdfmake splits them into inlines, each run separately. */
export function buildAtoms(runs: readonly RunText[], leadingIndentPt: number): Atom[] {
  const list = new AtomList(leadingIndentPt);
  const { atoms } = list;
  for (const { run, text, kept, amounts } of runs) {
    const first = atoms.length;
    // An indent belongs to the first atom of this paragraph only.
    const isShared = kept !== null && kept.run === run && (first > 0 || leadingIndentPt === 0);
    if (isShared && kept.atoms !== null) {
      for (let index = 0; index < kept.atoms.length; index++) {
        const atom = kept.atoms[index];
        if (atom !== undefined) atoms.push(atom);
      }
    } else {
      if (run.noWrap) list.add(run, text, false, false, 0, amounts);
      else if (run.breakAll) list.addCharacters(run, text, amounts);
      else list.addWords(run, text, kept, amounts);
      if (isShared) kept.atoms = atoms.slice(first);
    }
    if (first > 0 && atoms.length > first) glueRuns(atoms, first);
  }
  return atoms;
}

/** The atoms of a paragraph while its runs are split. */
class AtomList {
  readonly atoms: Atom[] = [];
  readonly #leadingIndentPt: number;

  constructor(leadingIndentPt: number) {
    this.#leadingIndentPt = leadingIndentPt;
  }

  /** Adds a text as one atom and measures the spaces at its ends. */
  add(
    run: RunStyle,
    text: string,
    endsLine = false,
    glued = false,
    reluctance = 0,
    amounts: readonly Amount[] | null = null,
  ): void {
    const shape = run.style.stack.shape(text);
    let width = shape.widthEm * run.sizePt;
    if (run.spacingPt !== 0) width += run.spacingPt * (shape.clusterCount - 1);
    let leadingCut = 0;
    if (this.atoms.length === 0) leadingCut -= this.#leadingIndentPt;
    let trailingCut = 0;
    if (text.length > 0) {
      if (!run.keepsLeadingSpaces && isSpace(text.charCodeAt(0))) {
        leadingCut += run.widthOf(SPACES_AT_START.exec(text)?.[0] ?? '');
      }
      if (!run.keepsTrailingSpaces && isSpace(text.charCodeAt(text.length - 1))) {
        trailingCut = run.widthOf(SPACES_AT_END.exec(text)?.[0] ?? '');
      }
    }
    this.atoms.push(
      new Atom(
        shape,
        run,
        width,
        leadingCut,
        trailingCut,
        endsLine,
        glued,
        reluctance,
        /* tears */ null,
        amounts,
      ),
    );
  }

  /** Adds the words of a text, which are split where a line may or must end. */
  addWords(
    run: RunStyle,
    text: string,
    kept: KeptText | null,
    amounts: readonly Amount[] | null,
  ): void {
    const isSimple = text.length <= SIMPLE_WORD_LENGTH_MAX && SIMPLE_WORD.test(text);
    if (text.length === 0 || isSimple) {
      this.add(run, text, false, false, 0, amounts);
      return;
    }
    const { positions, required, reluctance } = breaksOf(text, run, kept);
    let start = 0;
    /** Index of the first amount that does not end before `start`. */
    let next = 0;
    for (let index = 0; index < positions.length; index++) {
      const end = positions[index] ?? text.length;
      const amount = amounts?.[next];
      const holdsAmount = amount !== undefined && amount.from < end;
      if (holdsAmount && end < amount.to && required[index] !== true) continue;
      let word = text.slice(start, end);
      const last = word.charCodeAt(word.length - 1);
      let endsLine = required[index] === true;
      if (isNewline(last)) {
        word = word.replace(NEWLINE_AT_END, '');
        endsLine = true;
      }
      let inside: readonly Amount[] | null = null;
      if (holdsAmount) {
        inside = amountsIn(amounts, start, end);
        while ((amounts?.[next]?.to ?? Infinity) <= end) next++;
      }
      if (word.length > WORD_PIECE_LENGTH_MAX) {
        const rest = this.#addPieces(run, word, inside);
        inside = amountsIn(inside, rest, word.length);
        word = word.slice(rest);
      }
      this.add(run, word, endsLine, false, reluctance[index], inside);
      start = end;
    }
  }

  /** Adds a long word in glued pieces, except the last; returns where that begins. */
  #addPieces(run: RunStyle, word: string, amounts: readonly Amount[] | null): number {
    let from = 0;
    while (word.length - from > WORD_PIECE_LENGTH_MAX) {
      const window = word.slice(from, from + WORD_PIECE_LENGTH_MAX + 1);
      const cut = clusterer.segment(window).containing(WORD_PIECE_LENGTH_MAX)?.index ?? 0;
      let end = from + (cut > 0 ? cut : WORD_PIECE_LENGTH_MAX);
      const split = amounts?.find((amount) => amount.from < end && end < amount.to);
      if (split !== undefined) end = split.from > from ? split.from : split.to;
      if (end >= word.length) break;
      const inside = amountsIn(amounts, from, end);
      this.add(run, word.slice(from, end), false, /* glued */ true, 0, inside);
      from = end;
    }
    return from;
  }

  /** Adds each cluster and each amount as an atom, so that a line may end after any of them. */
  addCharacters(run: RunStyle, text: string, amounts: readonly Amount[] | null): void {
    let from = 0;
    for (const amount of amounts ?? []) {
      this.#addClusters(run, text.slice(from, amount.from));
      const inside = amountsIn([amount], amount.from, amount.to);
      this.add(run, text.slice(amount.from, amount.to), false, false, 0, inside);
      from = amount.to;
    }
    this.#addClusters(run, from === 0 ? text : text.slice(from));
  }

  #addClusters(run: RunStyle, text: string): void {
    for (const { segment } of clusterer.segment(text)) {
      const endsLine = isNewline(segment.charCodeAt(0));
      this.add(run, endsLine ? '' : segment, endsLine);
    }
  }
}

function breaksOf(text: string, run: RunStyle, kept: KeptText | null): Breaks {
  if (kept === null) return findBreaks(text, run.words);
  kept.breaks ??= findBreaks(text, run.words);
  return kept.breaks;
}

function isNewline(code: number): boolean {
  return (
    code === LINE_FEED ||
    code === CARRIAGE_RETURN ||
    code === LINE_SEPARATOR ||
    code === PARAGRAPH_SEPARATOR
  );
}

function isSpace(code: number): boolean {
  return (
    code === 0x20 ||
    (code >= 0x09 && code <= 0x0d) ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    (code >= 0x2028 && code <= 0x2029) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** Glues the atom before `first` to `first`, where a run begins, if the runs meet inside a word. */
function glueRuns(atoms: Atom[], first: number): void {
  const before = atoms[first - 1];
  const after = atoms[first];
  if (before === undefined || after === undefined || before.endsLine) return;
  if (before.shape.text === '') return;
  const last = lastWord(before);
  const { positions } = findBreaks(last + firstWord(after), before.run.words);
  if (positions.includes(last.length)) return;
  atoms[first - 1] = new Atom(
    before.shape,
    before.run,
    before.widthPt,
    before.leadingCutPt,
    before.trailingCutPt,
    before.endsLine,
    /* glued */ true,
    0,
    null,
    before.amounts,
  );
}

function lastWord(atom: Atom): string {
  const { text } = atom.shape;
  if (!atom.run.noWrap) return text;
  const { positions } = findBreaks(text, atom.run.words);
  return text.slice(positions.at(-2) ?? 0);
}

function firstWord(atom: Atom): string {
  const { text } = atom.shape;
  if (!atom.run.noWrap) return text;
  return text.slice(0, findBreaks(text, atom.run.words).positions[0] ?? 0);
}

/** Widths of the widest word and of the widest line between newlines, without outer spaces. */
export function measureAtoms(atoms: readonly Atom[]): { minPt: number; maxPt: number } {
  let minPt = 0;
  let maxPt = 0;
  let width = 0;
  let leadingCut = 0;
  let lineIsOpen = false;
  /** Width of the words before this one that belong to it over a space, like `วันที่ 5`. */
  let boundPt = 0;
  for (const atom of atoms) {
    minPt = Math.max(minPt, boundPt + atom.widthPt - atom.leadingCutPt - atom.trailingCutPt);
    // A reluctant break at a space counts as none here; one inside a word may end a narrow line.
    const isBound = atom.reluctance > 0 && atom.trailingCutPt > 0;
    boundPt = isBound ? boundPt + atom.widthPt - atom.leadingCutPt : 0;
    if (!lineIsOpen) {
      lineIsOpen = true;
      width = 0;
      leadingCut = atom.leadingCutPt;
    }
    width += atom.widthPt;
    maxPt = Math.max(maxPt, width - leadingCut - atom.trailingCutPt);
    if (atom.endsLine) lineIsOpen = false;
  }
  return { minPt, maxPt };
}
