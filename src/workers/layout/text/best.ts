import type { Atom } from './atom.ts';
import { isNarrow, LINE_SLACK_PT } from './slack.ts';

/**
 * Breaks of a whole paragraph at once, after Knuth and Plass: the least sum of what the lines leave
 * empty, squared, so that no line is very loose beside a tight one. The last line costs nothing.
 */

/** Longer paragraphs are filled line by line. */
const ATOMS_MAX = 4_000;
/**
 * In the unit of a squared share of the line: fewer lines are better, and no reluctant breaks. A phrase
 * that is parted is read more easily than a loose line, or one that ends in การ.
 */
const LINE_COST = 0.02;
const RELUCTANCE_COSTS: readonly number[] = [0, 0.05, 0.015];
/** In narrow lines there is little to choose from, and what is parted catches the eye. */
const NARROW_COSTS: readonly number[] = [0, 0.05, 0.4];

/**
 * Index after the last atom of each line from atom `from` on, or null where filling the lines one by
 * one has to do: a word is wider than the line, or the paragraph is very long.
 */
export function bestLineEnds(
  atoms: readonly Atom[],
  from: number,
  widthPt: number,
): readonly number[] | null {
  const count = atoms.length - from;
  if (count > ATOMS_MAX) return null;
  const costs = new Float64Array(count + 1).fill(Infinity);
  const before = new Int32Array(count + 1);
  costs[0] = 0;
  for (let first = 0; first < count; first++) {
    if (costs[first] !== Infinity && !tryLines(atoms, from, first, widthPt, costs, before)) {
      return null;
    }
  }
  if (costs[count] === Infinity) return null;
  const ends: number[] = [];
  for (let end = count; end > 0; end = before[end] ?? 0) ends.push(from + end);
  return ends.toReversed();
}

/** Tries each line that begins with one atom; false where not even its first word fits. */
function tryLines(
  atoms: readonly Atom[],
  from: number,
  first: number,
  widthPt: number,
  costs: Float64Array,
  before: Int32Array,
): boolean {
  const count = costs.length - 1;
  const begun = costs[first] ?? Infinity;
  const sizePt = atoms[from + first]?.run.style.sizePt ?? 0;
  const reluctanceCosts = isNarrow(widthPt, sizePt) ? NARROW_COSTS : RELUCTANCE_COSTS;
  let advance = -(atoms[from + first]?.leadingCutPt ?? 0);
  let hasFit = false;
  for (let end = first + 1; end <= count; end++) {
    const last = atoms[from + end - 1];
    if (last === undefined) break;
    advance += last.widthPt;
    const empty = widthPt - (advance - last.trailingCutPt);
    if (empty < -LINE_SLACK_PT) {
      // Only a line without a break in it may not be overfull; noWrap text is left as it is.
      return hasFit;
    }
    if (last.glued) continue;
    hasFit = true;
    const isFree = end === count || last.endsLine;
    const share = isFree ? 0 : empty / widthPt;
    const cost = begun + share * share + LINE_COST + (reluctanceCosts[last.reluctance] ?? 0);
    if (cost < (costs[end] ?? 0)) {
      costs[end] = cost;
      before[end] = first;
    }
    if (last.endsLine) break;
  }
  return true;
}
