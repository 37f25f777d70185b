import { setTimeout as pause } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';

/** Rows that one statement deletes: it ends far below every time limit, and holds few locks. */
const BATCH_ROWS = 250;
/** Between two batches requests have the database for as long as a batch took, at most so long. */
const REST_MS_MAX = 250;

/**
 * Deletes rows in bounded batches, however many there are: after weeks of standstill a single
 * statement would be cut off by its time limit and rolled back, at each sweep anew.
 */
export class Backlog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** `condition` is the WHERE of the rows. Returns how many rows were deleted. */
  async remove(table: keyof Schema, condition: RawBuilder<unknown>): Promise<number> {
    for (let removed = 0; ;) {
      const startMs = performance.now();
      const batch = await this.#removeBatch(table, condition);
      removed += batch;
      if (batch < BATCH_ROWS) return removed;
      await pause(Math.min(performance.now() - startMs, REST_MS_MAX));
    }
  }

  async #removeBatch(table: keyof Schema, condition: RawBuilder<unknown>): Promise<number> {
    const limit = sql.lit(BATCH_ROWS);
    const name = sql.table(table);
    // SQLite as it is usually built has no LIMIT in DELETE; MySQL cannot select from what it deletes.
    const statement =
      this.#database.dialect === 'sqlite'
        ? sql`delete from ${name} where rowid in (
            select rowid from ${name} where ${condition} limit ${limit})`
        : sql`delete from ${name} where ${condition} limit ${limit}`;
    const { numAffectedRows } = await this.#database.write((db) => statement.execute(db));
    return Number(numAffectedRows ?? 0);
  }
}
