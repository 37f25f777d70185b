import { createPool } from 'mysql2';
import type { PoolOptions } from 'mysql2';
import { RateLimiterMemory, RateLimiterMySQL } from 'rate-limiter-flexible';
import { WINDOW_MS, Windows } from './rate.ts';
import type { RateLimiter, RateVerdict } from './types.ts';

/** Up to this limit every call is counted together; above it, hundredths of the limit are. */
const SINGLE_CALLS_MAX = 6_000;
const SHARES = 100;
const TABLE = 'rate_limits';
const CONNECTIONS_MAX = 4;
const WAITING_MAX = 1_024;

/** A limiter with connections of its own. */
export interface SharedRateLimiter extends RateLimiter {
  close(): Promise<void>;
}

/**
 * Counts in a table of the MySQL database that all instances share; the table is made when missing.
 * While the database cannot answer, each instance counts by itself. Rejects when the database
 * cannot be reached at the start.
 *
 * Limits up to 6,000 a minute are exact. Above that an instance draws a hundredth of the limit at a
 * time and spends it by itself, so that a batch caller does not cost a commit per call; what it has
 * not spent when the limit is reached is what the others miss.
 */
export async function openSharedRateLimiter(
  connection: PoolOptions & { readonly database: string },
): Promise<SharedRateLimiter> {
  const client = createPool({
    ...connection,
    connectionLimit: CONNECTIONS_MAX,
    queueLimit: WAITING_MAX,
    enableKeepAlive: true,
  });
  const close = (): Promise<void> => new Promise((resolve) => client.end(() => resolve()));
  try {
    const counter = await openCounter(client, connection.database);
    return { count: countIn(counter), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function countIn(counter: RateLimiterMySQL): RateLimiter['count'] {
  /** Calls drawn and not spent; a window's `count` is what is left. */
  const drawn = new Windows();
  return async (caller: string, perMinute: number): Promise<RateVerdict> => {
    const now = performance.now();
    const window = drawn.of(caller, now);
    if (window !== null && window.count > 0) {
      window.count -= 1;
      return { allowed: true, retryAfterMs: window.endsAtMs - now };
    }
    const share = perMinute <= SINGLE_CALLS_MAX ? 1 : Math.ceil(perMinute / SHARES);
    const { consumedPoints, msBeforeNext } = await counter.consume(caller, share);
    const granted = Math.min(share, perMinute - (consumedPoints - share));
    if (granted > 1) drawn.open(caller, now, now + msBeforeNext).count = granted - 1;
    return { allowed: granted >= 1, retryAfterMs: msBeforeNext };
  };
}

function openCounter(client: unknown, database: string): Promise<RateLimiterMySQL> {
  const bounds = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_MS / 1000 };
  return new Promise((resolve, reject) => {
    const counter: RateLimiterMySQL = new RateLimiterMySQL(
      {
        ...bounds,
        storeClient: client,
        dbName: database,
        tableName: TABLE,
        keyPrefix: 'generate',
        insuranceLimiter: new RateLimiterMemory(bounds),
      },
      (error?: Error | null) => {
        if (error === undefined || error === null) resolve(counter);
        else reject(error);
      },
    );
  });
}
