import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { SteadyClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { FileStore, StoredFiles } from '../files/files.ts';
import type { FilesOwner } from './files-owner.ts';
import type { OlderDatabase } from './older-database.ts';
import type { Names } from '../naming/names.ts';
import { Orphans } from './orphans.ts';
import { Backlog } from '../removal/backlog.ts';
import { BatchSize, DOCUMENTS_MIN } from './batch-size.ts';
import { eachByItself, Failures } from '../removal/removal.ts';
import { RunSweep } from '../runs/run-sweep.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import { addDamaged, readSound } from '../removal/sound-rows.ts';
import { StorageUnavailable } from '../terms.ts';

export interface SweepSettings {
  /** Files without a row stay until they are this old: their row may be about to be committed. */
  readonly graceMs: number;
  /** Tells the operator what was not done, and why. */
  readonly warn: (message: string) => void;
  readonly age: OlderDatabase;
  readonly owner: FilesOwner;
  readonly names: Pick<Names, 'forget' | 'forgetOne'>;
}

/** What a sweep removed. */
export interface Swept {
  readonly expired: number;
  readonly orphans: number;
}

const DAY_MS = 86_400_000;
/** Longest wait of a caller for the end of an expired document. */
const EXPIRE_MS_MAX = 1_000;
/** When a batch takes this long and removes no file, the file store hangs and the sweep ends. */
const HUNG_MS = 5_000;
/** Between two batches requests have the service for as long as a batch took, at most so long. */
const REST_MS_MAX = 250;
/** A search for orphans that took longer than this is followed by a pause. */
const LONG_SEARCH_MS = 1_000;
/** The length of the pause, as a multiple of that of the search. */
const PAUSE_FACTOR = 20;

/** The last document of the previous batch, in the order of the index `documents_due`. */
interface Cursor {
  readonly expiresAtMs: number;
  readonly documentId: string;
}

/**
 * Destroys expired documents and files without a row. Every step is a compare-and-set or an insert
 * on a primary key, so any number of instances may do it at the same time.
 */
export class Sweep {
  /** Files that the last run could not remove, inspect or list. */
  unremovable = 0;
  readonly #database: Database;
  readonly #files: FileStore;
  readonly #clock: SteadyClock;
  readonly #settings: SweepSettings;
  readonly #orphans: Orphans;
  readonly #runs: RunSweep;
  /** When the next search for orphan files may begin, by the monotonic clock. */
  #nextSearchMs = 0;

  constructor(database: Database, files: FileStore, clock: SteadyClock, settings: SweepSettings) {
    this.#database = database;
    this.#files = files;
    this.#clock = clock;
    this.#settings = settings;
    this.#runs = new RunSweep(database, files);
    this.#orphans = new Orphans(database, files, settings.graceMs, settings.age);
  }

  /**
   * Destroys one expired document. Its caller gets 410 in any case, so this takes at most a second
   * and leaves what fails to the next run.
   */
  async expire(documentId: string, nowMs: number): Promise<void> {
    const work = this.#expireOne(documentId, nowMs).catch((error: unknown) => {
      if (!(error instanceof StorageUnavailable)) throw error;
      this.#settings.warn(`expired document ${documentId} is left to the sweep: ${error.message}`);
    });
    const timer = new AbortController();
    const timeout = pause(EXPIRE_MS_MAX, undefined, { signal: timer.signal }).catch(
      () => undefined,
    );
    try {
      await Promise.race([work, timeout]);
    } finally {
      timer.abort();
    }
  }

  /**
   * Marks the row, deletes the file, then marks the row again; after a crash the next run goes on.
   */
  async #expireOne(documentId: string, nowMs: number): Promise<void> {
    const cutoffMs = this.#cutoff(nowMs);
    const row = await this.#database.read((db) =>
      db
        .selectFrom('documents')
        .select(['state', 'expires_at_ms', 'pack_id'])
        .where('document_id', '=', documentId)
        .executeTakeFirst(),
    );
    if (row === undefined) return;
    await this.#settings.names.forgetOne(documentId, cutoffMs);
    const failures = new Failures();
    if (row.pack_id !== null) {
      await this.#runs.expireFile(row.pack_id, cutoffMs, failures);
      if (failures.count > 0) throw new StorageUnavailable(failures.first);
      return;
    }
    const isDue =
      row.state === DOCUMENT_STATES.deleting ||
      (row.state === DOCUMENT_STATES.available && row.expires_at_ms <= cutoffMs);
    if (!isDue) return;
    await this.#destroy([documentId], cutoffMs, failures);
    if (failures.count > 0) throw new StorageUnavailable(failures.first);
  }

  /**
   * Destroys all expired documents, and orphan files unless the last search for them was too recent
   * (after a search of 60 s the next is 20 minutes later). Files that cannot be removed are left to
   * the next run; the error at the end counts them. Throws at once when the files belong to another
   * database. `areOrphansAccepted`: an operator confirmed that the files without a row may go.
   */
  async run(nowMs: number, areOrphansAccepted = false): Promise<Swept> {
    if (this.#clock.jumped()) {
      this.#settings.warn('the wall clock was set; nothing is swept until it is believed again');
      return { expired: 0, orphans: 0 };
    }
    const { age, owner, names } = this.#settings;
    await owner.demand();
    await names.forget(nowMs);
    const failures = new Failures();
    const expiredSeparate = await this.#sweepExpired(nowMs, failures);
    const expiredInPacks = await this.#runs.run(nowMs, failures);
    const expired = expiredSeparate + expiredInPacks;
    const hasPaused = areOrphansAccepted || performance.now() >= this.#nextSearchMs;
    const isSearchDue = owner.isOwn && hasPaused;
    await age.noteNewest();
    const orphans = isSearchDue
      ? await this.#searchOrphans(nowMs, failures, areOrphansAccepted)
      : 0;
    await this.#forgetOld(nowMs);
    this.unremovable = failures.count;
    if (failures.count === 0) return { expired, orphans };
    throw new StorageUnavailable(
      `${failures.count} files could not be removed, the first because ${failures.first};` +
        ` ${expired} expired documents and ${orphans} orphan files were`,
    );
  }

  async #searchOrphans(nowMs: number, failures: Failures, areAccepted: boolean): Promise<number> {
    const startMs = performance.now();
    const orphans = await this.#orphans.remove(nowMs, failures, areAccepted);
    if (this.#orphans.warning !== null) this.#settings.warn(this.#orphans.warning);
    const endMs = performance.now();
    const tookMs = endMs - startMs;
    this.#nextSearchMs = tookMs < LONG_SEARCH_MS ? 0 : endMs + tookMs * PAUSE_FACTOR;
    return orphans;
  }

  /** The files with a row at the last complete search for orphans; null: there was none yet. */
  get stored(): StoredFiles | null {
    return this.#orphans.stored;
  }

  /** Why many files without a row are kept; null: none are. */
  get keptOrphans(): string | null {
    return this.#orphans.warning;
  }

  /** While the wall clock is not trusted, only what is also due by the steady clock expires. */
  #cutoff(nowMs: number): number {
    return this.#clock.jumped() ? Math.min(nowMs, this.#clock.nowMs()) : nowMs;
  }

  /** Destroys first what earlier runs could not finish, then what has expired since. */
  async #sweepExpired(nowMs: number, failures: Failures): Promise<number> {
    let expired = 0;
    const batch = new BatchSize();
    for (const state of [DOCUMENT_STATES.deleting, DOCUMENT_STATES.available]) {
      // The cursor advances past files that cannot be removed, so each is tried once per run.
      let after: Cursor = { expiresAtMs: Number.MIN_SAFE_INTEGER, documentId: '' };
      for (;;) {
        // Reading a damaged row would end the sweep for all others: they are compared one by one.
        const due = await this.#database.readUncompared((db) =>
          dueDocuments(db, state, nowMs, after, batch.documents).execute(),
        );
        const last = due.at(-1);
        if (last === undefined) break;
        after = { expiresAtMs: last.expires_at_ms, documentId: last.document_id };
        const startMs = performance.now();
        const ids = await this.#sound(due, failures);
        const destroyed = await this.#destroy(ids, nowMs, failures);
        const tookMs = performance.now() - startMs;
        if (destroyed === 0 && ids.length > 0 && tookMs > HUNG_MS) return expired;
        if (due.length === batch.documents) await pause(Math.min(tookMs, REST_MS_MAX));
        batch.adapt(tookMs);
        expired += destroyed;
      }
    }
    return expired;
  }

  /** The ids of documents whose rows are as they were written. */
  async #sound(
    due: readonly { readonly document_id: string }[],
    failures: Failures,
  ): Promise<readonly string[]> {
    const ids = due.map((row) => row.document_id);
    if (this.#database.dialect === 'mysql') return ids;
    const { rows, damaged } = await readSound(this.#database, ids, (db, some) =>
      db.selectFrom('documents').select('document_id').where('document_id', 'in', some).execute(),
    );
    addDamaged(failures, 'documents', damaged);
    return rows.map((row) => row.document_id);
  }

  /**
   * Returns the number of destroyed documents. When a file cannot be removed, its row stays
   * `deleting` and is due again.
   */
  async #destroy(
    documentIds: readonly string[],
    cutoffMs: number,
    failures: Failures,
  ): Promise<number> {
    if (documentIds.length === 0) return 0;
    const { available, deleting, deleted } = DOCUMENT_STATES;
    // Without its key the file cannot be read, whatever becomes of its bytes.
    await this.#change('wrapped_key = null, state', [deleting, available], documentIds, cutoffMs);
    const removed = await eachByItself(documentIds, failures, (documentId) =>
      this.#files.remove(documentId),
    );
    if (removed.length === 0) return 0;
    const any = Number.MAX_SAFE_INTEGER;
    return this.#change('state', [deleted, deleting], removed, any);
  }

  /**
   * Gives documents in the state `from` that expired by then the state `to`; returns their number.
   * Building this with kysely would take longer than the rest. The unary plus rules out an index over
   * the state: with it, SQLite might scan all rows of that state instead of looking up the ids.
   */
  async #change(
    columns: string,
    [to, from]: readonly [number, number],
    documentIds: readonly string[],
    cutoffMs: number,
  ): Promise<number> {
    const ids = padded(documentIds);
    const text =
      `update documents set ${columns} = ? where +state = ? and expires_at_ms <= ?` +
      ` and document_id in (?${', ?'.repeat(ids.length - 1)})`;
    const query = CompiledQuery.raw(text, [to, from, cutoffMs, ...ids]);
    const { numAffectedRows } = await this.#database.write((db) => db.executeQuery(query));
    return Number(numAffectedRows ?? 0);
  }

  /** Deletes rows that no longer serve any purpose. */
  async #forgetOld(nowMs: number): Promise<void> {
    const rows = new Backlog(this.#database);
    await rows.remove(
      'documents',
      sql`state = ${DOCUMENT_STATES.swept} and expires_at_ms <= ${nowMs}`,
    );
    await rows.remove(
      'idempotency',
      sql`claimed_at_ms <= ${nowMs - DAY_MS} and lease_until_ms <= ${nowMs}`,
    );
    await rows.remove('sessions', sql`expires_at_ms <= ${nowMs}`);
  }
}

/**
 * Selects the next batch of documents to destroy, after the cursor. Its order is that of the index
 * `documents_due`, so nothing is sorted, however many documents expire in the same millisecond.
 */
export function dueDocuments(
  db: Kysely<Schema>,
  state: number,
  nowMs: number,
  { expiresAtMs, documentId }: Cursor,
  documentsMax: number,
): SelectQueryBuilder<Schema, 'documents', { document_id: string; expires_at_ms: number }> {
  return (
    db
      .selectFrom('documents')
      .select(['document_id', 'expires_at_ms'])
      .where('state', '=', state)
      .where('expires_at_ms', '>=', expiresAtMs)
      // A document in state `deleting` had expired when its deletion began.
      .$if(state === DOCUMENT_STATES.available, (query) =>
        query.where('expires_at_ms', '<=', nowMs),
      )
      .where((where) =>
        where.or([where('expires_at_ms', '>', expiresAtMs), where('document_id', '>', documentId)]),
      )
      .orderBy('expires_at_ms')
      .orderBy('document_id')
      .limit(sql.lit(documentsMax))
  );
}

/** The ids, the last of them repeated, so that there are few statements of different lengths. */
function padded(ids: readonly string[]): readonly string[] {
  let length = DOCUMENTS_MIN;
  while (length < ids.length) length *= 2;
  const last = ids.at(-1) ?? '';
  return [...ids, ...Array.from({ length: length - ids.length }, () => last)];
}
