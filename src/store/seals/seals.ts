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
/** A record has the time at which its job began, and may be written this much later. */
const LATE_MS = 2 * 3_600_000;
/** Records read at a time; between two batches the event loop serves others. */
const BATCH = 250;
/** Limit of the days that one call seals; the next call seals more. */
const DAYS_MAX = 400;
/** The previous seal of the first day. */
const NOTHING = '';

export function sealing(database: Database, clock: SteadyClock, key: string): Seals {
  const keyId = keyIdOf(key);
  return {
    async sealDays(nowMs) {
      const made: Seal[] = [];
      if (clock.jumped()) return made;
      let last = await lastSeal(database);
      const firstMs = last === null ? await firstDayMs(database) : dayMs(last.day) + DAY_MS;
      if (firstMs === null) return made;
      for (let day = firstMs; day + DAY_MS + LATE_MS <= nowMs; day += DAY_MS) {
        if (made.length === DAYS_MAX) break;
        const { records, digest } = await digestOf(database, day);
        const previous = last?.seal ?? NOTHING;
        const seal = sealOf(key, previous, dayName(day), records, digest);
        const next = { day: dayName(day), records, digest, seal, keyId };
        if (!(await insert(database, next, nowMs))) return made;
        last = next;
        made.push(next);
      }
      return made;
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
  const firstMs = await firstDayMs(database);
  const seals = await allSeals(database);
  const firstSealedMs = seals[0] === undefined ? Infinity : dayMs(seals[0].day);
  const first = Math.min(firstSealedMs, firstMs ?? Infinity);
  if (first === Infinity) return;
  const byDay = new Map(seals.map((seal) => [seal.day, seal]));
  const lastSealed = seals.at(-1);
  // Check the days that should be sealed by now, and later days that are sealed nevertheless.
  const endMs = Math.max(
    lastSealed === undefined ? 0 : dayMs(lastSealed.day) + DAY_MS,
    dayStart(nowMs - LATE_MS),
  );
  for (let day = first; day < endMs; day += DAY_MS) {
    if (sinceMs !== null && day + DAY_MS <= sinceMs) continue;
    const { records, digest } = await digestOf(database, day);
    // The chain begins with the first day that had a record.
    if (day < firstSealedMs && records === 0) continue;
    const seal = byDay.get(dayName(day));
    const previous = byDay.get(dayName(day - DAY_MS)) ?? null;
    const isFirst = day === firstSealedMs;
    const finding = findingOf({ seal, previous, isFirst, key, records, digest });
    yield { day: dayName(day), records, seal: seal?.seal ?? null, finding };
  }
}

interface Day {
  readonly seal: Seal | undefined;
  readonly previous: Seal | null;
  readonly isFirst: boolean;
  readonly key: string;
  /** Number and digest of the records that exist now. */
  readonly records: number;
  readonly digest: string;
}

function findingOf({ seal, previous, isFirst, key, records, digest }: Day): SealFinding {
  if (seal === undefined) return 'not sealed';
  if (records !== seal.records || digest !== seal.digest) return 'records changed';
  if (seal.keyId !== keyIdOf(key)) return 'sealed with another key';
  if (previous === null && !isFirst) return 'the day before is missing';
  const expected = sealOf(key, previous?.seal ?? NOTHING, seal.day, seal.records, seal.digest);
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

/** The number of records of the day, and their digest in hex. */
async function digestOf(
  database: Database,
  startMs: number,
): Promise<{ records: number; digest: string }> {
  const hash = createHash('sha256');
  const end = firstIdAt(startMs + DAY_MS);
  let records = 0;
  for (let after = firstIdAt(startMs); ;) {
    const from = after;
    const rows = await database.read((db) =>
      db
        .selectFrom('audit')
        .selectAll()
        .where('audit_id', '>', from)
        .where('audit_id', '<', end)
        .orderBy('audit_id')
        .limit(sql.lit(BATCH))
        .execute(),
    );
    for (const row of rows) hash.update(lineOf(row));
    records += rows.length;
    const last = rows.at(-1);
    if (rows.length < BATCH || last === undefined) return { records, digest: hash.digest('hex') };
    after = last.audit_id;
    await pause(1);
  }
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

/** The day of the first record; null: there are no records. */
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

function dayName(startMs: number): string {
  return new Date(startMs).toISOString().slice(0, 10);
}

function dayMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}
