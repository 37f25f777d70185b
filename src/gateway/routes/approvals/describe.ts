import type { Approval } from '../../../api/approvals.ts';
import type { Approval as StoredApproval } from '../../../store/store.ts';
import { isoTime } from '../../route.ts';

/** A request for approval as responses have it. */
export function describeApproval(approval: StoredApproval): Approval {
  const { templateId, draft, state, isCurrent, askedBy, askedAtMs, note } = approval;
  const { decidedBy, decidedAtMs, comment } = approval;
  return {
    templateId,
    draft,
    state,
    current: isCurrent,
    askedBy,
    askedAt: isoTime(askedAtMs),
    note,
    decidedBy,
    decidedAt: decidedAtMs === null ? null : isoTime(decidedAtMs),
    comment,
  };
}
