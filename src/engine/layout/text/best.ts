import type { Atom } from './atom.ts';
import { isNarrow, LINE_SLACK_PT } from './slack.ts';

/**
 * Chooses the breaks of a whole paragraph at once, after Knuth and Plass. The cost of a line is the
 * square of the share of its width that stays empty, and the sum over all lines is minimized, so that
 * no very loose line stands beside a tight one. The last line may stay empty at no cost.
 */

/** Longer paragraphs are filled line by line. */
const ATOMS_MAX = 4_000;
/** Fixed cost of a line, so that fewer lines are better. */
const LINE_COST = 0.02;
/**
 * The cost of a break, by the reluctance of the atom before it (atom.ts). Reluctance 1 is that of a
 * word like การ, which should not end a line. Reluctance 2 is that of a break within a phrase, which
 * costs less here: it reads better than a loose line or a line that ends in การ.
 */
const RELUCTANCE_COSTS: readonly number[] = [0, 0.05, 0.015];
/** The same in narrow lines, where a split phrase is conspicuous. */
const NARROW_COSTS: readonly number[] = [0, 0.05, 0.4];

/**
 * For each line from atom `from` on, the index after its last atom. Null when the lines must be
 * filled one by one, because a word is wider than the line or the paragraph is very long.
 */
export function bestLineEnds(
  atoms: readonly Atom[],
  from: number,
  widthPt: number,
): readonly number[] | null {
  const count = atoms.length - from;
  if (count > ATOMS_MAX) return null;
  // Entry n is about the cheapest lines for the n atoms from `from` on: what they cost, and the entry
  // at which the last of these lines begins.
  const costs = new Float64Array(count + 1).fill(Infinity);
  const lineStarts = new Int32Array(count + 1);
  costs[0] = 0;
  for (let first = 0; first < count; first++) {
    if (costs[first] !== Infinity && !tryLines(atoms, from, first, widthPt, costs, lineStarts)) {
      return null;
    }
  }
  if (costs[count] === Infinity) return null;
  const ends: number[] = [];
  for (let end = count; end > 0; end = lineStarts[end] ?? 0) ends.push(from + end);
  return ends.toReversed();
}

/**
 * Tries each line that begins with atom `from + first`, and enters those that make the lines up to
 * their end cheaper; false when not even the first word fits.
 */
function tryLines(
  atoms: readonly Atom[],
  from: number,
  first: number,
  widthPt: number,
  costs: Float64Array,
  lineStarts: Int32Array,
): boolean {
  const count = costs.length - 1;
  const costBefore = costs[first] ?? Infinity;
  const sizePt = atoms[from + first]?.run.style.sizePt ?? 0;
  const reluctanceCosts = isNarrow(widthPt, sizePt) ? NARROW_COSTS : RELUCTANCE_COSTS;
  let advancePt = -(atoms[from + first]?.leadingCutPt ?? 0);
  let hasFit = false;
  for (let end = first + 1; end <= count; end++) {
    const last = atoms[from + end - 1];
    if (last === undefined) break;
    advancePt += last.widthPt;
    const emptyPt = widthPt - (advancePt - last.trailingCutPt);
    const isOverfull = emptyPt < -LINE_SLACK_PT;
    if (isOverfull) return hasFit;
    if (last.glued) continue;
    hasFit = true;
    const mayStayShort = end === count || last.endsLine;
    const emptyShare = mayStayShort ? 0 : emptyPt / widthPt;
    const cost =
      costBefore + emptyShare * emptyShare + LINE_COST + (reluctanceCosts[last.reluctance] ?? 0);
    if (cost < (costs[end] ?? 0)) {
      costs[end] = cost;
      lineStarts[end] = first;
    }
    if (last.endsLine) break;
  }
  return true;
}
