import type { TextNode } from '../../model/nodes.ts';
import { Atom } from '../text/atom.ts';
import { paragraphDirection } from '../text/bidi.ts';
import { findTears } from '../text/cut.ts';
import { LINE_SLACK_PT } from '../text/slack.ts';
import type { Words } from '../text/words/words.ts';
import type { Amount, AmountSource } from './amounts.ts';

/** Wider than its line even in the least size, cut by an edge of the paper, or without a gap. */
type Misfit = 'wide' | 'cut' | 'touches';

/** An amount cannot be printed whole. Only `layoutDocument` catches it. */
export class AmountFault extends Error {
  /** JSON path of the node. */
  readonly path: string;
  readonly source: AmountSource;
  readonly misfit: Misfit;

  constructor(path: string, source: AmountSource, misfit: Misfit) {
    super(`an amount does not fit its place: ${misfit}`);
    this.path = path;
    this.source = source;
    this.misfit = misfit;
  }
}

/** Sizes are tried in these steps. */
const STEP_PT = 0.25;

/**
 * Makes each atom smaller whose amount is wider than the line, so that it is neither split nor
 * clipped; the line stays as high as it was. Throws `AmountFault` if the least size is too large.
 */
export function fitAmounts(
  atoms: readonly Atom[],
  widthPt: number,
  node: TextNode,
): readonly Atom[] {
  let fitted: Atom[] | null = null;
  for (let index = 0; index < atoms.length; index++) {
    const atom = atoms[index];
    if (atom === undefined || atom.amounts === null) continue;
    // An indent of the first line takes room, too.
    const roomPt = widthPt + Math.min(0, atom.leadingCutPt);
    const visiblePt = atom.widthPt - Math.max(0, atom.leadingCutPt) - atom.trailingCutPt;
    if (visiblePt <= roomPt + LINE_SLACK_PT) continue;
    const scale = scaleOf(atom, atom.amounts, roomPt, node);
    if (scale === 1) continue;
    fitted ??= [...atoms];
    fitted[index] = scaled(atom, scale);
  }
  return fitted ?? atoms;
}

/** The atoms with all amounts in their least size. */
export function leastAtoms(atoms: readonly Atom[]): readonly Atom[] {
  return atoms.map((atom) => {
    const scale = atom.amounts?.[0]?.source.policy.leastScale ?? 1;
    return scale === 1 ? atom : scaled(atom, scale);
  });
}

/** The room that the widest amount needs in its least size. */
export function leastAmountPt(atoms: readonly Atom[], node: TextNode): number {
  const { shrinkPt } = node;
  let leastPt = 0;
  for (const atom of atoms) {
    const { run, amounts, leadingCutPt } = atom;
    const policy = amounts?.[0]?.source.policy;
    if (amounts === null || policy === undefined) continue;
    const scale = shrinkPt === null ? policy.leastScale : Math.min(1, shrinkPt / run.sizePt);
    const { neededPt } = widestAmount(atom, amounts, node);
    leastPt = Math.max(leastPt, neededPt * scale - Math.min(0, leadingCutPt));
  }
  return leastPt;
}

/** The scale at which the widest amount of an atom fits. */
function scaleOf(atom: Atom, amounts: readonly Amount[], roomPt: number, node: TextNode): number {
  const { run } = atom;
  const { path, shrinkPt } = node;
  const { neededPt, widest } = widestAmount(atom, amounts, node);
  if (widest === null || neededPt <= roomPt + LINE_SLACK_PT) return 1;
  const { policy } = widest.source;
  const known = policy.narrowed.get(path);
  // A text that shrinks as a whole has a least size of its own.
  const leastPt = run.sizePt * (shrinkPt === null ? policy.leastScale : 1);
  const exactPt = (run.sizePt * roomPt) / neededPt;
  const isPrinted = exactPt >= leastPt - LINE_SLACK_PT;
  const isTighter = known === undefined || neededPt / roomPt > known.neededPt / known.roomPt;
  if (isTighter) policy.narrowed.set(path, { neededPt, roomPt, isPrinted, modulePt: null });
  if (!isPrinted) throw new AmountFault(path, widest.source, 'wide');
  return Math.max(leastPt, Math.floor(exactPt / STEP_PT) * STEP_PT) / run.sizePt;
}

/** The widest amount of an atom, and the width that it needs with what stays beside it. */
function widestAmount(
  atom: Atom,
  amounts: readonly Amount[],
  { alignment }: TextNode,
): { readonly neededPt: number; readonly widest: Amount | null } {
  const { shape, run } = atom;
  if (run.noWrap) {
    const isLeft = alignment !== 'right' && alignment !== 'center';
    return { neededPt: unwrappedPt(atom, amounts, isLeft), widest: amounts[0] ?? null };
  }
  let neededPt = 0;
  let widest: Amount | null = null;
  const pieces = wholePieces(shape.text, run.words, amounts);
  for (const [index, amount] of amounts.entries()) {
    const width = run.widthOf(pieces[index] ?? '');
    if (width <= neededPt) continue;
    neededPt = width;
    widest = amount;
  }
  return { neededPt, widest };
}

/**
 * The part of an unbroken line that must fit for its amounts to be seen: up to the last amount if
 * the line begins at the left; else all of it.
 */
function unwrappedPt(
  { shape: { text }, run, widthPt, leadingCutPt, trailingCutPt }: Atom,
  amounts: readonly Amount[],
  isLeft: boolean,
): number {
  const leadingPt = Math.max(0, leadingCutPt);
  const last = amounts.at(-1);
  if (!isLeft || last === undefined || paragraphDirection([text]) !== null) {
    return widthPt - leadingPt - trailingCutPt;
  }
  return run.widthOf(text.slice(0, last.to)) - leadingPt;
}

/**
 * Each amount of a word with the marks that no line end separates from it: in scripts without
 * spaces, the bracket or comma beside it.
 */
function wholePieces(text: string, words: Words, amounts: readonly Amount[]): string[] {
  const ends = findTears(text, words, amounts).choices.flat();
  return amounts.map(({ from, to }) => {
    const start = ends.reduce((last, at) => (at <= from ? Math.max(last, at) : last), 0);
    const end = ends.reduce((next, at) => (at >= to ? Math.min(next, at) : next), text.length);
    return text.slice(start, end).trim();
  });
}

function scaled(atom: Atom, scale: number): Atom {
  const { shape, run, widthPt, trailingCutPt, endsLine, glued, reluctance, tears, amounts } = atom;
  // An indent keeps its width, leading spaces shrink with the text.
  const leadingCut = atom.leadingCutPt < 0 ? atom.leadingCutPt : atom.leadingCutPt * scale;
  return new Atom(
    shape,
    run.narrowed(scale),
    widthPt * scale,
    leadingCut,
    trailingCutPt * scale,
    endsLine,
    glued,
    reluctance,
    tears,
    amounts,
  );
}
