import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { decode, encode } from '../codec.ts';
import { addDecimals } from './decimal-sum.ts';
import type { ExceptionSums } from './exception-sums.ts';
import { ACTIVE_STATES } from '../bounds.ts';
import type { RunCounts, RunExceptions, RunRecord, RunStore, RunSums } from '../types.ts';

/** Control sums of a run, by field. */
export interface RunTotals {
  /** After the check: sums of the valid rows. At the end: sums of the rows with a stored document. */
  readonly sums: RunSums;
  /** Sums of all rows of the file, as far as they can be read. */
  readonly fileSums: RunSums;
}

/**
 * The control sums of runs, for callers. The sums of a million rows are in thousands of chunks: they
 * are added when a check and when the run ends, and kept in the row of the run.
 */
export interface RunTotalsStore {
  /** While rows are rendered, those after the check. */
  of(run: RunRecord): Promise<RunTotals>;
  /** Adds the sums of the run as it is, and keeps them. */
  add(run: RunRecord): Promise<AddedSums>;
}

export interface AddedSums {
  /** As in `RunTotals`. */
  readonly sums: RunSums;
  readonly exceptions: ExceptionSums;
}

/** Totals with what the run had done when they were added. */
interface KeptTotals extends RunTotals {
  readonly bytesChecked: number;
  readonly pending: number;
}

/** Totals that are being added, or were a moment ago. */
interface Added {
  readonly totals: Promise<RunTotals>;
  untilMs: number;
}

/** Adding sums takes at most a twentieth of the time, however often they are asked for. */
const REST_SHARE = 20;
const REST_MS_MIN = 250;
const RUNS_MAX = 1_000;

export class Totals implements RunTotalsStore {
  readonly #database: Database;
  readonly #runs: Pick<RunStore, 'sums'>;
  readonly #exceptions: Pick<RunExceptions, 'sums'>;
  readonly #nowMs: () => number;
  /** By run and state. */
  readonly #added = new Map<string, Added>();

  /** `nowMs` is monotonic. */
  constructor(
    database: Database,
    runs: Pick<RunStore, 'sums'>,
    exceptions: Pick<RunExceptions, 'sums'>,
    nowMs: () => number,
  ) {
    this.#database = database;
    this.#runs = runs;
    this.#exceptions = exceptions;
    this.#nowMs = nowMs;
  }

  async of(run: RunRecord): Promise<RunTotals> {
    const kept = await this.#kept(run.runId);
    if (kept !== null && stillHolds(kept, run)) return { sums: kept.sums, fileSums: kept.fileSums };
    return this.#addOnce(run);
  }

  async add(run: RunRecord): Promise<AddedSums> {
    const added = await this.#addAll(run);
    if (Object.keys(added.sums).length > 0) await this.#keep(run, totalsOf(added));
    return added;
  }

  async #addAll(run: RunRecord): Promise<AddedSums> {
    const [sums, exceptions] = await Promise.all([
      this.#runs.sums(run),
      this.#exceptions.sums(run),
    ]);
    return { sums, exceptions };
  }

  async #kept(runId: string): Promise<KeptTotals | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('runs').select('totals').where('run_id', '=', runId).executeTakeFirst(),
    );
    // `#keep` wrote them from this type.
    return row === undefined || row.totals === null ? null : (decode(row.totals) as KeptTotals);
  }

  async #keep({ runId, counts }: RunRecord, totals: RunTotals): Promise<void> {
    const { bytesChecked, pending } = counts;
    const kept: KeptTotals = { ...totals, bytesChecked, pending };
    await this.#database.write((db) =>
      db
        .updateTable('runs')
        .set({ totals: encode(kept) })
        .where('run_id', '=', runId)
        .where('bytes_checked', '=', sql.lit(bytesChecked))
        .execute(),
    );
  }

  /** Callers that ask at the same time, or shortly after, share the result. */
  #addOnce(run: RunRecord): Promise<RunTotals> {
    const key = `${run.runId} ${run.state}`;
    const earlier = this.#added.get(key);
    if (earlier !== undefined && this.#nowMs() < earlier.untilMs) return earlier.totals;
    if (this.#added.size >= RUNS_MAX) this.#added.clear();
    const totals = this.#addShared(run, key);
    this.#added.set(key, { totals, untilMs: Number.POSITIVE_INFINITY });
    return totals;
  }

  async #addShared(run: RunRecord, key: string): Promise<RunTotals> {
    const startMs = this.#nowMs();
    let untilMs = 0;
    try {
      const totals = totalsOf(await (run.state === 'checking' ? this.#addAll(run) : this.add(run)));
      const nowMs = this.#nowMs();
      if (ACTIVE_STATES.includes(run.state)) {
        untilMs = nowMs + Math.max(REST_MS_MIN, REST_SHARE * (nowMs - startMs));
      }
      return totals;
    } finally {
      const added = this.#added.get(key);
      if (untilMs === 0) this.#added.delete(key);
      else if (added !== undefined) added.untilMs = untilMs;
    }
  }
}

function totalsOf({ sums, exceptions: { open, withdrawn } }: AddedSums): RunTotals {
  return { sums, fileSums: fileSums(sums, [open, withdrawn]) };
}

/**
 * Whether the sums are those of the run as it is. Each row that is checked adds to `bytesChecked`, and
 * each that is rendered takes one from `pending`; a row that is withdrawn changes neither, nor a sum.
 */
function stillHolds(kept: Pick<RunCounts, 'bytesChecked' | 'pending'>, run: RunRecord): boolean {
  const { bytesChecked, pending } = run.counts;
  if (kept.bytesChecked !== bytesChecked) return false;
  const isRendering = run.state === 'running' || run.state === 'paused';
  return kept.pending === pending || (isRendering && kept.pending > pending);
}

/** Adds sums of exceptions, which are in the order of the names, to sums by name. */
export function fileSums(sums: RunSums, further: readonly (readonly string[])[]): RunSums {
  const added = Object.entries(sums).map(([name, sum], index): [string, string] => [
    name,
    further.reduce((total, more) => addDecimals(total, more[index] ?? '0'), sum),
  ]);
  return Object.fromEntries(added);
}
