import {
  type ColumnDataType,
  type CreateTableBuilder,
  type QueryExecutorProvider,
  type RawBuilder,
  type SchemaModule,
  sql,
} from 'kysely';

export type DialectName = 'sqlite' | 'mysql';

type ColumnType = RawBuilder<unknown> | ColumnDataType;

/**
 * The part of a database that a migration uses. Rows have no type here: the present type does not
 * hold between two versions of the schema.
 */
export interface SchemaConnection extends QueryExecutorProvider {
  readonly schema: SchemaModule;
}

/** The column types in use, in the syntax of a dialect. */
export interface ColumnTypes {
  readonly uuid: ColumnType;
  readonly id: ColumnType;
  readonly text: ColumnType;
  /** A SHA-256. */
  readonly digest: ColumnType;
  readonly halfDigest: ColumnType;
  /** A wrapped key (encryption/key-ring.ts). */
  readonly wrappedKey: ColumnType;
  readonly blob: ColumnType;
  /** A time in ms since the epoch, or a duration. */
  readonly ms: ColumnType;
  /** A size or an offset in bytes, or another number that may exceed 32 bits. */
  readonly bigNumber: ColumnType;
  /** A number of 32 bits, a state, or a boolean as 0 or 1. */
  readonly number: ColumnType;
}

const SQLITE_TYPES: ColumnTypes = {
  uuid: 'text',
  id: 'text',
  text: 'text',
  digest: 'blob',
  halfDigest: 'blob',
  wrappedKey: 'blob',
  blob: 'blob',
  ms: 'integer',
  bigNumber: 'integer',
  number: 'integer',
};

// Ids are compared by code point. No id ends in a blank (ids.ts), so PAD SPACE does not matter.
const MYSQL_TYPES: ColumnTypes = {
  uuid: sql`char(36) character set ascii collate ascii_bin`,
  id: sql`varchar(128) character set utf8mb4 collate utf8mb4_bin`,
  text: sql`varchar(255) character set utf8mb4 collate utf8mb4_bin`,
  digest: sql`binary(32)`,
  halfDigest: sql`binary(16)`,
  wrappedKey: sql`varbinary(64)`,
  blob: sql`longblob`,
  ms: 'bigint',
  bigNumber: 'bigint',
  number: 'integer',
};

/**
 * Changes the schema for a migration. Each method does nothing when its change was made before,
 * because a migration that was interrupted runs again from its start.
 */
export class SchemaEditor {
  readonly db: SchemaConnection;
  readonly dialect: DialectName;
  readonly types: ColumnTypes;

  constructor(
    db: SchemaConnection,
    dialect: DialectName,
    types: ColumnTypes = dialect === 'sqlite' ? SQLITE_TYPES : MYSQL_TYPES,
  ) {
    this.db = db;
    this.dialect = dialect;
    this.types = types;
  }

  /** Begins the definition of a table; the caller executes it. */
  createTable(table: string): CreateTableBuilder<string> {
    return this.db.schema.createTable(table).ifNotExists();
  }

  async addColumn(table: string, column: string, type: ColumnType): Promise<void> {
    // Neither dialect has `add column if not exists`.
    const query =
      this.dialect === 'mysql'
        ? sql<{ count: number }>`
            select count(*) as count from information_schema.columns
            where table_schema = database() and table_name = ${table} and column_name = ${column}`
        : sql<{ count: number }>`
            select count(*) as count from pragma_table_info(${table}) where name = ${column}`;
    const { rows } = await query.execute(this.db);
    if ((rows[0]?.count ?? 0) > 0) return;
    await this.db.schema.alterTable(table).addColumn(column, type).execute();
  }

  async addIndex(table: string, index: string, columns: string[]): Promise<void> {
    const definition = this.db.schema.createIndex(index).on(table).columns(columns);
    // MySQL has no `create index if not exists`.
    if (this.dialect === 'sqlite') await definition.ifNotExists().execute();
    else if (!(await this.mysqlHasIndex(table, index))) await definition.execute();
  }

  async dropIndex(table: string, index: string): Promise<void> {
    const drop = this.db.schema.dropIndex(index);
    // MySQL has no `drop index if exists`.
    if (this.dialect === 'sqlite') await drop.ifExists().execute();
    else if (await this.mysqlHasIndex(table, index)) await drop.on(table).execute();
  }

  async mysqlHasIndex(table: string, index: string): Promise<boolean> {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from information_schema.statistics
      where table_schema = database() and table_name = ${table} and index_name = ${index}
    `.execute(this.db);
    return (rows[0]?.count ?? 0) > 0;
  }
}
