import { RateLimiterMemory, RateLimiterMySQL } from 'rate-limiter-flexible';
import type { RateLimiter, RateVerdict } from './types.ts';

const WINDOW_MS = 60_000;
/** Callers counted before finished windows are cleared away. */
const WINDOWS_MAX = 50_000;
/** Up to this limit every call is counted together; above it, hundredths of the limit are. */
const SINGLE_CALLS_MAX = 6_000;
const SHARES = 100;

interface Window {
  endsAtMs: number;
  count: number;
}

/** Windows of callers in this process, on a monotonic clock. */
class Windows {
  readonly #windows = new Map<string, Window>();

  /** The caller's window; null when it has none that lasts. */
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
 * Counts in this process. Our own, because it stands in the hot path and must keep time on the
 * monotonic clock: a library window on the wall clock lets callers through, or shuts them out, when
 * that clock is set. `nowMs` is monotonic.
 */
export function createMemoryRateLimiter(nowMs: () => number): RateLimiter {
  const windows = new Windows();
  return {
    count(caller: string, perMinute: number): RateVerdict {
      const now = nowMs();
      const window = windows.of(caller, now) ?? windows.open(caller, now, now + WINDOW_MS);
      window.count += 1;
      return { allowed: window.count <= perMinute, retryAfterMs: window.endsAtMs - now };
    },
  };
}

/** Where several instances count together. */
export interface SharedCounterOptions {
  /** A mysql2 pool (callback API). */
  readonly client: unknown;
  readonly database: string;
  readonly table: string;
}

/**
 * Counts in a table that all instances share. The table is made when missing; while the database
 * cannot answer, each instance counts by itself.
 *
 * Limits up to 6,000 a minute are exact. Above that an instance draws a hundredth of the limit at a
 * time and spends it by itself, so that a batch caller does not cost a commit per call; what it has
 * not spent when the limit is reached is what the others miss.
 */
export async function createSharedRateLimiter(options: SharedCounterOptions): Promise<RateLimiter> {
  const limiter = await openCounter(options);
  /** Calls drawn and not spent; a window's `count` is what is left. */
  const drawn = new Windows();
  return {
    async count(caller: string, perMinute: number): Promise<RateVerdict> {
      const now = performance.now();
      const window = drawn.of(caller, now);
      if (window !== null && window.count > 0) {
        window.count -= 1;
        return { allowed: true, retryAfterMs: window.endsAtMs - now };
      }
      const share = perMinute <= SINGLE_CALLS_MAX ? 1 : Math.ceil(perMinute / SHARES);
      const { consumedPoints, msBeforeNext } = await limiter.consume(caller, share);
      const granted = Math.min(share, perMinute - (consumedPoints - share));
      if (granted > 1) drawn.open(caller, now, now + msBeforeNext).count = granted - 1;
      return { allowed: granted >= 1, retryAfterMs: msBeforeNext };
    },
  };
}

function openCounter(options: SharedCounterOptions): Promise<RateLimiterMySQL> {
  const bounds = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_MS / 1000 };
  return new Promise((resolve, reject) => {
    const limiter: RateLimiterMySQL = new RateLimiterMySQL(
      {
        ...bounds,
        storeClient: options.client,
        dbName: options.database,
        tableName: options.table,
        keyPrefix: 'generate',
        insuranceLimiter: new RateLimiterMemory(bounds),
      },
      (error?: Error | null) => {
        if (error === undefined || error === null) resolve(limiter);
        else reject(error);
      },
    );
  });
}
