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

/** The request for a draft that is being published, and the answer to it. */
export interface Asked {
  /** Note of the request; '' if there is none. */
  readonly note: string;
  /** The draft was sent back, so it may not be published before somebody asks again. */
  readonly wasSentBack: boolean;
  /** The approver who sent the draft back, if nobody else has asked since; '': there is none. */
  readonly overruled: string;
}

const NOTHING: Asked = { note: '', wasSentBack: false, overruled: '' };

/**
 * Ends the request for approval of the template. The caller's transaction holds the lock of the
 * template's row, for which other decisions wait. A request about another draft is deleted: otherwise
 * it would apply again to a later draft with the same bytes.
 */
export async function endRequest(
  trx: Kysely<Schema>,
  { teamId, templateId, hash, by, nowMs }: Ending,
): Promise<Asked> {
  const row = await trx
    .selectFrom('approval_requests')
    .select(['state', 'note', 'draft_hash', 'asked_by', 'decided_by'])
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .executeTakeFirst();
  if (row === undefined) return NOTHING;
  const sentBackBy = row.state === 'sent_back' || row.state === 'open' ? row.decided_by : null;
  // If one person asks again and another publishes, two people overruled: that needs no record.
  const isOwn = row.state === 'sent_back' || row.asked_by === by;
  const overruled = isOwn && sentBackBy !== by ? (sentBackBy ?? '') : '';
  if (Buffer.compare(row.draft_hash, hash) !== 0) {
    await trx
      .deleteFrom('approval_requests')
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .execute();
    return { ...NOTHING, overruled };
  }
  if (row.state !== 'open' && row.state !== 'sent_back') return NOTHING;
  await trx
    .updateTable('approval_requests')
    .set({ state: 'published', decided_by: by, decided_at_ms: nowMs })
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .execute();
  const wasSentBack = row.state === 'sent_back';
  return { note: wasSentBack ? '' : textOf(row.note), wasSentBack, overruled };
}
