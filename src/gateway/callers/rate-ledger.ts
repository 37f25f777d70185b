import { createPool } from 'mysql2/promise';
import type { Pool, PoolConnection, PoolOptions, RowDataPacket } from 'mysql2/promise';
import { StorageUnavailable } from '../../store/store.ts';
import { WINDOW_MS } from './rate.ts';

/** Calls to add to a caller's window. */
export interface LedgerEntry {
  readonly caller: string;
  readonly calls: number;
}

/** A caller's window over all instances, after the entry was added. */
export interface Tally {
  readonly calls: number;
  /** Until the window ends. */
  readonly leftMs: number;
}

/** Windows that several instances count in. */
export interface Ledger {
  /** All entries in one transaction. Throws `StorageUnavailable` when that cannot be done in time. */
  add(entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, Tally>>;
  close(): Promise<void>;
}

const TABLE = 'rate_windows';
const CONNECTIONS_MAX = 2;
const CONNECT_MS_MAX = 2_000;
/** A transaction that takes longer costs its connection. */
const ADD_MS_MAX = 2_000;
/** Windows that ended this long ago are removed, so many at a time. */
const KEPT_MS = 600_000;
const CLEAR_EVERY_MS = 300_000;
const CLEARED_MAX = 10_000;
/** The greatest value of the column. */
const CALLS_MAX = 2_000_000_000;

/**
 * The database's clock alone: clocks of instances differ, and one that is set must not move the
 * windows of the others.
 */
const NOW = 'cast(unix_timestamp(now(3)) * 1000 as signed)';
/** Ended, or beginning in the future: the database's clock was set back. */
const IS_OVER = `ends_at_ms <= ${NOW} or ends_at_ms > ${NOW} + ${WINDOW_MS + 1_000}`;

/**
 * Windows in a table of the MySQL database, which is made when it is missing. Rejects when the
 * database cannot be reached.
 */
export async function openLedger(
  connection: PoolOptions,
  prepare: (pool: object) => void,
): Promise<Ledger> {
  const pool = createPool({
    ...connection,
    connectionLimit: CONNECTIONS_MAX,
    connectTimeout: CONNECT_MS_MAX,
    enableKeepAlive: true,
  });
  prepare(pool.pool);
  pool.pool.on('connection', (raw) => {
    // Windows of one caller are locked for a moment only; whoever waits longer is late anyway.
    raw.query('set session innodb_lock_wait_timeout = 1', (error) => {
      if (error !== null) raw.destroy();
    });
  });
  const clear = setInterval(() => void clearEnded(pool), CLEAR_EVERY_MS).unref();
  const close = async (): Promise<void> => {
    clearInterval(clear);
    await pool.end();
  };
  try {
    await pool.query(
      `create table if not exists ${TABLE} (` +
        ' caller varchar(160) character set utf8mb4 collate utf8mb4_bin not null primary key,' +
        ' calls int not null, ends_at_ms bigint not null, key rate_windows_end (ends_at_ms)' +
        ') engine = innodb',
    );
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
  // In one order over all instances: two batches then wait for each other instead of dying.
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
    // Its transaction ends with it.
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
  const rows = entries.map(() => `(?, ?, ${NOW} + ${WINDOW_MS})`).join(', ');
  const values = entries.flatMap(({ caller, calls }) => [caller, calls]);
  await connection.query('begin');
  // Assigned from left to right: `calls` still sees the old end.
  await connection.query(
    `insert into ${TABLE} (caller, calls, ends_at_ms) values ${rows} on duplicate key update` +
      ` calls = if(${IS_OVER}, values(calls), least(calls + values(calls), ${CALLS_MAX})),` +
      ` ends_at_ms = if(${IS_OVER}, values(ends_at_ms), ends_at_ms)`,
    values,
  );
  const [found] = await connection.query<(RowDataPacket & Tally & { caller: string })[]>(
    `select caller, calls, ends_at_ms - ${NOW} as leftMs from ${TABLE} where caller in (?)`,
    [entries.map(({ caller }) => caller)],
  );
  await connection.query('commit');
  return new Map(
    found.map(({ caller, calls, leftMs }) => [
      caller,
      { calls, leftMs: Math.max(1, Math.min(leftMs, WINDOW_MS)) },
    ]),
  );
}

/** Best effort: what stays is removed the next time. */
async function clearEnded(pool: Pool): Promise<void> {
  const text = `delete from ${TABLE} where ends_at_ms < ${NOW} - ${KEPT_MS} limit ${CLEARED_MAX}`;
  await pool.query(text).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error)) throw error;
  });
}

/** Only the driver's code goes on: its messages quote statements. */
function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  return new StorageUnavailable(`the rate counter's database answered ${String(error.code)}`);
}
