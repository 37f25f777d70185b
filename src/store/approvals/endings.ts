import type { Kysely } from 'kysely';
import type { Schema } from '../database/schema.ts';
import type { TemplateName } from '../terms.ts';
import { textOf } from './version-notes.ts';

/** The publication that ends a request. */
interface Ending extends TemplateName {
  readonly hash: Uint8Array;
  readonly by: string;
  readonly nowMs: number;
}

/**
 * Ends what was asked about the template, in a transaction that holds the lock of its row, for which
 * other decisions wait. A request about another draft goes: when a later draft has its bytes again, it
 * would be open, or sent back, for that one. Returns the note of the request, '' if there is none;
 * null: the draft was sent back, so it may not be published before somebody asks again.
 */
export async function endRequest(
  trx: Kysely<Schema>,
  { teamId, templateId, hash, by, nowMs }: Ending,
): Promise<string | null> {
  const row = await trx
    .selectFrom('approval_requests')
    .select(['state', 'note', 'draft_hash'])
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .executeTakeFirst();
  if (row === undefined) return '';
  if (Buffer.compare(row.draft_hash, hash) !== 0) {
    await trx
      .deleteFrom('approval_requests')
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .execute();
    return '';
  }
  if (row.state !== 'open' && row.state !== 'sent_back') return '';
  await trx
    .updateTable('approval_requests')
    .set({ state: 'published', decided_by: by, decided_at_ms: nowMs })
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .execute();
  return row.state === 'sent_back' ? null : textOf(row.note);
}
