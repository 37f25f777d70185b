import { interquartileRange, median } from '../../lab/stats.ts';

/** Settings that are measured or advised. */
export interface Settings {
  readonly threads: number;
  readonly queueMax: number;
  readonly memoryMb: number;
}

/** Documents per second by candidate and round. */
export type Rates = readonly (readonly number[])[];

export interface Choice {
  /** Index of the candidate that is advised. */
  readonly index: number;
  /** Rate of each candidate as a share of the best one's. */
  readonly shares: readonly number[];
  /** The largest interquartile range of a candidate's rates, each as a share of its round's mean. */
  readonly noise: number;
}

export type Verdict = 'better' | 'as good' | 'worse' | 'unclear';

export interface Comparison {
  /** Documents of the advice for each document of the defaults. */
  readonly ratio: number;
  /** The lowest and the highest ratio of a round: where 1 lies between them, it is all noise. */
  readonly ratioMin: number;
  readonly ratioMax: number;
  readonly verdict: Verdict;
}

/** Rates that differ by no more than this share count as equal. */
const EQUAL_SHARE = 0.03;
/** Rounds whose ratios lie further apart are inconclusive, however large the median gain is. */
const NOISE_MAX = 0.5;
/** The maximum of the setting. */
const THREADS_MAX = 256;
/** Up to this many cores, every number of threads is measured. */
const FEW_CORES_MAX = 4;
const QUEUE_MIN = 16;
const QUEUE_MAX = 65_536;
/** Share of the memory that waiting requests may take if each has the maximum size. */
const QUEUE_MEMORY_SHARE = 0.25;
/** Real documents have more pictures and longer texts than the samples. */
const MEMORY_MARGIN = 2.5;
const MEMORY_MIN_MB = 256;
const MEMORY_MAX_MB = 65_536;
const MEGABYTE = 1_048_576;

/** Numbers of threads worth measuring, ascending. */
export function candidates(cores: number): readonly number[] {
  const numbers =
    cores <= FEW_CORES_MAX
      ? Array.from({ length: cores + 1 }, (_, index) => index + 1)
      : [...[cores / 4, cores / 2, (cores * 3) / 4].map(Math.ceil), cores, cores + 1];
  return [...new Set(numbers.map((threads) => Math.min(threads, THREADS_MAX)))];
}

/**
 * Chooses the smallest candidate that is about as good as the best; or the preset one when the
 * noise exceeds the difference. Rates are first divided by the mean of their round, so that a
 * machine that is slower for a while does not favour a candidate.
 */
export function choose(rates: Rates, presetIndex: number): Choice {
  const rounds = rates[0]?.length ?? 0;
  const roundMeans = Array.from({ length: rounds }, (_, round) =>
    mean(rates.map((ofCandidate) => ofCandidate[round] ?? 0)),
  );
  const relative = rates.map((ofCandidate) =>
    ofCandidate.map((rate, round) => rate / (roundMeans[round] ?? 1)),
  );
  const scores = relative.map(median);
  const best = Math.max(...scores);
  const shares = scores.map((score) => score / best);
  const noise = Math.max(...relative.map(interquartileRange));
  const smallestEqual = shares.findIndex((share) => share >= 1 - EQUAL_SHARE);
  const isSignificant = noise <= EQUAL_SHARE || (shares[presetIndex] ?? 0) < 1 - noise;
  return { index: isSignificant ? smallestEqual : presetIndex, shares, noise };
}

/** The longest queue (a power of two) that fits in memory and empties within the wait. */
export function queueFor(
  documentsPerSecond: number,
  waitSeconds: number,
  bounds: { readonly memoryBytes: number; readonly bodyBytesMax: number },
): number {
  const fittingJobs = (bounds.memoryBytes * QUEUE_MEMORY_SHARE) / bounds.bodyBytesMax;
  const jobs = Math.min(documentsPerSecond * waitSeconds, fittingJobs, QUEUE_MAX);
  return Math.max(QUEUE_MIN, 2 ** Math.floor(Math.log2(Math.max(1, jobs))));
}

/** The smallest power of two, in MB, that holds the peak with a margin. */
export function memoryFor(peakHeapBytes: number): number {
  const neededMb = Math.ceil((peakHeapBytes * MEMORY_MARGIN) / MEGABYTE);
  const powerOfTwo = 2 ** Math.ceil(Math.log2(Math.max(1, neededMb)));
  return Math.min(MEMORY_MAX_MB, Math.max(MEMORY_MIN_MB, powerOfTwo));
}

/** Compares the rates of the advice with those of the defaults, measured in turn. */
export function compare(advice: readonly number[], defaults: readonly number[]): Comparison {
  const ratios = advice.map((rate, round) => rate / (defaults[round] ?? rate));
  const [ratio, ratioMin, ratioMax] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  return { ratio, ratioMin, ratioMax, verdict: verdictOf(ratio, ratioMin, ratioMax) };
}

/** A difference counts when it is the same way in every round, and large enough in most. */
function verdictOf(ratio: number, ratioMin: number, ratioMax: number): Verdict {
  if (ratioMax - ratioMin > NOISE_MAX) return 'unclear';
  if (ratio > 1 + EQUAL_SHARE && ratioMin > 1) return 'better';
  return ratio < 1 - EQUAL_SHARE && ratioMax < 1 ? 'worse' : 'as good';
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
