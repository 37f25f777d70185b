import { sql } from 'kysely';
import { DOCUMENT_STATES } from '../schema.ts';
import type { SchemaEditor } from '../schema-editor.ts';

/**
 * Creates the table of what teams store, and columns for the time since which a run has waited for
 * its start. Instances of the previous version count nothing.
 */
export async function addRunBounds(schema: SchemaEditor): Promise<void> {
  const { id, number, bigNumber, ms } = schema.types;
  await schema
    .createTable('run_usage')
    .addColumn('team_id', id, (c) => c.primaryKey().notNull())
    .addColumn('bytes', bigNumber, (c) => c.notNull())
    .addColumn('parts', bigNumber, (c) => c.notNull())
    .execute();
  await schema.addColumn('runs', 'part_at_ms', ms);
  await schema.addColumn('runs', 'part_count', number);
  await schema.addIndex('runs', 'runs_part_at', ['part_at_ms', 'run_id']);
  await schema.addIndex('runs', 'runs_team_state', ['team_id', 'state']);
}

/** Counts what teams store. For runs that were never started, the wait for a start begins now. */
export async function fillRunBounds({ db }: SchemaEditor): Promise<void> {
  await countUsage(db);
  await sql`
    update runs set part_at_ms = ${Date.now()}
    where state = 'receiving' and bytes_received > 0 and started_at_ms is null
      and part_at_ms is null`.execute(db);
}

/** Counts what all teams store, in a database that nothing else changes. */
async function countUsage(db: SchemaEditor['db']): Promise<void> {
  const { available, deleting } = DOCUMENT_STATES;
  await sql`delete from run_usage`.execute(db);
  await sql`
    insert into run_usage (team_id, bytes, parts)
    select runs.team_id, sum(run_files.bytes), count(*)
    from runs join run_files on run_files.run_id = runs.run_id
    where run_files.kind = 'part' and run_files.state in (${available}, ${deleting})
    group by runs.team_id`.execute(db);
}
