import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { DatabaseFault } from './fault.ts';
import { StorageUnavailable } from './store.ts';

/** Statements kept prepared per connection; the oldest is dropped beyond it. */
const STATEMENTS_MAX = 256;
/** Callers that may wait for the one write connection. */
const WAITING_MAX = 4_096;

// SQLite result codes (sqlite3.h); the low byte of an extended code is the primary one.
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_TOOBIG = 18;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISMATCH = 20;
const SQLITE_MISUSE = 21;
const SQLITE_RANGE = 25;
const SQLITE_CONSTRAINT_PRIMARYKEY = SQLITE_CONSTRAINT | (6 << 8);
const SQLITE_CONSTRAINT_UNIQUE = SQLITE_CONSTRAINT | (8 << 8);

/** Translates an error of node:sqlite (`errcode` is the extended result code). */
function translate(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  const extended = Number(error.errcode);
  if (extended === SQLITE_CONSTRAINT_PRIMARYKEY || extended === SQLITE_CONSTRAINT_UNIQUE) {
    return new DatabaseFault('duplicate', `SQLITE_${extended}`);
  }
  switch (extended & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return new DatabaseFault('conflict', `SQLITE_${extended}`);
    case SQLITE_ERROR:
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
      return new DatabaseFault('refused', `SQLITE_${extended}`);
    // FULL, IOERR, READONLY, CANTOPEN, CORRUPT, NOTADB, NOMEM, PERM, AUTH, …: the disk's matter.
    // oxlint-disable-next-line unicorn/no-useless-switch-case
  }
  return new StorageUnavailable(`SQLite answered with result code ${extended}`);
}

type Cell = null | number | bigint | string | NodeJS.ArrayBufferView;

function asCell(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  if (ArrayBuffer.isView(value)) return value as NodeJS.ArrayBufferView;
  throw new DatabaseFault('refused', 'a parameter that is neither text, number nor bytes');
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, { statement: StatementSync; reads: boolean }>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  #prepare(sql: string): { statement: StatementSync; reads: boolean } {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= STATEMENTS_MAX) {
      for (const oldest of this.#statements.keys()) {
        this.#statements.delete(oldest);
        break;
      }
    }
    const statement = this.#database.prepare(sql);
    const made = { statement, reads: statement.columns().length > 0 };
    this.#statements.set(sql, made);
    return made;
  }

  // Async in form only: SQLite answers within the call.
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = query.parameters.map(asCell);
    try {
      const { statement, reads } = this.#prepare(query.sql);
      if (reads) return { rows: statement.all(...parameters) as R[] };
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return {
        rows: [],
        numAffectedRows: BigInt(changes),
        insertId: BigInt(lastInsertRowid),
      };
    } catch (error) {
      throw translate(error);
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

/**
 * One connection to one file. The writer is handed to one user at a time: statements of two
 * interleaved async callers would otherwise run in each other's transaction.
 */
class SqliteDriver implements Driver {
  readonly #path: string;
  readonly #exclusive: boolean;
  #database: DatabaseSync | undefined;
  #connection: SqliteConnection | undefined;
  #taken = false;
  readonly #waiting: (() => void)[] = [];

  constructor(path: string, exclusive: boolean) {
    this.#path = path;
    this.#exclusive = exclusive;
  }

  async init(): Promise<void> {
    try {
      const database = new DatabaseSync(this.#path, { timeout: 0, allowExtension: false });
      this.#database = database;
      // WAL + FULL: every commit syncs the log, so an acknowledged row survives a power cut.
      database.exec('pragma busy_timeout = 2000');
      const mode = database.prepare('pragma journal_mode = wal').get();
      if (mode?.['journal_mode'] !== 'wal') {
        throw new StorageUnavailable('SQLite cannot keep a write-ahead log on this file system');
      }
      database.exec('pragma synchronous = full');
      database.exec('pragma foreign_keys = off');
      if (!this.#exclusive) database.exec('pragma query_only = 1');
      // From here on a busy database is waited for without blocking the event loop (see Database).
      database.exec('pragma busy_timeout = 0');
      this.#connection = new SqliteConnection(database);
    } catch (error) {
      throw translate(error);
    }
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#connection === undefined) throw new StorageUnavailable('the database is closed');
    if (this.#exclusive) {
      if (this.#taken) {
        if (this.#waiting.length >= WAITING_MAX) {
          throw new StorageUnavailable('too many callers wait for the database');
        }
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      this.#taken = true;
    }
    return this.#connection;
  }

  // The connection passes to the next in line without becoming free in between.
  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }

  // Transactions are driven by Database.transact, which must tell a failed COMMIT from the rest.
  async beginTransaction(): Promise<void> {
    throw new DatabaseFault('refused', 'use Database.transact');
  }
  async commitTransaction(): Promise<void> {
    throw new DatabaseFault('refused', 'use Database.transact');
  }
  async rollbackTransaction(): Promise<void> {
    throw new DatabaseFault('refused', 'use Database.transact');
  }

  async destroy(): Promise<void> {
    this.#connection = undefined;
    this.#database?.close();
    this.#database = undefined;
  }
}

/** A kysely dialect over node:sqlite. `exclusive`: the one writer; otherwise a reader. */
export function sqliteDialect(path: string, exclusive: boolean): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(path, exclusive),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Makes the folder (0700) and the file (0600) of a database that does not exist yet. */
export function createSqliteFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new StorageUnavailable(`cannot open the SQLite file: ${code}`);
  }
}
