import type { NewAudit } from '../audit.ts';
import type { ListPage } from '../terms.ts';

/**
 * open → sent_back, withdrawn or published. A request whose draft was changed is `outdated`, which no
 * row says: it follows from the hash of the draft.
 */
export const APPROVAL_STATES = ['open', 'sent_back', 'withdrawn', 'published'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number] | 'outdated';

/** Characters of a note or a comment, as callers may send them. */
export const NOTE_CHARACTERS_MAX = 1_000;

/** The last request for approval of a template. Names are `user:<userId>`. */
export interface Approval {
  readonly templateId: string;
  /** Hash of the draft that was asked about. */
  readonly draft: string;
  readonly state: ApprovalState;
  /** Whether the present draft is the one that was asked about. */
  readonly isCurrent: boolean;
  readonly askedBy: string;
  readonly askedAtMs: number;
  /** '' when none was given. */
  readonly note: string;
  /** Who sent it back, withdrew it or published the draft; '' while it is open or outdated. */
  readonly decidedBy: string;
  readonly decidedAtMs: number | null;
  /** Why it was sent back. */
  readonly comment: string;
}

/** A request in a list, with what the approver has to know. */
export interface ListedApproval extends Approval {
  readonly name: string;
  /** The number that the draft would get. */
  readonly version: number;
  /** Who changed the draft since the last version. */
  readonly contributors: readonly string[];
}

/** Properties that every change of a request has. */
export interface ApprovalChange {
  readonly teamId: string;
  readonly templateId: string;
  /** Hash of the draft that the caller has seen. */
  readonly draft: string;
  /** `user:<userId>`, who must still have the role when it is written. */
  readonly by: string;
  /** Written with it; the version of the draft is added. */
  readonly audit: NewAudit;
}

/**
 * Why a request was not changed:
 * - absent: there is no draft, or no request
 * - changed: the draft is another one by now
 * - decided: the request is open already, or was decided otherwise
 * - contributed: whoever wrote the draft cannot send it back
 * - foreign: the request is another user's, and only that user or an Admin may withdraw it
 * - role_lost: the caller's role was taken away meanwhile
 */
export type ApprovalRefusal =
  'absent' | 'changed' | 'decided' | 'contributed' | 'foreign' | 'role_lost';

export type ApprovalOutcome =
  | { readonly ok: true; readonly approval: Approval }
  | { readonly ok: false; readonly why: ApprovalRefusal; readonly approval: Approval | null };

/** Narrows the list of requests. */
export interface ApprovalSearch {
  /** Only requests that are open and whose draft this principal did not contribute to. */
  readonly waitingFor: string | null;
}

/** Requests for approval: at most one a template. */
export interface ApprovalStore {
  /** The last request about a template that has a draft; null: none. */
  find(teamId: string, templateId: string): Promise<Approval | null>;
  /**
   * Requests about present drafts that are open, outdated or sent back, by template; a page may be
   * short though more follow.
   */
  page(
    teamId: string,
    after: string,
    countMax: number,
    search: ApprovalSearch,
  ): Promise<ListPage<ListedApproval>>;
  /** Opens a request about a draft, in place of an earlier one that is not open about this draft. */
  ask(change: ApprovalChange & { readonly note: string }): Promise<ApprovalOutcome>;
  sendBack(change: ApprovalChange & { readonly comment: string }): Promise<ApprovalOutcome>;
  /** Ends an open request, for whoever asked and for Admins. */
  withdraw(change: ApprovalChange): Promise<ApprovalOutcome>;
}
