import { callJson, path, query } from '../api/client.ts';

/** The last request for approval of a draft. Names are those of audit records. */
export interface Approval {
  readonly templateId: string;
  /** Hash of the draft that was asked about. */
  readonly draft: string;
  readonly state: 'open' | 'outdated' | 'sent_back' | 'withdrawn' | 'published';
  /** Whether the draft is still the one that was asked about. */
  readonly current: boolean;
  readonly askedBy: string;
  readonly askedAt: string;
  readonly note: string;
  readonly decidedBy: string;
  readonly decidedAt: string | null;
  /** Why it was sent back. */
  readonly comment: string;
}

export interface ListedApproval extends Approval {
  readonly name: string;
  readonly version: number;
  readonly contributors: readonly string[];
  /** Whether this user may publish the draft or send it back. */
  readonly mayDecide: boolean;
}

/** Characters of a note or a comment. */
export const NOTE_CHARACTERS_MAX = 1_000;

export interface ApprovalPage {
  readonly items: readonly ListedApproval[];
  readonly next: string | null;
}

export async function listApprovals(
  limit: number,
  after: string | null,
  signal?: AbortSignal,
): Promise<ApprovalPage> {
  const address = `/v1/approvals${query({ limit, after })}`;
  const { approvals, next } = await callJson<{
    approvals: readonly ListedApproval[];
    next: string | null;
  }>(address, { signal });
  return { items: approvals, next };
}

export function askForApproval(templateId: string, draft: string, note: string): Promise<Approval> {
  const body = { draft, note };
  return callJson(path`/v1/templates/${templateId}/approval`, { method: 'POST', body });
}

export function sendBack(templateId: string, draft: string, comment: string): Promise<Approval> {
  const body = { draft, comment };
  return callJson(path`/v1/templates/${templateId}/approval/send-back`, { method: 'POST', body });
}

export function withdraw(templateId: string, draft: string): Promise<Approval> {
  const body = { draft };
  return callJson(path`/v1/templates/${templateId}/approval/withdraw`, { method: 'POST', body });
}
