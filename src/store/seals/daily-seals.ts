import type { Database } from '../database/database.ts';
import { hex } from '../ids.ts';
import { lineOfDay, type RecordReader } from './records.ts';
import type { SealKey } from './seal-key.ts';
import type { SealCheck, SealFinding } from './types.ts';

/*
 * Daily seals, which versions before the chain of seals (seals.ts) made:
 *
 *   digest = SHA-256 of the day's records, in the order of their ids, in the form of `lineOfDay`
 *   seal   = HMAC-SHA-256(key, "intaglio audit" ‖ previous seal ‖ day ‖ records ‖ digest), NUL between
 *
 * They are only verified. The chain begins where the last of them ends, and its first seal includes
 * that last one.
 */

const DAY_MS = 86_400_000;

/** The seal of one day (UTC); digests in hex. */
export interface DailySeal {
  /** `2026-11-21`. */
  readonly day: string;
  readonly records: number;
  readonly digest: string;
  readonly seal: string;
  readonly keyId: string;
}

/** All daily seals, in order. */
export async function dailySeals(database: Database): Promise<readonly DailySeal[]> {
  const rows = await database.read((db) =>
    db.selectFrom('audit_seals').selectAll().orderBy('day').execute(),
  );
  return rows.map(({ day, records, digest, seal, key_id: keyId }) => ({
    day,
    records,
    digest: hex(digest),
    seal: hex(seal),
    keyId,
  }));
}

/** Where the day ends; NaN when its name is no day. */
export function dayEndMs({ day }: DailySeal): number {
  return Date.parse(`${day}T00:00:00Z`) + DAY_MS;
}

/**
 * Checks the days of the seals, and the days between them. The reader must stand before the first
 * one, and stands after the last one then.
 */
export async function* verifyDays(
  seals: readonly DailySeal[],
  reader: RecordReader,
  key: SealKey,
): AsyncGenerator<SealCheck, void, undefined> {
  let endMs: number | null = null;
  let previous: DailySeal | null = null;
  for (const seal of seals) {
    const untilMs = dayEndMs(seal);
    const fromMs = untilMs - DAY_MS;
    if (Number.isNaN(untilMs)) {
      yield {
        name: seal.day,
        fromMs: 0,
        untilMs: 0,
        records: 0,
        seal: seal.seal,
        finding: CHANGED,
      };
      continue;
    }
    const before = await reader.digestUntil(fromMs, lineOfDay);
    const gapMs: number = endMs ?? 0;
    const isGap = endMs === null ? before.records > 0 : gapMs < fromMs;
    if (isGap) yield unsealed(gapMs, fromMs, before.records);
    const { records, digest } = await reader.digestUntil(untilMs, lineOfDay);
    const isNext = endMs === null || fromMs === endMs;
    const finding = findingOf(seal, { records, digest }, isNext ? previous : null, key, isNext);
    yield { name: seal.day, fromMs, untilMs, records, seal: seal.seal, finding };
    previous = seal;
    endMs = untilMs;
  }
}

const CHANGED: SealFinding = 'seal changed';

function unsealed(fromMs: number, untilMs: number, records: number): SealCheck {
  const first = dayOf(fromMs);
  const last = dayOf(untilMs - DAY_MS);
  const name = first === last ? first : `${first} to ${last}`;
  return { name, fromMs, untilMs, records, seal: null, finding: 'not sealed' };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function findingOf(
  seal: DailySeal,
  { records, digest }: { readonly records: number; readonly digest: string },
  previous: DailySeal | null,
  key: SealKey,
  isNext: boolean,
): SealFinding {
  if (records !== seal.records || digest !== seal.digest) return 'records changed';
  if (seal.keyId !== key.id) return 'sealed with another key';
  if (!isNext) return 'the seal before is missing';
  return isMadeWith(key, seal, previous) ? 'whole' : CHANGED;
}

/** Whether the key made the seal of this day after the seal of the day before. */
export function isMadeWith(key: SealKey, seal: DailySeal, previous: DailySeal | null): boolean {
  const parts = [previous?.seal ?? '', seal.day, seal.records, seal.digest];
  return key.mac(['intaglio audit', ...parts]) === seal.seal;
}
