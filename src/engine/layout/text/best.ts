import type { Atom } from './atom.ts';
import { isNarrow, LINE_SLACK_PT } from './slack.ts';

/**
 * Chooses the breaks of a whole paragraph at once, after Knuth and Plass. A line costs the square of
 * the share of it that stays empty, and the sum of these costs is minimized, so that no very loose
 * line stands beside a tight one. The empty share of the last line costs nothing.
 */

/** Longer paragraphs are filled line by line. */
const ATOMS_MAX = 4_000;
/** Fixed cost of a line, so that fewer lines are better. */
const LINE_COST = 0.02;
/**
 * The cost of a break, by its reluctance. Splitting a phrase (2) costs little: it reads better than a
 * loose line or one that ends in a word like การ (1).
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
  // Entry n is for the cheapest lines that end before atom `from + n`: their cost, and where the
  // last of them begins.
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
 * Tries each line that begins with atom `from + first`; false when not even its first word fits.
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
  let advance = -(atoms[from + first]?.leadingCutPt ?? 0);
  let hasFit = false;
  for (let end = first + 1; end <= count; end++) {
    const last = atoms[from + end - 1];
    if (last === undefined) break;
    advance += last.widthPt;
    const empty = widthPt - (advance - last.trailingCutPt);
    const isOverfull = empty < -LINE_SLACK_PT;
    if (isOverfull) return hasFit;
    if (last.glued) continue;
    hasFit = true;
    const isFree = end === count || last.endsLine;
    const share = isFree ? 0 : empty / widthPt;
    const cost = costBefore + share * share + LINE_COST + (reluctanceCosts[last.reluctance] ?? 0);
    if (cost < (costs[end] ?? 0)) {
      costs[end] = cost;
      lineStarts[end] = first;
    }
    if (last.endsLine) break;
  }
  return true;
}
