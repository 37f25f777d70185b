import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * Number of recent durations: enough to show the distribution, few enough to follow its changes.
 */
const SAMPLES = 64;
const WAIT_MS_MAX = 250;
/** A timer is late by about this much; the rest of the wait polls the event loop. */
const TIMER_LATE_MS = 2;

/**
 * Makes "does not exist" take as long as "belongs to another team". Only the latter writes an audit
 * record, and a caller that measures time could tell them apart by the commit.
 */
export class TimingMask {
  readonly #samples: number[] = [];
  #next = 0;

  /** Awaits the work and records how long it took. */
  async time(work: Promise<void>): Promise<void> {
    const startMs = performance.now();
    await work;
    this.#samples[this.#next] = performance.now() - startMs;
    this.#next = (this.#next + 1) % SAMPLES;
  }

  /** Waits as long as one recent piece of work took, chosen at random; not at all if there was none. */
  async wait(): Promise<void> {
    const sample = this.#samples[Math.floor(Math.random() * this.#samples.length)] ?? 0;
    const untilMs = performance.now() + Math.min(sample, WAIT_MS_MAX);
    if (sample > TIMER_LATE_MS) await setTimeout(Math.floor(sample - TIMER_LATE_MS));
    while (performance.now() < untilMs) await setImmediate();
  }
}
