import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { type FileRows, fileRows } from './file-rows.ts';
import type { FileEntry, FileKind, FileStore } from '../files/files.ts';
import { eachByItself, type Failures } from './removal.ts';
import type { OlderDatabase } from './older-database.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';

const FILE_KINDS: readonly FileKind[] = ['document', 'run'];
/** Files that are inspected as one batch. */
const BATCH_FILES = 50;
/**
 * The search shares the event loop with requests: after working for this long, it rests for three
 * times as long, at most `REST_MS_MAX`.
 */
const WORK_MS = 2;
const REST_FACTOR = 3;
const REST_MS_MAX = 30;

/** Removes files without a row, and temporary files of processes that ended. */
export class Orphans {
  readonly #rows: Readonly<Record<FileKind, FileRows>>;
  readonly #files: FileStore;
  readonly #graceMs: number;
  readonly #age: OlderDatabase;

  /** Files younger than `graceMs` stay, because their row may be about to be committed. */
  constructor(database: Database, files: FileStore, graceMs: number, age: OlderDatabase) {
    this.#rows = fileRows(database);
    this.#files = files;
    this.#graceMs = graceMs;
    this.#age = age;
  }

  /** Returns the number of removed files. */
  async remove(nowMs: number, failures: Failures): Promise<number> {
    let removed = 0;
    for await (const entries of this.#listInSlices(failures)) {
      const temporary = entries.filter((entry) => entry.temporary);
      const oldTemporary = await this.#olderThanGrace(temporary, nowMs, failures);
      const condemned = [...oldTemporary];
      for (const kind of FILE_KINDS) {
        const stored = entries.filter(
          (entry) => !entry.temporary && entry.kind === kind && !this.#age.keeps(entry.documentId),
        );
        const withoutRow = await this.#withoutLivingRow(kind, stored);
        const oldWithoutRow = await this.#olderThanGrace(withoutRow, nowMs, failures);
        condemned.push(...(await this.#condemn(kind, oldWithoutRow, nowMs)));
      }
      const removedEntries = await eachByItself(condemned, failures, (entry) =>
        this.#files.removeEntry(entry),
      );
      removed += removedEntries.length;
    }
    return removed;
  }

  async *#listInSlices(failures: Failures): AsyncGenerator<readonly FileEntry[]> {
    let startMs = performance.now();
    try {
      for await (const list of this.#files.list()) {
        for (let at = 0; at < list.length; at += BATCH_FILES) {
          yield list.slice(at, at + BATCH_FILES);
          const workedMs = performance.now() - startMs;
          if (workedMs <= WORK_MS) continue;
          await pause(Math.min(workedMs * REST_FACTOR, REST_MS_MAX));
          startMs = performance.now();
        }
      }
    } catch (error) {
      // Only the listing can fail here: errors of the consumer do not come back into the generator.
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

  /** Selects the files that have no row whose state says that the file exists. */
  async #withoutLivingRow(
    kind: FileKind,
    entries: readonly FileEntry[],
  ): Promise<readonly FileEntry[]> {
    if (entries.length === 0) return [];
    const states = await this.#rows[kind].states(entries.map(({ documentId }) => documentId));
    const { available, deleting } = DOCUMENT_STATES;
    return entries.filter(({ documentId }) => {
      const state = states.get(documentId);
      return state !== available && state !== deleting;
    });
  }

  /**
   * Inserts a `swept` row for each file. A commit that comes later than the grace period then fails
   * on the primary key, instead of adding a row without a file. Returns the files that may be
   * removed.
   */
  async #condemn(
    kind: FileKind,
    entries: readonly FileEntry[],
    nowMs: number,
  ): Promise<readonly FileEntry[]> {
    if (entries.length === 0) return [];
    try {
      await this.#rows[kind].condemn(
        entries.map(({ documentId }) => documentId),
        nowMs,
      );
      return entries;
    } catch (error) {
      if (!isFault(error, 'duplicate')) throw error;
    }
    // At least one of the ids has a row. Tried one by one, the others can still be condemned.
    const [first] = entries;
    if (entries.length === 1 && first !== undefined) {
      return (await this.#mayBeRemoved(kind, first.documentId)) ? entries : [];
    }
    const condemned: FileEntry[] = [];
    for (const entry of entries) condemned.push(...(await this.#condemn(kind, [entry], nowMs)));
    return condemned;
  }

  /**
   * Whether the row allows the file to be removed: another instance condemned it, or its document was
   * destroyed and a restored disk brought the file back.
   */
  async #mayBeRemoved(kind: FileKind, id: string): Promise<boolean> {
    const state = (await this.#rows[kind].states([id])).get(id);
    return state === DOCUMENT_STATES.swept || state === DOCUMENT_STATES.deleted;
  }
}
