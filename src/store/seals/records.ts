import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { firstIdAt, hex } from '../ids.ts';
import { readRows, type Row, SORTED_COLUMNS } from './rows.ts';

/** An id is as late as the time of its record; a clock that was set back makes it later. */
const BEHIND_MS_MAX = 86_400_000;
const AHEAD_MS_MAX = 60_000;
/** Records read at a time; between two batches the event loop serves others. */
const BATCH = 250;
/** A service rests for this many times as long as a batch took. */
const REST_FACTOR = 2;
const REST_MS_MAX = 30;

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

function line({ values, exact }: Row, isKept: (value: unknown) => boolean): string {
  const cells: [string, string][] = [];
  for (const name of SORTED_COLUMNS) {
    const value: unknown = values[name];
    if (!isKept(value)) continue;
    cells.push([name, value instanceof Uint8Array ? hex(value) : String(value)]);
  }
  if (exact !== null) cells.push(['', exact]);
  return `${JSON.stringify(cells)}\n`;
}

/** Reads the audit once, in the order of its ids, and digests one period after the other. */
export class RecordReader {
  readonly #database: Database;
  #batch: readonly Row[] = [];
  #at = 0;
  /** The last id that was read, with which the next batch begins; the first begins with `#from`. */
  #last: string | null = null;
  /** Records of that id that were read: more than one only where somebody removed the primary key. */
  #lastCount = 0;
  readonly #from: string;
  readonly #restFactor: number;
  /** When reading the batch began. */
  #filledAtMs = 0;
  #isEnded = false;
  #misdated = 0;

  /** Null: from the first record, whatever its id. `shared`: beside requests, which go first. */
  constructor(database: Database, fromMs: number | null, thread: 'own' | 'shared' = 'own') {
    this.#database = database;
    this.#restFactor = thread === 'shared' ? REST_FACTOR : 0;
    this.#from = fromMs === null ? '' : firstIdAt(fromMs);
  }

  /** Digests the records that have not been read yet and whose ids lie before `untilMs`. */
  async digestUntil(untilMs: number, lineFor: LineOf = lineOf): Promise<Digested> {
    const end = firstIdAt(untilMs);
    const hash = createHash('sha256');
    let records = 0;
    for (let row = await this.#next(); row !== null && row.values.audit_id < end;) {
      hash.update(lineFor(row));
      if (isMisdated(row.values)) this.#misdated += 1;
      records += 1;
      this.#at += 1;
      row = await this.#next();
    }
    return { records, digest: hash.digest('hex') };
  }

  /** Number of the records digested so far whose time is not that of their id. */
  get misdated(): number {
    return this.#misdated;
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
    if (this.#last !== null) {
      const workedMs = performance.now() - this.#filledAtMs;
      await pause(Math.max(1, Math.min(workedMs * this.#restFactor, REST_MS_MAX)));
    }
    this.#filledAtMs = performance.now();
    // An id may equal the bound of a period only when somebody else wrote it.
    const from = this.#last ?? this.#from;
    // The seal decides whether a record is as it was made; a changed one must not stop the reading.
    this.#batch = await this.#database.readUncompared((db) =>
      readRows(this.#database, db, { from, skipped: this.#lastCount, countMax: BATCH }),
    );
    this.#at = 0;
    this.#isEnded = this.#batch.length < BATCH;
    const last = this.#batch.at(-1)?.values.audit_id;
    if (last === undefined) return;
    const count = this.#batch.filter(({ values }) => values.audit_id === last).length;
    this.#lastCount = last === this.#last ? this.#lastCount + count : count;
    this.#last = last;
  }
}

/** Whether the time of a record and the time in its id, by which it is sealed, are far apart. */
function isMisdated({ audit_id: id, at_ms: atMs }: Schema['audit']): boolean {
  const behindMs = msOf(id) - atMs;
  return behindMs > BEHIND_MS_MAX || behindMs < -AHEAD_MS_MAX;
}

/** The first 48 bits of an id are its time (RFC 9562 §5.7); NaN: it is no id. */
function msOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Number of records without an id: only somebody who changed the table can have added them. */
export async function countWithoutId(database: Database): Promise<number> {
  const row = await database.readUncompared((db) =>
    db
      .selectFrom('audit')
      .select((select) => select.fn.countAll().as('count'))
      .where(
        // SQLite does not look for nulls in a column that excludes them.
        database.dialect === 'sqlite'
          ? sql<boolean>`typeof(audit_id) <> 'text'`
          : sql<boolean>`audit_id is null`,
      )
      .executeTakeFirstOrThrow(),
  );
  return Number(row.count);
}

/** The time in the id of the first record; null: there are no records. */
export async function firstRecordMs(database: Database): Promise<number | null> {
  return recordMsAfter(database, 0, 0);
}

/** The time in the id of the record that so many lie before, from a time on; null: there are fewer. */
export async function recordMsAfter(
  database: Database,
  fromMs: number,
  records: number,
): Promise<number | null> {
  const row = await database.readUncompared((db) =>
    db
      .selectFrom('audit')
      .select('audit_id')
      .where('audit_id', '>=', fromMs === 0 ? '' : firstIdAt(fromMs))
      .orderBy('audit_id')
      .limit(sql.lit(1))
      .offset(sql.lit(records))
      .executeTakeFirst(),
  );
  if (row === undefined) return null;
  const ms = msOf(row.audit_id);
  return Number.isNaN(ms) ? 0 : ms;
}
