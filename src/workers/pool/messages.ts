import type { Outcome } from '../../errors.ts';
import type { Job, SharedTemplate } from '#engine';

/** The messages between pool.ts (main thread) and entry.ts (renderer thread), and their clock. */

/** The `workerData` of each renderer. */
export interface WorkerSetup {
  /** URL of the module whose default export renders; `settings` is for that module. */
  readonly module: string;
  readonly settings: unknown;
  /** Templates in use when the thread is made: loaded before it takes a job. */
  readonly recent: readonly SharedTemplate[];
  /** The thread waits for another one to end: it does not draw a document first. */
  readonly isSpare: boolean;
  /** Shared memory of this thread, with the layout of `CELLS`. */
  readonly cells: Int32Array;
  readonly epoch: readonly [number, number];
  /** One counter of all threads: documents whose layout began. Wraps at 2^32. */
  readonly laidOut: Uint32Array;
  /** One flag: 1 while requests wait for a thread; jobs of runs then stop between two rows. */
  readonly yields: Int32Array;
}

/** Limit of the jobs that a thread holds: one runs, the others are prefetched. */
export const TASKS_MAX = 8;

/**
 * `startedAt`: when the thread began its last job, in ms since `epoch` modulo 2^32.
 * `threadNumber`: the number of the thread in the system (run-time.ts).
 * `tasks`: the first of `TASKS_MAX` cells, one for each job given to the thread. A cell holds the
 * number of its job until one side moves it to `DECIDED` by compare-and-swap: the thread to begin
 * the job, or the main thread to reclaim it.
 */
export const CELLS = { startedAt: 0, threadNumber: 1, tasks: 2, count: 2 + TASKS_MAX } as const;
export const DECIDED = 0;

/** `jobNumber`, 1 to 2^30, is in `cell`; null: the main thread never reclaims this job. */
export interface WorkerTask {
  readonly jobNumber: number | null;
  readonly cell: number;
  readonly job: Job;
}

/** The result of a job. */
export interface Answer {
  readonly ranMs: number;
  readonly result: Outcome<unknown>;
  /**
   * After a job of a draft: hashes of the drafts that the thread keeps compiled, the last used first.
   * Absent after any other job, so that messages of documents are no longer for it.
   */
  readonly drafts?: readonly string[];
}

/** `skipped`: the main thread had reclaimed the job. */
export type WorkerAnswer = Answer | 'skipped';

/** A bug inside a renderer, for the log; without its message, which could quote data. */
export interface WorkerFault {
  readonly fault: string;
  readonly stack: readonly string[];
}

/** ms since `epoch` on the clock that all threads share, wrapped to 32 bits. */
export function elapsedMs(epoch: readonly [number, number]): number {
  const [seconds, nanoseconds] = process.hrtime();
  return ((seconds - epoch[0]) * 1000 + (nanoseconds - epoch[1]) / 1e6) | 0;
}
