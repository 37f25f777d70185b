import type { Approval, Template } from '../api/types.ts';
import { hasProvider, isAdmin, session } from '../app/state.ts';

/** Whether this user's role and share in the draft let them publish it. */
export function isPublisher({ draft }: Template): boolean {
  return isAdmin.value && !(session.value.publishApprovals && isContributor(draft));
}

/** The key of a text that says who decides: its form for the rule of two persons, where that holds. */
export function decidersText<
  Key extends
    'approval.ask_hint' | 'approval.waits' | 'approvals.admin_decides' | 'approvals.own_wait',
>(key: Key): Key | `${Key}_two` {
  return session.value.publishApprovals ? `${key}_two` : key;
}

/** Whether this user changed the draft since the last version. */
export function isContributor(draft: Template['draft']): boolean {
  return draft?.contributors.includes(`user:${session.value.userId}`) ?? false;
}

/** Whether this user may publish the draft now and would lose that right by changing it. */
export function losesRightByChange(state: Template): boolean {
  return state.draft !== null && session.value.publishApprovals && isPublisher(state);
}

/**
 * Whether a request for approval would wait for nobody. Nothing is said where people sign in at an
 * identity provider: it may know an Admin who has not signed in yet.
 */
export function lacksApprover(draft: { readonly hasApprover: boolean } | null): boolean {
  return draft !== null && !draft.hasApprover && !hasProvider;
}

/** Whether the draft as it is now was sent back: the service publishes none of these. */
export function isSentBack(approval: Approval | null): boolean {
  return approval !== null && approval.state === 'sent_back' && approval.current;
}
