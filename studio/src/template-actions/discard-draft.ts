import { callJson, path } from '../api/client.ts';

/** What is left of a template whose draft was discarded. */
export interface Discarded {
  /** It was never published, so nothing is. */
  readonly removed: boolean;
}

/** Discards the draft with this ETag; one that was saved since stays. null: there is no draft. */
export async function discardDraft(templateId: string, tag: string | null): Promise<Discarded> {
  if (tag === null) return { removed: false };
  const headers = { 'if-match': tag };
  const address = path`/v1/templates/${templateId}/draft`;
  return callJson<Discarded>(address, { method: 'DELETE', headers });
}
