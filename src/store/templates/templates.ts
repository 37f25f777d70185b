import { type Expression, type Kysely, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Commits } from '../database/commits.ts';
import { NO_NOTE, versionNotes } from '../approvals/version-notes.ts';
import type { Database } from '../database/database.ts';
import { setArchived } from './archive.ts';
import { discardDraft } from './discard.ts';
import { saveDraft } from './drafts.ts';
import { contributorsOf } from '../approvals/contributors.ts';
import { templateFields } from './fields.ts';
import { latestVersion, shownName, templateList } from './list.ts';
import { isVersion, publish, publishByRules, rollBack, selectPublishedHash } from './publishing.ts';
import { isId } from '../../runtime/id-rule.ts';
import { hex } from '../ids.ts';
import type { Schema } from '../database/schema.ts';
import type {
  DraftHash,
  TemplateState,
  TemplateStore,
  TemplateVersion,
  VersionSummary,
} from './types.ts';
import type { Found, Missing } from '../terms.ts';

/** Longer sources are not read on the main thread. */
const SOURCE_BYTES_AT_ONCE = 256 * 1024;

/** Templates of teams: immutable published versions and at most one draft each. */
export function templates(
  database: Database,
  commits: Commits,
  wallMs: () => number,
): TemplateStore {
  const drafts = { database, commits };
  return {
    ...templateList(database),
    async published(teamId, templateId, version) {
      if (!isId(templateId) || (version !== null && !isVersion(version))) return absent;
      const row = await readSource(database, 'source', (db) =>
        selectVersion(db, teamId, templateId, version),
      );
      if (row === undefined) return missing(database, teamId, templateId, true);
      return { found: true, value: asVersion(teamId, templateId, row.version, 'published', row) };
    },
    draft: (teamId, templateId) => findDraft(database, teamId, templateId),
    draftHash: (teamId, templateId) => findDraftHash(database, teamId, templateId),
    ...templateFields(database, wallMs),
    find: (teamId, templateId) => findTemplate(database, teamId, templateId),
    saveDraft: (teamId, templateId, name, source, saving = {}) =>
      saveDraft(drafts, { teamId, templateId, name, source, saving, nowMs: wallMs() }),
    discardDraft: (discarding) => discardDraft(database, discarding, wallMs()),
    publish: (teamId, templateId, hash, by = '', replaces) =>
      publish(database, { teamId, templateId, hash, by, replaces, nowMs: wallMs() }),
    publishByRules: (teamId, templateId, hash, by, rules) =>
      publishByRules(database, { ...rules, teamId, templateId, hash, by, nowMs: wallMs() }),
    publishedHash: (teamId, templateId) =>
      database.read((db) => selectPublishedHash(db, { teamId, templateId })),
    history: (teamId, templateId) => listHistory(database, teamId, templateId),
    async version(teamId, templateId, version) {
      if (!isVersion(version)) return null;
      const row = await readSource(database, 'source', (db) =>
        selectAny(db, teamId, templateId, version),
      );
      return row === undefined ? null : asVersion(teamId, templateId, version, 'published', row);
    },
    rollBack: (teamId, templateId, version, by, note = '') =>
      rollBack(database, { teamId, templateId, version, by, note, nowMs: wallMs() }),
    setArchived: (archiving) => setArchived(database, archiving, wallMs()),
    async unpublish(teamId, templateId, version) {
      if (!isVersion(version)) return false;
      const result = await database.write((db) =>
        db
          .updateTable('template_versions')
          .set({ unpublished_at_ms: wallMs() })
          .where('team_id', '=', teamId)
          .where('template_id', '=', templateId)
          .where('version', '=', version)
          .where('unpublished_at_ms', 'is', null)
          .executeTakeFirst(),
      );
      return result.numUpdatedRows === 1n;
    },
  };
}

async function findTemplate(
  database: Database,
  teamId: string,
  templateId: string,
): Promise<Found<TemplateState>> {
  if (!isId(templateId)) return absent;
  const row = await database.read((db) =>
    db
      .selectFrom('templates')
      .select(['latest_version', 'draft_hash', 'draft_by', 'updated_at_ms', 'archived_at_ms'])
      .select('templates.name as draft_name')
      .select([shownName, latestVersion])
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .executeTakeFirst(),
  );
  if (row === undefined) return missing(database, teamId, templateId);
  const { draft_hash: draftHash } = row;
  const draft =
    draftHash === null
      ? null
      : {
          name: row.draft_name,
          hash: hex(draftHash),
          version: row.latest_version + 1,
          savedBy: row.draft_by ?? '',
          contributors: await database.read((db) => contributorsOf(db, { teamId, templateId })),
        };
  const { name, latest, updated_at_ms: updatedAtMs, archived_at_ms: archivedAtMs } = row;
  return { found: true, value: { name, latestVersion: latest, updatedAtMs, archivedAtMs, draft } };
}

async function findDraft(
  database: Database,
  teamId: string,
  templateId: string,
): Promise<Found<TemplateVersion>> {
  if (!isId(templateId)) return absent;
  const row = await readSource(database, 'draft_source', (db) =>
    db
      .selectFrom('templates')
      .select(['latest_version', 'draft_hash', 'draft_source'])
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId),
  );
  if (row === undefined || row.draft_hash === null || row.draft_source === null) {
    return missing(database, teamId, templateId);
  }
  const draft = { hash: row.draft_hash, source: row.draft_source };
  const version = row.latest_version + 1;
  return { found: true, value: asVersion(teamId, templateId, version, 'draft', draft) };
}

async function findDraftHash(
  database: Database,
  teamId: string,
  templateId: string,
): Promise<Found<DraftHash>> {
  if (!isId(templateId)) return absent;
  const row = await database.read((db) =>
    db
      .selectFrom('templates')
      .select(['latest_version', 'draft_hash'])
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .executeTakeFirst(),
  );
  if (row === undefined || row.draft_hash === null) {
    return missing(database, teamId, templateId);
  }
  return { found: true, value: { hash: hex(row.draft_hash), version: row.latest_version + 1 } };
}

async function listHistory(
  database: Database,
  teamId: string,
  templateId: string,
): Promise<readonly VersionSummary[]> {
  const rows = await database.read((db) =>
    db
      .selectFrom('template_versions')
      .select(['version', 'hash', 'published_at_ms', 'published_by', 'unpublished_at_ms'])
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .orderBy('version', 'desc')
      .execute(),
  );
  // Comparing the sources of all versions with their hashes would take too long for a list.
  const sizes = await database.readUncompared((db) =>
    db
      .selectFrom('template_versions')
      .select(['version', sql<number>`length(source)`.as('bytes')])
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .execute(),
  );
  const bytesOf = new Map(sizes.map(({ version, bytes }) => [version, bytes]));
  const notes = await versionNotes(database, { teamId, templateId });
  return rows.map((row) => ({
    version: row.version,
    hash: hex(row.hash),
    bytes: bytesOf.get(row.version) ?? 0,
    publishedAtMs: row.published_at_ms,
    publishedBy: row.published_by ?? '',
    unpublishedAtMs: row.unpublished_at_ms,
    ...(notes.get(row.version) ?? NO_NOTE),
  }));
}

const absent = { found: false, why: 'absent' } as const;

interface VersionContent {
  readonly hash: Uint8Array;
  readonly source: Uint8Array;
}

function selectVersion(
  db: Kysely<Schema>,
  teamId: string,
  templateId: string,
  version: number | null,
): SelectQueryBuilder<Schema, 'template_versions', VersionContent & { version: number }> {
  return db
    .selectFrom('template_versions')
    .select(['version', 'hash', 'source'])
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('unpublished_at_ms', 'is', null)
    .where((where) =>
      where.exists(
        where
          .selectFrom('templates')
          .select('templates.team_id')
          .where('templates.team_id', '=', teamId)
          .where('templates.template_id', '=', templateId)
          .where('archived_at_ms', 'is', null),
      ),
    )
    .where((where): Expression<SqlBool> =>
      version === null ? where('version', '>', 0) : where('version', '=', version),
    )
    .orderBy('version', 'desc')
    .limit(sql.lit(1));
}

/**
 * Reads a row with a source, a long one in another thread. The length comes from a query that
 * compares nothing, because the comparison would read and hash the source.
 */
async function readSource<Table extends keyof Schema, Row>(
  database: Database,
  column: 'source' | 'draft_source',
  query: (db: Kysely<Schema>) => SelectQueryBuilder<Schema, Table, Row>,
): Promise<Row | undefined> {
  if (database.dialect === 'mysql') return database.read((db) => query(db).executeTakeFirst());
  const size = await database.readUncompared((db) =>
    query(db)
      .clearSelect()
      .select(sql<number | null>`length(${sql.ref(column)})`.as('bytes'))
      .executeTakeFirst(),
  );
  if (size === undefined) return undefined;
  if ((size.bytes ?? 0) <= SOURCE_BYTES_AT_ONCE) {
    return database.read((db) => query(db).executeTakeFirst());
  }
  const [row] = await database.readLong(query);
  return row;
}

/** Selects a version, also one that was unpublished. */
function selectAny(
  db: Kysely<Schema>,
  teamId: string,
  templateId: string,
  version: number,
): SelectQueryBuilder<Schema, 'template_versions', VersionContent> {
  return db
    .selectFrom('template_versions')
    .select(['hash', 'source'])
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('version', '=', version);
}

/**
 * Finds out why a template is missing. It takes one query in either case, so that the time does not
 * reveal whether another team owns the id.
 */
async function missing(
  database: Database,
  teamId: string,
  templateId: string,
  /** Whether the template is not found for being archived. */
  hidesArchived = false,
): Promise<Found<never>> {
  const owners = await database.read((db) =>
    db
      .selectFrom('templates')
      .select(['team_id', 'archived_at_ms'])
      .where('template_id', '=', templateId)
      .limit(sql.lit(100))
      .execute(),
  );
  const own = owners.find((owner) => owner.team_id === teamId);
  if (hidesArchived && own !== undefined && own.archived_at_ms !== null) {
    return { found: false, why: 'archived' };
  }
  const why: Missing = own !== undefined || owners.length === 0 ? 'absent' : 'foreign';
  return { found: false, why };
}

function asVersion(
  teamId: string,
  templateId: string,
  version: number,
  status: TemplateVersion['status'],
  row: { hash: Uint8Array; source: Uint8Array },
): TemplateVersion {
  return { teamId, templateId, version, status, hash: hex(row.hash), source: row.source };
}
