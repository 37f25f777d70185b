import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { firstIdAt } from '../ids.ts';
import type { ListPage } from '../terms.ts';
import { asRun } from './codec.ts';
import type { RunRecord } from './types.ts';
import type { RunFilter } from './run-filter.ts';

/**
 * Lists a page of a team's runs, newest first. Ids begin with the time of creation, so bounds in time
 * become bounds on the index, which is the one over team, template and id if a template is given.
 */
export async function listRuns(
  database: Database,
  { teamId, templateId, sinceMs, untilMs, after, countMax }: RunFilter,
): Promise<ListPage<RunRecord>> {
  const rows = await database.read((db) => {
    let query = db.selectFrom('runs').selectAll().where('team_id', '=', teamId);
    if (templateId !== undefined) query = query.where('template_id', '=', templateId);
    if (sinceMs !== undefined) query = query.where('run_id', '>=', firstIdAt(sinceMs));
    if (untilMs !== undefined) query = query.where('run_id', '<', firstIdAt(untilMs));
    if (after !== undefined) query = query.where('run_id', '<', after);
    // One more row tells whether the list goes on.
    const limit = sql.lit(countMax + 1);
    return query.orderBy('run_id', 'desc').limit(limit).execute();
  });
  const items = rows.slice(0, countMax).map(asRun);
  return { items, next: rows.length > countMax ? (items.at(-1)?.runId ?? null) : null };
}
