import { Atom, type Tears } from './atom.ts';
import { hasDictionaryScript } from './classes.ts';
import { findTears, firstAfter, firstClusterPt, widestFit } from './cut.ts';
import { isNarrow, LINE_SLACK_PT } from './slack.ts';

/**
 * A line ends at a break of a reluctance rather than leave more than this share of its box empty; a
 * line that holds few letters is left emptier before its words are parted.
 */
const EMPTY_SHARES_MAX: readonly number[] = [0, 0.25, 0.5];
const NARROW_SHARES_MAX: readonly number[] = [0, 0.25, 0.75];
const SOFT = 1;
const RELUCTANT = 2;

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
      const room = widthPt - advance + leadingCut;
      if (!fits(atoms, start.index, atom, room, GLUED)) break;
      if (previous !== undefined && atom.reluctance > 0) {
        if (mustWait(atoms, start.index, previous, atom, room, widthPt)) break;
      }
    }
    let piece = atom;
    start.rest = null;
    const room = widthPt - (advance - leadingCut - trailingCut);
    const isWide = !atom.run.noWrap && atom.widthPt > room + LINE_SLACK_PT;
    // Glued pieces that are wider than the line part here, too, sooner than reaching over its end.
    if (isWide && mustContinue && firstClusterPt(atom) > room + LINE_SLACK_PT) break;
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
 * Whether `atom` begins words that are better kept together and do not fit, while little enough of
 * the line would stay empty without them. Words of which a line has taken the first it fills up.
 */
function mustWait(
  atoms: readonly Atom[],
  at: number,
  previous: Atom,
  atom: Atom,
  roomPt: number,
  widthPt: number,
): boolean {
  const share = (roomPt + previous.trailingCutPt) / widthPt;
  const sharesMax = isNarrow(widthPt, atom.run.style.sizePt) ? NARROW_SHARES_MAX : EMPTY_SHARES_MAX;
  for (let level = SOFT; level <= RELUCTANT; level++) {
    if (previous.reluctance >= level || atom.reluctance < level) continue;
    if (share > (sharesMax[level] ?? 0)) continue;
    if (!fits(atoms, at, atom, roomPt, level)) return true;
  }
  return false;
}

/** No reluctance is as high: only what is glued is kept together. */
const GLUED = 3;

/**
 * Whether `atom`, which is taken next, fits with all that is glued to it and with what stands after
 * breaks of at least a reluctance. A long word is thousands of glued pieces: no more are counted
 * than fit.
 */
function fits(
  atoms: readonly Atom[],
  at: number,
  atom: Atom,
  roomPt: number,
  level: number,
): boolean {
  let width = atom.widthPt - atom.trailingCutPt;
  let last = atom;
  for (let index = at + 1; index < atoms.length; index++) {
    if (!last.glued && last.reluctance < level) break;
    if (width > roomPt + LINE_SLACK_PT) return false;
    const next = atoms[index];
    if (next === undefined) break;
    width += (last.reluctance > 0 ? last.trailingCutPt : 0) + next.widthPt - next.trailingCutPt;
    last = next;
  }
  return width <= roomPt + LINE_SLACK_PT;
}

/** Cuts a word that is wider than its line in two, or null where only its spaces reach over the end. */
function splitAtom(atom: Atom, roomPt: number): [Atom, Atom] | null {
  const { text } = atom.shape;
  // (pdfmake parts a Latin word from its spaces here.)
  const isDictionary = hasDictionaryScript(text);
  const isInside = atom.widthPt - atom.trailingCutPt <= roomPt + LINE_SLACK_PT;
  if (isInside && isDictionary) return null;
  const kept = atom.tears;
  const tears = kept?.isDictionary === isDictionary ? kept : findTears(text, atom.run.words);
  let end = 0;
  for (const choice of tears.choices) {
    end = widestFit(atom, choice, tears.from, roomPt);
    if (end > 0) break;
  }
  const all = tears.choices.at(-1) ?? [];
  if (end === 0) end = (all[firstAfter(all, tears.from)] ?? Infinity) - tears.from;
  if (end >= text.length) return null;
  const restTears = { ...tears, from: tears.from + end };
  return [part(atom, text.slice(0, end), null), part(atom, text.slice(end), restTears)];
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
    isRest ? atom.reluctance : 0,
    tears,
  );
}
