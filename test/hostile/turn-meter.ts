import { slowness, slownessLately, touchMs } from './machine.ts';

/**
 * The longest that a request may occupy the gateway's thread at a time, in ms. The service aims at
 * 10; but other programs slow the thread down (caches, hyper-threads), so a test at 10 would fail
 * by chance.
 */
export const TURN_MS = { max: 20 } as const;
/**
 * The best of this many tries counts, because the machine is shared and code gets faster as it
 * runs.
 */
const TRIES_MAX = 12;

/** How turns are measured. */
interface TurnTries {
  /** A try that meets it is the last. */
  readonly aimMs?: number;
  /** Runs before each try and is not measured. */
  readonly prepare?: (tries: number) => unknown;
  /** Length of the body. All of it may arrive in one turn, so what its memory costs is left out. */
  readonly bodyBytes?: number;
}

/**
 * The longest turn of the event loop in the best try, in ms of the machine for which the limit was
 * set.
 */
export async function bestTurnMs(
  work: (tries: number) => Promise<unknown>,
  { aimMs = TURN_MS.max, prepare = (): unknown => null, bodyBytes = 0 }: TurnTries = {},
): Promise<number> {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES_MAX && bestMs > aimMs; tries += 1) {
    await prepare(tries);
    const meter = new TurnMeter();
    await work(tries);
    meter.stop();
    bestMs = Math.min(bestMs, meter.longestMs / slownessLately());
    if (bestMs <= aimMs) return bestMs;
    // Only a turn that is too long asks how slow the machine is, because asking takes longer.
    const receiptMs = bodyBytes === 0 ? 0 : touchMs(bodyBytes);
    bestMs = Math.min(bestMs, Math.max(0, meter.longestMs - receiptMs) / slowness());
  }
  return bestMs;
}

/**
 * Measures the longest turn of this thread's event loop, as CPU time or as wall time, whichever is
 * less: CPU time leaves other programs out, but some systems count it in ticks of 4 ms.
 */
export class TurnMeter {
  longestMs = 0;
  #running = true;
  #last = process.threadCpuUsage();
  #lastMs = performance.now();

  constructor() {
    const turn = (): void => {
      const { user, system } = process.threadCpuUsage(this.#last);
      const turnMs = Math.min((user + system) / 1000, performance.now() - this.#lastMs);
      this.longestMs = Math.max(this.longestMs, turnMs);
      this.#last = process.threadCpuUsage();
      this.#lastMs = performance.now();
      if (this.#running) setImmediate(turn);
    };
    setImmediate(turn);
  }

  stop(): void {
    this.#running = false;
  }
}
