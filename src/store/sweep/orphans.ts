import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import type { FileEntry, FileStore } from '../files/files.ts';
import { eachByItself, type Failures } from './removal.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';

const DAY_MS = 86_400_000;
/** Files looked at in one go. */
const LOOKED_AT = 50;
/** Looking at all files shares its thread with requests: after so long it rests three times as long. */
const TURN_MS = 2;
const REST = 3;
const REST_MS_MAX = 30;

/** Removes files that no row knows, and temporary files of processes that ended. */
export class Orphans {
  readonly #database: Database;
  readonly #files: FileStore;
  readonly #graceMs: number;

  /** `graceMs`: a younger file is left alone, because its row may be about to come. */
  constructor(database: Database, files: FileStore, graceMs: number) {
    this.#database = database;
    this.#files = files;
    this.#graceMs = graceMs;
  }

  /** Returns how many files it removed. */
  async remove(nowMs: number, failures: Failures): Promise<number> {
    let removed = 0;
    for await (const entries of this.#listInSlices(failures)) {
      const temporary = entries.filter((entry) => entry.temporary);
      const unknown = await this.#withoutRow(entries.filter((entry) => !entry.temporary));
      const oldTemporary = await this.#olderThanGrace(temporary, nowMs, failures);
      const oldUnknown = await this.#olderThanGrace(unknown, nowMs, failures);
      const condemned = await this.#condemn(oldUnknown, nowMs);
      const gone = await eachByItself([...oldTemporary, ...condemned], failures, (entry) =>
        this.#files.removeEntry(entry),
      );
      removed += gone.length;
    }
    return removed;
  }

  async *#listInSlices(failures: Failures): AsyncGenerator<readonly FileEntry[]> {
    let turnAtMs = performance.now();
    try {
      for await (const list of this.#files.list()) {
        for (let at = 0; at < list.length; at += LOOKED_AT) {
          yield list.slice(at, at + LOOKED_AT);
          const tookMs = performance.now() - turnAtMs;
          if (tookMs <= TURN_MS) continue;
          await pause(Math.min(tookMs * REST, REST_MS_MAX));
          turnAtMs = performance.now();
        }
      }
    } catch (error) {
      // Of the list alone: what the consumer throws does not come back into its generator.
      failures.add(error);
    }
  }

  async #olderThanGrace(
    entries: readonly FileEntry[],
    nowMs: number,
    failures: Failures,
  ): Promise<readonly FileEntry[]> {
    const old: FileEntry[] = [];
    await eachByItself(entries, failures, async (entry) => {
      const modifiedAtMs = await this.#files.modifiedAtMs(entry);
      if (modifiedAtMs !== null && modifiedAtMs <= nowMs - this.#graceMs) old.push(entry);
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
