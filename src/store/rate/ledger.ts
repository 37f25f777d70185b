import type { Pool, PoolConnection, PoolOptions, RowDataPacket } from 'mysql2/promise';
import { LIMITS } from '../../limits.ts';
import { boundConnection } from '../database/mysql-socket.ts';
import { SAFE_OPTIONS, sessionSetup } from '../database/mysql.ts';
import { loadMysqlPromises } from '../mysql2.ts';
import { StorageUnavailable } from '../terms.ts';

/** Calls to add to a caller's window. */
export interface LedgerEntry {
  readonly caller: string;
  readonly calls: number;
}

/** The calls of a caller in its window, over all instances, after the entry was added. */
export interface Tally {
  readonly calls: number;
  /** Time until the window ends, from 1 to `WINDOW_MS`. */
  readonly leftMs: number;
}

/** The windows that several instances share. */
export interface Ledger {
  /**
   * Adds all entries in one transaction. Throws `StorageUnavailable` when that fails or takes too
   * long.
   */
  add(entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, Tally>>;
  close(): Promise<void>;
}

const WINDOW_MS = LIMITS.rateWindowMs;
const TABLE = 'rate_windows';
const CONNECTIONS_MAX = 2;
const CONNECT_MS_MAX = 2_000;
/** Timeout of a transaction, after which its connection is closed. */
const ADD_MS_MAX = 2_000;
/** Windows that ended this long ago are removed, up to CLEARED_MAX at a time. */
const KEPT_MS = 600_000;
const CLEAR_EVERY_MS = 300_000;
const CLEARED_MAX = 10_000;
/** Calls are counted up to this, which fits the column. */
const CALLS_MAX = 2_000_000_000;

/**
 * All times are by the database's clock: clocks of instances differ, and setting one must not move
 * the windows of the others.
 */
const NOW = 'cast(unix_timestamp(now(3)) * 1000 as signed)';
/** The window has ended, or begins in the future because the database's clock was set back. */
const IS_OVER = `ends_at_ms <= ${NOW} or ends_at_ms > ${NOW} + ${WINDOW_MS + 1_000}`;

/**
 * Opens the ledger in a table of the MySQL database, which the migrations make
 * (database/tables/rate.ts). `prepare` gets mysql2's pool before it connects. Rejects when the
 * database cannot be reached or has no such table.
 */
export async function openLedger(
  connection: PoolOptions,
  prepare: (pool: object) => void,
): Promise<Ledger> {
  const pool = loadMysqlPromises().createPool({
    ...connection,
    connectionLimit: CONNECTIONS_MAX,
    connectTimeout: CONNECT_MS_MAX,
    enableKeepAlive: true,
    ...SAFE_OPTIONS,
  });
  prepare(pool.pool);
  // Rows are locked only for a moment; a transaction that waits longer is late anyway.
  const setup = [...sessionSetup(ADD_MS_MAX), 'set session innodb_lock_wait_timeout = 1'];
  pool.pool.on('connection', (raw) => {
    boundConnection(raw);
    for (const statement of setup) {
      raw.query(statement, (error) => {
        if (error !== null) raw.destroy();
      });
    }
  });
  const clear = setInterval(() => void clearEnded(pool), CLEAR_EVERY_MS).unref();
  const close = async (): Promise<void> => {
    clearInterval(clear);
    await pool.end();
  };
  try {
    await pool.query(`select calls from ${TABLE} limit 0`);
  } catch (error) {
    await close();
    throw asUnavailable(error);
  }
  return { add: (entries) => add(pool, entries), close };
}

async function add(
  pool: Pool,
  entries: readonly LedgerEntry[],
): Promise<ReadonlyMap<string, Tally>> {
  // All instances lock rows in the same order, so that batches wait for each other instead of
  // deadlocking.
  const sorted = entries.toSorted((one, other) => (one.caller < other.caller ? -1 : 1));
  let connection: PoolConnection | null = null;
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      connection?.destroy();
      reject(new StorageUnavailable('the rate counter did not answer in time'));
    }, ADD_MS_MAX);
  });
  const work = async (): Promise<ReadonlyMap<string, Tally>> => {
    connection = await pool.getConnection();
    if (isLate) {
      // The caller has already been refused; nobody reads this result.
      connection.release();
      return new Map();
    }
    const tallies = await addOn(connection, sorted);
    connection.release();
    return tallies;
  };
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    // Closing the connection rolls its transaction back. TypeScript does not see that `work`
    // assigns it.
    (connection as PoolConnection | null)?.destroy();
    throw asUnavailable(error);
  } finally {
    clearTimeout(timer);
  }
}

async function addOn(
  connection: PoolConnection,
  entries: readonly LedgerEntry[],
): Promise<ReadonlyMap<string, Tally>> {
  const padded = padToPower(entries);
  const rows = padded.map(() => `(?, ?, ${NOW} + ${WINDOW_MS})`).join(', ');
  const values = padded.flatMap(({ caller, calls }) => [caller, String(calls)]);
  await connection.query('begin');
  // Values go to the server apart from the statement: ids of users hold quotes and backslashes, and
  // whether a backslash escapes is a setting of the server.
  // MySQL assigns from left to right, so `calls` is computed with the old end.
  await connection.execute(
    `insert into ${TABLE} (caller, calls, ends_at_ms) values ${rows} on duplicate key update` +
      ` calls = if(${IS_OVER}, values(calls), least(calls + values(calls), ${CALLS_MAX})),` +
      ` ends_at_ms = if(${IS_OVER}, values(ends_at_ms), ends_at_ms)`,
    values,
  );
  const marks = padded.map(() => '?').join(', ');
  const [found] = await connection.execute<(RowDataPacket & Tally & { caller: string })[]>(
    `select caller, calls, ends_at_ms - ${NOW} as leftMs from ${TABLE} where caller in (${marks})`,
    padded.map(({ caller }) => caller),
  );
  await connection.query('commit');
  return new Map(
    found.map(({ caller, calls, leftMs }) => [
      caller,
      { calls, leftMs: Math.max(1, Math.min(leftMs, WINDOW_MS)) },
    ]),
  );
}

/**
 * The entries, and the last one again without calls up to a power of two, so that a connection
 * prepares few different statements.
 */
function padToPower(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const last = entries.at(-1);
  if (last === undefined) return entries;
  const length = 2 ** Math.ceil(Math.log2(entries.length));
  const padding = { caller: last.caller, calls: 0 };
  return [...entries, ...Array.from({ length: length - entries.length }, () => padding)];
}

/** Removes ended windows; what a failure leaves is removed the next time. */
async function clearEnded(pool: Pool): Promise<void> {
  const text = `delete from ${TABLE} where ends_at_ms < ${NOW} - ${KEPT_MS} limit ${CLEARED_MAX}`;
  await pool.query(text).catch((error: unknown) => {
    if (!(asUnavailable(error) instanceof StorageUnavailable)) throw error;
  });
}

/**
 * A database error as `StorageUnavailable`; any other error unchanged. Only the driver's code is kept,
 * because the driver's messages quote statements. When the connection was closed before the
 * statement, the error has `fatal` and no code.
 */
function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ('code' in error) {
    return new StorageUnavailable(`the rate counter's database failed with ${String(error.code)}`);
  }
  if (!('fatal' in error)) return error;
  return new StorageUnavailable("the connection to the rate counter's database was closed");
}
