import { availableParallelism, loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';

/** Time limit of a file on a machine that does nothing else: three times what the slowest takes. */
export const QUIET_MS_MAX = 240_000;
/** No file may take longer than this, however busy the machine is. */
export const WALL_MS_MAX = 1_500_000;
/** How often the time that passed is counted. */
const COUNT_EVERY_MS = 1_000;

/**
 * Calls `onOver` once when a file has had `quietMsMax`. Wall time counts in proportion to the cores and
 * the programs that want them: beside ten busy programs on two cores, a second counts as a fifth.
 * Returns the function that ends the count.
 */
export function limitTime(quietMsMax: number, onOver: () => void): () => void {
  const startedMs = performance.now();
  let countedMs = startedMs;
  let quietMs = 0;
  const counting = setInterval(() => {
    const nowMs = performance.now();
    quietMs += (nowMs - countedMs) * shareOfCores(loadavg()[0] ?? 0);
    countedMs = nowMs;
    if (quietMs < quietMsMax && nowMs - startedMs < WALL_MS_MAX) return;
    clearInterval(counting);
    onOver();
  }, COUNT_EVERY_MS);
  return () => clearInterval(counting);
}

/** The share of its time in which a process that wants a core has one, under this load. */
export function shareOfCores(load: number): number {
  return Math.min(1, availableParallelism() / Math.max(load, 1));
}
