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
import { createPool, type Pool, type PoolConnection } from 'mysql2';
import { isIP } from 'node:net';
import { DatabaseFault } from './database-fault.ts';
import { Outage } from '../outage.ts';
import { reasonOf } from '../reason.ts';
import { StorageUnavailable } from '../store.ts';
import { errorCode } from '../../runtime/error-code.ts';

export interface MysqlSettings {
  readonly url: string;
  readonly connectionsMax: number;
  readonly connectTimeoutMs: number;
  /** The connection of a statement without an answer by then is closed. */
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
/** Prepared statements per connection; the server allows 16,382 over all of them. */
const STATEMENTS_MAX = 256;

// Error numbers: MySQL 8 "Server Error Message Reference", MariaDB "Error Codes".
const DUPLICATE = new Set([1062, 1586]);
const CONFLICT = new Set([1205, 1213, 1020, 3572]);
/** The statement is wrong: syntax, unknown table or column, value too long or of a wrong type. */
const REFUSED = new Set([
  1048, 1052, 1054, 1064, 1109, 1136, 1146, 1149, 1210, 1243, 1264, 1265, 1292, 1364, 1366, 1406,
  1451, 1452,
]);

/** A kysely dialect over a pool of connections of mysql2. */
export function mysqlDialect(settings: MysqlSettings): Dialect {
  return {
    createAdapter: () => new MysqlAdapter(),
    createDriver: () => new MysqlDriver(settings),
    createIntrospector: (db) => new MysqlIntrospector(db),
    createQueryCompiler: () => new MysqlQueryCompiler(),
  };
}

/** Translates an error of mysql2; only its code is kept, because message and `.sql` hold values. */
function translate(error: unknown): Error {
  const code = errorCode(error) || 'unknown';
  const errno =
    typeof error === 'object' && error !== null && 'errno' in error ? Number(error.errno) : 0;
  if (DUPLICATE.has(errno)) return new DatabaseFault('duplicate', code);
  if (CONFLICT.has(errno)) return new DatabaseFault('conflict', code);
  if (REFUSED.has(errno)) return new DatabaseFault('refused', code);
  if (isFatal(error)) return new DatabaseFault('lost', code);
  return new StorageUnavailable(`the database answered ${code}`);
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

class MysqlConnection implements DatabaseConnection {
  readonly raw: PoolConnection;
  readonly #timeoutMs: number;
  readonly #onTimeout: () => void;
  /** The connection ended, timed out or is in an unknown state, and must not be used again. */
  broken = false;

  constructor(raw: PoolConnection, timeoutMs: number, onTimeout: () => void) {
    this.raw = raw;
    this.#timeoutMs = timeoutMs;
    this.#onTimeout = onTimeout;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return new Promise((resolve, reject) => {
      const values = query.parameters.map(asParameter);
      const timer = setTimeout(() => {
        this.broken = true;
        this.raw.destroy();
        this.#onTimeout();
        reject(new StorageUnavailable('the database did not answer a statement in time'));
      }, this.#timeoutMs);
      const done = (error: unknown, result: unknown): void => {
        clearTimeout(timer);
        if (error === null || error === undefined) {
          resolve(asResult<R>(result));
          return;
        }
        if (isFatal(error)) this.broken = true;
        reject(translate(error));
      };
      // BEGIN, COMMIT and SET are sent as text: preparing them would only add a round trip.
      if (values.length === 0) this.raw.query(query.sql, done);
      else this.raw.execute(query.sql, values, done);
    });
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
  readonly #outage = new Outage('the database');
  #pool: Pool | undefined;

  constructor(settings: MysqlSettings) {
    this.#settings = settings;
  }

  async init(): Promise<void> {
    this.#pool = createPool({
      ...connectionOptions(this.#settings.url),
      connectionLimit: this.#settings.connectionsMax,
      maxIdle: this.#settings.connectionsMax,
      waitForConnections: true,
      queueLimit: WAITING_MAX,
      connectTimeout: this.#settings.connectTimeoutMs,
      maxPreparedStatements: STATEMENTS_MAX,
      enableKeepAlive: true,
      ...SAFE_OPTIONS,
    });
    if (this.#settings.login !== undefined) followLogin(this.#pool, this.#settings.login);
    const setup = sessionSetup(this.#settings.statementTimeoutMs);
    this.#pool.on('connection', (connection) => {
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
    return this.#outage.guard(
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

  #connect(): Promise<MysqlConnection> {
    const { connectTimeoutMs, statementTimeoutMs } = this.#settings;
    const pool = this.#pool;
    if (pool === undefined) throw new StorageUnavailable('the database is closed');
    return new Promise((resolve, reject) => {
      let isTimedOut = false;
      const timer = setTimeout(() => {
        isTimedOut = true;
        reject(new StorageUnavailable('no database connection became free in time'));
      }, connectTimeoutMs + statementTimeoutMs);
      pool.getConnection((error, raw) => {
        clearTimeout(timer);
        if (error !== null) {
          this.#outage.begin();
          const reason = reasonOf(errorCode(error) || 'unknown');
          reject(new StorageUnavailable(`no database connection: ${reason}`));
          return;
        }
        if (isTimedOut) {
          raw.release();
          return;
        }
        resolve(new MysqlConnection(raw, statementTimeoutMs, () => this.#outage.begin()));
      });
    });
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (!(connection instanceof MysqlConnection)) return;
    if (connection.broken) connection.raw.destroy();
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

/** Options of every connection: no statement is taken apart, and no file of this machine is read. */
export const SAFE_OPTIONS = {
  charset: 'utf8mb4_bin',
  timezone: 'Z',
  multipleStatements: false,
  flags: ['-LOCAL_FILES'],
};

/**
 * Statements that set up every session alike: strict values, UTC, short lock waits, and a time
 * limit in the server a little below ours. MariaDB takes seconds for every statement, MySQL ms for
 * SELECT; each ignores the comment form of the other.
 */
export function sessionSetup(statementTimeoutMs: number): readonly string[] {
  const limitMs = Math.max(1, Math.floor(statementTimeoutMs * 0.8));
  return [
    'set session transaction isolation level read committed',
    "set session time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'," +
      ' innodb_lock_wait_timeout = 3' +
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
