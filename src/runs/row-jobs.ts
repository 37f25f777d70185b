import { setTimeout as pause } from 'node:timers/promises';
import type { Failure, Outcome } from '../errors.ts';
import { entryAt } from '../errors.ts';
import type { CheckRowsJob, RenderRowsJob, RowsResult } from '#engine';
import type { Pool, Sharer } from '../workers/pool/pool.ts';
import type { Slab } from './slabs.ts';

/** Target duration of a job: its messages cost little beside it, and no timeout is near. */
const JOB_MS = 30;
/** Rows of the first job, before the time per row is known. */
const ROWS_FIRST = 4;
const ROWS_MAX = 256;
/** Attempts for a row that fails with `internal_error`: its thread ended, or it hit a bug. */
const TRIES_MAX = 3;
/**
 * Attempts for a row that exceeded its time, or whose thread ended while it ran, that of a job of
 * several rows included: the machine may have been at fault.
 */
const ENDED_TRIES_MAX = 2;
/** Pause before another attempt when the pool is full. */
const BUSY_MS = 50;
/** Lower bound of a measured duration: a coarse clock may show 0. */
const RAN_MS_MIN = 0.01;
/** Weight of the last job in the exponential moving average of the time per row. */
const LAST_JOB_WEIGHT = 0.3;

/** Thrown when the engine stops: work in progress is left to the next engine. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

/** Rows one after the other, in a buffer that the engine keeps. */
export interface Rows {
  readonly bytes: Uint8Array;
  /** For each row, the offset in `bytes` where it ends. */
  readonly ends: readonly number[];
}

type RowsJob = CheckRowsJob | RenderRowsJob;
type RowsShared<J extends RowsJob> = J extends RowsJob ? Omit<J, 'rows' | 'ends'> : never;

/** The result of the rows from index `from` on, or the failure of the one row at `from`. */
export type RowsAnswer<J extends RowsJob> =
  | { readonly from: number; readonly failure: null; readonly result: RowsResult<J> }
  | { readonly from: number; readonly failure: Failure };

/**
 * Sends rows through the pool in jobs of about `JOB_MS`. The rows of a failed job are retried one
 * by one, so that a row that crashes its thread or exceeds its time fails alone, and not at the first
 * attempt.
 */
export class RowJobs {
  readonly #pool: Pool;
  readonly #isStopping: () => boolean;
  /** Moving average; null: no job has ended yet. */
  #msPerRow: number | null = null;

  constructor(pool: Pool, isStopping: () => boolean) {
    this.#pool = pool;
    this.#isStopping = isStopping;
  }

  /**
   * Yields the results in the order of the rows; throws `Abandoned` when the engine stops.
   * `shared` is the job without its rows; in the pool, teams take turns, and in each its runs. `slab`:
   * where the files of rendered rows are written.
   */
  async *run<J extends RowsJob>(
    shared: RowsShared<J>,
    { bytes, ends }: Rows,
    sharer: Sharer,
    slab: Slab | null = null,
  ): AsyncGenerator<RowsAnswer<J>> {
    // Rows before this index are sent one by one, because a job with several of them has failed.
    let oneByOneTo = 0;
    let tries = 0;
    let from = 0;
    while (from < ends.length) {
      if (this.#isStopping()) throw new Abandoned();
      const count = from < oneByOneTo ? 1 : this.#rowsPerJob;
      const to = Math.min(ends.length, from + count);
      const start = from === 0 ? 0 : entryAt(ends, from - 1);
      const job = {
        ...shared,
        // A copy, because the buffer of the rows is transferred to the thread.
        rows: new Uint8Array(bytes.subarray(start, entryAt(ends, to - 1))),
        ends: ends.slice(from, to).map((end) => end - start),
        ...(slab !== null && { slab: slab.left }),
        // The cast holds because each kind of job is the shared part plus its rows.
      } as unknown as J;
      const outcome = await this.#submit(job, sharer);
      if (outcome.ok) {
        yield { from, failure: null, result: inSlab(outcome.value, slab) };
        from += outcome.value.rows.length;
        tries = 0;
        continue;
      }
      slab?.close();
      if (outcome.code === 'overloaded') {
        await pause(BUSY_MS);
        continue;
      }
      if (to - from > 1) {
        oneByOneTo = to;
        tries = 0;
        continue;
      }
      tries += 1;
      if (tries < triesMax(outcome, from < oneByOneTo)) continue;
      yield { from, failure: outcome };
      from += 1;
      tries = 0;
    }
  }

  get #rowsPerJob(): number {
    if (this.#msPerRow === null) return ROWS_FIRST;
    return Math.max(1, Math.min(ROWS_MAX, Math.floor(JOB_MS / this.#msPerRow)));
  }

  async #submit<J extends RowsJob>(job: J, { key, team }: Sharer): Promise<Outcome<RowsResult<J>>> {
    const ticket = this.#pool.rows(job, key, team);
    const startMs = performance.now();
    const outcome = await ticket.result;
    if (!outcome.ok) return outcome;
    const ranMs = Math.max(RAN_MS_MIN, performance.now() - startMs - ticket.queuedMs);
    const { rows }: { rows: readonly unknown[] } = outcome.value;
    const msPerRow = ranMs / Math.max(1, rows.length);
    this.#msPerRow ??= msPerRow;
    this.#msPerRow += (msPerRow - this.#msPerRow) * LAST_JOB_WEIGHT;
    return outcome;
  }
}

/** The result with its files as a part of the slab, if it has files and they are there. */
function inSlab<R extends object>(result: R, slab: Slab | null): R {
  if (slab === null || !('files' in result)) return result;
  return { ...result, files: slab.add(result.files as Uint8Array) };
}

/** Attempts for a row that failed alone; `wasTried`: a job with it and other rows failed before. */
function triesMax({ code }: Failure, wasTried: boolean): number {
  if (code === 'internal_error') return TRIES_MAX;
  if (code === 'render_failed') return wasTried ? ENDED_TRIES_MAX - 1 : ENDED_TRIES_MAX;
  return 1;
}
