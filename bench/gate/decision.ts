/** How much slower one engine is than another, from pairs of starts. */
export interface Estimate {
  /** 0.012: 1.2 % slower; below 0: faster. */
  readonly slower: number;
  /** The 95 % interval. */
  readonly low: number;
  readonly high: number;
}

export type Decision = 'passes' | 'fails' | 'undecided';

/** 97.5 % quantiles of Student's t by degrees of freedom, from 1 on. */
const T_975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06,
] as const;
const T_NORMAL = 1.96;
/** Share of the pairs left out at each end: starts that another program disturbed. */
const TRIMMED = 0.2;

/**
 * The trimmed mean of the logarithms of the ratios, with Yuen's interval from their winsorized
 * variance (Wilcox, Introduction to Robust Estimation, 4.3). A pair of starts is one observation:
 * V8 compiles the same code differently from start to start, so rounds of one start say little more.
 */
export function estimateOf(ratios: readonly number[]): Estimate {
  const logs = ratios.map(Math.log).toSorted((a, b) => a - b);
  const count = logs.length;
  const left = Math.floor(TRIMMED * count);
  const kept = logs.slice(left, count - left);
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  const [least = 0, greatest = 0] = [kept[0], kept.at(-1)];
  const winsorized = logs.map((value) => Math.min(greatest, Math.max(least, value)));
  const center = winsorized.reduce((sum, value) => sum + value, 0) / count;
  const squares = winsorized.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const error =
    Math.sqrt(squares / Math.max(1, count - 1)) / ((1 - (2 * left) / count) * Math.sqrt(count));
  // One pair has no spread: nothing is known.
  const width =
    kept.length < 2 ? Number.POSITIVE_INFINITY : error * (T_975[kept.length - 2] ?? T_NORMAL);
  return {
    slower: Math.expm1(mean),
    low: Math.expm1(mean - width),
    high: Math.expm1(mean + width),
  };
}

/**
 * Fails when the engine is slower by more than the limit and the interval shows at least half of it.
 * Where the interval is too wide to tell, it is undecided.
 */
export function decide({ slower, low, high }: Estimate, failOver: number): Decision {
  if (slower > failOver && low > failOver / 2) return 'fails';
  return high - slower <= failOver || high < failOver ? 'passes' : 'undecided';
}

/** Whether further pairs would change nothing that matters. */
export function isSettled(estimate: Estimate, failOver: number): boolean {
  const { slower, low, high } = estimate;
  if (high < failOver / 2 || low > failOver) return true;
  return high - slower < failOver / 3;
}
