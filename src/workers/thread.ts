import type { CheckResult, Job, RenderResult, SharedTemplate } from './job.ts';

/** The messages between renderer.ts (main thread) and entry.ts (renderer thread), and their clock. */

/** What the main thread gives each renderer as `workerData`. */
export interface WorkerSetup {
  /** URL of the module whose default export renders; `settings` is for that module. */
  readonly module: string;
  readonly settings: unknown;
  /** Templates in use when the thread is made: loaded before it takes a job. */
  readonly recent: readonly SharedTemplate[];
  /** This thread's own, by `CELLS`. */
  readonly cells: Int32Array;
  readonly epoch: readonly [number, number];
  /** One count: documents whose layout began, of all threads. Wraps at 2^32. */
  readonly laidOut: Uint32Array;
}

/** Jobs given to a thread and not answered: one under way, and others in hand behind it. */
export const TASKS_MAX = 8;

/**
 * `startedAt`: when the thread began its last job, in ms since `epoch` modulo 2^32.
 * `tasks`: the first of `TASKS_MAX` cells, one for each job it was given. A cell holds the turn of its
 * job until that is decided: whoever moves it from the turn to `DECIDED` has the job, the thread to
 * begin it, or the main thread to take it back.
 */
export const CELLS = { startedAt: 0, tasks: 1, count: 1 + TASKS_MAX } as const;
export const DECIDED = 0;

/**
 * `turn` counts a thread's jobs from 1 and wraps at 2^30; null: a job that is not one of them. `cell`
 * is the one where it is decided.
 */
export interface WorkerTask {
  readonly turn: number | null;
  readonly cell: number;
  readonly job: Job;
}

/** Answer to the job with this `turn`. */
export interface WorkerAnswer {
  readonly kind: 'answer';
  readonly turn: number | null;
  readonly result: WorkerResult;
}

/** The thread has loaded its module and what was in use. */
export interface WorkerLoaded {
  readonly kind: 'loaded';
}

/** A bug inside a renderer, for the log: no message, it could quote data. */
export interface WorkerFault {
  readonly kind: 'fault';
  readonly fault: string;
  readonly stack: readonly string[];
}

export type WorkerMessage = WorkerAnswer | WorkerLoaded | WorkerFault;

export type WorkerResult = RenderResult | CheckResult | void;

/** ms since `epoch` on the clock that all threads share, wrapped to 32 bits. */
export function elapsedMs(epoch: readonly [number, number]): number {
  const [seconds, nanoseconds] = process.hrtime();
  return ((seconds - epoch[0]) * 1000 + (nanoseconds - epoch[1]) / 1e6) | 0;
}
