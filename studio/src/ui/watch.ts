import { useEffect } from 'preact/hooks';
import { ApiError } from '../api/client.ts';

/** A visible page looks for changes made elsewhere at most this often. */
const EVERY_MS = 10_000;
/** A page to which nobody came back for this long looks less often. */
const FREQUENT_MS_MAX = 600_000;
const IDLE_EVERY_MS = 60_000;

/**
 * Calls `look` while the page is visible, to find what other windows and people changed: every 10 s,
 * and as soon as that when the user comes back to the page. One call runs at a time, and a hidden
 * page makes none. The function that it gives ends the watch.
 */
export function watch(look: (signal: AbortSignal) => Promise<void>): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let timer = 0;
  let isLooking = false;
  let cameBackAtMs = performance.now();
  let lookedAtMs = cameBackAtMs;
  const schedule = (): void => {
    clearTimeout(timer);
    if (signal.aborted || document.hidden || isLooking) return;
    const nowMs = performance.now();
    const everyMs = nowMs - cameBackAtMs < FREQUENT_MS_MAX ? EVERY_MS : IDLE_EVERY_MS;
    timer = window.setTimeout(() => void lookNow(), Math.max(0, lookedAtMs + everyMs - nowMs));
  };
  const lookNow = async (): Promise<void> => {
    if (document.hidden) return;
    isLooking = true;
    lookedAtMs = performance.now();
    try {
      await look(signal);
    } catch (error) {
      // The page keeps what it shows; its own requests say that the service does not answer.
      if (!signal.aborted && !(error instanceof ApiError)) throw error;
    } finally {
      isLooking = false;
      schedule();
    }
  };
  const comeBack = (): void => {
    cameBackAtMs = performance.now();
    schedule();
  };
  schedule();
  addEventListener('focus', comeBack);
  document.addEventListener('visibilitychange', comeBack);
  return () => {
    controller.abort();
    clearTimeout(timer);
    removeEventListener('focus', comeBack);
    document.removeEventListener('visibilitychange', comeBack);
  };
}

/** Watches as long as a page is shown. `key` names what it shows: with another one, it begins anew. */
export function useWatch(look: (signal: AbortSignal) => Promise<void>, key: string): void {
  useEffect(() => watch(look), [key]);
}
