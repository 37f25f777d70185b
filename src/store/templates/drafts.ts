import { createHash } from 'node:crypto';
import type { Commits } from '../database/commits.ts';
import type { Database } from '../database/database.ts';
import { asUnavailable, isFault } from '../database/database-fault.ts';
import { AUDIT_COLUMNS, insertOf, SqlValue } from '../database/inserts.ts';
import { Miscount, type ScriptStatement } from '../database/script.ts';
import { auditRow } from '../audit.ts';
import { hashInSlices } from '../../runtime/hash-in-slices.ts';
import { isId } from '../../runtime/id-rule.ts';
import { clip, fromHex } from '../ids.ts';
import { fieldsKept } from './fields.ts';
import type { DraftSaving } from './types.ts';

const NAME_CHARACTERS_MAX = 255;
/** Tries of a save without a condition, of which several may insert the same template at once. */
const TRIES_MAX = 3;

export interface NewDraft {
  readonly teamId: string;
  readonly templateId: string;
  readonly name: string;
  readonly source: Uint8Array;
  readonly saving: DraftSaving;
  readonly nowMs: number;
}

/** With the digest of its source. */
interface HashedDraft extends NewDraft {
  readonly hash: Buffer;
}

/** Where drafts are stored. */
interface DraftStore {
  readonly database: Database;
  readonly commits: Commits;
}

/** Saves a draft, its field descriptors and its audit records in one transaction. */
export async function saveDraft(store: DraftStore, unhashed: NewDraft): Promise<boolean> {
  const { database } = store;
  if (!isId(unhashed.templateId)) throw new RangeError('not a template id');
  const { replaces } = unhashed.saving;
  if (typeof replaces === 'string' && fromHex(replaces) === null) return false;
  const hashing = createHash('sha256');
  await hashInSlices(hashing, unhashed.source);
  const draft = { ...unhashed, hash: hashing.digest() };
  if (await isUnchanged(database, draft)) {
    const script = besides(database, draft);
    if (script.length > 0) await database.commitWithRetries(script);
    return true;
  }
  for (let tries = 1; ; tries += 1) {
    // Update first, insert if there was no row: then two concurrent first saves cannot both fail.
    if (await changesOne(store, draft, await update(database, draft))) return true;
    if (typeof replaces === 'string') return false;
    try {
      return await changesOne(store, draft, [insert(draft)]);
    } catch (error) {
      if (!isFault(error, 'duplicate')) throw error;
      // A template with this id exists and has a draft.
      if (replaces === null) return false;
      if (tries >= TRIES_MAX) throw error;
    }
  }
}

/**
 * Whether the draft that is there, and that may be replaced, has these bytes: then nothing changes,
 * neither its editor nor its contributors.
 */
async function isUnchanged(database: Database, draft: HashedDraft): Promise<boolean> {
  const { replaces } = draft.saving;
  if (replaces === null) return false;
  if (replaces !== undefined && replaces !== draft.hash.toString('hex')) return false;
  const current = await draftDigest(database, draft);
  return current !== null && draft.hash.equals(current);
}

/** Commits the change and what goes with it; false, with nothing stored, if it changed no row. */
async function changesOne(
  store: DraftStore,
  draft: HashedDraft,
  change: readonly ScriptStatement[],
): Promise<boolean> {
  try {
    const { database } = store;
    const script = [...change, ...contribution(database, draft), ...besides(database, draft)];
    await commit(store, draft, script);
    return true;
  } catch (error) {
    if (error instanceof Miscount) return false;
    throw error;
  }
}

/**
 * On SQLite, a draft shares a commit with the audit records of generations: its one connection that
 * writes would keep these waiting during a separate one. On MySQL, it has its own connection,
 * because a lock on its row, held by another instance, must delay no other record.
 */
async function commit(
  { database, commits }: DraftStore,
  { saving: { audit } }: HashedDraft,
  script: readonly ScriptStatement[],
): Promise<void> {
  if (audit === undefined) return database.commitWithRetries(script);
  const row = auditRow(database, audit);
  if (database.dialect === 'mysql') {
    return database.commitWithRetries([...script, insertOf('audit', AUDIT_COLUMNS, [row])]);
  }
  try {
    await commits.add({ audit: row, document: null, claim: null, script });
  } catch (error) {
    throw error instanceof Miscount ? error : asUnavailable(error);
  }
}

/**
 * Adds the editor to the contributors, in the transaction that holds the lock of the draft's row. A
 * save that makes the draft equal to the version in use contributes nothing while that version is in
 * use: the editor is noted with its number, and counts after a roll-back or a withdrawal.
 */
function contribution({ dialect }: Database, draft: HashedDraft): readonly ScriptStatement[] {
  const { by = '' } = draft.saving;
  if (by === '') return [];
  const inUse =
    ' from templates t left join template_versions v on v.team_id = t.team_id' +
    ' and v.template_id = t.template_id and v.hash = t.draft_hash and v.version = (' +
    'select max(u.version) from template_versions u where u.team_id = t.team_id' +
    ' and u.template_id = t.template_id and u.unpublished_at_ms is null)';
  const noted =
    dialect === 'mysql'
      ? `concat('${SAME_AS}', v.version, ' ', ?)`
      : `'${SAME_AS}' || v.version || ' ' || ?`;
  const sql =
    `insert ${dialect === 'mysql' ? 'ignore' : 'or ignore'} into draft_contributors` +
    ' (team_id, template_id, contributor)' +
    ` select t.team_id, t.template_id, case when v.version is null then ? else ${noted} end` +
    `${inUse} where t.team_id = ? and t.template_id = ?`;
  const name = clip(by, NAME_CHARACTERS_MAX);
  const parameters = [name, name, draft.teamId, draft.templateId];
  return [{ sql, parameters, changes: null }];
}

/** Begins the note of an editor whose save made the draft equal to a version: `=2 user:ann`. */
const SAME_AS = '=';

function valuesOf({ name, source, hash, saving, nowMs }: HashedDraft): readonly unknown[] {
  const { by = '' } = saving;
  return [
    clip(name, NAME_CHARACTERS_MAX),
    hash,
    source,
    by === '' ? null : clip(by, NAME_CHARACTERS_MAX),
    nowMs,
  ];
}

async function update(database: Database, draft: HashedDraft): Promise<readonly ScriptStatement[]> {
  const { teamId, templateId, saving } = draft;
  const { replaces } = saving;
  const before = typeof replaces === 'string' ? fromHex(replaces) : null;
  const condition =
    before !== null ? ' and draft_hash = ?' : replaces === null ? ' and draft_hash is null' : '';
  const change: ScriptStatement = {
    sql:
      'update templates' +
      ' set name = ?, draft_hash = ?, draft_source = ?, draft_by = ?, updated_at_ms = ?' +
      ` where team_id = ? and template_id = ?${condition}`,
    parameters: [...valuesOf(draft), teamId, templateId, ...(before === null ? [] : [before])],
    changes: 1,
  };
  const forgotten = replaces === undefined ? await draftDigest(database, draft) : before;
  if (forgotten === null) return [change];
  // Removes the descriptors of the draft that is replaced.
  const forget = 'delete from template_fields where hash = ?';
  return [{ sql: forget, parameters: [forgotten], changes: null }, change];
}

async function draftDigest(
  database: Database,
  { teamId, templateId }: NewDraft,
): Promise<Uint8Array | null> {
  const row = await database.read((db) =>
    db
      .selectFrom('templates')
      .select('draft_hash')
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .executeTakeFirst(),
  );
  return row?.draft_hash ?? null;
}

function insert(draft: HashedDraft): ScriptStatement {
  return {
    sql:
      'insert into templates (name, draft_hash, draft_source, draft_by, updated_at_ms, team_id,' +
      ' template_id, latest_version) values (?,?,?,?,?,?,?,0)',
    parameters: [...valuesOf(draft), draft.teamId, draft.templateId],
    changes: 1,
  };
}

/** Statements for the field descriptors of the draft and the record of its preview. */
function besides(database: Database, draft: HashedDraft): readonly ScriptStatement[] {
  const { teamId, templateId, hash, saving, nowMs } = draft;
  const { fields, preview } = saving;
  const kept = fields === undefined ? [] : fieldsKept(database.dialect, hash, fields, nowMs);
  if (preview === undefined) return kept;
  const version = new SqlValue(DRAFT_VERSION, [teamId, templateId]);
  return [...kept, insertOf('audit', AUDIT_COLUMNS, [{ ...auditRow(database, preview), version }])];
}

/** The number that the draft would get, as `draftHash` returns it. */
const DRAFT_VERSION =
  '(select latest_version + 1 from templates where team_id = ? and template_id = ?)';
