import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import { DatabaseDamaged } from '../database-fault.ts';
import { compareQueue, dropDamagedEntries } from '../digests.ts';
import { type CheckedTable, DERIVED_TABLE, fitsSql } from './row-checks.ts';
import { acceptRows, type Key, sealBetween } from './seal-rows.ts';
import type { Schema } from '../schema.ts';

/** What a scrub found in the SQLite file; neither holds content of a row, nor a row's own id. */
export type DatabaseFinding =
  | { readonly table: string; readonly row: string; readonly finding: 'damaged' }
  | { readonly database: string; readonly finding: 'damaged' };

export interface DatabaseScrub {
  readonly onFinding: (finding: DatabaseFinding) => void;
  /** Seals damaged rows and the schema as they are, after somebody has looked at them. */
  readonly isAccepting: boolean;
  /** Called with the number of rows of a table that were sealed as they are, or dropped as copies. */
  readonly onAccepted?: (table: string, rows: number) => void;
}

export interface DatabaseScrubResult {
  /** Rows that were compared with their checks. */
  readonly rows: number;
  readonly damaged: number;
  /** Rows without a check, which got one: another program or version had written them. */
  readonly sealed: number;
}

/** Rows that are compared at a time. */
const BATCH = 500;

/** The cells of a row's key, and whether the row fits its check; null: it has none. */
interface Compared {
  readonly fits: number | null;
  readonly [keyCell: `key${number}`]: string | number | Uint8Array;
}

/** SQLite: compares all rows with their checks, and indexes and pages with each other. */
export async function scrubDatabase(
  database: Database,
  { onFinding, isAccepting, onAccepted = () => undefined }: DatabaseScrub,
): Promise<DatabaseScrubResult> {
  const result = { rows: 0, damaged: 0, sealed: 0 };
  const add = (finding: DatabaseFinding): void => {
    result.damaged += 1;
    onFinding(finding);
  };
  if (isAccepting) await database.acceptSchema();
  else if (!database.schemaFits()) {
    add({ database: 'the definition of a table, index or trigger changed', finding: 'damaged' });
  }
  for (const table of database.checkedTables()) {
    try {
      if (table.name === DERIVED_TABLE) {
        const { rows, damaged, dropped } = await compareDerived(database, isAccepting);
        onAccepted(table.name, dropped);
        result.rows += rows;
        for (const row of damaged) add({ table: table.name, row: String(row), finding: 'damaged' });
        continue;
      }
      if (isAccepting) {
        await acceptRows(database, table, (rows) => onAccepted(table.name, rows));
      }
      for await (const { rows, after, last } of compare(database, table)) {
        result.rows += rows.length;
        if (rows.some(({ fits }) => fits === null)) {
          result.sealed += await sealBetween(database, table, { after, last });
        }
        for (const row of rows) {
          if (row.fits === 0) add({ table: table.name, row: nameOf(row), finding: 'damaged' });
        }
      }
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      add({ database: `the table ${table.name} cannot be read to its end`, finding: 'damaged' });
    }
  }
  for (const defect of await database.integrityCheck()) {
    add({ database: defect, finding: 'damaged' });
  }
  return result;
}

/** Rows whose keys lie behind `after` and not behind `last`. */
interface Batch {
  readonly rows: readonly Compared[];
  readonly after: Key | null;
  readonly last: Key;
}

/** Yields the rows of a table in the order of its key. */
async function* compare(database: Database, table: CheckedTable): AsyncGenerator<Batch> {
  const keys = sql.join(table.key.map((column) => sql.ref(column)));
  const cells = sql.join(
    table.key.map((column, index) => sql`${sql.ref(column)} as ${sql.ref(`key${index}`)}`),
  );
  const fits = sql.raw(`case when row_check is not null then ${fitsSql(table)} end`);
  for (let after: Key | null = null; ;) {
    const isLater: RawBuilder<unknown> =
      after === null ? sql`` : sql`where (${keys}) > (${sql.join(after)})`;
    const { rows } = await database.read((db: Kysely<Schema>) =>
      sql<Compared>`
        select ${cells}, ${fits} as fits from ${sql.raw(`main."${table.name}"`)}
        ${isLater} order by ${keys} limit ${sql.lit(BATCH)}
      `.execute(db),
    );
    const end = rows.at(-1);
    if (end === undefined) return;
    const last: Key = table.key.map((_, index) => end[`key${index}`] ?? '');
    yield { rows, after, last };
    after = last;
  }
}

async function compareDerived(
  database: Database,
  isAccepting: boolean,
): Promise<Awaited<ReturnType<typeof compareQueue>> & { readonly dropped: number }> {
  const compared = await database.read(compareQueue);
  if (!isAccepting || compared.damaged.length === 0) return { ...compared, dropped: 0 };
  await database.write(dropDamagedEntries);
  return { ...(await database.read(compareQueue)), dropped: compared.damaged.length };
}

/** The number of the row in its table; of a table without numbers, the first cell of its key. */
function nameOf({ key0: cell = '' }: Compared): string {
  return cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : String(cell);
}

/** A page of the table is damaged, or holds a number that no program stored. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof DatabaseDamaged) return true;
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}
