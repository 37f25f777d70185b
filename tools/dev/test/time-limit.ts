import { availableParallelism, loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';

/**
 * Time limit of a file on a machine that does nothing else: three times what the slowest takes where
 * cores are twice as slow as those of most machines.
 */
export const QUIET_MS_MAX = 480_000;
/** A second limit, of wall time: no file may take longer, whatever the load. */
export const WALL_MS_MAX = 1_500_000;
/** How often the time that passed is counted. */
const COUNT_EVERY_MS = 1_000;

/**
 * Calls `onOver` once, when a test file has used up `quietMsMax`. Wall time is scaled by cores ÷
 * runnable programs: with ten on two cores, a second counts as 0.2 s. `WALL_MS_MAX` of unscaled time
 * is a second limit. Returns the function that ends the count.
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

/** The fraction of time a runnable process actually runs, at this load average. */
export function shareOfCores(load: number): number {
  return Math.min(1, availableParallelism() / Math.max(load, 1));
}
