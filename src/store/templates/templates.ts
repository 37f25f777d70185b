import { type Expression, type Kysely, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Commits } from '../database/commits.ts';
import type { Database } from '../database/database.ts';
import { contributorsIn, saveDraft } from './drafts.ts';
import { templateFields } from './fields.ts';
import { latestVersion, templateList } from './list.ts';
import { clip, fromHex, hex, isId } from '../ids.ts';
import type { Schema } from '../database/schema.ts';
import type {
  DraftHash,
  PublishedDraft,
  TemplateState,
  TemplateStore,
  TemplateVersion,
  VersionSummary,
} from './types.ts';
import type { Found, Missing } from '../store.ts';

const NAME_CHARACTERS_MAX = 255;
const VERSION_MAX = 2_147_483_647;
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
      if (row === undefined) return missing(database, teamId, templateId);
      return { found: true, value: asVersion(teamId, templateId, row.version, 'published', row) };
    },
    draft: (teamId, templateId) => findDraft(database, teamId, templateId),
    draftHash: (teamId, templateId) => findDraftHash(database, teamId, templateId),
    ...templateFields(database, wallMs),
    find: (teamId, templateId) => findTemplate(database, teamId, templateId),
    saveDraft: (teamId, templateId, name, source, saving = {}) =>
      saveDraft(drafts, { teamId, templateId, name, source, saving, nowMs: wallMs() }),
    publish: (teamId, templateId, hash, by = '', replaces) =>
      publish(database, { teamId, templateId, hash, by, replaces, nowMs: wallMs() }),
    async publishAsOther(teamId, templateId, hash, by, replaces) {
      const draft = { teamId, templateId, hash, by, replaces, nowMs: wallMs(), isOther: true };
      try {
        return await publish(database, draft);
      } catch (error) {
        if (error instanceof Contributed) return 'contributed';
        throw error;
      }
    },
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
    rollBack: (teamId, templateId, version, by) =>
      rollBack(database, { teamId, templateId, version, by, nowMs: wallMs() }),
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
      .select(['name', 'latest_version', 'draft_hash', 'draft_by', 'updated_at_ms', latestVersion])
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
          hash: hex(draftHash),
          version: row.latest_version + 1,
          savedBy: row.draft_by ?? '',
          contributors: await database.read((db) => contributorsOf(db, { teamId, templateId })),
        };
  const { name, latest, updated_at_ms: updatedAtMs } = row;
  return { found: true, value: { name, latestVersion: latest, updatedAtMs, draft } };
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
  return rows.map((row) => ({
    version: row.version,
    hash: hex(row.hash),
    bytes: bytesOf.get(row.version) ?? 0,
    publishedAtMs: row.published_at_ms,
    publishedBy: row.published_by ?? '',
    unpublishedAtMs: row.unpublished_at_ms,
  }));
}

const absent = { found: false, why: 'absent' } as const;

function isVersion(version: number): boolean {
  return Number.isInteger(version) && version >= 1 && version <= VERSION_MAX;
}

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

/** The name of a version, also of one that was unpublished; null: none was recorded then. */
function selectName(
  trx: Kysely<Schema>,
  teamId: string,
  templateId: string,
  version: number,
): Promise<{ name: string | null } | undefined> {
  return trx
    .selectFrom('template_versions')
    .select('name')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('version', '=', version)
    .executeTakeFirst();
}

/**
 * Finds out why a template is missing. It takes one query in either case, so that the time does not
 * reveal whether another team owns the id.
 */
async function missing(
  database: Database,
  teamId: string,
  templateId: string,
): Promise<Found<never>> {
  const owners = await database.read((db) =>
    db
      .selectFrom('templates')
      .select('team_id')
      .where('template_id', '=', templateId)
      .limit(sql.lit(100))
      .execute(),
  );
  const own = owners.some((owner) => owner.team_id === teamId);
  const why: Missing = own || owners.length === 0 ? 'absent' : 'foreign';
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

interface Publication extends TemplateName {
  /** Hash of the draft's source. */
  readonly hash: string;
  readonly by: string;
  /** Hash that the version in use must have; null: there must be none; undefined: any or none. */
  readonly replaces: string | null | undefined;
  readonly nowMs: number;
  /** Only somebody who did not contribute to the draft may publish it. Absent: anybody may. */
  readonly isOther?: boolean;
}

/** Rolls the transaction back, because the version in use is not the expected one. */
class OtherVersion extends Error {}

/** Rolls the transaction back, because the publisher contributed to the draft. */
class Contributed extends Error {}

async function publish(database: Database, draft: Publication): Promise<PublishedDraft> {
  const hash = fromHex(draft.hash);
  if (hash === null || !isId(draft.templateId)) return null;
  try {
    return await publishDraft(database, draft, hash);
  } catch (error) {
    if (error instanceof OtherVersion) return null;
    throw error;
  }
}

function publishDraft(
  database: Database,
  draft: Publication,
  hash: Uint8Array,
): Promise<PublishedDraft> {
  const { replaces } = draft;
  return database.transact(async (trx) => {
    // Incrementing the number locks the row: of two publishers of a draft, the second finds none.
    const result = await trx
      .updateTable('templates')
      .set((set) => ({
        latest_version: set('latest_version', '+', 1),
        updated_at_ms: draft.nowMs,
      }))
      .where('team_id', '=', draft.teamId)
      .where('template_id', '=', draft.templateId)
      .where('draft_hash', '=', hash)
      .executeTakeFirst();
    if (result.numUpdatedRows !== 1n) return null;
    // Other publications and rollbacks wait for the lock, so this stays true until the commit.
    if (replaces !== undefined && (await selectPublishedHash(trx, draft)) !== replaces) {
      throw new OtherVersion();
    }
    // Saves wait for the lock, too, so nobody becomes a contributor of this draft after this.
    const contributors = await contributorsOf(trx, draft);
    if (draft.isOther === true && contributors.includes(clip(draft.by, NAME_CHARACTERS_MAX))) {
      throw new Contributed();
    }
    const version = await selectCounted(trx, draft);
    // The database copies the source: 8 MB each way would hold up the main thread.
    await sql`
      insert into template_versions (${VERSION_COLUMNS})
      select team_id, template_id, latest_version, name, draft_hash, draft_source,
        ${draft.nowMs}, ${publisherOf(draft)}, null
      from templates where team_id = ${draft.teamId} and template_id = ${draft.templateId}
    `.execute(trx);
    await trx
      .updateTable('templates')
      .set({ draft_hash: null, draft_source: null, draft_by: null })
      .where('team_id', '=', draft.teamId)
      .where('template_id', '=', draft.templateId)
      .execute();
    await trx
      .deleteFrom('draft_contributors')
      .where('team_id', '=', draft.teamId)
      .where('template_id', '=', draft.templateId)
      .execute();
    return { version, contributors };
  });
}

/** Who changed the draft since the last version, in alphabetical order. */
async function contributorsOf(
  db: Kysely<Schema>,
  { teamId, templateId }: TemplateName,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('draft_contributors')
    .select('contributor')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .execute();
  const latest = await db
    .selectFrom('template_versions')
    .select((select) => select.fn.max('version').as('version'))
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('unpublished_at_ms', 'is', null)
    .executeTakeFirst();
  return contributorsIn(
    rows.map(({ contributor }) => contributor),
    latest?.version ?? null,
  );
}

/** Hash of the newest version in use; null: no version is in use. */
async function selectPublishedHash(
  db: Kysely<Schema>,
  { teamId, templateId }: TemplateName,
): Promise<string | null> {
  if (!isId(templateId)) return null;
  const row = await db
    .selectFrom('template_versions')
    .select('hash')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('unpublished_at_ms', 'is', null)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : hex(row.hash);
}

/**
 * Publishes an old version again; leaves the draft alone, because an author may be working on it.
 */
async function rollBack(
  database: Database,
  wanted: { teamId: string; templateId: string; version: number; by: string; nowMs: number },
): Promise<{ version: number } | null> {
  const { teamId, templateId, version } = wanted;
  if (!isVersion(version)) return null;
  return database.transact(async (trx) => {
    const old = await selectName(trx, teamId, templateId, version);
    if (old === undefined) return null;
    await trx
      .updateTable('templates')
      .set((set) => ({
        latest_version: set('latest_version', '+', 1),
        updated_at_ms: wanted.nowMs,
      }))
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .execute();
    const next = await selectCounted(trx, wanted);
    await sql`
      insert into template_versions (${VERSION_COLUMNS})
      select team_id, template_id, ${next}, name, hash, source,
        ${wanted.nowMs}, ${publisherOf(wanted)}, null
      from template_versions
      where team_id = ${teamId} and template_id = ${templateId} and version = ${version}
    `.execute(trx);
    if (old.name !== null) {
      await trx
        .updateTable('templates')
        .set({ name: old.name })
        .where('team_id', '=', teamId)
        .where('template_id', '=', templateId)
        // A template with a draft has the draft's name.
        .where('draft_hash', 'is', null)
        .execute();
    }
    return { version: next };
  });
}

interface TemplateName {
  readonly teamId: string;
  readonly templateId: string;
}

/** The columns of `template_versions`, in the order in which publishing fills them. */
const VERSION_COLUMNS = sql.raw(
  'team_id, template_id, version, name, hash, source,' +
    ' published_at_ms, published_by, unpublished_at_ms',
);

/** The version number that this transaction has incremented and so locked. */
async function selectCounted(
  trx: Kysely<Schema>,
  { teamId, templateId }: TemplateName,
): Promise<number> {
  const row = await trx
    .selectFrom('templates')
    .select('latest_version')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .executeTakeFirstOrThrow();
  return row.latest_version;
}

function publisherOf({ by }: { readonly by: string }): string | null {
  return by === '' ? null : clip(by, NAME_CHARACTERS_MAX);
}
