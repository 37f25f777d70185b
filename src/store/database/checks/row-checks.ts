import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { RowDamaged } from '../database-fault.ts';
import { FOLDING_TRIGGER } from '../digest-folding.ts';
import { digest } from '../../ids.ts';

/*
 * SQLite stores no checksums in its pages: a flipped byte in a row would be read as if it had been
 * written. So each row has a check in its column `row_check`: a CRC-32 over all other columns, which
 * differs after any change of up to 32 adjacent bits, and a count of the row's changes.
 *
 *   row_check = changes mod 2^20 · 2^32 + CRC-32(changes mod 2^20, cells)
 *
 * - An INSERT of whole rows brings their checks along (row-inserts.ts). Temporary triggers of the
 *   connection that writes seal every other row that it inserts or changes. A row that was damaged
 *   before stays so: its new check does not fit either.
 * - Temporary views of the connection that reads have the names of the tables that decide what a
 *   caller gets. Reading a row whose check does not fit throws `RowDamaged`.
 * - Rows of `digest_queue` have none: a scrub compares them with the audit, from which they are made.
 * - A trigger of the file removes the check of a row that another program changes, or a previous
 *   version. Rows without a check are believed; a scrub seals them.
 *
 * MySQL and MariaDB compare the checksums of their pages themselves.
 */

/** A table as its checks see it. */
export interface CheckedTable {
  readonly name: string;
  /** All columns but `row_check`, in the order of the table. */
  readonly columns: readonly string[];
  /** The columns that name a row; `rowid` where the table has one. */
  readonly key: readonly string[];
  readonly hasChecks: boolean;
}

/** Columns that have a SHA-256 in another column: the check of the row leaves them out. */
const HASHED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  templates: { draft_source: 'draft_hash' },
  template_versions: { source: 'hash' },
};

/**
 * Tables that are read without comparing each row, because readers count many of their rows, or
 * because the rows hold digests themselves. A scrub compares them.
 */
const READ_UNCOMPARED = new Set([
  'audit_chain',
  'audit_seals',
  'damages',
  'digest_blocks',
  'digest_queue',
  'probes',
  'run_chunks',
  'run_rows',
  'run_superseded',
  'schema_version',
]);

/** Its rows repeat what the audit says: a scrub compares them with that (digests.ts). */
export const DERIVED_TABLE = 'digest_queue';

const CHANGES_MODULUS = 2 ** 20;
const CRC_MODULUS = 2 ** 32;
/** A new row counts as its first change: the start of its text, and what is added to the CRC-32. */
export const CHECK_OF_NEW = { prefix: '1', base: CRC_MODULUS } as const;

/** Lists the tables of the file. */
export function listCheckedTables(database: DatabaseSync): readonly CheckedTable[] {
  const rows = database
    .prepare(
      `select t.name, t.wr as isWithoutRowid, c.name as column, c.pk as keyPosition
       from pragma_table_list t join pragma_table_info(t.name, 'main') c
       where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite_%'
       order by t.name, c.cid`,
    )
    .all();
  return [...Map.groupBy(rows, ({ name }) => String(name))].map(([name, columns]) => {
    const keyColumns = columns
      .filter(({ keyPosition }) => Number(keyPosition) > 0)
      .toSorted((a, b) => Number(a['keyPosition']) - Number(b['keyPosition']))
      .map(({ column }) => String(column));
    const names = columns.map(({ column }) => String(column));
    return {
      name,
      columns: names.filter((column) => column !== 'row_check'),
      key: Number(columns[0]?.['isWithoutRowid']) === 1 ? keyColumns : ['rowid'],
      hasChecks: names.includes('row_check'),
    };
  });
}

/** Adds the SQL functions that the triggers, the views and a scrub call. */
export function addCheckFunctions(database: DatabaseSync): void {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true } as const;
  database.function('row_seal', options, (...cells) => sealOf(1, cells));
  database.function('row_reseal', options, (old, ...cells) => reseal(old, cells));
  database.function('row_fits', options, (check, ...cells) => (fits(check, cells) ? 1 : 0));
  database.function('row_guard', options, (table, check, ...cells) => {
    if (!fits(check, cells)) throw new RowDamaged(String(table));
    return 1;
  });
  database.function('blob_fits', { deterministic: true }, (hash, blob) =>
    hashFits(hash, blob) ? 1 : 0,
  );
  database.function('blob_guard', { deterministic: true }, (table, hash, blob) => {
    if (!hashFits(hash, blob)) throw new RowDamaged(String(table));
    return blob;
  });
}

/**
 * Gives every table the column and the trigger of the file. Call this in the transaction of the
 * migrations, on a connection that has the functions. Returns whether anything was missing, and
 * whether there may be rows to be sealed (seal-rows.ts).
 */
export function addRowChecks(database: DatabaseSync): ChecksAdded {
  let isChanged = false;
  let hasUnsealed = recordedSchema(database) === 0;
  for (const table of listCheckedTables(database)) {
    const name = quote(table.name);
    if (!table.hasChecks) {
      if (table.name === 'digest_blocks') {
        database.exec(`drop trigger if exists digest_folded; ${FOLDING_TRIGGER}`);
      }
      database.exec(`alter table ${name} add column row_check integer`);
      hasUnsealed = true;
    }
    const trigger = quote(`${table.name}_unsealed`);
    const text =
      `CREATE TRIGGER ${trigger} after update of ${table.columns.map(quote).join(', ')} on ${name}` +
      ` begin update ${name} set row_check = null` +
      ` where ${whereKey(table, 'new')} and row_check is old.row_check; end`;
    const existing = database
      .prepare(`select sql from sqlite_master where type = 'trigger' and name = ?`)
      .get(`${table.name}_unsealed`);
    if (existing?.['sql'] === text) continue;
    database.exec(`drop trigger if exists ${trigger}`);
    database.exec(text);
    isChanged = true;
  }
  return { isChanged, hasUnsealed };
}

/** What `addRowChecks` found. */
interface ChecksAdded {
  readonly isChanged: boolean;
  readonly hasUnsealed: boolean;
}

/** Records the definitions of the tables, so that a scrub finds a change in them. */
export function recordSchema(database: DatabaseSync): void {
  database.exec(`pragma user_version = ${schemaCheck(database)}`);
}

/** Until the next `recordSchema` each start looks for rows without a check. */
export function forgetSchema(database: DatabaseSync): void {
  database.exec('pragma user_version = 0');
}

/** 0: none was recorded, or rows of tables that got checks are being sealed. */
function recordedSchema(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.['user_version']);
}

/** Makes the triggers that seal each row that this connection writes. */
export function sealWrites(database: DatabaseSync): void {
  for (const table of listCheckedTables(database)) {
    if (!table.hasChecks || table.name === DERIVED_TABLE) continue;
    const name = quote(table.name);
    const update = `update ${name} set row_check =`;
    const where = `where ${whereKey(table, 'new')}`;
    const cells = `old.row_check, ${checked(table, 'old.')}, ${checked(table, 'new.')}`;
    database.exec(`drop trigger if exists temp.${quote(`${table.name}_sealed`)}`);
    database.exec(`drop trigger if exists temp.${quote(`${table.name}_resealed`)}`);
    database.exec(
      `create temp trigger ${quote(`${table.name}_sealed`)} after insert on main.${name}` +
        ` when new.row_check is null begin ${update} ${sealed(table, 'new.')} ${where}; end`,
    );
    database.exec(
      `create temp trigger ${quote(`${table.name}_resealed`)}` +
        ` after update of ${table.columns.map(quote).join(', ')} on main.${name}` +
        ` begin ${update} row_reseal(${cells}) ${where}; end`,
    );
  }
}

/**
 * Makes the views that compare each row that this connection reads, and hide its check. SQLite
 * evaluates a condition with a subquery last, so rows that are not wanted are not compared: before,
 * it may put the constant of `column = constant` in place of the column, and then their checks would
 * not fit.
 */
export function compareReads(database: DatabaseSync): void {
  for (const table of listCheckedTables(database)) {
    const name = quote(table.name);
    database.exec(`drop view if exists temp.${name}`);
    if (!table.hasChecks) continue;
    const text = `'${table.name}'`;
    const columns = table.columns.map((column) => {
      const hash = HASHED[table.name]?.[column];
      if (hash === undefined) return quote(column);
      return `blob_guard(${text}, ${quote(hash)}, ${quote(column)}) as ${quote(column)}`;
    });
    const guard = `(select row_guard(${text}, row_check, ${checked(table, '')}))`;
    const where = READ_UNCOMPARED.has(table.name) ? '' : `where ${guard}`;
    database.exec(
      `create temp view ${name} as select ${columns.join(', ')} from main.${name} ${where}`,
    );
  }
}

/** SQL that is 1 for a row of the table that is as it was sealed, or has no check. */
export function fitsSql(table: CheckedTable): string {
  const blobs = Object.entries(HASHED[table.name] ?? {});
  const hashes = blobs.map(([blob, hash]) => ` and blob_fits(${quote(hash)}, ${quote(blob)})`);
  return `row_fits(row_check, ${checked(table, '')})${hashes.join('')}`;
}

/** SQL that computes the check of a row. */
export function sealSql(table: CheckedTable): string {
  return sealed(table, '');
}

/** Whether the definitions of tables, indexes and triggers are those that were recorded, if any. */
export function schemaFits(database: DatabaseSync): boolean {
  const recorded = recordedSchema(database);
  return recorded === 0 || recorded === schemaCheck(database);
}

/** A number that changes with the definition of any table, index or trigger of the file. */
function schemaCheck(database: DatabaseSync): number {
  const rows = database
    .prepare(
      `select type, name, tbl_name, coalesce(sql, '') as text from sqlite_master
       where name not like 'sqlite_stat%' order by type, name`,
    )
    .all();
  const texts = rows.map((row) => [row['type'], row['name'], row['tbl_name'], row['text']]);
  // A signed number, as `pragma user_version` holds it; 0 means that none was recorded.
  return crc32(JSON.stringify(texts)) | 0 || 1;
}

function sealed(table: CheckedTable, row: '' | 'new.'): string {
  return `row_seal(${checked(table, row)})`;
}

function checked(table: CheckedTable, row: '' | 'new.' | 'old.'): string {
  return checkedColumns(table)
    .map((column) => `${row}${quote(column)}`)
    .join(', ');
}

/** The columns that the check of a row covers. */
export function checkedColumns({ name, columns }: CheckedTable): readonly string[] {
  const hashed = HASHED[name] ?? {};
  return columns.filter((column) => hashed[column] === undefined);
}

function whereKey({ key }: CheckedTable, row: 'new'): string {
  return key.map((column) => `${quote(column)} = ${row}.${quote(column)}`).join(' and ');
}

function quote(name: string): string {
  return `"${name}"`;
}

type Cells = readonly SQLOutputValue[];

/** The check of a row with these cells, after this number of changes. */
function sealOf(changes: number, cells: Cells): number {
  return changes * CRC_MODULUS + crc32(textOf(changes, cells));
}

function fits(check: SQLOutputValue, cells: Cells): boolean {
  if (check === null) return true;
  if (typeof check !== 'bigint') return false;
  const number = Number(check);
  return sealOf(Math.floor(number / CRC_MODULUS), cells) === number;
}

/** `cells`: those of the row as it was, then those of the row as it is. */
function reseal(old: SQLOutputValue, cells: Cells): number {
  const count = cells.length / 2;
  const changes = typeof old === 'bigint' ? Number(old / BigInt(CRC_MODULUS)) : 0;
  const next = sealOf((changes + 1) % CHANGES_MODULUS, cells.slice(count));
  // The row was damaged before: a check that fits would hide it.
  return fits(old, cells.slice(0, count)) ? next : next - (next % CRC_MODULUS) + flip(next);
}

function flip(check: number): number {
  return CRC_MODULUS - 1 - (check % CRC_MODULUS);
}

/** Different for any two lists of cells. A column that a migration adds changes nothing: null. */
function textOf(changes: number, cells: Cells): string {
  let text = String(changes);
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index];
    if (cell === null || cell === undefined) continue;
    if (typeof cell === 'string') text += `,${index}s${cell.length}:${cell}`;
    else if (typeof cell === 'bigint') text += `,${index}i${cell}`;
    else if (typeof cell === 'number') text += `,${index}f${cell}`;
    else text += `,${index}b${cell.byteLength}:${crc32(cell)}`;
  }
  return text;
}

function hashFits(hash: SQLInputValue, blob: SQLInputValue): boolean {
  if (hash === null || blob === null) return hash === blob;
  if (!(hash instanceof Uint8Array) || !(blob instanceof Uint8Array)) return false;
  return digest(blob).equals(hash);
}
