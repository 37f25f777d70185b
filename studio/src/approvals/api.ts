import { callJson, path, query } from '../api/client.ts';
import type { Approval, ApprovalList, ListedApproval } from '../api/types.ts';

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
  const { approvals, next } = await callJson<ApprovalList>(address, { signal });
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
