import type { Database } from '../database/database.ts';
import type { FileStore } from '../files/files.ts';
import { sealsAfter } from './chain.ts';
import { type DailySeal, dailySeals, dayEndMs, isMadeWith, verifyDays } from './daily-seals.ts';
import { countWithoutId, RecordReader } from './records.ts';
import { readRemembered } from './remembered.ts';
import type { SealKey } from './seal-key.ts';
import type { Seal, SealCheck, SealFinding } from './types.ts';

/** A record may stay without a seal for this long; what is older and not sealed is reported. */
export const UNSEALED_MS_MAX = 3_600_000;
/** The first seal is a row before it is a file, by this much at most. */
const REMEMBERING_MS_MAX = 60_000;
/** How far the clocks of instances may be ahead. */
const AHEAD_MS_MAX = 30 * 60_000;

/** What is verified, and with which key. */
interface Sealed {
  readonly database: Database;
  readonly files: FileStore;
  readonly key: SealKey;
}

/** Compares records and seals, from the period of `sinceMs` on; null: from the first record. */
export async function* verify(
  { database, files, key }: Sealed,
  sinceMs: number | null,
  nowMs: number,
): AsyncGenerator<SealCheck, void, undefined> {
  // Read before the table: the table may be ahead of the file, never the other way round.
  const remembered = await readRemembered(files, key);
  const days = await dailySeals(database);
  const { chainMs, skipMs } = await bounds(database, key, sinceMs);
  const reader = new RecordReader(database, skipMs);
  // An instance of the version before may have gone on with its days during an update.
  const counted = days.filter((day) => !(dayEndMs(day) > chainMs));
  if (skipMs === null) {
    for await (const check of verifyDays(counted, reader, key)) {
      if (sinceMs === null || check.untilMs > sinceMs) yield check;
    }
  }
  yield* strayDays(days, counted.length, key);
  const walk = new ChainWalk(reader, key, counted.at(-1) ?? null, skipMs ?? 0);
  for await (const seal of sealsAfter(database, Number.MIN_SAFE_INTEGER)) yield* walk.check(seal);
  if (remembered === 'changed') yield aboutNote('the remembered seal was changed');
  else if (remembered !== 'nothing') yield* walk.missingUpTo(remembered);
  else if (walk.shouldBeRemembered(nowMs)) yield aboutNote('the remembered seal is gone');
  yield* walk.rest(nowMs);
  if (reader.misdated > 0) yield misdated(reader.misdated);
  const records = await countWithoutId(database);
  if (records > 0) {
    const finding = 'records changed';
    yield { name: 'records without id', fromMs: 0, untilMs: 0, records, seal: null, finding };
  }
}

/** The start of the chain, and the time before which no records are read; null: all are read. */
async function bounds(
  database: Database,
  key: SealKey,
  sinceMs: number | null,
): Promise<{ chainMs: number; skipMs: number | null }> {
  let chainMs = Infinity;
  for await (const seal of sealsAfter(database, 0)) {
    if (!key.made(seal) && seal.keyId === key.id) continue;
    chainMs = Math.min(chainMs, seal.fromMs);
    if (sinceMs === null || sinceMs < chainMs) return { chainMs, skipMs: null };
    if (seal.untilMs > sinceMs) return { chainMs, skipMs: seal.fromMs };
  }
  return { chainMs, skipMs: null };
}

/** Daily seals after the beginning of the chain are left out only when the key made them. */
function* strayDays(
  days: readonly DailySeal[],
  from: number,
  key: SealKey,
): Generator<SealCheck, void, undefined> {
  for (const [index, day] of days.entries()) {
    if (index < from || isMadeWith(key, day, days[index - 1] ?? null)) continue;
    const { day: name, seal, records } = day;
    const untilMs = dayEndMs(day);
    yield { name, fromMs: untilMs, untilMs, records, seal, finding: 'seal changed' };
  }
}

function misdated(records: number): SealCheck {
  const finding = 'dated otherwise';
  return { name: 'records with two times', fromMs: 0, untilMs: 0, records, seal: null, finding };
}

function aboutNote(finding: SealFinding): SealCheck {
  return { name: 'file store', fromMs: 0, untilMs: 0, records: 0, seal: null, finding };
}

/** Goes through the chain of seals and the records at the same time. */
class ChainWalk {
  readonly #reader: RecordReader;
  readonly #key: SealKey;
  readonly #day: DailySeal | null;
  readonly #skipMs: number;
  /** Numbers of seals that are there and were changed. */
  readonly #changed = new Set<number>();
  /** The last seal that could be checked. */
  #last: Seal | null = null;
  /** The last seal belongs to the records from before there were seals, which take several. */
  #isFirstBacklog = false;

  /** `day`: the daily seal before the chain. Records before `skipMs` are not compared. */
  constructor(reader: RecordReader, key: SealKey, day: DailySeal | null, skipMs: number) {
    this.#reader = reader;
    this.#key = key;
    this.#day = day;
    this.#skipMs = skipMs;
  }

  get #endMs(): number {
    if (this.#last !== null) return this.#last.untilMs;
    return this.#day === null ? 0 : dayEndMs(this.#day);
  }

  async *check(seal: Seal): AsyncGenerator<SealCheck, void, undefined> {
    if (!this.#isPlausible(seal)) {
      // Its period is not known, so its records cannot be compared.
      this.#changed.add(seal.number);
      yield { ...shown(seal), records: seal.records, finding: 'seal changed' };
      return;
    }
    const expected = (this.#last?.number ?? 0) + 1;
    if (seal.number > expected) yield* this.#gap(expected, seal.number - 1, seal.fromMs);
    const isSkipped = seal.untilMs <= this.#skipMs;
    const { records, digest } = isSkipped ? seal : await this.#reader.digestUntil(seal.untilMs);
    const isSame = records === seal.records && digest === seal.digest;
    const finding = isSame ? this.#rank(seal) : 'records changed';
    // An earlier key cannot be checked here; the first seal that is not skipped names the one before.
    const isSilent = finding === 'whole' || finding === 'sealed with another key';
    if (!isSkipped || !isSilent) yield { ...shown(seal), records, finding };
    this.#last = seal;
  }

  /** Reports the seals after the last one, up to the one that the file store remembers. */
  async *missingUpTo(remembered: Seal): AsyncGenerator<SealCheck, void, undefined> {
    const number = this.#last?.number ?? 0;
    if (remembered.number <= number) return;
    yield* this.#gap(number + 1, remembered.number, remembered.untilMs);
    this.#last = remembered;
  }

  /** Whether the file store has to know of a seal: later ones than the last may be gone with it. */
  shouldBeRemembered(nowMs: number): boolean {
    if (this.#last === null) return false;
    return this.#last.number > 1 || nowMs - this.#last.sealedAtMs > REMEMBERING_MS_MAX;
  }

  /** Reports records that should be sealed by now, and those of the future. */
  async *rest(nowMs: number): AsyncGenerator<SealCheck, void, undefined> {
    const fromMs = this.#endMs;
    const dueMs = nowMs - UNSEALED_MS_MAX;
    const due = await this.#reader.digestUntil(Math.max(fromMs, dueMs));
    const isBegun = this.#last !== null || this.#day !== null;
    if (due.records > 0 || (isBegun && dueMs > fromMs)) {
      const { records } = due;
      yield { name: '-', fromMs, untilMs: dueMs, records, seal: null, finding: 'not sealed' };
    }
    const aheadMs = Math.max(fromMs, nowMs) + AHEAD_MS_MAX;
    await this.#reader.digestUntil(aheadMs);
    const records = await this.#reader.countRest();
    if (records === 0) return;
    const finding = 'dated in the future';
    yield { name: '-', fromMs: aheadMs, untilMs: aheadMs, records, seal: null, finding };
  }

  async *#gap(first: number, last: number, untilMs: number): AsyncGenerator<SealCheck> {
    const fromMs = this.#endMs;
    const { records } = await this.#reader.digestUntil(untilMs);
    let isReported = last - first < this.#changed.size;
    for (let number = first; isReported && number <= last; number += 1) {
      isReported = this.#changed.has(number);
    }
    if (isReported) return;
    const name = first === last ? String(first) : `${first}-${last}`;
    yield { name, fromMs, untilMs, records, seal: null, finding: 'seal missing' };
  }

  /** Whether its period can be believed. Of a seal by another key only the order is known. */
  #isPlausible(seal: Seal): boolean {
    if (seal.keyId === this.#key.id) return this.#key.made(seal);
    const number = this.#last?.number ?? 0;
    return seal.number > number && seal.fromMs >= this.#endMs && seal.untilMs > seal.fromMs;
  }

  /** The finding of a seal whose records are as they were. */
  #rank(seal: Seal): SealFinding {
    const { number, fromMs, previous, sealedAtMs } = seal;
    if (seal.keyId !== this.#key.id) return 'sealed with another key';
    const before = this.#last?.seal ?? this.#day?.seal ?? '';
    if (previous !== before || fromMs !== this.#endMs) return 'the seal before is missing';
    const isLate = sealedAtMs - fromMs > UNSEALED_MS_MAX;
    const sinceLastMs = sealedAtMs - (this.#last?.sealedAtMs ?? sealedAtMs);
    const goesOn = this.#isFirstBacklog && isLate && sinceLastMs <= UNSEALED_MS_MAX;
    this.#isFirstBacklog = number === 1 || goesOn;
    return isLate && !this.#isFirstBacklog ? 'sealed late' : 'whole';
  }
}

function shown(seal: Seal): Pick<SealCheck, 'name' | 'fromMs' | 'untilMs' | 'seal'> {
  const { number, fromMs, untilMs } = seal;
  return { name: String(number), fromMs, untilMs, seal: seal.seal };
}
