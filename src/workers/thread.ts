import type { CheckResult, Job, RenderResult, SharedTemplate } from './job.ts';

/** The messages between pool.ts (main thread) and entry.ts (renderer thread), and their clock. */

/** What the main thread gives each renderer as `workerData`. */
export interface WorkerSetup {
  /** URL of the module whose default export renders; `settings` is for that module. */
  readonly module: string;
  readonly settings: unknown;
  /** Templates in use when the thread is made: loaded before it takes a job. */
  readonly recent: readonly SharedTemplate[];
  /** By slot: when the job there started, in ms since `epoch` modulo 2^32; 0: not yet. */
  readonly starts: Int32Array;
  readonly epoch: readonly [number, number];
  /** One count: documents whose layout began, of all threads. Wraps at 2^32. */
  readonly laidOut: Uint32Array;
}

/** One job for a thread. `job` null only asks whether the thread has loaded. */
export interface WorkerTask {
  readonly slot: number;
  readonly job: Job | null;
}

/** A bug inside a renderer, for the log: no message, it could quote data. */
export interface WorkerFault {
  readonly fault: string;
  readonly stack: readonly string[];
}

export type WorkerResult = RenderResult | CheckResult | void;

/** ms since `epoch` on the clock that all threads share, wrapped to 32 bits, never 0. */
export function elapsedMs(epoch: readonly [number, number]): number {
  const [seconds, nanoseconds] = process.hrtime();
  const ms = ((seconds - epoch[0]) * 1000 + (nanoseconds - epoch[1]) / 1e6) | 0;
  return ms === 0 ? 1 : ms;
}
