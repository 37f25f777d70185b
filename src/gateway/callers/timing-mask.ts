import { setImmediate, setTimeout } from 'node:timers/promises';

/** Durations remembered: enough for the shape of a distribution, and soon forgotten. */
const SAMPLES = 64;
const WAIT_MS_MAX = 250;
/** A timer is late by about this much; the rest is waited for turn by turn. */
const TIMER_LATE_MS = 2;

/**
 * Makes "there is no such thing" take as long as "that is another team's": only the latter writes
 * an audit record, and a caller with a stopwatch could tell them apart by the commit.
 */
export class Pace {
  readonly #samples: number[] = [];
  #next = 0;

  /** Does the work, and remembers how long it took. */
  async time(work: Promise<void>): Promise<void> {
    const startMs = performance.now();
    await work;
    this.#samples[this.#next] = performance.now() - startMs;
    this.#next = (this.#next + 1) % SAMPLES;
  }

  /** Waits as long as the work took some time lately; not at all when there was none. */
  async wait(): Promise<void> {
    const sample = this.#samples[Math.floor(Math.random() * this.#samples.length)] ?? 0;
    const untilMs = performance.now() + Math.min(sample, WAIT_MS_MAX);
    if (sample > TIMER_LATE_MS) await setTimeout(Math.floor(sample - TIMER_LATE_MS));
    while (performance.now() < untilMs) await setImmediate();
  }
}
