import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { contributorsIn } from './contributors.ts';
import type { ListPage } from '../terms.ts';
import { asApproval } from './request-row.ts';
import type { ApprovalSearch, ListedApproval } from './types.ts';

interface Wanted {
  readonly teamId: string;
  readonly after: string;
  readonly countMax: number;
  readonly search: ApprovalSearch;
}

/** A page of the requests about present drafts of templates in use. It takes three queries, however many there are. */
export async function approvalPage(
  database: Database,
  wanted: Wanted,
): Promise<ListPage<ListedApproval>> {
  const { teamId, countMax, search } = wanted;
  const rows = await selectRequests(database, wanted);
  const next = rows.length < countMax ? null : (rows.at(-1)?.template_id ?? null);
  const present = rows.filter(({ draft }) => draft !== null);
  const contributors = await contributorsTo(
    database,
    teamId,
    present.map((row) => row.template_id),
  );
  const items = present.flatMap(({ draft, name, latest_version: latest, ...row }) => {
    const wrote = contributors.get(row.template_id) ?? [];
    const item = { ...asApproval(row, draft), name, version: latest + 1, contributors: wrote };
    const { waitingFor } = search;
    const isWaiting = item.state === 'open' && !wrote.includes(waitingFor ?? '');
    return waitingFor === null || isWaiting ? [item] : [];
  });
  return { items, next };
}

function selectRequests(database: Database, { teamId, after, countMax, search }: Wanted) {
  const states = search.waitingFor === null ? ['open', 'sent_back'] : ['open'];
  return database.read((db) =>
    db
      .selectFrom('approval_requests as r')
      .innerJoin('templates as t', (join) =>
        join.onRef('t.team_id', '=', 'r.team_id').onRef('t.template_id', '=', 'r.template_id'),
      )
      .selectAll('r')
      .select(['t.draft_hash as draft', 't.name', 't.latest_version'])
      .where('r.team_id', '=', teamId)
      .where('r.state', 'in', states)
      .where('t.archived_at_ms', 'is', null)
      .where('r.template_id', '>', after)
      .orderBy('r.template_id')
      .limit(sql.lit(countMax))
      .execute(),
  );
}

/** Finds the contributors to the drafts of these templates. */
async function contributorsTo(
  database: Database,
  teamId: string,
  templateIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (templateIds.length === 0) return new Map();
  const rows = await database.read((db) =>
    db
      .selectFrom('draft_contributors')
      .select(['template_id', 'contributor'])
      .where('team_id', '=', teamId)
      .where('template_id', 'in', templateIds)
      .execute(),
  );
  const inUse = await database.read((db) =>
    db
      .selectFrom('template_versions')
      .select((select) => ['template_id', select.fn.max('version').as('version')])
      .where('team_id', '=', teamId)
      .where('template_id', 'in', templateIds)
      .where('unpublished_at_ms', 'is', null)
      .groupBy('template_id')
      .execute(),
  );
  const versions = new Map(inUse.map((row) => [row.template_id, row.version]));
  return new Map(
    [...Map.groupBy(rows, (row) => row.template_id)].map(([templateId, cells]) => [
      templateId,
      contributorsIn(
        cells.map(({ contributor }) => contributor),
        versions.get(templateId) ?? null,
      ),
    ]),
  );
}
