import type { Spread } from '../../lab/stats.ts';
import { ratioSpread } from '../../lab/stats.ts';
import { estimateOf } from '../gate/decision.ts';

/**
 * Rounds that one start of both commits takes: each side goes first once. V8 compiles the same code
 * differently from start to start, so that two starts of one commit differ by up to 10 %; more
 * rounds on the same processes would repeat that difference instead of showing it.
 */
export const ROUNDS_PER_START = 2;

/** Fewer starts decide nothing: of two, Student's t asks for 12.7 times their standard error. */
const STARTS_MIN = 3;

/** The rounds of that many starts, for the reader of a ratio that has fewer. */
export const ROUNDS_TO_TELL = STARTS_MIN * ROUNDS_PER_START;

/** A figure of one commit over that of another: the range of the rounds, and what it shows. */
export interface StartsRatio extends Spread {
  readonly shows: 'a difference' | 'no clear difference' | 'too few rounds';
}

/**
 * The ratio `theirs` / `ours` of two commits that were started anew for every second round. It shows
 * a difference when all rounds lie on one side of 1 and so does the 95 % interval of the starts (by
 * Student's t). A start is one observation, as its rounds share what V8 made of the code; of fewer
 * than three starts nothing is said.
 */
export function startsRatio(theirs: readonly number[], ours: readonly number[]): StartsRatio {
  const range = ratioSpread(theirs, ours);
  const starts: number[] = [];
  for (let round = 0; round < range.rounds; round += ROUNDS_PER_START) {
    const end = round + ROUNDS_PER_START;
    starts.push(ratioSpread(theirs.slice(round, end), ours.slice(round, end)).median);
  }
  return { ...range, shows: shownBy(range, starts) };
}

function shownBy({ min, max }: Spread, starts: readonly number[]): StartsRatio['shows'] {
  if (starts.length < STARTS_MIN) return 'too few rounds';
  const { low, high } = estimateOf(starts);
  const isClear = Math.min(min, 1 + low) > 1 || Math.max(max, 1 + high) < 1;
  return isClear ? 'a difference' : 'no clear difference';
}
