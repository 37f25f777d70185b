import type { Outcome } from '../errors.ts';
import type { CheckJob, RenderJob } from './job.ts';

/** A submitted job. */
export interface Ticket<T> {
  /** Never rejects. */
  readonly result: Promise<T>;
  /** ms from submission to start; 0 until it has started. */
  readonly queuedMs: number;
  /** The caller went away: a job that still waits is dropped; a running one runs on. */
  cancel(): void;
}

/** The slot of a task whose time is over. */
export const EXPIRED = -2;

export type AnyJob = RenderJob | CheckJob;
export type AnyResult = Outcome<unknown>;

/**
 * A job on its way. To piscina it is the signal of its own abort, which ends the thread: cheaper
 * than an AbortController each, and the thread's place is free at once even when native code holds
 * the old thread for seconds.
 */
export class Task implements Ticket<AnyResult> {
  readonly result: Promise<AnyResult>;
  readonly key: string;
  readonly timeoutMs: number;
  job: AnyJob | null;
  queuedMs = 0;
  slot = -1;
  postedAtMs = 0;
  readonly #submittedAtMs = performance.now();
  readonly #drop: (task: Task) => void;
  #resolve: (result: AnyResult) => void = () => undefined;
  #abort: (() => void) | null = null;

  constructor(job: AnyJob, key: string, timeoutMs: number, drop: (task: Task) => void) {
    this.job = job;
    this.key = key;
    this.timeoutMs = timeoutMs;
    this.#drop = drop;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  cancel(): void {
    this.#drop(this);
  }

  settle(result: AnyResult): void {
    this.#resolve(result);
  }

  start(slot: number): AnyJob {
    const { job } = this;
    if (job === null) throw new Error('a job starts once');
    this.job = null;
    this.slot = slot;
    this.postedAtMs = performance.now();
    this.queuedMs = this.postedAtMs - this.#submittedAtMs;
    return job;
  }

  endThread(): void {
    this.#abort?.();
  }

  once(_event: 'abort', listener: () => void): void {
    this.#abort = listener;
  }

  off(): void {
    this.#abort = null;
  }

  /** piscina removes its listener under this name. */
  removeListener(): void {
    this.#abort = null;
  }
}
