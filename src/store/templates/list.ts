import { setImmediate } from 'node:timers/promises';
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { isId } from '../../runtime/id-rule.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import type { ListPage } from '../terms.ts';
import type { TemplateSearch, TemplateSummary, TemplateStore } from './types.ts';

/** Templates read in one turn of the event loop. */
const PAGE = 500;
/** Templates compared with a search in one turn, which takes 2 ms with reading them. */
const COMPARED = 200;
/** Limit of the templates that one call of a search scans, which bounds its time. */
const SCANNED_MAX = 5_000;

interface SummaryRow {
  readonly template_id: string;
  readonly name: string;
  readonly draft_hash: Uint8Array | null;
  readonly updated_at_ms: number;
  readonly archived_at_ms: number | null;
  readonly latest: number | null;
}

/** Lists a team's templates in the order of their identifiers. */
export function templateList(database: Database): Pick<TemplateStore, 'list' | 'page'> {
  return {
    list: (teamId, isArchived = false) => list(database, teamId, isArchived),
    page: (teamId, after, countMax, search) =>
      search === undefined
        ? readPage(database, { teamId, after, countMax, isArchived: false })
        : searchPage(database, { teamId, after, countMax, search }),
  };
}

async function list(
  database: Database,
  teamId: string,
  isArchived: boolean,
): Promise<readonly TemplateSummary[]> {
  const found: TemplateSummary[] = [];
  for (let next: string | null = ''; next !== null; await setImmediate()) {
    const page: ListPage<TemplateSummary> = await readPage(database, {
      teamId,
      after: next,
      countMax: PAGE,
      isArchived,
    });
    found.push(...page.items);
    ({ next } = page);
  }
  return found;
}

interface Wanted {
  readonly teamId: string;
  readonly after: string;
  readonly countMax: number;
  readonly search: TemplateSearch;
}

/**
 * Searches in JavaScript and not in SQL, because the databases fold case differently (SQLite only
 * ASCII) and no index finds the middle of a name.
 */
async function searchPage(
  database: Database,
  { teamId, after, countMax, search }: Wanted,
): Promise<ListPage<TemplateSummary>> {
  if (search.templateId !== undefined) return readOne(database, teamId, search.templateId);
  const text = folded(search.text.trim());
  const size = text === '' ? Math.min(countMax, COMPARED) : COMPARED;
  const items: TemplateSummary[] = [];
  let next: string | null = after;
  for (let scanned = 0; scanned < SCANNED_MAX && next !== null; scanned += size) {
    const page: ListPage<TemplateSummary> = await readPage(database, {
      teamId,
      after: next,
      countMax: size,
      isArchived: search.isArchived ?? false,
    });
    for (const item of page.items) {
      if (search.isPublished && item.latestVersion === null) continue;
      if (!folded(`${item.templateId} ${item.name}`).includes(text)) continue;
      items.push(item);
      if (items.length === countMax) return { items, next: item.templateId };
    }
    ({ next } = page);
    await setImmediate();
  }
  return { items, next };
}

/** Normalizes accents and case for a comparison. */
function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

interface PageWanted {
  readonly teamId: string;
  readonly after: string;
  readonly countMax: number;
  readonly isArchived: boolean;
}

async function readPage(
  database: Database,
  { teamId, after, countMax, isArchived }: PageWanted,
): Promise<ListPage<TemplateSummary>> {
  const rows = await database.read((db) =>
    summaries(db, teamId)
      .where('template_id', '>', after)
      .where('archived_at_ms', isArchived ? 'is not' : 'is', null)
      .orderBy('template_id')
      .limit(sql.lit(countMax))
      .execute(),
  );
  const next = rows.length < countMax ? null : (rows.at(-1)?.template_id ?? null);
  return { items: rows.map(asSummary), next };
}

/** A list of this template alone, or of none. */
async function readOne(
  database: Database,
  teamId: string,
  templateId: string,
): Promise<ListPage<TemplateSummary>> {
  if (!isId(templateId)) return { items: [], next: null };
  const rows = await database.read((db) =>
    summaries(db, teamId).where('template_id', '=', templateId).execute(),
  );
  return { items: rows.map(asSummary), next: null };
}

function summaries(db: Kysely<Schema>, teamId: string) {
  return db
    .selectFrom('templates')
    .select([
      'template_id',
      shownName,
      'draft_hash',
      'updated_at_ms',
      'archived_at_ms',
      latestVersion,
    ])
    .where('team_id', '=', teamId);
}

function asSummary(row: SummaryRow): TemplateSummary {
  return {
    templateId: row.template_id,
    name: row.name,
    latestVersion: row.latest,
    hasDraft: row.draft_hash !== null,
    updatedAtMs: row.updated_at_ms,
    archivedAtMs: row.archived_at_ms,
  };
}

/** The newest version that was not unpublished. */
export function latestVersion(where: ExpressionBuilder<Schema, 'templates'>) {
  return where
    .selectFrom('template_versions')
    .select((version) => version.fn.max('version').as('max_version'))
    .whereRef('template_versions.team_id', '=', 'templates.team_id')
    .whereRef('template_versions.template_id', '=', 'templates.template_id')
    .where('unpublished_at_ms', 'is', null)
    .as('latest');
}

/**
 * The name of the newest version in use: a draft with another one changes nothing until it is
 * published. Without such a version, or where none was recorded with it, that of the draft.
 */
export function shownName(where: ExpressionBuilder<Schema, 'templates'>) {
  const published = where
    .selectFrom('template_versions')
    .select('template_versions.name')
    .whereRef('template_versions.team_id', '=', 'templates.team_id')
    .whereRef('template_versions.template_id', '=', 'templates.template_id')
    .where('unpublished_at_ms', 'is', null)
    .orderBy('version', 'desc')
    .limit(sql.lit(1));
  return where.fn.coalesce(published, 'templates.name').as('name');
}
