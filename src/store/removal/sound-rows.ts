import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import { RowDamaged } from '../database/database-fault.ts';
import type { Schema } from '../database/schema.ts';
import { StorageUnavailable } from '../terms.ts';
import type { Failures } from './removal.ts';

/** The rows of some ids. */
export type RowsOfIds<T> = (db: Kysely<Schema>, ids: readonly string[]) => Promise<readonly T[]>;

/** The result of `readSound`. */
export interface SoundRows<T> {
  readonly rows: readonly T[];
  /** Ids whose row is damaged in the SQLite file: nothing in it may be believed. */
  readonly damaged: readonly string[];
}

/**
 * Reads the rows of ids, without those that are damaged: a list that holds one is halved until the
 * damaged row is alone.
 */
export async function readSound<T>(
  database: Database,
  ids: readonly string[],
  read: RowsOfIds<T>,
): Promise<SoundRows<T>> {
  if (ids.length === 0) return { rows: [], damaged: [] };
  try {
    return { rows: await database.read((db) => read(db, ids)), damaged: [] };
  } catch (error) {
    if (!(error instanceof RowDamaged)) throw error;
    if (ids.length === 1) return { rows: [], damaged: ids };
  }
  const half = Math.ceil(ids.length / 2);
  const first = await readSound(database, ids.slice(0, half), read);
  const second = await readSound(database, ids.slice(half), read);
  return {
    rows: [...first.rows, ...second.rows],
    damaged: [...first.damaged, ...second.damaged],
  };
}

/** Adds rows that are damaged to what the sweep could not handle. */
export function addDamaged(failures: Failures, table: string, ids: readonly string[]): void {
  for (const id of ids) {
    failures.add(
      new StorageUnavailable(
        `the row of ${id} in ${table} is damaged: it stays until ./intaglio scrub has named it and` +
          ' the database is restored',
      ),
    );
  }
}
