import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery, Kysely, sql } from 'kysely';
import { asUnavailable, CommitUnknown, isFault } from './database-fault.ts';
import { mysqlDialect, type DatabaseLogin } from './mysql.ts';
import type { DialectName } from './columns.ts';
import { MIGRATIONS, type Schema } from './schema.ts';
import { createSqliteFile, sqliteReader, sqliteWriter } from './sqlite.ts';
import { Miscount, type ScriptStatement } from './script.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { StorageUnavailable } from '../store.ts';

export interface DatabaseSettings {
  /** `sqlite:path` or `mysql://user:password@host:port/database`. */
  readonly url: string;
  readonly connectionsMax: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Start even if the server may lose acknowledged commits in a power cut. */
  readonly allowUnsafeCommits: boolean;
  /** Called with messages for the operator. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Returns user and password for a new connection to MySQL; absent: the URL's are used. */
  readonly login?: (() => DatabaseLogin) | undefined;
}

/** Attempts of a unit of work after a deadlock, a busy database or a lost connection. */
const TRIES_MAX = 4;
/** SQLite: how long a writer waits for another process's write transaction. */
const BUSY_MS_MAX = 5_000;
const MIGRATION_LOCK = 'intaglio_migrate';
const MIGRATION_LOCK_MS_MAX = 60_000;
const MIGRATION_LOCK_EVERY_MS = 100;

/** The connections, and the only ways to use them: read, write, transact. */
export class Database {
  readonly dialect: DialectName;
  readonly #reader: Kysely<Schema>;
  readonly #writer: Kysely<Schema>;
  /** Null for MySQL. */
  readonly #scripts: SqliteWriter | null;
  readonly #settings: DatabaseSettings;

  constructor(settings: DatabaseSettings) {
    this.#settings = settings;
    if (settings.url.startsWith('sqlite:')) {
      const path = settings.url.slice('sqlite:'.length);
      createSqliteFile(path);
      this.dialect = 'sqlite';
      // Readers of a write-ahead log are never blocked by the writer, nor by its transaction.
      this.#scripts = new SqliteWriter(path);
      this.#writer = new Kysely<Schema>({ dialect: sqliteWriter(this.#scripts) });
      this.#reader = new Kysely<Schema>({ dialect: sqliteReader(path) });
    } else {
      this.dialect = 'mysql';
      this.#writer = new Kysely<Schema>({ dialect: mysqlDialect(settings) });
      this.#reader = this.#writer;
      this.#scripts = null;
    }
  }

  /** Runs statements that change nothing; retries on a new connection when theirs was lost. */
  read<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    return persist(() => work(this.#reader), true);
  }

  /** Runs one statement that changes rows; retries only when it certainly changed none. */
  write<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    // Only BEGIN IMMEDIATE waits for another process's write without blocking the event loop.
    if (this.dialect === 'sqlite') return this.transact(work);
    return persist(() => work(this.#writer), false);
  }

  /**
   * Runs `work` as a transaction. Retries when it was certainly rolled back, as it is when the
   * connection is lost before COMMIT is sent.
   */
  transact<T>(work: (trx: Kysely<Schema>) => Promise<T>): Promise<T> {
    return persist(() => this.#transactOnce(work), true);
  }

  /** Makes one attempt; throws faults and `CommitUnknown` untranslated. */
  #transactOnce<T>(work: (trx: Kysely<Schema>) => Promise<T>): Promise<T> {
    return this.#writer.connection().execute(async (connection) => {
      await this.#begin(connection);
      let value: T;
      try {
        value = await work(connection);
      } catch (error) {
        await rollBack(connection);
        throw error;
      }
      try {
        await connection.executeQuery(CompiledQuery.raw('commit'));
      } catch (error) {
        await rollBack(connection);
        throw new CommitUnknown('COMMIT failed', { cause: error });
      }
      return value;
    });
  }

  /**
   * Runs a transaction of statements that are known beforehand, without retries. Throws `Miscount`
   * when a statement changed an unexpected number of rows; throws faults and `CommitUnknown`
   * untranslated.
   */
  commit(statements: readonly ScriptStatement[]): Promise<void> {
    if (this.#scripts !== null) return this.#scripts.transact(statements);
    return this.#transactOnce(async (connection) => {
      for (const [index, { sql: text, parameters, changes }] of statements.entries()) {
        const result = await connection.executeQuery(CompiledQuery.raw(text, [...parameters]));
        if (changes !== null && Number(result.numAffectedRows) !== changes)
          throw new Miscount(index);
      }
    });
  }

  /** As `commit`, but tried again like `transact`. */
  commitAgain(statements: readonly ScriptStatement[]): Promise<void> {
    return persist(() => this.commit(statements), true);
  }

  /**
   * IMMEDIATE takes SQLite's write lock at once, so no transaction fails half way for want of it.
   */
  async #begin(connection: Kysely<Schema>): Promise<void> {
    if (this.dialect === 'mysql') {
      await connection.executeQuery(CompiledQuery.raw('begin'));
      return;
    }
    const startedAt = performance.now();
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      try {
        await connection.executeQuery(CompiledQuery.raw('begin immediate'));
        return;
      } catch (error) {
        if (!isFault(error, 'conflict')) throw error;
        if (performance.now() - startedAt > BUSY_MS_MAX) {
          throw new StorageUnavailable('another process keeps the database busy', { cause: error });
        }
        await delay(waitMs);
      }
    }
  }

  /** Brings the schema up to date; several processes may do so at the same time. */
  async migrate(): Promise<void> {
    if (this.dialect === 'sqlite') {
      await this.transact((trx) => this.#applyMigrations(trx));
      return;
    }
    await this.#writer
      .connection()
      .execute(async (connection) => {
        await lockMigrations(connection);
        try {
          await this.#applyMigrations(connection);
        } finally {
          await sql`select release_lock(concat(database(), ${MIGRATION_LOCK}))`.execute(connection);
        }
      })
      .catch((error: unknown) => {
        throw asUnavailable(error);
      });
  }

  async #applyMigrations(connection: Kysely<Schema>): Promise<void> {
    await connection.schema
      .createTable('schema_version')
      .ifNotExists()
      .addColumn('version', 'integer', (column) => column.primaryKey().notNull())
      .execute();
    const rows = await connection.selectFrom('schema_version').select('version').execute();
    const applied = new Set(rows.map((row) => row.version));
    const newest = Math.max(0, ...applied);
    // Migrations only add (schema.test.ts), so an instance of the previous version may restart
    // while others are updated already.
    if (newest > MIGRATIONS.length) {
      this.#settings.warn?.(
        `the database has schema ${newest}, this program knows ${MIGRATIONS.length}: update it soon`,
      );
    }
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (applied.has(index + 1)) continue;
      await migration(connection, this.dialect);
      await connection
        .insertInto('schema_version')
        .values({ version: index + 1 })
        .execute();
    }
  }

  /** Throws when the server may lose acknowledged rows in a power cut: up to 1,231 in our tests. */
  async checkDurability(): Promise<void> {
    if (this.dialect === 'sqlite') return; // sqlite-file.ts sets and checks the modes.
    const { rows } = await this.read((db) =>
      sql<{ flush: number; binlog: number; sync: number }>`
        select @@global.innodb_flush_log_at_trx_commit as flush, @@global.log_bin as binlog,
          @@global.sync_binlog as sync
      `.execute(db),
    );
    const [row] = rows;
    const flushes = Number(row?.flush) === 1;
    // Recovery drops prepared transactions that are missing from the binary log.
    const syncs = Number(row?.binlog) === 0 || Number(row?.sync) === 1;
    if ((flushes && syncs) || this.#settings.allowUnsafeCommits) return;
    throw new StorageUnavailable(
      'the database may lose acknowledged documents: set innodb_flush_log_at_trx_commit = 1' +
        ' and, with a binary log, sync_binlog = 1; or allow unsafe commits explicitly',
    );
  }

  async close(): Promise<void> {
    await this.#writer.destroy();
    if (this.#reader !== this.#writer) await this.#reader.destroy();
  }
}

/**
 * Polls for the lock: a statement that waited for it in the server would be ended by the statement
 * timeout long before another instance's migration has to be finished.
 */
async function lockMigrations(connection: Kysely<Schema>): Promise<void> {
  for (const endMs = performance.now() + MIGRATION_LOCK_MS_MAX; ;) {
    const got = await sql<{ got: number | null }>`
      select get_lock(concat(database(), ${MIGRATION_LOCK}), 0) as got
    `.execute(connection);
    if (Number(got.rows[0]?.got) === 1) return;
    if (performance.now() > endMs) {
      throw new StorageUnavailable('another process holds the migration lock');
    }
    await delay(MIGRATION_LOCK_EVERY_MS);
  }
}

/** Rolls back. The driver marks a connection that fails at this as broken and drops it. */
async function rollBack(connection: Kysely<Schema>): Promise<void> {
  try {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  } catch (error) {
    // The caller reports the first error; SQLite ends some transactions by itself, and a lost
    // connection was rolled back by the server.
    if (!(error instanceof Error)) throw error;
  }
}

async function persist<T>(work: () => Promise<T>, harmless: boolean): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const again = isFault(error, 'conflict') || (harmless && isFault(error, 'lost'));
      if (!again || tries >= TRIES_MAX) throw asUnavailable(error);
      // A random delay, so that two deadlocked transactions do not collide again.
      await delay(Math.random() * 10 * 2 ** tries);
    }
  }
}
