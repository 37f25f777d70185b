import { useEffect } from 'preact/hooks';
import { ApiError, callJson, path } from '../api/client.ts';
import type { Approval, Template } from '../api/types.ts';

/** A shown request is read again this often, and when the user comes back to the page. */
const EVERY_MS = 60_000;

/** Calls `onChange` when somebody decides about the request that a page shows, or asks anew. */
export function useRequestWatch(
  templateId: string,
  shown: Approval | null,
  onChange: () => void,
): void {
  const known = momentOf(shown);
  useEffect(() => {
    const controller = new AbortController();
    const look = async (): Promise<void> => {
      if (document.hidden) return;
      const { signal } = controller;
      try {
        const state = await callJson<Template>(path`/v1/templates/${templateId}`, { signal });
        if (!signal.aborted && momentOf(state.approval) !== known) onChange();
      } catch (error) {
        // The page keeps what it shows; its own requests say that the service does not answer.
        if (!signal.aborted && !(error instanceof ApiError)) throw error;
      }
    };
    const start = (): void => void look();
    const timer = setInterval(start, EVERY_MS);
    addEventListener('focus', start);
    document.addEventListener('visibilitychange', start);
    return () => {
      controller.abort();
      clearInterval(timer);
      removeEventListener('focus', start);
      document.removeEventListener('visibilitychange', start);
    };
  }, [templateId, known]);
}

/** Differs after each step of a request. */
function momentOf(approval: Approval | null): string {
  if (approval === null) return '';
  const { state, askedBy, askedAt, decidedAt } = approval;
  return [state, askedBy, askedAt, decidedAt].join(' ');
}
