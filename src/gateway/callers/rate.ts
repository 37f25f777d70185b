import { LIMITS } from '../../limits.ts';
import type { RateLimiter, RateVerdict } from '../types.ts';

export const WINDOW_MS = LIMITS.rateWindowMs;
/** From this number of windows on, those that have ended are removed. */
const WINDOWS_MAX = 50_000;

interface Window {
  endsAtMs: number;
  count: number;
}

/**
 * Time to the end of a window, in ms. (now + 60000) - now may round to a little more than 60000,
 * which a header in whole seconds would show as 61.
 */
export function remainingMs(endsAtMs: number, nowMs: number): number {
  return Math.min(WINDOW_MS, endsAtMs - nowMs);
}

/** Windows of callers in this process, on a monotonic clock. */
export class Windows {
  readonly #windows = new Map<string, Window>();

  /** The caller's current window; null when it has none. */
  of(caller: string, nowMs: number): Window | null {
    const window = this.#windows.get(caller);
    return window === undefined || window.endsAtMs <= nowMs ? null : window;
  }

  open(caller: string, nowMs: number, endsAtMs: number): Window {
    if (this.#windows.size >= WINDOWS_MAX) this.#clear(nowMs);
    const window = { endsAtMs, count: 0 };
    this.#windows.set(caller, window);
    return window;
  }

  #clear(nowMs: number): void {
    for (const [caller, window] of this.#windows) {
      if (window.endsAtMs <= nowMs) this.#windows.delete(caller);
    }
  }
}

/**
 * A rate limiter for this process alone. It is our own because it is in the hot path and must use a
 * monotonic clock, `nowMs`: a library's windows on the wall clock admit or refuse too many calls
 * when that clock is set.
 */
export function createMemoryRateLimiter(nowMs: () => number): RateLimiter {
  const windows = new Windows();
  return {
    count(caller: string, perMinute: number): RateVerdict {
      const now = nowMs();
      const window = windows.of(caller, now) ?? windows.open(caller, now, now + WINDOW_MS);
      window.count += 1;
      return {
        allowed: window.count <= perMinute,
        limit: perMinute,
        remaining: Math.max(0, perMinute - window.count),
        retryAfterMs: remainingMs(window.endsAtMs, now),
      };
    },
  };
}
