import { RateLimiterMemory, RateLimiterMySQL } from 'rate-limiter-flexible';
import type { RateLimiter, RateVerdict } from './types.ts';

const WINDOW_MS = 60_000;
/** Callers counted before finished windows are cleared away. */
const WINDOWS_MAX = 50_000;

interface Window {
  endsAtMs: number;
  count: number;
}

/**
 * Counts in this process. Our own, because it stands in the hot path and must keep time on the
 * monotonic clock: a library window on the wall clock lets callers through, or shuts them out, when
 * that clock is set. `nowMs` is monotonic.
 */
export function createMemoryRateLimiter(nowMs: () => number): RateLimiter {
  const windows = new Map<string, Window>();
  return {
    count(caller: string, perMinute: number): RateVerdict {
      const now = nowMs();
      let window = windows.get(caller);
      if (window === undefined || window.endsAtMs <= now) {
        if (windows.size >= WINDOWS_MAX) clearFinished(windows, now);
        window = { endsAtMs: now + WINDOW_MS, count: 0 };
        windows.set(caller, window);
      }
      window.count += 1;
      return { allowed: window.count <= perMinute, retryAfterMs: window.endsAtMs - now };
    },
  };
}

function clearFinished(windows: Map<string, Window>, now: number): void {
  for (const [caller, window] of windows) {
    if (window.endsAtMs <= now) windows.delete(caller);
  }
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
 */
export async function createSharedRateLimiter(options: SharedCounterOptions): Promise<RateLimiter> {
  const bounds = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_MS / 1000 };
  const limiter = await new Promise<RateLimiterMySQL>((resolve, reject) => {
    const made: RateLimiterMySQL = new RateLimiterMySQL(
      {
        ...bounds,
        storeClient: options.client,
        dbName: options.database,
        tableName: options.table,
        keyPrefix: 'generate',
        insuranceLimiter: new RateLimiterMemory(bounds),
      },
      (error?: Error) => (error === undefined || error === null ? resolve(made) : reject(error)),
    );
  });
  return {
    async count(caller: string, perMinute: number): Promise<RateVerdict> {
      const { consumedPoints, msBeforeNext } = await limiter.consume(caller);
      return { allowed: consumedPoints <= perMinute, retryAfterMs: msBeforeNext };
    },
  };
}
