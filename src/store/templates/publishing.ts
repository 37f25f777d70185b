import { type Kysely, sql } from 'kysely';
import { endRequest } from '../approvals/endings.ts';
import { hasRole } from '../accounts/roles.ts';
import { addVersionNote, authorsOfVersion } from '../approvals/version-notes.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { isId } from '../../runtime/id-rule.ts';
import { clip, fromHex, hex } from '../ids.ts';
import { contributorsOf } from '../approvals/contributors.ts';
import type { TemplateName } from '../terms.ts';
import type { PublicationRefusal, PublicationRules, PublishedDraft } from './types.ts';

const NAME_CHARACTERS_MAX = 255;
const VERSION_MAX = 2_147_483_647;

/** Tells who publishes which draft. */
interface Publication extends TemplateName, PublicationRules {
  /** Hash of the draft's source. */
  readonly hash: string;
  readonly by: string;
  readonly nowMs: number;
}

/** Rolls the transaction back, because the version in use is not the expected one. */
class OtherVersion extends Error {}

/** Rolls the transaction back, because a rule forbids the publication. */
class Refused extends Error {
  readonly why: PublicationRefusal;

  constructor(why: PublicationRefusal) {
    super(why);
    this.why = why;
  }
}

/** Publishes a draft whatever was decided about it; ends the request for its approval. */
export function publish(database: Database, draft: Publication): Promise<PublishedDraft> {
  return publishOnce(database, draft, () => Promise.resolve());
}

/** Publishes a draft unless one of the rules forbids it, each judged under the lock of its row. */
export async function publishByRules(
  database: Database,
  draft: Publication,
): Promise<PublishedDraft | PublicationRefusal> {
  try {
    return await publishOnce(database, draft, async (trx, { contributors, wasSentBack }) => {
      const { teamId, by } = draft;
      if (draft.demandsAdmin === true && !(await hasRole(trx, teamId, by, ['Admin']))) {
        throw new Refused('role_lost');
      }
      if (wasSentBack) throw new Refused('sent_back');
      if (draft.isOther === true && contributors.includes(clip(by, NAME_CHARACTERS_MAX))) {
        throw new Refused('contributed');
      }
    });
  } catch (error) {
    if (error instanceof Refused) return error.why;
    throw error;
  }
}

/** The state of a draft under its lock, by which a publication is judged. */
interface Judged {
  readonly contributors: readonly string[];
  readonly wasSentBack: boolean;
}

type Judge = (trx: Kysely<Schema>, judged: Judged) => Promise<void>;

async function publishOnce(
  database: Database,
  draft: Publication,
  judge: Judge,
): Promise<PublishedDraft> {
  const hash = fromHex(draft.hash);
  if (hash === null || !isId(draft.templateId)) return null;
  try {
    return await publishDraft(database, draft, hash, judge);
  } catch (error) {
    if (error instanceof OtherVersion) return null;
    throw error;
  }
}

function publishDraft(
  database: Database,
  draft: Publication,
  hash: Uint8Array,
  judge: Judge,
): Promise<PublishedDraft> {
  const { replaces } = draft;
  return database.transact(async (trx) => {
    if (!(await lockDraft(trx, draft, hash))) return null;
    const by = clip(draft.by, NAME_CHARACTERS_MAX);
    const asked = await endRequest(trx, { ...draft, hash, by });
    // Other publications and rollbacks wait for the lock, so this stays true until the commit.
    if (replaces !== undefined && (await selectPublishedHash(trx, draft)) !== replaces) {
      throw new OtherVersion();
    }
    // Saves wait for the lock, too, so nobody becomes a contributor of this draft after this.
    const contributors = await contributorsOf(trx, draft);
    await judge(trx, { contributors, wasSentBack: asked.wasSentBack });
    const version = await selectCounted(trx, draft);
    await moveDraft(trx, draft);
    const note = draft.note ?? asked.note;
    await addVersionNote(trx, draft, version, { note, authors: contributors });
    const { overruled } = asked;
    return { version, contributors, note, ...(overruled === '' ? {} : { overruled }) };
  });
}

/**
 * Increments the number of the latest version, which locks the row: of two publishers of a draft, the
 * second finds none. Returns false when the draft has another hash by now.
 */
async function lockDraft(
  trx: Kysely<Schema>,
  draft: Publication,
  hash: Uint8Array,
): Promise<boolean> {
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
  return result.numUpdatedRows === 1n;
}

/** Makes the draft the version that was just counted, and ends it. */
async function moveDraft(trx: Kysely<Schema>, draft: Publication): Promise<void> {
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
}

/** Hash of the newest version in use; null: no version is in use. */
export async function selectPublishedHash(
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

interface RollBack extends TemplateName {
  readonly version: number;
  readonly by: string;
  readonly note: string;
  readonly nowMs: number;
}

/**
 * Publishes an old version again; leaves the draft alone, because an author may be working on it.
 */
export async function rollBack(
  database: Database,
  wanted: RollBack,
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
    const authors = await authorsOfVersion(trx, wanted, version);
    await addVersionNote(trx, wanted, next, { note: wanted.note, authors });
    if (old.name !== null) {
      await trx
        .updateTable('templates')
        .set({ name: old.name })
        .where('team_id', '=', teamId)
        .where('template_id', '=', templateId)
        // Beside a draft, the row keeps the draft's name: its publication takes it from there.
        .where('draft_hash', 'is', null)
        .execute();
    }
    return { version: next };
  });
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

export function isVersion(version: number): boolean {
  return Number.isInteger(version) && version >= 1 && version <= VERSION_MAX;
}

/** The note of a publication for the audit, which also says whose sending back it overrules. */
export function publicationNote(note: string, overruled: string | undefined): string {
  if (overruled === undefined) return note;
  return `Published although ${overruled} sent it back. ${note}`.trim();
}
