import { callJson, path } from '../api/client.ts';
import type { Template } from '../api/types.ts';
import { useWatch } from '../ui/watch.ts';
import { refreshWaiting } from './waiting.ts';

/**
 * Calls `onChange` when somebody decides about the request that a page shows, or asks anew, and when
 * the draft is published or discarded.
 */
export function useRequestWatch(shown: Template, onChange: () => void): void {
  const { templateId } = shown;
  const known = momentOf(shown);
  useWatch(async (signal) => {
    const state = await callJson<Template>(path`/v1/templates/${templateId}`, { signal });
    if (signal.aborted || momentOf(state) === known) return;
    // The number of requests that wait for this user may have changed.
    void refreshWaiting();
    onChange();
  }, `${templateId} ${known}`);
}

/** Differs after each step of a request, each publication, and once the draft is gone or back. */
function momentOf({ draft, approval, latestVersion }: Template): string {
  const { state, askedBy, askedAt, decidedAt } = approval ?? {};
  return [draft !== null, latestVersion, state, askedBy, askedAt, decidedAt].join(' ');
}
