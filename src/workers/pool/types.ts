import type { Outcome } from '../../errors.ts';
import type { PoolFault } from './pool-fault.ts';
import type {
  CheckJob,
  CheckResult,
  RenderJob,
  RenderResult,
  RowsJob,
  RowsResult,
  SharedTemplate,
} from '#engine';
import type { Ticket } from './task.ts';

/** Who shares the renderers: a caller of a team. */
export interface Sharer {
  readonly key: string;
  readonly team: string;
}

export interface PoolOptions {
  /** URL of the module whose default export renders in a thread. */
  readonly module: URL;
  /** Reaches that module as `workerData.settings`. Plain data. */
  readonly settings: unknown;
  /** Jobs that run at the same time. */
  readonly threads: number;
  /** Threads kept loaded beside them: one takes over at once when another has to be ended. */
  readonly spareThreads: number;
  /** Jobs that may wait. */
  readonly queueMax: number;
  /** Longest render, from its start; run-time.ts says what counts. */
  readonly renderTimeoutMs: number;
  /** Longest check of a template with all its samples rendered, from its start. */
  readonly checkTimeoutMs: number;
  /**
   * Longest check that renders nothing, as saving a draft asks for; a preview may take
   * `renderTimeoutMs` more.
   */
  readonly draftTimeoutMs: number;
  /** Limit on the heap of one thread with its buffers. */
  readonly memoryMb: number;
  /**
   * Limit on the expected duration of all jobs that a thread holds, in ms; 8 by default. Prefetched
   * jobs keep a thread busy while the main thread writes a thousand refusals or collects garbage. A
   * higher limit would only make other callers wait.
   */
  readonly prefetchMs?: number;
  /** A thread died or a renderer threw: for the log. */
  readonly onFault: (fault: PoolFault) => void;
}

export interface PoolStats {
  /** Threads that have loaded. */
  readonly threads: number;
  readonly running: number;
  readonly queued: number;
  readonly completed: number;
  /** Documents whose layout began, because their data was accepted. Wraps at 2^32. */
  readonly laidOut: number;
  /** Refused because the queue was full. */
  readonly refused: number;
  /** Threads ended over the time limit. */
  readonly timeouts: number;
  /** Threads that died by themselves: out of memory, a crash. */
  readonly deaths: number;
}

/**
 * Threads that render. A job fails with `overloaded` when the queue is full, and with
 * `render_failed` when it exceeds its time or its thread dies; the thread is then replaced, and no
 * other job notices. Buffers of a job belong to the pool from `submit` on, those of its result to
 * the caller.
 */
export interface Pool {
  /**
   * Queues a job of the caller `key`. The team with the least renderer time lately is next, and in
   * it the caller with the least. Without a team, the caller is one of its own.
   */
  submit(job: RenderJob, key: string, team?: string): Ticket<RenderResult>;
  check(job: CheckJob, key: string, team?: string): Ticket<Outcome<CheckResult>>;
  /**
   * Queues rows of the run `key`: a thread takes them when no request waits, and teams take turns,
   * then runs.
   * The pool owns the rows from here on.
   */
  rows<J extends RowsJob>(job: J, key: string, team?: string): Ticket<Outcome<RowsResult<J>>>;
  /** Loads a template in every thread. */
  warm(template: SharedTemplate): Promise<void>;
  /** Resolves when every thread has loaded; rejects when one cannot. */
  ready(): Promise<void>;
  stats(): PoolStats;
  /** Ends the threads. Waiting jobs are refused; running ones get `graceMs` to finish. */
  close(graceMs: number): Promise<void>;
}
