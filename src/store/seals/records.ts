import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { AUDIT_COLUMNS } from '../database/inserts.ts';
import type { Schema } from '../database/schema.ts';
import { firstIdAt, hex } from '../ids.ts';

type Row = Schema['audit'];

/** Records read at a time; between two batches the event loop serves others. */
const BATCH = 250;

/** Number and digest (hex) of some records. */
export interface Digested {
  readonly records: number;
  readonly digest: string;
}

/** How records are written for their digest. */
export type LineOf = (row: Row) => string;

/**
 * A record as a line of JSON, with its columns sorted by name. Null columns are left out, so that
 * adding a column does not change existing lines.
 */
export const lineOf: LineOf = (row) => line(row, (value) => value !== null);

/** The line that daily seals digest, without empty columns, too. */
export const lineOfDay: LineOf = (row) => line(row, (value) => value !== null && value !== '');

function line(row: Row, isKept: (value: unknown) => boolean): string {
  const cells = Object.entries(row)
    .filter(([, value]) => isKept(value))
    .map(([name, value]) => [name, value instanceof Uint8Array ? hex(value) : String(value)])
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return `${JSON.stringify(cells)}\n`;
}

/** Reads the audit once, in the order of its ids, and digests one period after the other. */
export class RecordReader {
  readonly #database: Database;
  #batch: readonly Row[] = [];
  #at = 0;
  /** The id after which the next batch begins; the first batch begins with `#from`. */
  #after: string | null = null;
  readonly #from: string;
  #isEnded = false;

  /** Null: from the first record, whatever its id. */
  constructor(database: Database, fromMs: number | null) {
    this.#database = database;
    this.#from = fromMs === null ? '' : firstIdAt(fromMs);
  }

  /** Digests the records that have not been read yet and whose ids lie before `untilMs`. */
  async digestUntil(untilMs: number, lineFor: LineOf = lineOf): Promise<Digested> {
    const end = firstIdAt(untilMs);
    const hash = createHash('sha256');
    let records = 0;
    for (let row = await this.#next(); row !== null && row.audit_id < end;) {
      hash.update(lineFor(row));
      records += 1;
      this.#at += 1;
      row = await this.#next();
    }
    return { records, digest: hash.digest('hex') };
  }

  /** Counts what is left. */
  async countRest(): Promise<number> {
    let records = 0;
    while ((await this.#next()) !== null) {
      records += 1;
      this.#at += 1;
    }
    return records;
  }

  /** The record that is to be read next; null at the end. */
  async #next(): Promise<Row | null> {
    if (this.#at >= this.#batch.length && !this.#isEnded) await this.#fill();
    return this.#batch[this.#at] ?? null;
  }

  async #fill(): Promise<void> {
    if (this.#after !== null) await pause(1);
    // The seal decides whether a record is as it was made; a changed one must not stop the reading.
    this.#batch = await this.#database.readUncompared((db) => {
      const query = db
        .selectFrom('audit')
        .select(AUDIT_COLUMNS)
        .orderBy('audit_id')
        .limit(sql.lit(BATCH));
      return this.#after === null
        ? // An id may equal the bound of a period only when somebody else wrote it.
          query.where('audit_id', '>=', this.#from).execute()
        : query.where('audit_id', '>', this.#after).execute();
    });
    this.#at = 0;
    this.#isEnded = this.#batch.length < BATCH;
    this.#after = this.#batch.at(-1)?.audit_id ?? this.#after;
  }
}

/** The time in the id of the first record; null: there are no records. */
export async function firstRecordMs(database: Database): Promise<number | null> {
  const row = await database.read((db) =>
    db
      .selectFrom('audit')
      .select('audit_id')
      .orderBy('audit_id')
      .limit(sql.lit(1))
      .executeTakeFirst(),
  );
  if (row === undefined) return null;
  // The first 48 bits of an id are its time (RFC 9562 §5.7).
  const ms = Number.parseInt(row.audit_id.slice(0, 13).replace('-', ''), 16);
  return Number.isNaN(ms) ? 0 : ms;
}
