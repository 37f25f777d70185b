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

/**
 * `turn`: number of the last job that was decided. Whoever moves it from n − 1 to n has job n: the
 * thread, to begin it, or the main thread, to take it back.
 * `startedAt`: when the thread began its last job, in ms since `epoch` modulo 2^32.
 */
export const CELLS = { turn: 0, startedAt: 1, count: 2 } as const;

/** `turn` counts a thread's jobs and wraps at 2^31; null: a job that is not one of them. */
export interface WorkerTask {
  readonly turn: number | null;
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
