import { callJson, path } from '../api/client.ts';
import type { DiscardedDraft } from '../api/types.ts';

/** Discards the draft with this ETag; one that was saved since stays. null: there is no draft. */
export async function discardDraft(
  templateId: string,
  tag: string | null,
): Promise<DiscardedDraft> {
  if (tag === null) return { templateId, removed: false };
  const headers = { 'if-match': tag };
  const address = path`/v1/templates/${templateId}/draft`;
  return callJson<DiscardedDraft>(address, { method: 'DELETE', headers });
}
