import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';
import { type CheckedTable, fitsSql, sealSql } from './row-checks.ts';

const UNSEALED = 'row_check is null';

/** The cells of a row's key. */
export type Key = readonly (string | number | Uint8Array)[];

/** While a batch is written, other writers wait, also those of other processes. */
const BATCH_ROWS = 2_000;
const BATCH_BYTES = 1_000_000;
/** Between two batches others write for as long as a batch took, within bounds. */
const REST_MS_MAX = 20;

/**
 * Seals the rows that have no check, in short transactions between which others write, however many
 * rows there are. What is sealed stays so: after an interruption the next call seals the others.
 * `onSealed` is told the number of rows of each batch.
 */
export async function sealRows(
  database: Database,
  table: CheckedTable,
  onSealed: (rows: number) => void,
): Promise<void> {
  await eachBatch(database, table, UNSEALED, onSealed);
}

/** Seals the rows whose checks do not fit as they are. `onAccepted` is told the rows of each batch. */
export async function acceptRows(
  database: Database,
  table: CheckedTable,
  onAccepted: (rows: number) => void,
): Promise<void> {
  await eachBatch(database, table, `not (${fitsSql(table)})`, onAccepted);
}

async function eachBatch(
  database: Database,
  table: CheckedTable,
  condition: string,
  onSealed: (rows: number) => void,
): Promise<void> {
  for (let after: Key | null = null; ;) {
    const last = await lastOfBatch(database, table, after);
    if (last === null) return;
    const startMs = performance.now();
    onSealed(await sealBetween(database, table, { after, last, condition }));
    await pause(Math.min(performance.now() - startMs, REST_MS_MAX));
    after = last;
  }
}

/** The key of the last row of the batch behind `after`; null: no row is left. */
async function lastOfBatch(
  database: Database,
  table: CheckedTable,
  after: Key | null,
): Promise<Key | null> {
  const columns = table.key.map((column, index) => sql`${sql.ref(column)} as ${nameOf(index)}`);
  // A row is written anew when its check is: a template or a block of digests may have megabytes.
  const bytes = table.columns.map((column) => sql`ifnull(octet_length(${sql.ref(column)}), 0)`);
  const order = sql.join(table.key.map((column) => sql.ref(column)));
  const isLater = after === null ? sql`` : sql`where ${compared(table, '>', after)}`;
  // Sealed rows are counted, too: the search for the next unsealed one would have no bound.
  const { rows } = await database.read((db: Kysely<Schema>) =>
    sql<Record<string, Key[number]>>`
      select ${sql.join(columns)}, ${sql.join(bytes, sql` + `)} as row_bytes
      from ${sql.raw(`main."${table.name}"`)}
      ${isLater} order by ${order} limit ${sql.lit(BATCH_ROWS)}
    `.execute(db),
  );
  let sum = 0;
  const end = rows.findIndex((row) => (sum += Number(row['row_bytes'])) > BATCH_BYTES);
  const last = end === -1 ? rows.at(-1) : rows[end];
  if (last === undefined) return null;
  return table.key.map((_, index) => last[`key${index}`] ?? '');
}

/**
 * Seals the rows without a check, or those of another condition, whose keys lie behind `after` and
 * not behind `last`. Returns their number.
 */
export async function sealBetween(
  database: Database,
  table: CheckedTable,
  batch: { readonly after: Key | null; readonly last: Key; readonly condition?: string },
): Promise<number> {
  const { after, last, condition = UNSEALED } = batch;
  const isLater = after === null ? sql`` : sql`and ${compared(table, '>', after)}`;
  const { numAffectedRows } = await database.write((db) =>
    sql`
      update ${sql.raw(`main."${table.name}"`)} set row_check = ${sql.raw(sealSql(table))}
      where ${compared(table, '<=', last)} ${isLater} and ${sql.raw(condition)}
    `.execute(db),
  );
  return Number(numAffectedRows ?? 0n);
}

function nameOf(index: number): RawBuilder<unknown> {
  return sql.ref(`key${index}`);
}

/** Compares the key of a row, which the index of the key serves. */
function compared({ key }: CheckedTable, operator: '>' | '<=', cells: Key): RawBuilder<unknown> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  return sql`(${columns}) ${sql.raw(operator)} (${sql.join(cells)})`;
}
