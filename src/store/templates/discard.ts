import type { Kysely } from 'kysely';
import { hasRole } from '../accounts/roles.ts';
import { auditRow } from '../audit.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { isId } from '../../runtime/id-rule.ts';
import { fromHex } from '../ids.ts';
import type { Discarding, DiscardingRefusal, Remains } from './types.ts';

/** Rolls the transaction back. */
class Refused extends Error {
  readonly why: DiscardingRefusal;

  constructor(why: DiscardingRefusal) {
    super(why);
    this.why = why;
  }
}

/**
 * Removes the draft and the request for its approval, in one transaction with the record. A template
 * that was never published is removed with it; another one gets the name of its version in use again.
 * Contributors are kept until the next version: somebody whose editor still holds the discarded text
 * may save it again, and whoever wrote it must not publish it then.
 */
export async function discardDraft(
  database: Database,
  discarding: Discarding,
  nowMs: number,
): Promise<Remains | DiscardingRefusal> {
  const { teamId, templateId, by, audit } = discarding;
  const hash = fromHex(discarding.draft);
  if (!isId(templateId)) return 'absent';
  try {
    return await database.transact(async (trx) => {
      const remains = await removeDraft(trx, discarding, hash, nowMs);
      if (!(await hasRole(trx, teamId, by, ['Editor', 'Admin']))) throw new Refused('role_lost');
      await trx
        .deleteFrom('approval_requests')
        .where('team_id', '=', teamId)
        .where('template_id', '=', templateId)
        .execute();
      await trx.insertInto('audit').values(auditRow(database, audit)).execute();
      return remains;
    });
  } catch (error) {
    if (error instanceof Refused) return error.why;
    throw error;
  }
}

/** The condition on the hash is part of each change, so that a save in between is never lost. */
async function removeDraft(
  trx: Kysely<Schema>,
  { teamId, templateId }: Discarding,
  hash: Uint8Array | null,
  nowMs: number,
): Promise<Remains> {
  const found = await trx
    .selectFrom('templates')
    .select(['latest_version', 'name'])
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .executeTakeFirst();
  if (found === undefined) throw new Refused('absent');
  if (hash === null) throw new Refused('changed');
  // First, as in a save, so that the two cannot wait for each other.
  await trx.deleteFrom('template_fields').where('hash', '=', hash).execute();
  if (found.latest_version === 0) {
    const removed = await trx
      .deleteFrom('templates')
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .where('draft_hash', '=', hash)
      .where('latest_version', '=', 0)
      .executeTakeFirst();
    if (removed.numDeletedRows === 0n) throw new Refused('changed');
    return 'nothing';
  }
  const name = (await nameInUse(trx, teamId, templateId)) ?? found.name;
  const changed = await trx
    .updateTable('templates')
    .set({ name, draft_hash: null, draft_source: null, draft_by: null, updated_at_ms: nowMs })
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('draft_hash', '=', hash)
    .executeTakeFirst();
  if (changed.numUpdatedRows === 0n) throw new Refused('changed');
  return 'versions';
}

/** Name of the newest version in use; null: no version is in use, or none was recorded then. */
async function nameInUse(
  trx: Kysely<Schema>,
  teamId: string,
  templateId: string,
): Promise<string | null> {
  const row = await trx
    .selectFrom('template_versions')
    .select('name')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('unpublished_at_ms', 'is', null)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.name ?? null;
}
