import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
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
import { DatabaseFault } from './database-fault.ts';
import { makeFolder } from '../../runtime/folder.ts';
import { reasonOf } from '../reason.ts';
import { asCell, translate } from './sqlite-fault.ts';
import { SqliteFile, type SqliteResult } from './sqlite-file.ts';
import type { SqliteWriter } from './sqlite-writer.ts';
import { StorageUnavailable } from '../terms.ts';

/** A read-only kysely dialect over node:sqlite. */
export function sqliteReader(reader: SqliteReader): Dialect {
  return sqliteDialect(() => new ReadDriver(reader));
}

/** A kysely dialect over the thread that writes. */
export function sqliteWriter(writer: SqliteWriter): Dialect {
  return sqliteDialect(() => new WriteDriver(writer));
}

/** Creates the folder (0700) and the file (0600) of a database that does not exist yet. */
export function createSqliteFile(path: string): void {
  try {
    makeFolder(dirname(path));
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new StorageUnavailable(`cannot open the SQLite file: ${reasonOf(code)}`);
  }
}

/** A kysely dialect over a database in memory, which the caller closes. */
export function sqliteInMemory(database: DatabaseSync): Dialect {
  return sqliteDialect(() => new MemoryDriver(database));
}

function sqliteDialect(createDriver: () => Driver): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class SqliteConnection implements DatabaseConnection {
  readonly #run: (query: CompiledQuery) => SqliteResult | Promise<SqliteResult>;

  constructor(run: (query: CompiledQuery) => SqliteResult | Promise<SqliteResult>) {
    this.#run = run;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes, lastInsertRowid } = await this.#run(query);
    // The caller knows the columns it asked for.
    if (changes === null) return { rows: rows as R[] };
    return {
      rows: [],
      numAffectedRows: BigInt(changes),
      insertId: BigInt(lastInsertRowid ?? 0),
    };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

abstract class SqliteDriver implements Driver {
  abstract init(): Promise<void>;
  abstract acquireConnection(): Promise<DatabaseConnection>;
  abstract releaseConnection(): Promise<void>;
  abstract destroy(): Promise<void>;

  // Database drives transactions: it must distinguish a failed COMMIT from other errors.
  async beginTransaction(): Promise<void> {
    throw new DatabaseFault('refused', 'use Database.transact');
  }
  async commitTransaction(): Promise<void> {
    throw new DatabaseFault('refused', 'use Database.transact');
  }
  async rollbackTransaction(): Promise<void> {
    throw new DatabaseFault('refused', 'use Database.transact');
  }
}

/** Reads on the main thread, mostly from the page cache, without waiting for writers. */
export class SqliteReader {
  readonly #path: string;
  #file: SqliteFile | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  run(sql: string, parameters: readonly unknown[]): SqliteResult {
    const cells = parameters.map(asCell);
    try {
      return this.open().run(sql, cells);
    } catch (error) {
      throw translate(error);
    }
  }

  open(): SqliteFile {
    try {
      this.#file ??= new SqliteFile({ path: this.#path, readsOnly: true, busyTimeoutMs: 0 });
      return this.#file;
    } catch (error) {
      throw translate(error);
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }
}

class ReadDriver extends SqliteDriver {
  readonly #reader: SqliteReader;
  #connection: SqliteConnection | null = null;

  constructor(reader: SqliteReader) {
    super();
    this.#reader = reader;
  }

  async init(): Promise<void> {
    this.#reader.open();
    this.#connection = new SqliteConnection(({ sql, parameters }) =>
      this.#reader.run(sql, parameters),
    );
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#connection === null) throw new StorageUnavailable('the database is closed');
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    // Reads do not disturb each other.
  }

  async destroy(): Promise<void> {
    this.#connection = null;
    this.#reader.close();
  }
}

class WriteDriver extends SqliteDriver {
  readonly #writer: SqliteWriter;
  readonly #connection: SqliteConnection;

  constructor(writer: SqliteWriter) {
    super();
    this.#writer = writer;
    this.#connection = new SqliteConnection(({ sql, parameters }) => writer.run(sql, parameters));
  }

  async init(): Promise<void> {
    // The thread opens the file with its first statement.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#writer.acquire();
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#writer.release();
  }

  async destroy(): Promise<void> {
    await this.#writer.close();
  }
}

class MemoryDriver extends SqliteDriver {
  readonly #connection: SqliteConnection;

  constructor(database: DatabaseSync) {
    super();
    this.#connection = new SqliteConnection(({ sql, parameters }) => {
      const statement = database.prepare(sql);
      const cells = parameters.map(asCell);
      if (statement.columns().length > 0) {
        return { rows: statement.all(...cells), changes: null, lastInsertRowid: null };
      }
      return { rows: [], ...statement.run(...cells) };
    });
  }

  async init(): Promise<void> {
    // The database is open.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    // There is one connection.
  }

  async destroy(): Promise<void> {
    // The caller closes the database.
  }
}
