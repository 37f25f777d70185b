import { Atom, type Tears } from './atom.ts';
import { hasDictionaryScript } from './classes.ts';
import { amountsIn } from '../amounts/amounts.ts';
import { findTears, firstAfter, firstPiecePt, widestFit } from './cut.ts';
import { isNarrow, LINE_SLACK_PT } from './slack.ts';

/**
 * The largest share of a line that may stay empty to avoid a break, by the reluctance of the break.
 * A narrow line, which holds few letters, may leave more empty.
 */
const EMPTY_SHARES_MAX: readonly number[] = [0, 0.25, 0.5];
const NARROW_SHARES_MAX: readonly number[] = [0, 0.25, 0.75];
/** Levels of reluctance of a break. */
const SOFT = 1;
const RELUCTANT = 2;
/** A level above every reluctance: only glued atoms are kept together. */
const GLUED = 3;

/** One line of a paragraph: some of its atoms, and the box they take. */
export class Line {
  readonly atoms: readonly Atom[];
  /** Sum of all advances, spaces at the ends included. */
  readonly advancePt: number;
  readonly leadingCutPt: number;
  readonly trailingCutPt: number;
  readonly heightPt: number;
  /** Baseline below the line's top. */
  readonly ascentPt: number;
  /** Ends at a newline. */
  readonly isForced: boolean;
  readonly isLast: boolean;

  /** `like`: the line that these atoms were cut from, which sets the height. */
  constructor(atoms: readonly Atom[], isLast: boolean, like: Line | null = null) {
    let advance = 0;
    let height = 0;
    let ascent = 0;
    for (const atom of atoms) {
      advance += atom.widthPt;
      if (atom.run.heightPt > height) height = atom.run.heightPt;
      if (atom.run.ascentPt > ascent) ascent = atom.run.ascentPt;
    }
    const last = atoms[atoms.length - 1];
    this.atoms = atoms;
    this.advancePt = advance;
    this.leadingCutPt = atoms[0]?.leadingCutPt ?? 0;
    this.trailingCutPt = last?.trailingCutPt ?? 0;
    this.heightPt = like?.heightPt ?? height;
    this.ascentPt = like?.ascentPt ?? ascent;
    this.isForced = last?.endsLine ?? false;
    this.isLast = isLast;
  }

  /** Width without the spaces at both ends. */
  get widthPt(): number {
    return this.advancePt - this.leadingCutPt - this.trailingCutPt;
  }
}

/** The position of line building in a paragraph. */
export interface LineStart {
  index: number;
  /** The rest of the atom at `index` if it was split, else null. */
  rest: Atom | null;
  /** The stretch of blanks found last, as the indices of its first atom and of the one after it. */
  blanks?: { readonly from: number; readonly to: number };
}

/** Builds the next line and moves `start` behind it; null at the end of the paragraph. */
export function nextLine(atoms: readonly Atom[], start: LineStart, widthPt: number): Line | null {
  let atom: Atom | undefined = start.rest ?? atoms[start.index];
  if (atom === undefined) return null;
  const taken: Atom[] = [];
  let advance = 0;
  let leadingCut = 0;
  let trailingCut = 0;
  let mustContinue = false;
  while (atom !== undefined) {
    if (taken.length > 0 && !mustContinue) {
      const previous = taken[taken.length - 1];
      if (previous?.endsLine === true) break;
      const room = widthPt - advance + leadingCut;
      if (!fitsWithNext(atoms, start, atom, room, GLUED)) break;
      const mayWait = previous !== undefined && atom.reluctance > 0;
      if (mayWait && mustWait(atoms, start, previous, atom, room, widthPt)) break;
    }
    let piece = atom;
    start.rest = null;
    // A line with an amount must not reach beyond its box by the spaces between glued pieces.
    const isBesideAmount = atom.amounts !== null || (mustContinue && isAmount(taken));
    const spacesPt = isBesideAmount ? 0 : trailingCut;
    const room = widthPt - (advance - leadingCut - spacesPt);
    const isWide = atom.widthPt > room + LINE_SLACK_PT;
    // A glued piece goes to the next line if not even its first cluster or amount fits here.
    if (isWide && mustContinue && startPt(atom) > room + LINE_SLACK_PT) break;
    if (isWide && !atom.run.noWrap && atom.shape.clusterCount > 1) {
      const split = splitAtom(atom, room);
      if (split !== null) [piece, start.rest] = split;
    }
    if (start.rest === null) start.index++;
    if (taken.length === 0) leadingCut = piece.leadingCutPt;
    trailingCut = piece.trailingCutPt;
    taken.push(piece);
    advance += piece.widthPt;
    mustContinue = piece.glued && start.rest === null;
    atom = start.rest ?? atoms[start.index];
  }
  return new Line(taken, atom === undefined);
}

/** The width of what must begin on the line of the piece before; 0: all of it may be cut there. */
function startPt(atom: Atom): number {
  if (!atom.run.noWrap) return firstPiecePt(atom);
  return atom.amounts === null ? 0 : atom.widthPt - atom.trailingCutPt;
}

/** Whether the last piece of a line holds an amount. */
function isAmount(taken: readonly Atom[]): boolean {
  return (taken[taken.length - 1]?.amounts ?? null) !== null;
}

/**
 * Whether the line should end before `atom`, because `atom` begins words that are better kept
 * together, they do not fit here, and the line is full enough without them. Once a line has the
 * first of such words, it takes as many of the others as fit.
 */
function mustWait(
  atoms: readonly Atom[],
  start: LineStart,
  previous: Atom,
  atom: Atom,
  roomPt: number,
  widthPt: number,
): boolean {
  const emptyShare = (roomPt + previous.trailingCutPt) / widthPt;
  const sharesMax = isNarrow(widthPt, atom.run.style.sizePt) ? NARROW_SHARES_MAX : EMPTY_SHARES_MAX;
  for (let level = SOFT; level <= RELUCTANT; level++) {
    const beginsTogether = previous.reluctance < level && atom.reluctance >= level;
    if (!beginsTogether || emptyShare > (sharesMax[level] ?? 0)) continue;
    if (!fitsWithNext(atoms, start, atom, roomPt, level)) return true;
  }
  return false;
}

/**
 * Whether `atom` fits together with the atoms that must stay with it: those glued to it, and those
 * after a break of at least reluctance `level`. It stops at the first that does not fit, because a
 * long word is thousands of glued pieces.
 */
function fitsWithNext(
  atoms: readonly Atom[],
  start: LineStart,
  atom: Atom,
  roomPt: number,
  level: number,
): boolean {
  let width = atom.widthPt - atom.trailingCutPt;
  let last = atom;
  for (let index = start.index + 1; index < atoms.length; index++) {
    if (!last.glued && last.reluctance < level) break;
    if (width > roomPt + LINE_SLACK_PT) return false;
    const next = atoms[index];
    if (next === undefined) break;
    width += (last.reluctance > 0 ? last.trailingCutPt : 0) + next.widthPt - next.trailingCutPt;
    last = next;
    if (isBlankPiece(next)) {
      index = endOfBlanks(atoms, start, index) - 1;
      last = atoms[index] ?? next;
    }
  }
  return width <= roomPt + LINE_SLACK_PT;
}

/** Whether it is a piece of a word of blanks, which adds no width to a line that ends behind it. */
function isBlankPiece({ glued, reluctance, widthPt, trailingCutPt }: Atom): boolean {
  return glued && reluctance === 0 && widthPt === trailingCutPt;
}

/**
 * The index after the stretch of blanks that the piece at `index` is in. It is found once, because
 * each of many lines in thousands of pieces asks for it.
 */
function endOfBlanks(atoms: readonly Atom[], start: LineStart, index: number): number {
  const known = start.blanks;
  if (known !== undefined && index >= known.from && index < known.to) return known.to;
  let to = index + 1;
  for (let next = atoms[to]; next !== undefined && isBlankPiece(next); next = atoms[to]) to += 1;
  start.blanks = { from: index, to };
  return to;
}

/** Splits a word that is wider than its line in two; null when it stays whole. */
function splitAtom(atom: Atom, roomPt: number): [Atom, Atom] | null {
  const { text } = atom.shape;
  // Thai may overhang by its spaces; as in pdfmake, a Latin word is separated from them here.
  const isDictionary = hasDictionaryScript(text);
  const fitsWithoutSpaces = atom.widthPt - atom.trailingCutPt <= roomPt + LINE_SLACK_PT;
  if (fitsWithoutSpaces && isDictionary) return null;
  const known = atom.tears;
  const tears =
    known?.isDictionary === isDictionary ? known : findTears(text, atom.run.words, atom.amounts);
  let end = 0;
  for (const choice of tears.choices) {
    end = widestFit(atom, choice, tears.from, roomPt);
    if (end > 0) break;
  }
  if (end === 0) {
    // Not even one cluster fits: the line takes it all the same.
    const clusters = tears.choices.at(-1) ?? [];
    end = (clusters[firstAfter(clusters, tears.from)] ?? Infinity) - tears.from;
  }
  if (end >= text.length) return null;
  const restTears = { ...tears, from: tears.from + end };
  return [startOf(atom, text.slice(0, end)), restOf(atom, end, restTears)];
}

/** The part of a split atom that ends the line. As in pdfmake, its spaces are not cut. */
function startOf({ run, leadingCutPt, amounts }: Atom, text: string): Atom {
  const shape = run.style.stack.shape(text);
  const width = run.widthOfShape(shape);
  if (amounts === null) return new Atom(shape, run, width, leadingCutPt);
  const inside = amountsIn(amounts, 0, text.length);
  return new Atom(shape, run, width, leadingCutPt, 0, false, false, 0, null, inside);
}

/**
 * The part of a split atom from `from` on, which begins the next line; `tears` are those of the
 * whole word.
 */
function restOf(atom: Atom, from: number, tears: Tears): Atom {
  const { run, endsLine, glued, reluctance } = atom;
  const text = atom.shape.text.slice(from);
  const amounts = amountsIn(atom.amounts, from, atom.shape.text.length);
  const shape = run.style.stack.shape(text);
  const width = run.widthOfShape(shape);
  const trailingCut = Math.min(atom.trailingCutPt, width);
  return new Atom(shape, run, width, 0, trailingCut, endsLine, glued, reluctance, tears, amounts);
}
