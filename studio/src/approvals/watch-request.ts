import { useEffect } from 'preact/hooks';
import { callJson, path } from '../api/client.ts';
import type { Template } from '../api/types.ts';
import { useWatch } from '../ui/watch.ts';
import { refreshWaiting } from './waiting.ts';

/**
 * Calls `onChange` with the template when somebody decides about the request that a page shows, or
 * asks anew, when the draft is published or discarded, and when the template is archived. What a page
 * says about a request, the badge counts at once. `look` reads the template; a page that has more to
 * find out in it gives its own, which outlives renderings.
 */
export function useRequestWatch(
  shown: Template | null,
  onChange: (state: Template) => void,
  look: (signal: AbortSignal) => Promise<Template | null> = (signal) =>
    callJson<Template>(path`/v1/templates/${shown?.templateId ?? ''}`, { signal }),
): void {
  const templateId = shown?.templateId ?? '';
  const known = shown === null ? '' : momentOf(shown);
  const saysSomething = shown !== null && shown.approval !== null;
  useEffect(() => {
    if (saysSomething) void refreshWaiting();
  }, [templateId, known]);
  useWatch(async (signal) => {
    if (shown === null) return;
    const state = await look(signal);
    if (state === null || signal.aborted || momentOf(state) === known) return;
    // The number of requests that wait for this user may have changed, also without a request now.
    void refreshWaiting();
    onChange(state);
  }, `${templateId} ${known}`);
}

/** Differs after each step of a request, each publication, and once draft or template are gone or back. */
function momentOf({ draft, approval, latestVersion, archivedAt }: Template): string {
  const { state, askedBy, askedAt, decidedAt } = approval ?? {};
  return [draft !== null, latestVersion, archivedAt, state, askedBy, askedAt, decidedAt].join(' ');
}
