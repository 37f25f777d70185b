import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely';
import { ACTIVE_STATES } from './bounds.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { CHUNK_STATES } from '../database/tables/runs.ts';
import { encode } from './codec.ts';
import { storedStates } from './guarded/states.ts';
import type { RunReason, RunRecord } from './types.ts';

/** An instance. Leases of other instances count if they last beyond `nowMs`. */
interface Worker {
  readonly owner: string;
  readonly nowMs: number;
}

/**
 * Writes the reasons of a run. Changes nothing else, so no new check begins. Those of a run at rest
 * are written only if its rows are still as in `run`. With `unlessOthers`, writes only if no other
 * instance holds a part or a chunk of the run: a run that another instance works on does not wait for
 * what this one lacks.
 */
export async function noteReasons(
  database: Database,
  { runId, state, starts, counts }: RunRecord,
  reasons: readonly RunReason[],
  unlessOthers: Worker | null,
): Promise<void> {
  const isAtRest = !ACTIVE_STATES.includes(state);
  await database.write((db) =>
    db
      .updateTable('runs')
      .set({ reasons: encode(reasons) })
      .where('run_id', '=', runId)
      .where('state', 'in', storedStates([state]))
      .where(sql<boolean>`coalesce(starts, 0) = ${starts}`)
      .$if(isAtRest, (query) =>
        query
          .where('invalid', '=', counts.invalid)
          .where('failed', '=', counts.failed)
          .where(sql<boolean>`coalesce(withdrawn, 0) = ${counts.withdrawn}`)
          .where('bytes_received', '=', counts.bytesReceived),
      )
      .$if(unlessOthers !== null, (query) =>
        query.where((where) => where.not(isWorkedAt(where, runId, unlessOthers))),
      )
      .execute(),
  );
}

/** Whether another instance holds a lease of the run. */
function isWorkedAt(
  where: ExpressionBuilder<Schema, 'runs'>,
  runId: string,
  worker: Worker | null,
): Expression<SqlBool> {
  const { owner = '', nowMs = 0 } = worker ?? {};
  const chunks = where
    .selectFrom('run_chunks')
    .select('chunk_id')
    .where('run_chunks.run_id', '=', runId)
    .where('run_chunks.state', '=', CHUNK_STATES.leased)
    .where('run_chunks.owner', '!=', owner)
    .where('run_chunks.lease_until_ms', '>', nowMs);
  const parts = where
    .selectFrom('run_parts')
    .select('part')
    .where('run_parts.run_id', '=', runId)
    .where('run_parts.owner', '!=', owner)
    .where('run_parts.lease_until_ms', '>', nowMs);
  return where.or([where.exists(chunks), where.exists(parts)]);
}
