import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { AUDIT_COLUMNS, insertOf, SqlValue } from '../database/inserts.ts';
import { Miscount, type ScriptStatement } from '../database/script.ts';
import { auditRow } from '../audit.ts';
import { clip, digest, fromHex, isId } from '../ids.ts';
import type { NewAudit } from '../audit.ts';
import { fieldsKept } from './fields.ts';

const NAME_CHARACTERS_MAX = 255;
/** Tries of a save without a condition, of which several may insert the same template at once. */
const TRIES_MAX = 3;

/** Options of saving a draft. */
export interface DraftSaving {
  /** Names the editor, as audit records do. */
  readonly by?: string;
  /** Hash of the draft that must be there; null: there must be none; undefined: any or none. */
  readonly replaces?: string | null | undefined;
  /** Field descriptors of the source, stored as by `keepFields`. */
  readonly fields?: Uint8Array;
  /** Records of the save and of its preview; that of a generation gets the draft's version. */
  readonly audit?: readonly NewAudit[];
}

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

/**
 * Saves a draft, its field descriptors and its audit records in one transaction, whose statements
 * are sent together: SQLite has one connection that writes, and audit records of generations wait
 * for it.
 */
export async function saveDraft(database: Database, unhashed: NewDraft): Promise<boolean> {
  if (!isId(unhashed.templateId)) throw new RangeError('not a template id');
  const { replaces } = unhashed.saving;
  if (typeof replaces === 'string' && fromHex(replaces) === null) return false;
  const draft = { ...unhashed, hash: digest(unhashed.source) };
  for (let tries = 1; ; tries += 1) {
    // Update first, insert if there was no row: then two concurrent first saves cannot both fail.
    if (
      await changesOne(database, [...(await update(database, draft)), ...besides(database, draft)])
    ) {
      return true;
    }
    if (typeof replaces === 'string') return false;
    try {
      return await changesOne(database, [insert(draft), ...besides(database, draft)]);
    } catch (error) {
      if (!isFault(error, 'duplicate')) throw error;
      // A template with this id exists and has a draft.
      if (replaces === null) return false;
      if (tries >= TRIES_MAX) throw error;
    }
  }
}

/** Commits the statements; false, with nothing changed, if one changed no row but had to. */
async function changesOne(
  database: Database,
  statements: readonly ScriptStatement[],
): Promise<boolean> {
  try {
    await database.commitWithRetries(statements);
    return true;
  } catch (error) {
    if (error instanceof Miscount) return false;
    throw error;
  }
}

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

/** Statements for the field descriptors and the audit records of the draft. */
function besides({ dialect }: Database, draft: HashedDraft): ScriptStatement[] {
  const { hash, saving, nowMs } = draft;
  const { fields, audit = [] } = saving;
  const kept = fields === undefined ? [] : fieldsKept(dialect, hash, fields, nowMs);
  if (audit.length === 0) return kept;
  return [
    ...kept,
    insertOf(
      'audit',
      AUDIT_COLUMNS,
      audit.map((record) => rowOf(record, draft)),
    ),
  ];
}

function rowOf(
  record: NewAudit,
  { teamId, templateId }: HashedDraft,
): Record<(typeof AUDIT_COLUMNS)[number], unknown> {
  const row = auditRow(record);
  if (record.action !== 'generate') return row;
  return { ...row, version: new SqlValue(DRAFT_VERSION, [teamId, templateId]) };
}

/** The number that the draft would get, as `draftHash` returns it. */
const DRAFT_VERSION =
  '(select latest_version + 1 from templates where team_id = ? and template_id = ?)';
