import { Atom, type Tears } from './atom.ts';
import { hasDictionaryScript } from './classes.ts';
import { emergencyBreaks } from './dictionary.ts';

/** Sums of widths differ in the last bits between engines: a hair over the box still fits. */
const SLACK_PT = 1e-6;

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

  /** `like`: the line whose height it has, where its atoms were cut into others. */
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

/** Where line building stands in a paragraph: the next atom, and what is left of a split one. */
export interface LineStart {
  index: number;
  /** The rest of an atom that was broken by characters, or null. */
  rest: Atom | null;
}

/** Takes the atoms of the next line off the paragraph, or null at its end; moves `start`. */
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
      const reachPt = reach(atoms, start, atom, widthPt - advance + leadingCut + 1);
      if (advance + reachPt - leadingCut > widthPt + SLACK_PT) break;
    }
    let piece = atom;
    start.rest = null;
    const room = widthPt - (advance - leadingCut - trailingCut);
    const isWide = !atom.run.noWrap && atom.widthPt > room + SLACK_PT;
    // Glued pieces that are wider than the line part here, too, sooner than reaching over its end.
    if (isWide && mustContinue && firstClusterPt(atom) > room + SLACK_PT) break;
    if (isWide && atom.shape.clusterCount > 1) {
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

/**
 * Width that must fit if `atom` is taken: its own, and of all that is glued to it; counted until it
 * is over `enoughPt`, since a long word is thousands of glued pieces.
 */
function reach(atoms: readonly Atom[], start: LineStart, atom: Atom, enoughPt: number): number {
  let width = atom.widthPt - atom.trailingCutPt;
  if (!atom.glued) return width;
  for (let index = start.index + 1; index < atoms.length && width <= enoughPt; index++) {
    const next = atoms[index];
    if (next === undefined) break;
    width += next.widthPt - next.trailingCutPt;
    if (!next.glued) break;
  }
  return width;
}

function firstClusterPt({ run, shape }: Atom): number {
  const [first] = clusterer.segment(shape.text.slice(0, CLUSTER_LENGTH_MAX));
  return run.widthOf(first?.segment ?? '');
}

/** UTF-16 units that are looked at for the first cluster. */
const CLUSTER_LENGTH_MAX = 32;

const clusterer = new Intl.Segmenter('th', { granularity: 'grapheme' });

/**
 * Breaks a word that is wider than its line after as many clusters as fit, at least one; in scripts
 * without spaces between two words of it, if that fits.
 */
function splitAtom(atom: Atom, roomPt: number): [Atom, Atom] | null {
  const { text } = atom.shape;
  const isDictionary = hasDictionaryScript(text);
  // Only its spaces reach over the line's end. (pdfmake parts a Latin word from its spaces here.)
  if (isDictionary && atom.widthPt - atom.trailingCutPt <= roomPt + SLACK_PT) return null;
  const kept = atom.tears;
  const tears = kept?.isDictionary === isDictionary ? kept : findTears(text, isDictionary);
  const end =
    widestFit(atom, tears.words, tears.from, roomPt) ||
    widestFit(atom, tears.clusters, tears.from, roomPt) ||
    (tears.clusters[firstAfter(tears.clusters, tears.from)] ?? Infinity) - tears.from;
  if (end >= text.length) return null;
  const restTears = { ...tears, from: tears.from + end };
  return [part(atom, text.slice(0, end), null), part(atom, text.slice(end), restTears)];
}

function findTears(text: string, isDictionary: boolean): Tears {
  if (isDictionary) return { ...emergencyBreaks(text), isDictionary, from: 0 };
  return { words: [], clusters: clusterEnds(text), isDictionary, from: 0 };
}

const PRINTABLE_ASCII = /^[ -~]*$/;

function clusterEnds(text: string): number[] {
  const ends: number[] = [];
  if (PRINTABLE_ASCII.test(text)) {
    for (let end = 1; end < text.length; end++) ends.push(end);
  } else {
    for (const { index } of clusterer.segment(text)) if (index > 0) ends.push(index);
  }
  return ends;
}

/** Where in an ascending list the entries above `from` begin. */
function firstAfter(list: readonly number[], from: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) > from) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The last of `ends`, which count from `from`, up to which the atom's text fits the room, or the
 * whole text; 0: not even the first. Looked for around the place that an even width of its letters
 * would give, so that few and short texts are measured.
 */
function widestFit(atom: Atom, ends: readonly number[], from: number, roomPt: number): number {
  const { run, widthPt } = atom;
  const { text } = atom.shape;
  if (widthPt <= roomPt + SLACK_PT) return text.length;
  const fits = (index: number): boolean =>
    run.widthOf(text.slice(0, (ends[index] ?? 0) - from)) <= roomPt + SLACK_PT;
  const first = firstAfter(ends, from);
  // Up to `low` it fits (before `first`: nothing does), from `high` on it does not.
  let low = first - 1;
  let high = ends.length;
  const share = Math.max(0, roomPt / widthPt) * text.length;
  let probe = Math.max(first, firstAfter(ends, from + share) - 1);
  for (let step = 1; low + 1 < high; step *= 2) {
    if (fits(probe)) {
      low = probe;
      probe = Math.min(probe + step, high - 1);
    } else {
      high = probe;
      probe = Math.max(probe - step, low + 1);
    }
    if (low >= first && high < ends.length) break;
  }
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low < first ? 0 : (ends[low] ?? 0) - from;
}

/** A part keeps the cuts of the whole, as pdfmake's parts do; `tears`: those of a rest. */
function part(atom: Atom, text: string, tears: Tears | null): Atom {
  const { run } = atom;
  const isRest = tears !== null;
  const shape = run.style.stack.shape(text);
  const width = run.widthOfShape(shape);
  const trailingCut = isRest ? Math.min(atom.trailingCutPt, width) : 0;
  return new Atom(
    shape,
    run,
    width,
    isRest ? 0 : atom.leadingCutPt,
    trailingCut,
    isRest && atom.endsLine,
    isRest && atom.glued,
    tears,
  );
}
