import { useEffect } from 'preact/hooks';
import { ApiError, callJson, path } from '../api/client.ts';
import type { TemplateState } from '../api/types.ts';

/** A visible page reads its request again this often, and when the user comes back to it. */
const EVERY_MS = 5_000;
/** A page to which nobody came back for this long reads it less often. */
const FREQUENT_MS_MAX = 600_000;
const IDLE_EVERY_MS = 60_000;

/**
 * Calls `onChange` when somebody decides about the request that a page shows, or asks anew, and when
 * the draft is published or discarded. A hidden page reads nothing, and one request runs at a time.
 */
export function useRequestWatch(shown: TemplateState, onChange: () => void): void {
  const { templateId } = shown;
  const known = momentOf(shown);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let isReading = false;
    let cameBackAtMs = performance.now();
    let readAtMs = cameBackAtMs;
    const look = async (): Promise<void> => {
      if (document.hidden || isReading) return;
      isReading = true;
      readAtMs = performance.now();
      try {
        const state = await callJson<TemplateState>(path`/v1/templates/${templateId}`, { signal });
        if (!signal.aborted && momentOf(state) !== known) onChange();
      } catch (error) {
        // The page keeps what it shows; its own requests say that the service does not answer.
        if (!signal.aborted && !(error instanceof ApiError)) throw error;
      } finally {
        isReading = false;
      }
    };
    const tick = (): void => {
      const nowMs = performance.now();
      const isFrequent = nowMs - cameBackAtMs < FREQUENT_MS_MAX;
      if (isFrequent || nowMs - readAtMs >= IDLE_EVERY_MS) void look();
    };
    const comeBack = (): void => {
      cameBackAtMs = performance.now();
      void look();
    };
    const timer = setInterval(tick, EVERY_MS);
    addEventListener('focus', comeBack);
    document.addEventListener('visibilitychange', comeBack);
    return () => {
      controller.abort();
      clearInterval(timer);
      removeEventListener('focus', comeBack);
      document.removeEventListener('visibilitychange', comeBack);
    };
  }, [templateId, known]);
}

/** Differs after each step of a request, and once the draft is gone. */
function momentOf({ draft, approval }: TemplateState): string {
  if (draft === null) return 'no draft';
  if (approval === null) return '';
  const { state, askedBy, askedAt, decidedAt } = approval;
  return [state, askedBy, askedAt, decidedAt].join(' ');
}
