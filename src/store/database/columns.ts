import { type ColumnDataType, type Kysely, type RawBuilder, sql } from 'kysely';

export type DialectName = 'sqlite' | 'mysql';

type Type = RawBuilder<unknown> | ColumnDataType;

/** The column types in use, in each dialect's syntax. */
export function columnTypes(dialect: DialectName): {
  uuid: Type;
  id: Type;
  text: Type;
  long: Type;
  digest: Type;
  /** The first half of a digest. */
  half: Type;
  /** A wrapped key (encryption/key-ring.ts). */
  wrapped: Type;
  source: Type;
  ms: Type;
  count: Type;
} {
  if (dialect === 'sqlite') {
    return {
      uuid: 'text',
      id: 'text',
      text: 'text',
      long: 'text',
      digest: 'blob',
      half: 'blob',
      wrapped: 'blob',
      source: 'blob',
      ms: 'integer',
      count: 'integer',
    };
  }
  // Ids compare by code point; ids end in no blank (ids.ts), so PAD SPACE never matters.
  return {
    uuid: sql`char(36) character set ascii collate ascii_bin`,
    id: sql`varchar(128) character set utf8mb4 collate utf8mb4_bin`,
    text: sql`varchar(255) character set utf8mb4 collate utf8mb4_bin`,
    long: sql`varchar(1024) character set utf8mb4 collate utf8mb4_bin`,
    digest: sql`binary(32)`,
    half: sql`binary(16)`,
    wrapped: sql`varbinary(64)`,
    source: sql`longblob`,
    ms: 'bigint',
    count: 'integer',
  };
}

/** Adds a column unless it exists: neither dialect has `add column if not exists`. */
export async function addColumn<T>(
  db: Kysely<T>,
  dialect: DialectName,
  table: string,
  name: string,
  type: Type,
): Promise<void> {
  const query =
    dialect === 'mysql'
      ? sql<{ found: number }>`
          select count(*) as found from information_schema.columns
          where table_schema = database() and table_name = ${table} and column_name = ${name}`
      : sql<{ found: number }>`
          select count(*) as found from pragma_table_info(${table}) where name = ${name}`;
  const there = await query.execute(db);
  if ((there.rows[0]?.found ?? 0) > 0) return;
  await db.schema.alterTable(table).addColumn(name, type).execute();
}

/** Adds an index unless it exists: MySQL has no `create index if not exists`. */
export async function addIndex<T>(
  db: Kysely<T>,
  dialect: DialectName,
  table: string,
  name: string,
  columns: string[],
): Promise<void> {
  if (dialect === 'mysql') {
    if (await hasIndex(db, table, name)) return;
    await db.schema.createIndex(name).on(table).columns(columns).execute();
    return;
  }
  await db.schema.createIndex(name).ifNotExists().on(table).columns(columns).execute();
}

/** Drops an index if it exists: MySQL has no `drop index if exists`. */
export async function dropIndex<T>(
  db: Kysely<T>,
  dialect: DialectName,
  table: string,
  name: string,
): Promise<void> {
  if (dialect === 'mysql') {
    if (await hasIndex(db, table, name)) await db.schema.dropIndex(name).on(table).execute();
    return;
  }
  await db.schema.dropIndex(name).ifExists().execute();
}

/** Whether the index exists; for MySQL only. */
export async function hasIndex<T>(db: Kysely<T>, table: string, name: string): Promise<boolean> {
  const there = await sql<{ found: number }>`
    select count(*) as found from information_schema.statistics
    where table_schema = database() and table_name = ${table} and index_name = ${name}
  `.execute(db);
  return (there.rows[0]?.found ?? 0) > 0;
}
