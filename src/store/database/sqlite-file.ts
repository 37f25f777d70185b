import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  addCheckFunctions,
  addRowChecks,
  type CheckedTable,
  compareReads,
  forgetSchema,
  listCheckedTables,
  recordSchema,
  schemaFits,
  sealWrites,
} from './checks/row-checks.ts';
import { CheckedInsert, type InsertTarget } from './checks/row-inserts.ts';

/** Limit of the prepared statements that are kept; beyond it the oldest is dropped. */
const STATEMENTS_MAX = 256;
/** Limit of the kinds of INSERT that are kept; the program has about ten. */
const INSERTS_MAX = 64;

interface Prepared {
  readonly statement: StatementSync;
  readonly reads: boolean;
  /** Whether its rows hold their checks, as `select *` of the connection that writes does. */
  readonly showsCheck: boolean;
}

export interface SqliteSettings {
  readonly path: string;
  readonly readsOnly: boolean;
  /** How long a statement may wait for another process's write. */
  readonly busyTimeoutMs: number;
}

/** A value that SQLite can store. */
export type Cell = null | number | bigint | string | NodeJS.ArrayBufferView;

export interface SqliteResult {
  readonly rows: readonly unknown[];
  /** Null for a statement that reads. */
  readonly changes: number | bigint | null;
  readonly lastInsertRowid: number | bigint | null;
}

/** The file system cannot keep a write-ahead log. */
export class NoWriteAheadLog extends Error {
  override readonly name = 'NoWriteAheadLog';
}

/** An open database file. All methods are synchronous and throw node:sqlite's errors. */
export class SqliteFile {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  /** By table and columns, which are constants of the program. */
  readonly #inserts = new Map<string, CheckedInsert>();

  constructor(settings: SqliteSettings) {
    this.#database = new DatabaseSync(settings.path, { timeout: 0, allowExtension: false });
    try {
      this.#setUp(settings);
    } catch (error) {
      // The caller may try to open the file again, so a failed attempt must not leave it open.
      this.#database.close();
      throw error;
    }
  }

  run(sql: string, parameters: readonly Cell[]): SqliteResult {
    const { statement, reads, showsCheck } = this.#prepare(sql);
    if (reads) {
      const rows = statement.all(...parameters);
      // Nobody may write it back: it would not fit the row that a transaction changes.
      if (showsCheck) for (const row of rows) delete row['row_check'];
      return { rows, changes: null, lastInsertRowid: null };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], changes, lastInsertRowid };
  }

  /** Inserts whole rows with their checks; `cells` are those of all rows. */
  insert(target: InsertTarget, cells: readonly Cell[]): SqliteResult {
    const key = `${target.table} ${target.columns}`;
    let insert = this.#inserts.get(key);
    if (insert === undefined) {
      if (this.#inserts.size >= INSERTS_MAX) this.#inserts.clear();
      insert = new CheckedInsert(this.#database, target);
      this.#inserts.set(key, insert);
    }
    const { sql, parameters } = insert.statement(cells);
    return this.run(sql, parameters);
  }

  /**
   * Prepares tables that migrations made for the checks of their rows (checks/row-checks.ts), in the
   * transaction of the migrations. Returns whether rows may have to be sealed; then the caller does
   * that and calls `recordSchema`.
   */
  addChecks(isMigrated: boolean): boolean {
    const database = this.#database;
    // A damaged definition may only change what the triggers should be: it must not be recorded.
    const mayRecord = isMigrated || schemaFits(database);
    const { isChanged, hasUnsealed } = addRowChecks(database);
    if (hasUnsealed) forgetSchema(database);
    else if (isMigrated || (isChanged && mayRecord)) recordSchema(database);
    sealWrites(database);
    this.#inserts.clear();
    return hasUnsealed;
  }

  /** Records the definitions of tables, indexes and triggers as they are. */
  recordSchema(): void {
    recordSchema(this.#database);
  }

  /** Compares the rows that this connection reads from now on, after migrations changed tables. */
  compareReads(): void {
    const database = this.#database;
    this.#statements.clear();
    database.exec('pragma query_only = 0');
    compareReads(database);
    database.exec('pragma query_only = 1');
  }

  /** The tables whose rows have checks. */
  checkedTables(): readonly CheckedTable[] {
    return listCheckedTables(this.#database).filter(({ hasChecks }) => hasChecks);
  }

  /** Whether the definitions of tables, indexes and triggers are those that were recorded. */
  schemaFits(): boolean {
    return schemaFits(this.#database);
  }

  close(): void {
    this.#database.close();
  }

  #setUp({ readsOnly, busyTimeoutMs }: SqliteSettings): void {
    const database = this.#database;
    // Until the file is set up, statements wait this long for another process.
    database.exec('pragma busy_timeout = 2000');
    // With WAL and FULL every commit syncs the log, so an acknowledged row survives a power cut.
    const mode = database.prepare('pragma journal_mode = wal').get();
    if (mode?.['journal_mode'] !== 'wal') throw new NoWriteAheadLog();
    database.exec('pragma synchronous = full');
    // node:sqlite would check foreign keys. No table declares one, because a row may outlive what it
    // refers to, as an audit record outlives its document.
    database.exec('pragma foreign_keys = off');
    // Deleted rows are overwritten, so that keys of expired documents do not stay in the file.
    if (!readsOnly) database.exec('pragma secure_delete = on');
    // A page whose cells lie outside of it is an error at once, not a wrong row.
    database.exec('pragma cell_size_check = on');
    addCheckFunctions(database);
    if (readsOnly) this.compareReads();
    else sealWrites(database);
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  }

  #prepare(sql: string): Prepared {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    if (this.#statements.size >= STATEMENTS_MAX) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    const statement = this.#database.prepare(sql);
    const columns = statement.columns();
    const showsCheck = columns.some(({ name }) => name === 'row_check');
    const prepared = { statement, reads: columns.length > 0, showsCheck };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}
