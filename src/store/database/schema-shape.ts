import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { MIGRATIONS } from './migrations.ts';
import type { Schema } from './schema.ts';
import { type ColumnTypes, SchemaEditor } from './schema-editor.ts';
import { sqliteInMemory } from './sqlite.ts';

/** What a column holds: a name of `ColumnTypes`; `other` for a type that a migration spells itself. */
export type ColumnKind = keyof ColumnTypes | 'other';

export interface ColumnShape {
  readonly kind: ColumnKind;
  readonly isNullable: boolean;
  /** Whether it belongs to the primary key. */
  readonly isKey: boolean;
}

/** Tables by name, with their columns by name. */
export type SchemaShape = ReadonlyMap<string, ReadonlyMap<string, ColumnShape>>;

const KINDS = [
  'uuid',
  'id',
  'text',
  'digest',
  'halfDigest',
  'wrappedKey',
  'blob',
  'ms',
  'bigNumber',
  'number',
] as const satisfies readonly (keyof ColumnTypes)[];

/** SQLite takes any name as a type, and keeps it unless it is one of its own, such as `text`. */
const PREFIX = 'kind_';
const TYPES = Object.fromEntries(
  KINDS.map((kind) => [kind, sql.raw(`${PREFIX}${kind}`)]),
) as unknown as ColumnTypes;

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

/**
 * The tables that a database has after its first `version` migrations, from the migrations
 * themselves, which run in an empty database in memory.
 */
export async function shapeOf(version: number): Promise<SchemaShape> {
  const memory = new DatabaseSync(':memory:');
  try {
    const db = new Kysely<Schema>({ dialect: sqliteInMemory(memory) });
    const editor = new SchemaEditor(db, 'sqlite', TYPES);
    for (const migrate of MIGRATIONS.slice(0, version)) await migrate(editor);
    const { rows } = await columns.execute(db);
    return new Map(
      [...Map.groupBy(rows, ({ table }) => table)].map(([table, list]) => [
        table,
        new Map(list.map((row) => [row.column, shapeIn(row)])),
      ]),
    );
  } finally {
    memory.close();
  }
}

const columns = sql<ColumnRow>`
  select m.name as "table", c.name as "column", c.type, c."notnull", c.pk
  from sqlite_master m join pragma_table_info(m.name) c
  where m.type = 'table' and m.name not like 'sqlite_%'`;

function shapeIn({ type, notnull, pk }: ColumnRow): ColumnShape {
  const kind = KINDS.find((name) => type === `${PREFIX}${name}`) ?? 'other';
  return { kind, isNullable: notnull === 0, isKey: pk > 0 };
}
