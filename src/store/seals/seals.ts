import { createHash, createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { SteadyClock } from '../clock.ts';
import { isFault } from '../database/database-fault.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { firstIdAt, hex } from '../ids.ts';
import type { Seal, SealCheck, SealFinding, Seals } from './types.ts';

/*
 * Seals make changes to audit records evident: when a day (UTC) is over, a row seals its records.
 *
 *   digest = SHA-256 of the day's records, in the order of their ids, in the form of `lineOf`
 *   seal   = HMAC-SHA-256(key, "intaglio audit" ‖ previous seal ‖ day ‖ records ‖ digest), NUL between
 *
 * Each seal includes the previous one, so removing or inserting a day breaks the chain. Somebody
 * with the key and the database could still make a new chain, so each seal is also written to the
 * log, and `audit verify --seal` compares with the seal from there.
 */

const DAY_MS = 86_400_000;
/** A record bears the time at which its job began, and may be written up to this much later. */
const LATE_MS = 2 * 3_600_000;
/** Records read at a time; between two batches the event loop serves others. */
const BATCH = 250;
/** Limit of the days that one call seals; the next call seals more. */
const DAYS_MAX = 400;
/** Stands for the previous seal of the first day. */
const NO_SEAL = '';

/** The seals of the audit in this database. */
export function sealing(database: Database, clock: SteadyClock, key: string): Seals {
  const keyId = keyIdOf(key);
  return {
    async sealDays(nowMs) {
      const seals: Seal[] = [];
      if (clock.jumped()) return seals;
      let last = await lastSeal(database);
      const firstMs = last === null ? await firstDayMs(database) : startOf(last.day) + DAY_MS;
      if (firstMs === null) return seals;
      for (let dayMs = firstMs; dayMs + DAY_MS + LATE_MS <= nowMs; dayMs += DAY_MS) {
        if (seals.length === DAYS_MAX) break;
        const day = nameOf(dayMs);
        const { records, digest } = await digestOf(database, dayMs);
        const seal = sealOf(key, last?.seal ?? NO_SEAL, day, records, digest);
        const next = { day, records, digest, seal, keyId };
        // Another instance is sealing: it goes on from here.
        if (!(await insert(database, next, nowMs))) return seals;
        last = next;
        seals.push(next);
      }
      return seals;
    },
    async *verify(sinceMs, nowMs) {
      yield* verify(database, key, sinceMs, nowMs);
    },
  };
}

async function* verify(
  database: Database,
  key: string,
  sinceMs: number | null,
  nowMs: number,
): AsyncGenerator<SealCheck, void, undefined> {
  const firstRecordMs = (await firstDayMs(database)) ?? Infinity;
  const seals = await allSeals(database);
  const [first] = seals;
  const last = seals.at(-1);
  const firstSealedMs = first === undefined ? Infinity : startOf(first.day);
  const startMs = Math.min(firstSealedMs, firstRecordMs);
  if (startMs === Infinity) return;
  // Check the days that should be sealed by now, and later days that are sealed nevertheless.
  const endMs = Math.max(
    last === undefined ? 0 : startOf(last.day) + DAY_MS,
    dayStart(nowMs - LATE_MS),
  );
  const byDay = new Map(seals.map((seal) => [seal.day, seal]));
  for (let dayMs = startMs; dayMs < endMs; dayMs += DAY_MS) {
    if (sinceMs !== null && dayMs + DAY_MS <= sinceMs) continue;
    const { records, digest } = await digestOf(database, dayMs);
    // The chain begins with the first day that had a record.
    if (dayMs < firstSealedMs && records === 0) continue;
    const day = nameOf(dayMs);
    const seal = byDay.get(day);
    const previous = byDay.get(nameOf(dayMs - DAY_MS)) ?? null;
    const isFirst = dayMs === firstSealedMs;
    const finding = findingOf({ seal, previous, isFirst, key, records, digest });
    yield { day, records, seal: seal?.seal ?? null, finding };
  }
}

/** A day to check. */
interface DayToCheck {
  readonly seal: Seal | undefined;
  readonly previous: Seal | null;
  readonly isFirst: boolean;
  readonly key: string;
  /** Number and digest of the records that exist now. */
  readonly records: number;
  readonly digest: string;
}

function findingOf({ seal, previous, isFirst, key, records, digest }: DayToCheck): SealFinding {
  if (seal === undefined) return 'not sealed';
  if (records !== seal.records || digest !== seal.digest) return 'records changed';
  if (seal.keyId !== keyIdOf(key)) return 'sealed with another key';
  if (previous === null && !isFirst) return 'the day before is missing';
  const expected = sealOf(key, previous?.seal ?? NO_SEAL, seal.day, seal.records, seal.digest);
  return expected === seal.seal ? 'whole' : 'seal changed';
}

/** Distinguishes keys without revealing them. */
function keyIdOf(key: string): string {
  return createHash('sha256').update(`intaglio audit key\0${key}`).digest('hex').slice(0, 8);
}

function sealOf(
  key: string,
  previous: string,
  day: string,
  records: number,
  digest: string,
): string {
  const text = ['intaglio audit', previous, day, records, digest].join('\0');
  return createHmac('sha256', key).update(text).digest('hex');
}

/** The number of records of the day that begins at `dayMs`, and their digest in hex. */
async function digestOf(
  database: Database,
  dayMs: number,
): Promise<{ records: number; digest: string }> {
  const hash = createHash('sha256');
  const end = firstIdAt(dayMs + DAY_MS);
  let after = firstIdAt(dayMs);
  let records = 0;
  for (;;) {
    const rows = await readBatch(database, after, end);
    for (const row of rows) hash.update(lineOf(row));
    records += rows.length;
    const last = rows.at(-1);
    if (rows.length < BATCH || last === undefined) return { records, digest: hash.digest('hex') };
    after = last.audit_id;
    await pause(1);
  }
}

function readBatch(
  database: Database,
  after: string,
  end: string,
): Promise<readonly Schema['audit'][]> {
  return database.read((db) =>
    db
      .selectFrom('audit')
      .selectAll()
      .where('audit_id', '>', after)
      .where('audit_id', '<', end)
      .orderBy('audit_id')
      .limit(sql.lit(BATCH))
      .execute(),
  );
}

/**
 * A record as a line of JSON, with its columns sorted by name. Null and empty columns are left out,
 * so that adding a column does not change existing lines.
 */
function lineOf(row: Schema['audit']): string {
  const cells = Object.entries(row)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => [name, value instanceof Uint8Array ? hex(value) : String(value)])
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return `${JSON.stringify(cells)}\n`;
}

/** False when another instance sealed the day meanwhile. */
async function insert(database: Database, seal: Seal, nowMs: number): Promise<boolean> {
  const row = {
    day: seal.day,
    records: seal.records,
    digest: Buffer.from(seal.digest, 'hex'),
    seal: Buffer.from(seal.seal, 'hex'),
    key_id: seal.keyId,
    sealed_at_ms: nowMs,
  };
  try {
    await database.write((db) => db.insertInto('audit_seals').values(row).execute());
    return true;
  } catch (error) {
    if (isFault(error, 'duplicate')) return false;
    throw error;
  }
}

async function allSeals(database: Database): Promise<readonly Seal[]> {
  const rows = await database.read((db) =>
    db.selectFrom('audit_seals').selectAll().orderBy('day').execute(),
  );
  return rows.map(asSeal);
}

async function lastSeal(database: Database): Promise<Seal | null> {
  const row = await database.read((db) =>
    db
      .selectFrom('audit_seals')
      .selectAll()
      .orderBy('day', 'desc')
      .limit(sql.lit(1))
      .executeTakeFirst(),
  );
  return row === undefined ? null : asSeal(row);
}

function asSeal(row: Schema['audit_seals']): Seal {
  const { day, records, key_id: keyId } = row;
  return { day, records, digest: hex(row.digest), seal: hex(row.seal), keyId };
}

/** The start of the day of the first record; null: there are no records. */
async function firstDayMs(database: Database): Promise<number | null> {
  const row = await database.read((db) =>
    db
      .selectFrom('audit')
      .select('audit_id')
      .orderBy('audit_id')
      .limit(sql.lit(1))
      .executeTakeFirst(),
  );
  // The first 48 bits of an id are its time (RFC 9562 §5.7).
  return row === undefined
    ? null
    : dayStart(Number.parseInt(row.audit_id.slice(0, 13).replace('-', ''), 16));
}

function dayStart(atMs: number): number {
  return atMs - (atMs % DAY_MS);
}

/** The name of the day that begins at `dayMs`: `2026-11-21`. */
function nameOf(dayMs: number): string {
  return new Date(dayMs).toISOString().slice(0, 10);
}

/** The inverse of `nameOf`. */
function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}
