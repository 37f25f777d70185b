import type { Schema } from '../database/schema.ts';
import { hex } from '../ids.ts';
import type { Approval, ApprovalState } from './types.ts';
import { textOf } from './version-notes.ts';

export type RequestRow = Schema['approval_requests'];

/** A request as its row says; `draft`: the hash of the present draft. */
export function asApproval(row: RequestRow, draft: Uint8Array | null): Approval {
  const isCurrent = draft !== null && Buffer.compare(row.draft_hash, draft) === 0;
  return {
    templateId: row.template_id,
    draft: hex(row.draft_hash),
    // The rows are written here, from these states.
    state: row.state === 'open' && !isCurrent ? 'outdated' : (row.state as ApprovalState),
    isCurrent,
    askedBy: row.asked_by,
    askedAtMs: row.asked_at_ms,
    note: textOf(row.note),
    // A request that was made again remembers who sent the draft back: that decides nothing any more.
    decidedBy: row.state === 'open' ? '' : (row.decided_by ?? ''),
    decidedAtMs: row.decided_at_ms,
    comment: textOf(row.comment),
  };
}
