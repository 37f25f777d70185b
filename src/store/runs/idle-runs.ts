import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { encode } from './codec.ts';
import { destroyKeys } from './guarded/protected-rows.ts';
import { isMarkedState, movedState, stateOf, storedStates } from './guarded/states.ts';
import type { RunSchema } from '../database/tables/runs.ts';
import type { RunReason, RunState } from './types.ts';

const DAY_MS = 86_400_000;
/** How long a run that was checked (a dry run) may wait for its start: as long as its parts last. */
const CHECKED_MS = 30 * DAY_MS;
/** Runs, or files, in one turn of the event loop and in one statement. */
const PAGE = 200;
const FILES_PAGE = 500;
/** States of a run that was not started: a dry run that stopped is not, either. */
const IDLE_STATES: readonly RunState[] = ['receiving', 'stopped'];

/** Why a run was cancelled that nobody started. */
export const NOT_STARTED: RunReason = {
  name: 'not_started',
  expected: 'a start or a dry run within 24 hours after the last part',
  actual: 'none',
};

type IdleRun = Pick<RunSchema['runs'], 'run_id' | 'state' | 'received'> & { part_at_ms: number };

/**
 * Cancels runs with parts that were neither started nor checked for a day, and makes their parts
 * expire, batch by batch. When it is cut off, the next sweep goes on with the runs that are cancelled
 * already: their `part_at_ms` says so.
 */
export async function cancelIdleRuns(database: Database, nowMs: number): Promise<void> {
  let after: Pick<IdleRun, 'part_at_ms' | 'run_id'> = { part_at_ms: -1, run_id: '' };
  for (;;) {
    const runs = await idleRuns(database, nowMs - DAY_MS, after);
    for (const run of runs) {
      const isChecked = run.received > 0 && run.part_at_ms > nowMs - CHECKED_MS;
      if (
        stateOf(run.state) !== 'cancelled' &&
        (isChecked || !(await cancel(database, run, nowMs)))
      )
        continue;
      await expireParts(database, run.run_id, nowMs);
    }
    const last = runs.at(-1);
    if (last === undefined || runs.length < PAGE) return;
    after = last;
    // SQLite answers without leaving the turn.
    await setImmediate();
  }
}

async function idleRuns(
  database: Database,
  untilMs: number,
  after: Pick<IdleRun, 'part_at_ms' | 'run_id'>,
): Promise<readonly IdleRun[]> {
  const rows = await database.read((db) =>
    db
      .selectFrom('runs')
      .select(['run_id', 'state', 'received', 'part_at_ms'])
      .where('part_at_ms', '<=', untilMs)
      .where((where) =>
        where.or([
          where('part_at_ms', '>', after.part_at_ms),
          where.and([
            where('part_at_ms', '=', after.part_at_ms),
            where('run_id', '>', after.run_id),
          ]),
        ]),
      )
      .where('state', 'in', storedStates([...IDLE_STATES, 'cancelled']))
      .orderBy('part_at_ms')
      .orderBy('run_id')
      .limit(sql.lit(PAGE))
      .execute(),
  );
  return rows.map((row) => ({ ...row, part_at_ms: row.part_at_ms ?? 0 }));
}

/** False: it was started, or got another part, meanwhile. */
async function cancel(database: Database, run: IdleRun, nowMs: number): Promise<boolean> {
  const { run_id: runId } = run;
  return database.transact(async (trx) => {
    const state = movedState(run.state, 'cancelled');
    const result = await trx
      .updateTable('runs')
      .set({ state, reasons: encode([NOT_STARTED]), ended_at_ms: nowMs })
      .where('run_id', '=', runId)
      .where('state', '=', run.state)
      .where('part_at_ms', '=', run.part_at_ms)
      .executeTakeFirst();
    if (result.numUpdatedRows !== 1n) return false;
    // The transaction that cancels a run must also destroy the keys of its rows.
    if (isMarkedState(run.state)) await destroyKeys(trx, runId, nowMs);
    return true;
  });
}

async function expireParts(database: Database, runId: string, nowMs: number): Promise<void> {
  for (;;) {
    const files = await database.read((db) =>
      db
        .selectFrom('run_files')
        .select('file_id')
        .where('run_id', '=', runId)
        .where('kind', '=', 'part')
        .where('expires_at_ms', '>', nowMs)
        .limit(sql.lit(FILES_PAGE))
        .execute(),
    );
    if (files.length > 0) {
      const fileIds = files.map((file) => file.file_id);
      await database.write((db) =>
        db
          .updateTable('run_files')
          .set({ expires_at_ms: nowMs })
          .where('file_id', 'in', fileIds)
          .execute(),
      );
    }
    if (files.length < FILES_PAGE) break;
    // SQLite answers without leaving the turn.
    await setImmediate();
  }
  await database.write((db) =>
    db.updateTable('runs').set({ part_at_ms: null }).where('run_id', '=', runId).execute(),
  );
}
