import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Pool, PoolConnection } from 'mysql2';
import { isIP } from 'node:net';
import { DatabaseFault } from './database-fault.ts';
import { boundConnection, boundedSocket, endAnswer } from './mysql-socket.ts';
import { loadMysql, loadMysqlPromises } from '../mysql2.ts';
import { Outage } from '../outage.ts';
import { reasonOf } from '../reason.ts';
import { StorageUnavailable, StoreBusy } from '../terms.ts';
import { errorCode } from '../../runtime/error-code.ts';

export interface MysqlSettings {
  readonly url: string;
  readonly connectionsMax: number;
  readonly connectTimeoutMs: number;
  /** The connection of a statement without an answer by then is closed; 0: it may take any time. */
  readonly statementTimeoutMs: number;
  /** Called for each new connection; absent: the URL's user and password are used. */
  readonly login?: (() => DatabaseLogin) | undefined;
}

/** User and password with which the service logs in to the database. */
export interface DatabaseLogin {
  readonly user: string;
  readonly password: string;
}

/** Limit of the callers that wait for a connection. */
const WAITING_MAX = 1_024;
/** The server has no connection left for us; those that are open go on working. */
const TOO_MANY = new Set([1040, 1203, 1226]);
/** How long a server may take to prove that it is there. */
const PROOF_MS = 1_000;
/** Least time between two losses of trust in all open connections. */
const RENEW_MS = 1_000;
/** Parameters below this size fit into every packet limit that a server can have in practice. */
const SMALL_PARAMETER = 64 * 1024;
/** Prepared statements per connection; the server allows 16,382 over all of them. */
const STATEMENTS_MAX = 256;

// Error numbers: MySQL 8 "Server Error Message Reference", MariaDB "Error Codes".
const DUPLICATE = new Set([1062, 1586]);
const CONFLICT = new Set([1205, 1213, 1020, 3572]);
/** The server takes no changes: it was the primary until a failover, or never was one. */
const READ_ONLY = new Set([1290, 1792, 1836, 3100]);
/** The statement is wrong: syntax, unknown table or column, value too long or of a wrong type. */
const REFUSED = new Set([
  1048, 1052, 1054, 1064, 1109, 1136, 1146, 1149, 1210, 1243, 1264, 1265, 1292, 1364, 1366, 1406,
  1451, 1452,
]);

/** What all pools of connections to one server know of it. */
export class MysqlServer {
  readonly outage = new Outage('the database');
  /** Limit of a statement with its parameters (`max_allowed_packet`). */
  packetBytesMax = Number.POSITIVE_INFINITY;
  /** Connections of an earlier generation lead to a server that is not the primary any more. */
  generation = 0;
  readonly #settings: MysqlSettings;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #isProving = false;

  constructor(settings: MysqlSettings) {
    this.#settings = settings;
  }

  /** Makes every pool open its connections anew: the address may lead to another server by now. */
  renew(): void {
    const nowMs = performance.now();
    if (nowMs - this.#renewedAtMs < RENEW_MS) return;
    this.#renewedAtMs = nowMs;
    this.generation += 1;
  }

  /**
   * Begins an outage unless the server answers on a new connection: one statement without an answer
   * may be a slow one.
   */
  async prove(): Promise<void> {
    if (this.#isProving) return;
    this.#isProving = true;
    try {
      if (!(await this.#answers())) this.outage.begin();
    } finally {
      this.#isProving = false;
    }
  }

  async #answers(): Promise<boolean> {
    const { url, login } = this.#settings;
    const options = { ...connectionOptions(url), ...login?.(), connectTimeout: PROOF_MS };
    try {
      const connection = await loadMysqlPromises().createConnection({
        ...options,
        ...SAFE_OPTIONS,
      });
      try {
        await connection.query({ sql: 'select 1', timeout: PROOF_MS });
        return true;
      } finally {
        connection.destroy();
      }
    } catch (error) {
      // A server that refuses one more connection is there.
      return TOO_MANY.has(errorNumber(error));
    }
  }
}

/** A kysely dialect over a pool of connections of mysql2. */
export function mysqlDialect(settings: MysqlSettings, server: MysqlServer): Dialect {
  return {
    createAdapter: () => new MysqlAdapter(),
    createDriver: () => new MysqlDriver(settings, server),
    createIntrospector: (db) => new MysqlIntrospector(db),
    createQueryCompiler: () => new MysqlQueryCompiler(),
  };
}

/** Translates an error of mysql2; only its code is kept, because message and `.sql` hold values. */
function translate(error: unknown): Error {
  const code = errorCode(error) || 'unknown';
  const errno = errorNumber(error);
  if (DUPLICATE.has(errno)) return new DatabaseFault('duplicate', code);
  // Nothing was changed, and the next connection may lead to the primary.
  if (CONFLICT.has(errno) || READ_ONLY.has(errno)) return new DatabaseFault('conflict', code);
  if (REFUSED.has(errno)) return new DatabaseFault('refused', code);
  if (isFatal(error)) return new DatabaseFault('lost', code);
  return new StorageUnavailable(`the database answered ${code}`);
}

function errorNumber(error: unknown): number {
  return typeof error === 'object' && error !== null && 'errno' in error ? Number(error.errno) : 0;
}

function isFatal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'fatal' in error && error.fatal === true;
}

/**
 * Parameters are sent as text or bytes only: MySQL would compare a text column with the number 0 as
 * equal for every text that does not start with a digit.
 */
function asParameter(value: unknown): string | Buffer | null {
  if (typeof value === 'string' || value === null) return value;
  if (typeof value === 'number') return String(value);
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  throw new DatabaseFault('refused', 'a parameter that is neither text, number nor bytes');
}

/** Bytes of the long parameters; the short ones never matter to the limit of a packet. */
function longBytes(values: readonly (string | Buffer | null)[]): number {
  let bytes = 0;
  for (const value of values) {
    if (value !== null && value.length > SMALL_PARAMETER) bytes += Buffer.byteLength(value);
  }
  return bytes;
}

class MysqlConnection implements DatabaseConnection {
  readonly raw: PoolConnection;
  readonly #timeoutMs: number;
  readonly #server: MysqlServer;
  /** The connection ended, timed out or is in an unknown state, and must not be used again. */
  broken = false;

  constructor(raw: PoolConnection, timeoutMs: number, server: MysqlServer) {
    this.raw = raw;
    this.#timeoutMs = timeoutMs;
    this.#server = server;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const values = query.parameters.map(asParameter);
    if (longBytes(values) + SMALL_PARAMETER > this.#server.packetBytesMax) {
      // The server would end the connection, which looks like an outage that passes.
      const megabytes = (longBytes(values) / 1e6).toFixed(1);
      throw new DatabaseFault('refused', `that ${megabytes} MB are beyond its max_allowed_packet`);
    }
    const result = await this.#send(query.sql, values);
    return asResult<R>(result);
  }

  #send(text: string, values: (string | Buffer | null)[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = this.#timeoutMs === 0 ? null : this.#startTimer(reject);
      const done = (error: unknown, result: unknown): void => {
        if (timer !== null) clearTimeout(timer);
        endAnswer(this.raw);
        if (error === null || error === undefined) {
          resolve(result);
          return;
        }
        if (isFatal(error)) this.broken = true;
        if (READ_ONLY.has(errorNumber(error))) {
          this.broken = true;
          this.#server.renew();
        }
        reject(translate(error));
      };
      // BEGIN, COMMIT and SET are sent as text: preparing them would only add a round trip.
      if (values.length === 0) this.raw.query(text, done);
      else this.raw.execute(text, values, done);
    });
  }

  #startTimer(reject: (error: Error) => void): NodeJS.Timeout {
    return setTimeout(() => {
      this.broken = true;
      this.raw.destroy();
      void this.#server.prove();
      reject(new StorageUnavailable('the database did not answer a statement in time'));
    }, this.#timeoutMs);
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

function asResult<R>(result: unknown): QueryResult<R> {
  if (Array.isArray(result)) return { rows: result as R[] };
  const affected =
    typeof result === 'object' && result !== null && 'affectedRows' in result
      ? Number(result.affectedRows)
      : 0;
  return { rows: [], numAffectedRows: BigInt(affected) };
}

/** A pool of connections that fails at once while the server is known to be unreachable. */
class MysqlDriver implements Driver {
  readonly #settings: MysqlSettings;
  readonly #server: MysqlServer;
  /** The generation in which each connection was opened. */
  readonly #generations = new WeakMap<object, number>();
  #pool: Pool | undefined;
  #waiting = 0;

  constructor(settings: MysqlSettings, server: MysqlServer) {
    this.#settings = settings;
    this.#server = server;
  }

  async init(): Promise<void> {
    this.#pool = loadMysql().createPool({
      ...connectionOptions(this.#settings.url),
      connectionLimit: this.#settings.connectionsMax,
      maxIdle: this.#settings.connectionsMax,
      waitForConnections: true,
      connectTimeout: this.#settings.connectTimeoutMs,
      maxPreparedStatements: STATEMENTS_MAX,
      enableKeepAlive: true,
      ...SAFE_OPTIONS,
    });
    if (this.#settings.login !== undefined) followLogin(this.#pool, this.#settings.login);
    const setup = sessionSetup(this.#settings.statementTimeoutMs);
    this.#pool.on('connection', (connection) => {
      this.#generations.set(connection, this.#server.generation);
      boundConnection(connection);
      // These run before anything that the first user of this connection sends.
      for (const statement of setup) {
        connection.query(statement, (error: unknown) => {
          if (error === null || error === undefined) return;
          connection.destroy();
        });
      }
    });
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return this.#server.outage.guard(
      () => this.#connect(),
      async (connection) => {
        // A pooled connection may be idle: only an answer proves that the server is back.
        try {
          await connection.executeQuery(CompiledQuery.raw('select 1'));
        } catch (error) {
          connection.raw.destroy();
          throw error;
        }
      },
    );
  }

  async #connect(): Promise<MysqlConnection> {
    if (this.#waiting >= WAITING_MAX) {
      throw new StoreBusy('too many callers wait for a connection to the database');
    }
    this.#waiting += 1;
    try {
      for (;;) {
        const raw = await this.#connectRaw();
        if (this.#isCurrent(raw)) {
          return new MysqlConnection(raw, this.#settings.statementTimeoutMs, this.#server);
        }
        raw.destroy();
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  #connectRaw(): Promise<PoolConnection> {
    const { connectTimeoutMs, statementTimeoutMs } = this.#settings;
    const pool = this.#pool;
    if (pool === undefined) throw new StorageUnavailable('the database is closed');
    return new Promise((resolve, reject) => {
      let isTimedOut = false;
      const timer = setTimeout(() => {
        isTimedOut = true;
        reject(new StoreBusy('no database connection became free in time'));
      }, connectTimeoutMs + statementTimeoutMs);
      pool.getConnection((error, raw) => {
        clearTimeout(timer);
        if (error !== null) reject(this.#explain(error));
        else if (isTimedOut) raw.release();
        else resolve(raw);
      });
    });
  }

  #explain(error: unknown): StorageUnavailable {
    const code = errorCode(error) || 'unknown';
    // Only the socket can be missing, because nothing here reads a file.
    const reason = reasonOf(code === 'ENOENT' ? 'NO_SOCKET' : code);
    const message = `no database connection: ${reason}`;
    if (TOO_MANY.has(errorNumber(error))) return new StoreBusy(message);
    this.#server.outage.begin();
    return new StorageUnavailable(message);
  }

  #isCurrent(raw: PoolConnection): boolean {
    return this.#generations.get(raw) === this.#server.generation;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (!(connection instanceof MysqlConnection)) return;
    if (connection.broken || !this.#isCurrent(connection.raw)) connection.raw.destroy();
    else connection.raw.release();
  }

  // Database.transact drives transactions: it must distinguish a failed COMMIT from other errors.
  async beginTransaction(): Promise<void> {
    throw new DatabaseFault('refused', 'use Database.transact');
  }
  async commitTransaction(): Promise<void> {
    throw new DatabaseFault('refused', 'use Database.transact');
  }
  async rollbackTransaction(): Promise<void> {
    throw new DatabaseFault('refused', 'use Database.transact');
  }

  destroy(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    if (pool === undefined) return Promise.resolve();
    return new Promise((resolve) => pool.end(() => resolve()));
  }
}

/**
 * Options of every connection: no statement is taken apart, no file of this machine is read, and no
 * answer is endless.
 */
export const SAFE_OPTIONS = {
  charset: 'utf8mb4_bin',
  timezone: 'Z',
  multipleStatements: false,
  flags: ['-LOCAL_FILES'],
  stream: boundedSocket,
};

/**
 * Statements that set up every session alike: each commits by itself outside of BEGIN, strict
 * values, UTC, tables with transactions, short lock waits, and a time limit in the server a little
 * below ours (0: none). MariaDB takes seconds for every statement, MySQL ms for SELECT; each ignores
 * the comment form of the other.
 */
export function sessionSetup(statementTimeoutMs: number): readonly string[] {
  const limitMs = statementTimeoutMs === 0 ? 0 : Math.max(1, Math.floor(statementTimeoutMs * 0.8));
  return [
    'set session transaction isolation level read committed',
    "set session autocommit = 1, time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'," +
      ' default_storage_engine = InnoDB, innodb_lock_wait_timeout = 3' +
      ` /*M! , max_statement_time = ${limitMs / 1000} */` +
      ` /*!80000 , max_execution_time = ${limitMs} */`,
  ];
}

/**
 * Reads host, port, user, password, database, `?socket=/path` and `?tls=require` from a URL and
 * ignores everything else. With TLS the server's certificate must carry its host name and be signed
 * by a certificate authority of Node or of NODE_EXTRA_CA_CERTS.
 */
export function connectionOptions(url: string): {
  host?: string;
  port?: number;
  socketPath?: string;
  user: string;
  password: string;
  database: string;
  ssl?: { rejectUnauthorized: boolean; verifyIdentity: boolean };
} {
  const parsed = new URL(url);
  const socketPath = parsed.searchParams.get('socket');
  return {
    ...(socketPath === null
      ? {
          host: parsed.hostname === '' ? '127.0.0.1' : parsed.hostname,
          port: parsed.port === '' ? 3306 : Number(parsed.port),
        }
      : { socketPath }),
    user: decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password),
    database: decodeURIComponent(parsed.pathname.slice(1)),
    ...(parsed.searchParams.get('tls') === 'require' ? { ssl: tlsTo(parsed.hostname) } : {}),
  };
}

/**
 * Makes each new connection of the pool log in with what `login` returns at that time; open
 * connections stay. This works because mysql2 reads the settings of the pool for each connection.
 */
export function followLogin(pool: object, login: () => DatabaseLogin): void {
  // mysql2's types hide the settings of a pool.
  const { config } = pool as { config: { connectionConfig: object } };
  Object.defineProperties(config.connectionConfig, {
    user: { get: () => login().user, enumerable: true, configurable: true },
    password: { get: () => login().password, enumerable: true, configurable: true },
  });
}

function tlsTo(host: string): { rejectUnauthorized: boolean; verifyIdentity: boolean } {
  // For an IP address mysql2 would compare the certificate with the name localhost.
  if (host === '' || isIP(host.replaceAll(/[[\]]/g, '')) !== 0) {
    throw new StorageUnavailable(
      'tls=require needs the name in the certificate, not an IP address',
    );
  }
  return { rejectUnauthorized: true, verifyIdentity: true };
}
