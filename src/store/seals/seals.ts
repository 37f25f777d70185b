import type { SteadyClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { FileStore } from '../files/files.ts';
import { countSeals, insertSeal, lastSeals, replaceSeal, sealAt, sealsAfter } from './chain.ts';
import { dailySeals, dayEndMs } from './daily-seals.ts';
import { firstRecordMs, recordMsAfter, RecordReader } from './records.ts';
import { readRemembered, remember, REMEMBERED_FILE } from './remembered.ts';
import { SealKey } from './seal-key.ts';
import type { Seal, SealAge, SealFigures, Sealing, Seals } from './types.ts';
import { verify } from './verify.ts';

/*
 * Seals make changes of audit records evident. Every 20 minutes a row of `audit_chain` seals the
 * records whose ids lie in one period, half an hour after the period is over.
 *
 *   digest = SHA-256 of the period's records, in the order of their ids, in the form of `lineOf`
 *   seal   = HMAC-SHA-256(key, "intaglio audit 2" ‖ number ‖ from ‖ until ‖ records ‖ digest ‖
 *            previous seal ‖ time of sealing), NUL between
 *
 *   records  ──[ 41 ]──[ 42 ]──[ 43 ]──────────────────→ time
 *                                      ↑ bound   ↑ floor of new ids   ↑ now
 *
 * Records of a longer time, as after an update, are sealed in several longer periods.
 *
 * A period is sealed once. The next one begins where the last seal ends, and that seal is known from
 * outside the table: from this process's memory and from a file in the file store. Somebody who
 * removes seals from the table cannot make the service seal the same period again: the service goes
 * on after the seal that it remembers, and reports the missing ones. Order: the row first, whose
 * primary key decides between instances, then the file. A file that is one seal behind, after a
 * crash, catches up with the row, which nobody can make without the key.
 *
 * A job that began before the floor gets a later id (`auditFloorMs`), so no record comes into a
 * period that is sealed, however long its job took and whatever its instance's clock says.
 *
 * Each seal is also in the log: `audit verify --seal` finds a chain that somebody with the key,
 * the database and the files made anew.
 */

/** The periods end at multiples of this. */
const PERIOD_MS = 20 * 60_000;
/** A period is sealed this long after its end. */
const GRACE_MS = 30 * 60_000;
/**
 * New ids begin this long after the last seal. An instance asks for the last seal once a minute, so
 * a commit has `FLOOR_MS - PERIOD_MS` less that minute before a later seal could cover its id.
 */
const FLOOR_MS = 25 * 60_000;
/** A period is no longer than it takes for this many records, unless the shortest has more. */
const RECORDS_MAX = 20_000;
/** Seals of the table that are looked at when no seal is remembered. */
const ADOPTED_MAX = 1_000;

const FILE_CHANGED =
  `${REMEMBERED_FILE} in the file store holds no seal by INTAGLIO_AUDIT_KEY:` +
  ' remove the file only if you know why, the last seal of the table is taken then';

/** The seals of the audit in this database. */
export function sealing(
  database: Database,
  files: FileStore,
  clock: SteadyClock,
  key: string,
): Seals {
  return new Sealer(database, files, clock, new SealKey(key));
}

/** Where the chain is to go on. */
interface State {
  /** False: the place cannot be known, so nothing may be sealed. */
  readonly isKnown: boolean;
  /** Null: the chain begins. */
  readonly last: Seal | null;
  readonly missing: number;
  readonly faults: readonly string[];
}

class Sealer implements Seals {
  readonly #database: Database;
  readonly #files: FileStore;
  readonly #clock: SteadyClock;
  readonly #key: SealKey;
  /** The last seal that this process knows of. */
  #known: Seal | null = null;
  #missing = 0;
  /** Start of the time that no seal covers; null: there is nothing to seal. */
  #unsealedFromMs: number | null = null;

  constructor(database: Database, files: FileStore, clock: SteadyClock, key: SealKey) {
    this.#database = database;
    this.#files = files;
    this.#clock = clock;
    this.#key = key;
  }

  async seal(nowMs: number): Promise<Sealing> {
    const atMs = this.#clock.jumped() ? this.#clock.nowMs() : nowMs;
    const { last, missing, faults, isKnown } = await this.#refresh();
    this.#missing = missing;
    if (!isKnown) return { sealed: null, faults };
    const begin = await this.#begin(last);
    this.#unsealedFromMs = begin?.atMs ?? null;
    if (begin === null) return { sealed: null, faults };
    const dueMs = Math.floor((atMs - GRACE_MS) / PERIOD_MS) * PERIOD_MS;
    const untilMs = Math.min(dueMs, await this.#boundOf(begin.fromMs, begin.atMs));
    if (untilMs <= begin.atMs || (last === null && (await this.#isEmpty(untilMs)))) {
      return { sealed: null, faults };
    }
    const fromMs = begin.fromMs;
    // The first period has whatever lies before it, too.
    const reader = new RecordReader(this.#database, fromMs === 0 ? null : fromMs, 'shared');
    const { records, digest } = await reader.digestUntil(untilMs);
    const number = (last?.number ?? 0) + 1;
    const { previous } = begin;
    const sealed = { number, fromMs, untilMs, records, digest, previous, sealedAtMs: atMs };
    return this.#add(this.#key.seal(sealed), faults);
  }

  figures(): SealFigures {
    const unsealedFromMs = this.#unsealedFromMs ?? this.#clock.nowMs();
    return { missing: this.#missing, unsealedFromMs };
  }

  async age(): Promise<SealAge> {
    const [last = null] = await lastSeals(this.#database, 1);
    const begin = await this.#begin(last);
    const remembered = await readRemembered(this.#files, this.#key);
    const number = typeof remembered === 'string' ? (last?.number ?? 0) : remembered.number;
    const missing = number - (await countSeals(this.#database, number));
    return { sealedAtMs: last?.sealedAtMs ?? null, unsealedFromMs: begin?.atMs ?? null, missing };
  }

  async *verify(sinceMs: number | null, nowMs: number) {
    yield* verify({ database: this.#database, files: this.#files, key: this.#key }, sinceMs, nowMs);
  }

  /** Finds the last seal: in memory, in the file, or after those in the table. */
  async #refresh(): Promise<State> {
    const faults: string[] = [];
    const remembered = await readRemembered(this.#files, this.#key);
    const filed = typeof remembered === 'string' ? null : remembered;
    if (remembered === 'changed') faults.push(FILE_CHANGED);
    let last = laterOf(this.#known, filed);
    if (last === null && remembered === 'changed') {
      return { isKnown: false, last, missing: 0, faults };
    }
    last = await this.#advance(last ?? (await this.#adopt(faults)));
    if (last === null) return { isKnown: true, last, missing: 0, faults };
    if (filed?.seal !== last.seal) await remember(this.#files, last);
    this.#know(last);
    const missing = last.number - (await countSeals(this.#database, last.number));
    if (missing > 0) {
      faults.push(`${missing} of ${last.number} seals are missing in the table audit_chain`);
    }
    return { isKnown: true, last, missing, faults };
  }

  /** Follows the seals that other instances have added to the table. */
  async #advance(from: Seal | null): Promise<Seal | null> {
    let last = from;
    for await (const seal of sealsAfter(this.#database, last?.number ?? 0)) {
      if (!this.#follows(seal, last)) break;
      last = seal;
    }
    return last;
  }

  #follows(seal: Seal, last: Seal | null): boolean {
    const isNext = last === null || (seal.previous === last.seal && seal.fromMs === last.untilMs);
    return isNext && seal.number === (last?.number ?? 0) + 1 && this.#key.made(seal);
  }

  /** The last seal of the table that can be one: after an update, a restore or a lost file. */
  async #adopt(faults: string[]): Promise<Seal | null> {
    const seals = await lastSeals(this.#database, ADOPTED_MAX);
    if (seals.length === 0) return null;
    // Another instance that makes the first seal writes the row, and the file a moment later.
    if (seals[0]?.number !== 1) {
      faults.push(`the file store has no ${REMEMBERED_FILE}: the last seal of the table is taken`);
    }
    return seals.find((seal) => seal.keyId !== this.#key.id || this.#key.made(seal)) ?? null;
  }

  /** Where the next period begins; null: nowhere yet, because there are no records. */
  async #begin(
    last: Seal | null,
  ): Promise<{ fromMs: number; atMs: number; previous: string } | null> {
    if (last !== null) return { fromMs: last.untilMs, atMs: last.untilMs, previous: last.seal };
    const days = await dailySeals(this.#database);
    const day = days.at(-1);
    if (day !== undefined && !Number.isNaN(dayEndMs(day))) {
      return { fromMs: dayEndMs(day), atMs: dayEndMs(day), previous: day.seal };
    }
    const firstMs = await firstRecordMs(this.#database);
    return firstMs === null ? null : { fromMs: 0, atMs: firstMs, previous: '' };
  }

  /**
   * The latest end of the next period. A backlog of years is sealed in parts, each of which is kept
   * when the process ends.
   */
  async #boundOf(fromMs: number, atMs: number): Promise<number> {
    const nextMs = await recordMsAfter(this.#database, fromMs, RECORDS_MAX);
    if (nextMs === null) return Infinity;
    const shortestMs = (Math.floor(atMs / PERIOD_MS) + 1) * PERIOD_MS;
    return Math.max(shortestMs, Math.floor(nextMs / PERIOD_MS) * PERIOD_MS);
  }

  async #isEmpty(untilMs: number): Promise<boolean> {
    const firstMs = await firstRecordMs(this.#database);
    return firstMs === null || firstMs >= untilMs;
  }

  /** Adds the seal to the table and remembers it, unless another instance was first. */
  async #add(seal: Seal, faults: readonly string[]): Promise<Sealing> {
    const found = [...faults];
    if (!(await insertSeal(this.#database, seal))) {
      const rival = await sealAt(this.#database, seal.number);
      if (rival === null || this.#follows(rival, this.#known)) return { sealed: null, faults };
      // Somebody without the key put a seal there, so that the service could not add its own.
      await replaceSeal(this.#database, rival, seal);
      found.push(`seal ${seal.number} of the table was not made with this key; it is replaced`);
    }
    this.#know(seal);
    this.#unsealedFromMs = seal.untilMs;
    await remember(this.#files, seal);
    return { sealed: seal, faults: found };
  }

  #know(seal: Seal): void {
    this.#known = seal;
    this.#database.auditFloorMs = seal.untilMs + FLOOR_MS;
  }
}

/** The seal with the higher number. */
function laterOf(a: Seal | null, b: Seal | null): Seal | null {
  if (a === null || b === null) return a ?? b;
  return a.number >= b.number ? a : b;
}
