import { setTimeout as delay } from 'node:timers/promises';

import type { Clock, KeyRate } from './options.ts';
import type { Header } from './wire.ts';

/** The time of this machine. */
export const SYSTEM_CLOCK: Clock = {
  nowMs: () => performance.now(),
  wait: async (ms, signal) => {
    try {
      // Longer waits than a timer can hold end sooner, and are begun again.
      await delay(Math.min(ms, TIMER_MS_MAX), undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },
};
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Adapts the number of requests at a time to what the service takes: additive increase,
 * multiplicative decrease, as TCP does (RFC 5681 §3.1). Further requests wait in their order.
 */
export class Window {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #size: number;
  #underWay = 0;
  /** Counts decreases: refusals of requests that were sent before the last one change nothing. */
  #decreases = 0;

  constructor(max: number) {
    this.#max = max;
    this.#size = max;
  }

  /** How often the window has shrunk. */
  get decreases(): number {
    return this.#decreases;
  }

  /** Waits for room; rejects with the signal's reason. Each entry is followed by one `leave`. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#hasRoom && this.#waiting.length === 0) {
      this.#underWay += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(go);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  leave(): void {
    this.#underWay -= 1;
    this.#admit();
  }

  /** A request was answered. */
  grow(): void {
    this.#size = Math.min(this.#max, this.#size + 1 / this.#size);
    this.#admit();
  }

  /** A request was refused, at whose start `decreases` was this. */
  shrink(decreasesWhenSent: number): void {
    if (decreasesWhenSent !== this.#decreases) return;
    this.#decreases += 1;
    this.#size = Math.max(1, this.#size / 2);
  }

  get #hasRoom(): boolean {
    return this.#underWay < Math.floor(this.#size);
  }

  #admit(): void {
    while (this.#hasRoom) {
      const go = this.#waiting.shift();
      if (go === undefined) return;
      this.#underWay += 1;
      go();
    }
  }
}

/** Seconds are rounded: the next window may begin before the end that is known of the last. */
const ROUNDING_MS = 1_500;

/**
 * The rate limit of the key, which all calls of a client share: counts the calls of a window, so that
 * further ones wait for the next window before the service refuses them.
 */
export class RateLimit {
  /** Calls that may still begin in the window. */
  #left = Infinity;
  #quota = Infinity;
  /** Length of a window; null: it is not known. */
  #windowMs: number | null = null;
  /** null: the window is not known. */
  #endMs: number | null = null;
  /** No call begins before this: the service refused one. */
  #heldUntilMs = 0;

  /** The limit that the service has named; null: it has named none yet. */
  rate(nowMs: number): KeyRate | null {
    const [calls, windowMs] = [this.#quota, this.#windowMs];
    if (windowMs === null || calls === Infinity) return null;
    // The next call opens another window.
    if (this.#endMs === null || this.#endMs <= nowMs) {
      return { calls, windowMs, left: calls, endsInMs: windowMs };
    }
    const left = Math.max(0, Math.min(this.#left, calls));
    return { calls, windowMs, left, endsInMs: this.#endMs - nowMs };
  }

  /** Takes a call off the window; false: none is left, and the window ends within `waitMsMax`. */
  begin(nowMs: number, waitMsMax: number): boolean {
    if (this.waitMs(nowMs, waitMsMax) > 0) return false;
    // The first call of a window opens it, before an answer tells its end.
    if (this.#windowMs !== null) this.#endMs ??= nowMs + this.#windowMs;
    this.#left -= 1;
    return true;
  }

  /**
   * Milliseconds to the next call. 0 for a window that ends later than `waitMsMax`: that is not waited
   * for, and the service may refuse the call itself.
   */
  waitMs(nowMs: number, waitMsMax: number): number {
    if (this.#endMs !== null && this.#endMs <= nowMs) {
      this.#endMs = null;
      this.#left = this.#quota;
    }
    const restMs = this.#left > 0 || this.#endMs === null ? 0 : this.#endMs - nowMs;
    const ms = Math.max(restMs, this.#heldUntilMs - nowMs);
    return ms <= waitMsMax ? Math.max(0, ms) : 0;
  }

  /** Learns from `RateLimit: "minute";r=0;t=34` and `RateLimit-Policy: "minute";q=120;w=60`. */
  learn(header: Header, nowMs: number): void {
    const limit = header('ratelimit');
    const left = numberOf(/;\s*r=(\d{1,9})/, limit);
    const seconds = numberOf(/;\s*t=(\d{1,6})/, limit);
    const policy = header('ratelimit-policy');
    const length = numberOf(/;\s*w=(\d{1,6})/, policy);
    this.#quota = numberOf(/;\s*q=(\d{1,9})/, policy) ?? this.#quota;
    this.#windowMs = length === null ? this.#windowMs : length * 1_000;
    if (left === null || seconds === null) return;
    const endMs = nowMs + seconds * 1_000;
    const isNext = this.#endMs !== null && endMs - this.#endMs > ROUNDING_MS;
    // Answers may arrive in another order than the service counted their calls.
    this.#left = isNext ? left : Math.min(this.#left, left);
    this.#endMs = endMs;
  }

  /** The limit refused a call: none is left for so long. */
  hold(ms: number, nowMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, nowMs + ms);
  }
}

function numberOf(pattern: RegExp, text: string): number | null {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

const BACK_OFF_MS = 250;
const BACK_OFF_MS_MAX = 30_000;

/**
 * The wait after the try of this number, from 0: doubled each time, with up to a half left out by
 * chance, so that callers that were refused together do not come back together.
 */
export function backOffMs(tries: number): number {
  const most = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS * 2 ** tries);
  return most * (0.5 + Math.random() / 2);
}

const DATE = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/;

/**
 * Retry-After in milliseconds, seconds or a date (RFC 9110 §10.2.3). 0: the time has passed; null: there
 * is none that can be read.
 */
export function retryAfterMs(header: Header, nowMs = Date.now()): number | null {
  const text = header('retry-after').trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  const atMs = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
