/** Minimum, median and maximum of a figure over its rounds. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
  readonly rounds: number;
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Quantile of ascending values, interpolated linearly between neighbours; 0 when there are none. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}

/** The width of the interval that holds the middle half of the values. */
export function interquartileRange(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return quantile(sorted, 0.75) - quantile(sorted, 0.25);
}

/** The value that `share` (0 to 1) of the values do not exceed. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const index = Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1);
  return sorted[Math.max(0, index)] ?? Number.NaN;
}

export function spread(values: readonly number[]): Spread {
  return {
    min: Math.min(...values),
    median: median(values),
    max: Math.max(...values),
    rounds: values.length,
  };
}

/** The ratio `theirs` / `ours` round by round, so that noise that hits both cancels out. */
export function ratioSpread(theirs: readonly number[], ours: readonly number[]): Spread {
  const count = Math.min(theirs.length, ours.length);
  const ratios: number[] = [];
  for (let i = 0; i < count; i++) ratios.push((theirs[i] ?? Number.NaN) / (ours[i] ?? Number.NaN));
  return spread(ratios);
}
