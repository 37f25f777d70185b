import { type Kysely, type RawBuilder, sql } from 'kysely';
import { RowDamaged } from '../database/database-fault.ts';
import type { DialectName } from '../database/schema-editor.ts';
import type { Schema } from '../database/schema.ts';
import type { BackupFolder } from './folder.ts';
import { changed, linesOf, TextFile } from './text-file.ts';

/*
 * The rows of a table as text, the same for both dialects: a line with the columns, then a line for
 * each row. Bytes are {"b":"<base64>"}; all other cells are numbers, strings or null.
 *
 *   ["document_id","team_id",…]
 *   ["0199…","bank",…,{"b":"q83v…"},…]
 */

/** A table with its columns and those of its primary key, in order. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

export type Cell = string | number | null | Uint8Array;

/** Describes a table's file. */
export interface TableFile {
  readonly rows: number;
  /** Lowercase hex SHA-256 of the file. */
  readonly sha256: string;
  /** Rows that were damaged in the SQLite file and left out; absent: none. */
  readonly damaged?: number;
}

/** Rows are read and written in batches of about this size, however large a row is. */
const BATCH_BYTES = 1_000_000;
const BATCH_ROWS_MAX = 1_000;
/** The first batch of a table is small, because nothing is known about the size of its rows. */
const BATCH_ROWS_FIRST = 16;
/** A batch has at most this many times the rows of the batch before. */
const BATCH_GROWTH = 4;
/** SQLite allows 32,766 values in a statement. */
const VALUES_MAX = 30_000;

/** Lists all tables of the database. */
export async function listTables(
  db: Kysely<Schema>,
  dialect: DialectName,
): Promise<readonly Table[]> {
  const { rows } = await (dialect === 'sqlite' ? sqliteColumns : mysqlColumns).execute(db);
  return [...Map.groupBy(rows, ({ table }) => table)].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column }) => column),
    key: columns
      .filter(({ keyPosition }) => keyPosition > 0)
      .toSorted((a, b) => a.keyPosition - b.keyPosition)
      .map(({ column }) => column),
  }));
}

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  /** Position in the primary key, from 1; 0: the column does not belong to it. */
  readonly keyPosition: number;
}

const sqliteColumns = sql<ColumnRow>`
  select m.name as "table", c.name as "column", c.pk as keyPosition
  from sqlite_master m join pragma_table_info(m.name, 'main') c
  where m.type = 'table' and m.name not like 'sqlite_%' and c.name <> 'row_check'
  order by m.name, c.cid`;

const mysqlColumns = sql<ColumnRow>`
  select c.table_name as \`table\`, c.column_name as \`column\`,
    coalesce(k.ordinal_position, 0) as keyPosition
  from information_schema.columns c left join information_schema.key_column_usage k
    on k.table_schema = c.table_schema and k.table_name = c.table_name
    and k.column_name = c.column_name and k.constraint_name = 'PRIMARY'
  where c.table_schema = database() order by c.table_name, c.ordinal_position`;

/** Writes all rows of a table to a file, in the order of its key, and waits until they are durable. */
export async function writeTable(
  db: Kysely<Schema>,
  table: Table,
  path: string,
): Promise<TableFile> {
  const file = await TextFile.create(path);
  try {
    await file.write(`${JSON.stringify(table.columns)}\n`);
    let rows = 0;
    let damaged = 0;
    const leaveOut = (count: number): void => void (damaged += count);
    for await (const batch of batchesOf(db, table, leaveOut)) {
      rows += batch.length;
      await file.write(batch.map((cells) => `${JSON.stringify(cells.map(encode))}\n`).join(''));
    }
    return { rows, sha256: await file.end(), ...(damaged === 0 ? {} : { damaged }) };
  } finally {
    await file.close();
  }
}

/**
 * Yields all rows in the order of the primary key, in batches of about BATCH_BYTES. Rows that are
 * damaged are counted and left out: restored, they would be believed.
 */
async function* batchesOf(
  db: Kysely<Schema>,
  table: Table,
  leaveOut: (count: number) => void,
): AsyncGenerator<readonly Cell[][]> {
  const { name, columns, key } = table;
  if (key.length === 0) throw new Error(`the table ${name} has no primary key`);
  const keyIndexes = key.map((column) => columns.indexOf(column));
  let lastKey: readonly Cell[] | null = null;
  let limit = BATCH_ROWS_FIRST;
  for (;;) {
    const where: RawBuilder<unknown> =
      lastKey === null ? sql`` : sql`where ${isAfter(key, lastKey)}`;
    let batch: readonly Cell[][];
    try {
      batch = await select(db, { name, columns }, sql`${where} ${inOrder(key, limit)}`);
      if (batch.length === 0) return;
      lastKey = keyIndexes.map((index) => batch.at(-1)?.[index] ?? null);
    } catch (error) {
      if (!(error instanceof RowDamaged)) throw error;
      const keys = await keysOf(db, table, sql`${where} ${inOrder(key, BATCH_ROWS_FIRST)}`);
      batch = await soundRows(db, table, keys);
      leaveOut(keys.length - batch.length);
      lastKey = keys.at(-1) ?? null;
    }
    if (batch.length > 0) yield batch;
    const bytes = batch.reduce((sum, cells) => sum + bytesOf(cells), 0);
    const fittingRows = Math.floor((BATCH_BYTES * batch.length) / Math.max(1, bytes));
    limit = Math.max(1, Math.min(BATCH_ROWS_MAX, fittingRows, limit * BATCH_GROWTH));
  }
}

function inOrder(key: readonly string[], limit: number): RawBuilder<unknown> {
  const order = sql.join(key.map((column) => sql.ref(column)));
  return sql`order by ${order} limit ${sql.lit(limit)}`;
}

/** Selects columns of a table, or of the view that compares the rows of an SQLite table. */
async function select(
  db: Kysely<Schema>,
  { name, columns }: Pick<Table, 'name' | 'columns'>,
  clauses: RawBuilder<unknown>,
): Promise<readonly Cell[][]> {
  const list = sql.join(columns.map((column) => sql.ref(column)));
  const { rows } = await sql<Record<string, Cell>>`
    select ${list} from ${sql.table(name)} ${clauses}
  `.execute(db);
  return rows.map((row) => columns.map((column) => row[column] ?? null));
}

/** SQLite: selects keys without comparing their rows. */
function keysOf(
  db: Kysely<Schema>,
  { name, key }: Table,
  clauses: RawBuilder<unknown>,
): Promise<readonly Cell[][]> {
  return select(db, { name: `main.${name}`, columns: key }, clauses);
}

/** SQLite: reads the rows of these keys one by one, without those that are damaged. */
async function soundRows(
  db: Kysely<Schema>,
  table: Table,
  keys: readonly Cell[][],
): Promise<readonly Cell[][]> {
  const found: Cell[][] = [];
  for (const cells of keys) {
    const equals = table.key.map((column, at) => sql`${sql.ref(column)} = ${cells[at]}`);
    try {
      found.push(...(await select(db, table, sql`where ${sql.join(equals, sql` and `)}`)));
    } catch (error) {
      if (!(error instanceof RowDamaged)) throw error;
    }
  }
  return found;
}

/** `(a, b) > (x, y)`, written so that both databases use the index of the key. */
function isAfter(key: readonly string[], last: readonly Cell[]): RawBuilder<unknown> {
  const alternatives = key.map((column, index) => {
    const equals = key.slice(0, index).map((name, at) => sql`${sql.ref(name)} = ${last[at]}`);
    const greater = sql`${sql.ref(column)} > ${last[index]}`;
    return sql`(${sql.join([...equals, greater], sql` and `)})`;
  });
  return sql`(${sql.join(alternatives, sql` or `)})`;
}

/** The approximate size of a row in memory. */
function bytesOf(cells: readonly Cell[]): number {
  return cells.reduce<number>(
    (sum, cell) => sum + (cell === null || typeof cell === 'number' ? 8 : cell.length),
    0,
  );
}

function encode(cell: Cell): unknown {
  return cell instanceof Uint8Array ? { b: Buffer.from(cell).toString('base64') } : cell;
}

/** undefined: no cell of a backup is like this. */
function decode(value: unknown): Cell | undefined {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'object' && 'b' in value && typeof value.b === 'string') {
    return Buffer.from(value.b, 'base64');
  }
  return undefined;
}

/** The content of a table's file: the columns and the decoded rows in batches. */
export interface TableReader {
  readonly columns: readonly string[];
  readonly batches: AsyncGenerator<readonly Cell[][]>;
}

/**
 * Reads a table's file. Throws StorageUnavailable when the file differs from the one that was
 * written; a wrong digest shows only after the last batch.
 */
export async function readTable(
  folder: BackupFolder,
  name: string,
  sha256: string,
): Promise<TableReader> {
  const columns = await columnsIn(folder, name, sha256);
  const batches = async function* (): AsyncGenerator<readonly Cell[][]> {
    let batch: Cell[][] = [];
    let bytes = 0;
    const add = function* (lines: readonly string[]): Generator<readonly Cell[][]> {
      for (const line of lines) {
        const cells = parseLine(line)?.map(decode);
        if (cells?.length !== columns.length || !isWhole(cells)) throw changed(folder, name);
        batch.push(cells);
        bytes += line.length;
        if (bytes < BATCH_BYTES && batch.length < BATCH_ROWS_MAX) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
    };
    let isFirst = true;
    for await (const lines of linesOf(folder, name, sha256)) {
      yield* add(isFirst ? lines.slice(1) : lines);
      isFirst = false;
    }
    if (batch.length > 0) yield batch;
  };
  return { columns: columns.map(String), batches: batches() };
}

async function columnsIn(
  folder: BackupFolder,
  name: string,
  sha256: string,
): Promise<readonly unknown[]> {
  for await (const [first = ''] of linesOf(folder, name, sha256)) {
    const columns = parseLine(first);
    if (columns !== null) return columns;
    break;
  }
  throw changed(folder, name);
}

function isWhole(cells: readonly (Cell | undefined)[]): cells is Cell[] {
  return !cells.includes(undefined);
}

/** null: the line is not a JSON array. */
function parseLine(line: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Inserts rows into a table, in as few statements as possible. */
export async function insertRows(
  db: Kysely<Schema>,
  name: string,
  columns: readonly string[],
  rows: readonly Cell[][],
): Promise<void> {
  const rowsMax = Math.max(1, Math.floor(VALUES_MAX / columns.length));
  for (let from = 0; from < rows.length; from += rowsMax) {
    const values = rows
      .slice(from, from + rowsMax)
      .map((cells) => sql`(${sql.join(cells.map((cell) => sql.val(cell)))})`);
    await sql`
      insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(values)}
    `.execute(db);
  }
}
