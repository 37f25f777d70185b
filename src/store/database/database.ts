import { setTimeout as delay } from 'node:timers/promises';
import { type Compilable, CompiledQuery, Kysely, sql } from 'kysely';
import { asUnavailable, CommitUnknown, isFault } from './database-fault.ts';
import { type DatabaseLogin, mysqlDialect, MysqlServer, type MysqlSettings } from './mysql.ts';
import { checkFile, DatabaseHealth } from './checks/database-health.ts';
import { insertAlone, loneInsert } from './lone-insert.ts';
import { applyMigration, MIGRATIONS } from './migrations.ts';
import { forgetLoss, keepDamagedLog, lossOf } from './log/lost-writes.ts';
import type { CheckedTable } from './checks/row-checks.ts';
import { sealRows } from './checks/seal-rows.ts';
import type { Schema } from './schema.ts';
import { type DialectName, SchemaEditor } from './schema-editor.ts';
import { createSqliteFile, SqliteReader, sqliteReader, sqliteWriter } from './sqlite.ts';
import { Miscount, type ScriptStatement } from './script.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { StorageUnavailable } from '../terms.ts';

export interface DatabaseSettings {
  /** `sqlite:path` or `mysql://user:password@host:port/database`. */
  readonly url: string;
  readonly connectionsMax: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Start even if the server may lose acknowledged commits in a power cut. */
  readonly allowUnsafeCommits: boolean;
  /** How often the log says that a migration goes on. */
  readonly progressMs?: number;
  /** Called with messages for the operator. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Returns user and password for a new connection to MySQL; absent: the URL's are used. */
  readonly login?: (() => DatabaseLogin) | undefined;
}

/** Attempts of a unit of work after a deadlock, a busy database or a lost connection. */
const TRIES_MAX = 4;
/** Unit of the random delay between two attempts, which doubles with each attempt. */
const RETRY_DELAY_MS = 10;
/** SQLite: how long a writer waits for another process's write transaction. */
const BUSY_MS_MAX = 5_000;
/** SQLite: longest pause between two attempts to begin a transaction. */
const BUSY_PAUSE_MS_MAX = 50;
const MIGRATION_LOCK = 'intaglio_migrate';
const MIGRATION_LOCK_EVERY_MS = 100;
/** How often the log says that a migration goes on. */
const PROGRESS_MS = 10_000;
/** Least packet that MySQL must take: drafts with images and the outcomes of runs are rows. */
const PACKET_BYTES_MIN = 16 * 1024 * 1024;

/** The connections to the database, and the ways to use them: read, write, transact, commit. */
export class Database {
  readonly dialect: DialectName;
  /** Ids of new audit records begin with this time or a later one (seals/seals.ts). */
  auditFloorMs = 0;
  readonly #reader: Kysely<Schema>;
  readonly #writer: Kysely<Schema>;
  /** MySQL: the connection of group commits. */
  readonly #committer: Kysely<Schema>;
  /** Null for SQLite. */
  readonly #server: MysqlServer | null;
  /** Null for MySQL. */
  readonly #scripts: SqliteWriter | null;
  readonly #sqlite: { readonly path: string; readonly reader: SqliteReader } | null;
  readonly #health: DatabaseHealth | null;
  readonly #settings: DatabaseSettings;
  /** SQLite: acknowledged rows were lost with the log of writes; null: not, or it was accepted. */
  #loss: string | null = null;

  constructor(settings: DatabaseSettings) {
    this.#settings = settings;
    if (settings.url.startsWith('sqlite:')) {
      const path = settings.url.slice('sqlite:'.length);
      createSqliteFile(path);
      this.dialect = 'sqlite';
      // Readers of a write-ahead log are never blocked by the writer, nor by its transaction.
      this.#scripts = new SqliteWriter(path);
      this.#writer = new Kysely<Schema>({ dialect: sqliteWriter(this.#scripts) });
      this.#committer = this.#writer;
      const reader = new SqliteReader(path);
      this.#sqlite = { path, reader };
      this.#health = new DatabaseHealth(path);
      this.#reader = new Kysely<Schema>({ dialect: sqliteReader(reader) });
      this.#server = null;
    } else {
      this.dialect = 'mysql';
      this.#server = new MysqlServer(settings);
      // Neither a crowd of readers nor the runs of a team may take the connection of group commits.
      const { connectionsMax } = settings;
      const readers = Math.max(1, Math.floor(connectionsMax / 2));
      const commits = connectionsMax > 2 ? 1 : 0;
      const writers = Math.max(1, connectionsMax - readers - commits);
      this.#writer = this.#openMysql({ ...settings, connectionsMax: writers }, this.#server);
      this.#committer =
        commits === 0
          ? this.#writer
          : this.#openMysql({ ...settings, connectionsMax: commits }, this.#server);
      this.#reader = this.#openMysql({ ...settings, connectionsMax: readers }, this.#server);
      this.#scripts = null;
      this.#sqlite = null;
      this.#health = null;
    }
  }

  #openMysql(settings: MysqlSettings, server: MysqlServer): Kysely<Schema> {
    return new Kysely<Schema>({ dialect: mysqlDialect(settings, server) });
  }

  /** Runs statements that change nothing; retries on a new connection when theirs was lost. */
  read<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    return this.#noting(withRetries('lost', () => work(this.#reader)));
  }

  /**
   * As `read`, for one query whose rows may hold megabytes: SQLite reads them in another thread,
   * into shared memory, because reading 8 MB takes the main thread 10 to 200 ms.
   */
  readLong<T>(query: (db: Kysely<Schema>) => Compilable<T>): Promise<readonly T[]> {
    const scripts = this.#scripts;
    if (scripts === null) {
      return this.read(async (db) => (await db.executeQuery(query(db).compile())).rows);
    }
    const { sql: text, parameters } = query(this.#reader).compile();
    // The caller knows the columns it asked for.
    const rows = (): Promise<readonly T[]> =>
      scripts.read(text, parameters) as Promise<readonly T[]>;
    return this.#noting(withRetries('lost', rows));
  }

  /** Runs one statement that changes rows; retries only when it certainly changed none. */
  write<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    // Only BEGIN IMMEDIATE waits for another process's write without blocking the event loop.
    if (this.dialect === 'sqlite') return this.transact(work);
    return withRetries('conflict', () => work(this.#writer));
  }

  /**
   * Runs `work` as a transaction. Retries when it was certainly rolled back, as it is when the
   * connection is lost before COMMIT is sent.
   */
  transact<T>(work: (trx: Kysely<Schema>) => Promise<T>): Promise<T> {
    return this.#noting(withRetries('lost', () => this.#transactOnce(work)));
  }

  /** Makes one attempt; throws faults and `CommitUnknown` untranslated. */
  #transactOnce<T>(
    work: (trx: Kysely<Schema>) => Promise<T>,
    pool: Kysely<Schema> = this.#writer,
  ): Promise<T> {
    return pool.connection().execute(async (connection) => {
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
    return this.#commit(statements, false);
  }

  /**
   * As `commit`, for the group commit that requests of all teams wait for, of which one is under way
   * at a time: it waits for no other transaction that has yet to begin.
   */
  commitGroup(statements: readonly ScriptStatement[]): Promise<void> {
    return this.#commit(statements, true);
  }

  #commit(statements: readonly ScriptStatement[], isGroup: boolean): Promise<void> {
    if (this.#scripts !== null) return this.#noting(this.#scripts.transact(statements, isGroup));
    const pool = isGroup ? this.#committer : this.#writer;
    const insert = loneInsert(statements);
    if (insert !== null) return insertAlone(pool, insert);
    return this.#transactOnce(async (connection) => {
      for (const [index, { sql: text, parameters, changes }] of statements.entries()) {
        const result = await connection.executeQuery(CompiledQuery.raw(text, [...parameters]));
        if (changes !== null && Number(result.numAffectedRows) !== changes)
          throw new Miscount(index);
      }
    }, pool);
  }

  /** SQLite: remembers damage that a statement met. */
  async #noting<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.#health?.note(error);
      throw error;
    }
  }

  /** Reads rows as they are, although SQLite's check of a row may not fit (checks/row-checks.ts). */
  readUncompared<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    return this.read((db) => work(this.dialect === 'sqlite' ? db.withSchema('main') : db));
  }

  /** SQLite: throws when a statement found the file damaged and no check has passed since. */
  demandSound(): void {
    this.#health?.demandSound();
  }

  /** SQLite: tables in which this process met a damaged row. */
  get damagedTables(): readonly string[] {
    return [...(this.#health?.damagedTables ?? [])].toSorted();
  }

  /** SQLite: examines the structure of the file and returns its defects; none for MySQL. */
  async quickCheck(): Promise<readonly string[]> {
    return this.#checkFile('pages');
  }

  /** SQLite: as `quickCheck`, and compares the indexes with their tables. */
  async integrityCheck(): Promise<readonly string[]> {
    return this.#checkFile('indexes');
  }

  async #checkFile(extent: 'pages' | 'indexes'): Promise<readonly string[]> {
    return this.#sqlite === null ? [] : checkFile({ path: this.#sqlite.path, extent });
  }

  /**
   * SQLite: keeps the log of writes if it was damaged while no process used the database. Call this
   * before the first statement, which would begin the log anew.
   */
  async examineLog(): Promise<void> {
    if (this.#sqlite === null || this.#sqlite.path === ':memory:') return;
    await keepDamagedLog(this.#sqlite.path);
    this.#loss = await lossOf(this.#sqlite.path);
  }

  /** SQLite: what an operator is told of rows that were lost with the log of writes; or null. */
  get loss(): string | null {
    return this.#loss;
  }

  /** SQLite: goes on without the rows that were lost. */
  async acceptLoss(): Promise<void> {
    if (this.#sqlite !== null && this.#loss !== null) await forgetLoss(this.#sqlite.path);
    this.#loss = null;
  }

  /** SQLite: the tables whose rows have checks; none for MySQL. */
  checkedTables(): readonly CheckedTable[] {
    return this.#sqlite?.reader.open().checkedTables() ?? [];
  }

  /** SQLite: whether the definitions of tables, indexes and triggers are those that were recorded. */
  schemaFits(): boolean {
    return this.#sqlite?.reader.open().schemaFits() ?? true;
  }

  /** SQLite: records the definitions of tables, indexes and triggers as they are. */
  async acceptSchema(): Promise<void> {
    await this.transact(() => this.#scripts?.recordSchema() ?? Promise.resolve());
  }

  /** Like `commit`, but retries as `transact` does. */
  commitWithRetries(statements: readonly ScriptStatement[]): Promise<void> {
    return withRetries('lost', () => this.commit(statements));
  }

  /** IMMEDIATE takes SQLite's write lock now, so that no later statement can fail to get it. */
  async #begin(connection: Kysely<Schema>): Promise<void> {
    if (this.dialect === 'mysql') {
      await connection.executeQuery(CompiledQuery.raw('begin'));
      return;
    }
    const startMs = performance.now();
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, BUSY_PAUSE_MS_MAX)) {
      try {
        await connection.executeQuery(CompiledQuery.raw('begin immediate'));
        return;
      } catch (error) {
        if (!isFault(error, 'conflict')) throw error;
        if (performance.now() - startMs > BUSY_MS_MAX) {
          throw new StorageUnavailable('another process keeps the database busy', { cause: error });
        }
        await delay(pauseMs);
      }
    }
  }

  /**
   * Brings the schema up to date; several processes may do so at the same time. It takes as long as
   * the tables are large: an index over millions of rows outlasts every limit of a request.
   */
  async migrate(): Promise<void> {
    if (this.#server === null) {
      const hasUnsealed = await this.transact(async (trx) => {
        const isChanged = await this.#applyMigrations(trx);
        return this.#scripts?.addChecks(isChanged);
      });
      this.#sqlite?.reader.open().compareReads();
      if (hasUnsealed === true) await this.#sealAll();
      return;
    }
    const unlimited = { ...this.#settings, connectionsMax: 1, statementTimeoutMs: 0 };
    const database = this.#openMysql(unlimited, this.#server);
    try {
      await database.connection().execute(async (connection) => {
        await this.#lockMigrations(connection);
        try {
          await this.#applyMigrations(connection);
        } finally {
          await sql`select release_lock(concat(database(), ${MIGRATION_LOCK}))`.execute(connection);
        }
      });
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      await database.destroy();
    }
  }

  /**
   * SQLite: seals the rows of tables that have just got checks, or were being given them when a
   * process ended. A previous version may go on writing; its rows are left to a scrub.
   */
  async #sealAll(): Promise<void> {
    let rows = 0;
    await this.#sayingProgress(
      () => `${rows} rows of the database have got their checks`,
      async () => {
        for (const table of this.checkedTables()) {
          await sealRows(this, table, (sealed) => (rows += sealed));
        }
      },
    );
    await this.acceptSchema();
  }

  /** Waits for as long as another process changes the schema, and says so. */
  async #lockMigrations(connection: Kysely<Schema>): Promise<void> {
    let saidAtMs = performance.now();
    for (;;) {
      const { rows } = await sql<{ locked: number | null }>`
        select get_lock(concat(database(), ${MIGRATION_LOCK}), 0) as locked
      `.execute(connection);
      if (Number(rows[0]?.locked) === 1) return;
      if (performance.now() - saidAtMs > PROGRESS_MS) {
        saidAtMs = performance.now();
        this.#settings.warn?.('another process changes the schema of the database: waiting for it');
      }
      await delay(MIGRATION_LOCK_EVERY_MS);
    }
  }

  /** Runs one migration. */
  async #applyMigration(version: number, work: () => Promise<void>): Promise<void> {
    const step = `schema ${version} of ${MIGRATIONS.length}`;
    await this.#sayingProgress(() => `the database is being brought to ${step}`, work);
  }

  /** The log says what is being done and for how long, if it takes a while. */
  async #sayingProgress(describe: () => string, work: () => Promise<void>): Promise<void> {
    const startMs = performance.now();
    const say = (): void => {
      const seconds = Math.round((performance.now() - startMs) / 1_000);
      this.#settings.warn?.(`${describe()}, for ${seconds} s so far`);
    };
    const timer = setInterval(say, this.#settings.progressMs ?? PROGRESS_MS);
    try {
      await work();
    } finally {
      clearInterval(timer);
    }
  }

  /** Returns whether any was missing. */
  async #applyMigrations(connection: Kysely<Schema>): Promise<boolean> {
    await connection.schema
      .createTable('schema_version')
      .ifNotExists()
      .addColumn('version', 'integer', (column) => column.primaryKey().notNull())
      .execute();
    const rows = await connection.selectFrom('schema_version').select('version').execute();
    const applied = new Set(rows.map((row) => row.version));
    const newest = Math.max(0, ...applied);
    // Migrations only add (migrations.test.ts), so an instance of the previous version may restart
    // while others are updated already.
    if (newest > MIGRATIONS.length) {
      this.#settings.warn?.(
        `the database has schema ${newest}, this program knows ${MIGRATIONS.length}: update it soon`,
      );
    }
    const editor = new SchemaEditor(connection, this.dialect);
    for (let version = 1; version <= MIGRATIONS.length; version += 1) {
      if (applied.has(version)) continue;
      await this.#applyMigration(version, () => applyMigration(editor, version));
      await connection.insertInto('schema_version').values({ version }).execute();
    }
    return applied.size < MIGRATIONS.length;
  }

  /**
   * Throws when the server may lose acknowledged rows in a power cut (up to 1,231 in our tests), or
   * has tables without transactions; warns of a packet limit that is too small.
   */
  async checkDurability(): Promise<void> {
    if (this.#server === null) return; // sqlite-file.ts sets and checks the modes.
    const { rows } = await this.read((db) =>
      sql<{ flush: number; binlog: number; sync: number; packet: number }>`
        select @@global.innodb_flush_log_at_trx_commit as flush, @@global.log_bin as binlog,
          @@global.sync_binlog as sync, @@session.max_allowed_packet as packet
      `.execute(db),
    );
    const [row] = rows;
    this.#server.packetBytesMax = Number(row?.packet);
    if (Number(row?.packet) < PACKET_BYTES_MIN) {
      const megabytes = Math.floor(Number(row?.packet) / 1024 / 1024);
      this.#settings.warn?.(
        `the database's max_allowed_packet is ${megabytes} MB: set it to 16 MB or more, or large` +
          ' templates cannot be saved',
      );
    }
    await this.#checkEngines();
    const flushes = Number(row?.flush) === 1;
    // Recovery drops prepared transactions that are missing from the binary log.
    const syncs = Number(row?.binlog) === 0 || Number(row?.sync) === 1;
    if ((flushes && syncs) || this.#settings.allowUnsafeCommits) return;
    throw new StorageUnavailable(
      'the database may lose acknowledged documents: set innodb_flush_log_at_trx_commit = 1' +
        ' and, with a binary log, sync_binlog = 1; or allow unsafe commits explicitly',
    );
  }

  async #checkEngines(): Promise<void> {
    const { rows } = await this.read((db) =>
      sql<{ name: string }>`
        select table_name as name from information_schema.tables
        where table_schema = database() and table_type = 'BASE TABLE' and engine <> 'InnoDB'
      `.execute(db),
    );
    if (rows.length === 0) return;
    const names = rows.map((row) => row.name).join(', ');
    throw new StorageUnavailable(
      `tables without transactions lose rows: run "alter table … engine = InnoDB" for ${names}`,
    );
  }

  async close(): Promise<void> {
    for (const pool of new Set([this.#writer, this.#committer, this.#reader])) await pool.destroy();
    // The migrations open it without kysely, which then does not close it.
    this.#sqlite?.reader.close();
  }
}

/** Rolls back. A connection that fails to do so is marked as broken and dropped by its driver. */
async function rollBack(connection: Kysely<Schema>): Promise<void> {
  try {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  } catch (error) {
    // Nothing is left to roll back: SQLite ends some transactions by itself, and the server rolls
    // back those of a lost connection. The caller reports the error that made it roll back.
    if (!(error instanceof Error)) throw error;
  }
}

/**
 * Tries work again after a conflict, and with `lost` also after a lost connection, for work that
 * may run twice.
 */
async function withRetries<T>(after: 'conflict' | 'lost', work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const mayRetry = isFault(error, 'conflict') || isFault(error, after);
      if (!mayRetry || tries >= TRIES_MAX) throw asUnavailable(error);
      // A random delay, so that two deadlocked transactions do not collide again.
      await delay(Math.random() * RETRY_DELAY_MS * 2 ** tries);
    }
  }
}
