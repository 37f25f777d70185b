import { setTimeout as pause } from 'node:timers/promises';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { SteadyClock } from './clock.ts';
import type { Database } from './database.ts';
import { isFault } from './fault.ts';
import type { FileEntry, FileStore } from './files.ts';
import { DOCUMENT_STATES, type Schema } from './schema.ts';
import { StorageUnavailable } from './store.ts';

export interface SweepSettings {
  /** A file without a row is left alone until it is this old: its row may be about to come. */
  readonly graceMs: number;
  /** For the operator: what was not done, and why. */
  readonly warn: (message: string) => void;
}

const BATCH = 200;
/** Files removed at the same time; each batch shares its directory syncs. */
const REMOVALS = 32;
const DAY_MS = 86_400_000;
/** Files looked at in one go. */
const LOOKED_AT = 50;
/** Looking at all files shares its thread with requests: after so long it rests three times as long. */
const TURN_MS = 2;
const REST = 3;
const REST_MS_MAX = 30;
/** Where it takes longer than this altogether, it is not done again before twenty times as long. */
const LOOK_MS_MIN = 1_000;
const LOOK_PAUSE = 20;

/**
 * Destroys documents that expired and files that no row knows. Every step is a compare-and-set or
 * an insert on a primary key, so any number of instances may do it at the same time.
 */
export class Sweep {
  readonly #database: Database;
  readonly #files: FileStore;
  readonly #clock: SteadyClock;
  readonly #settings: SweepSettings;
  /** When all files are looked at again, by the monotonic clock. */
  #lookAtMs = 0;

  constructor(database: Database, files: FileStore, clock: SteadyClock, settings: SweepSettings) {
    this.#database = database;
    this.#files = files;
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Row first, then file, then row again: a crash in between is finished by the next sweep. */
  async expire(documentId: string, nowMs: number): Promise<void> {
    const cutoffMs = this.#cutoff(nowMs);
    const row = await this.#database.read((db) =>
      db
        .selectFrom('documents')
        .select(['state', 'expires_at_ms'])
        .where('document_id', '=', documentId)
        .executeTakeFirst(),
    );
    if (row === undefined) return;
    const due =
      row.state === DOCUMENT_STATES.deleting ||
      (row.state === DOCUMENT_STATES.available && row.expires_at_ms <= cutoffMs);
    if (due) await this.#destroy([documentId], cutoffMs);
  }

  /**
   * All that expired; and what no row knows, as often as looking at every file allows (60 s of it are
   * followed by 20 minutes without).
   */
  async run(nowMs: number): Promise<{ expired: number; orphans: number }> {
    if (this.#clock.jumped()) {
      this.#settings.warn('the wall clock was set; nothing is swept until it is believed again');
      return { expired: 0, orphans: 0 };
    }
    const expired = await this.#sweepExpired(nowMs);
    const orphans = performance.now() < this.#lookAtMs ? 0 : await this.#look(nowMs);
    await this.#forgetOld(nowMs);
    return { expired, orphans };
  }

  async #look(nowMs: number): Promise<number> {
    const startMs = performance.now();
    const orphans = await this.#sweepOrphans(nowMs);
    const endMs = performance.now();
    const tookMs = endMs - startMs;
    this.#lookAtMs = tookMs < LOOK_MS_MIN ? 0 : endMs + tookMs * LOOK_PAUSE;
    return orphans;
  }

  /** While the wall clock is not believed, only what is due by the steady clock as well. */
  #cutoff(nowMs: number): number {
    return this.#clock.jumped() ? Math.min(nowMs, this.#clock.nowMs()) : nowMs;
  }

  async #sweepExpired(nowMs: number): Promise<number> {
    let expired = 0;
    for (;;) {
      const due = await this.#database.read((db) =>
        db
          .selectFrom('documents')
          .select('document_id')
          .where((where) =>
            where.or([
              where('state', '=', DOCUMENT_STATES.deleting),
              where.and([
                where('state', '=', DOCUMENT_STATES.available),
                where('expires_at_ms', '<=', nowMs),
              ]),
            ]),
          )
          .limit(sql.lit(BATCH))
          .execute(),
      );
      if (due.length === 0) return expired;
      expired += await this.#destroy(
        due.map((row) => row.document_id),
        nowMs,
      );
    }
  }

  /** Throws when a file cannot be removed; its row then stays `deleting` and is due again. */
  async #destroy(documentIds: readonly string[], cutoffMs: number): Promise<number> {
    const { available, deleting, deleted } = DOCUMENT_STATES;
    await this.#database.write((db) =>
      db
        .updateTable('documents')
        .set({ state: deleting })
        .where('document_id', 'in', documentIds)
        .where(byKey(available))
        .where('expires_at_ms', '<=', cutoffMs)
        .executeTakeFirst(),
    );
    await eachAtOnce(documentIds, (documentId) => this.#files.remove(documentId));
    const result = await this.#database.write((db) =>
      db
        .updateTable('documents')
        .set({ state: deleted })
        .where('document_id', 'in', documentIds)
        .where(byKey(deleting))
        .executeTakeFirst(),
    );
    return Number(result.numUpdatedRows);
  }

  async #sweepOrphans(nowMs: number): Promise<number> {
    let orphans = 0;
    for await (const entries of this.#inTurns(this.#files.list())) {
      const temporary = entries.filter((entry) => entry.temporary);
      const unknown = await this.#withoutRow(entries.filter((entry) => !entry.temporary));
      const oldTemporary = await this.#olderThanGrace(temporary, nowMs);
      const oldUnknown = await this.#olderThanGrace(unknown, nowMs);
      const condemned = await this.#condemn(oldUnknown, nowMs);
      await eachAtOnce([...oldTemporary, ...condemned], async (entry) => {
        await this.#files.removeEntry(entry);
        orphans += 1;
      });
    }
    return orphans;
  }

  async *#inTurns(
    lists: AsyncIterable<readonly FileEntry[]>,
  ): AsyncGenerator<readonly FileEntry[]> {
    let turnAtMs = performance.now();
    for await (const list of lists) {
      for (let at = 0; at < list.length; at += LOOKED_AT) {
        yield list.slice(at, at + LOOKED_AT);
        const tookMs = performance.now() - turnAtMs;
        if (tookMs <= TURN_MS) continue;
        await pause(Math.min(tookMs * REST, REST_MS_MAX));
        turnAtMs = performance.now();
      }
    }
  }

  async #olderThanGrace(
    entries: readonly FileEntry[],
    nowMs: number,
  ): Promise<readonly FileEntry[]> {
    const old: FileEntry[] = [];
    await eachAtOnce(entries, async (entry) => {
      const modifiedAtMs = await this.#files.modifiedAtMs(entry);
      if (modifiedAtMs !== null && modifiedAtMs <= nowMs - this.#settings.graceMs) old.push(entry);
    });
    return old;
  }

  /** Those whose row is missing, or says that the file should be. */
  async #withoutRow(entries: readonly FileEntry[]): Promise<readonly FileEntry[]> {
    if (entries.length === 0) return [];
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('documents')
        // The state is looked at here: see byKey.
        .select(['document_id', 'state'])
        .where(
          'document_id',
          'in',
          entries.map((entry) => entry.documentId),
        )
        .execute(),
    );
    const { available, deleting } = DOCUMENT_STATES;
    const known = new Set<string>();
    for (const { document_id: id, state } of rows) {
      if (state === available || state === deleting) known.add(id);
    }
    return entries.filter((entry) => !known.has(entry.documentId));
  }

  /**
   * Takes the ids themselves, so that a commit that slept longer than the grace fails on its primary
   * key instead of leaving a row without a file. Returns those that are ours to remove.
   */
  async #condemn(entries: readonly FileEntry[], nowMs: number): Promise<readonly FileEntry[]> {
    if (entries.length === 0) return [];
    try {
      await this.#database.write((db) =>
        db
          .insertInto('documents')
          .values(entries.map((entry) => sweptRow(entry.documentId, nowMs)))
          .execute(),
      );
      return entries;
    } catch (error) {
      if (!isFault(error, 'duplicate')) throw error;
    }
    const [only] = entries;
    if (entries.length === 1 && only !== undefined) {
      return (await this.#isDoomed(only.documentId)) ? entries : [];
    }
    const condemned: FileEntry[] = [];
    for (const entry of entries) condemned.push(...(await this.#condemn([entry], nowMs)));
    return condemned;
  }

  /** Condemned by another instance, or destroyed before and come back with a restored disk. */
  async #isDoomed(documentId: string): Promise<boolean> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('documents')
        .select('state')
        .where('document_id', '=', documentId)
        .executeTakeFirst(),
    );
    return row?.state === DOCUMENT_STATES.swept || row?.state === DOCUMENT_STATES.deleted;
  }

  async #forgetOld(nowMs: number): Promise<void> {
    await this.#database.write((db) =>
      db
        .deleteFrom('documents')
        .where('state', '=', DOCUMENT_STATES.swept)
        .where('expires_at_ms', '<=', nowMs)
        .execute(),
    );
    await this.#database.write((db) =>
      db
        .deleteFrom('idempotency')
        .where('claimed_at_ms', '<=', nowMs - DAY_MS)
        .where('lease_until_ms', '<=', nowMs)
        .execute(),
    );
    await this.#database.write((db) =>
      db.deleteFrom('sessions').where('expires_at_ms', '<=', nowMs).execute(),
    );
  }
}

/**
 * This state, beside ids: a plain comparison would let SQLite go through all rows in it instead of
 * those ids.
 */
function byKey(state: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`+state = ${state}`;
}

function sweptRow(documentId: string, nowMs: number): Schema['documents'] {
  return {
    document_id: documentId,
    team_id: '',
    template_id: '',
    version: 0,
    sha256: Buffer.alloc(32),
    bytes: 0,
    pages: 0,
    protected: 0,
    created_at_ms: nowMs,
    expires_at_ms: nowMs + DAY_MS,
    state: DOCUMENT_STATES.swept,
  };
}

/** Runs `work` over all, a few at a time; throws the first failure after all have ended. */
async function eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let at = 0;
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (at < items.length && failures.length === 0) {
      const item = items[at];
      at += 1;
      if (item === undefined) continue;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: REMOVALS }, lane));
  const [first] = failures;
  if (first instanceof Error) throw first;
  if (first !== undefined) throw new StorageUnavailable('a sweep step failed');
}
