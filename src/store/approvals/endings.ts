import type { Kysely } from 'kysely';
import type { Schema } from '../database/schema.ts';
import type { TemplateName } from '../templates/drafts.ts';
import { textOf } from './version-notes.ts';

/** The publication that ends a request. */
interface Ending extends TemplateName {
  readonly hash: Uint8Array;
  readonly by: string;
  readonly nowMs: number;
}

/**
 * Ends the open request about a draft that is being published, in a transaction that holds the lock of
 * the template's row, for which other decisions wait. Returns the note of the request, '' if there is
 * none; null: the draft was sent back, so it may not be published before somebody asks again.
 */
export async function endRequest(
  trx: Kysely<Schema>,
  { teamId, templateId, hash, by, nowMs }: Ending,
): Promise<string | null> {
  const row = await trx
    .selectFrom('approval_requests')
    .select(['state', 'note'])
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('draft_hash', '=', hash)
    .executeTakeFirst();
  if (row?.state === 'sent_back') return null;
  if (row?.state !== 'open') return '';
  await trx
    .updateTable('approval_requests')
    .set({ state: 'published', decided_by: by, decided_at_ms: nowMs })
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .execute();
  return textOf(row.note);
}
