import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { type FileRows, fileRows } from './file-rows.ts';
import type { FileEntry, FileKind, FileStore, StoredFiles } from '../files/files.ts';
import { eachByItself, type Failures } from '../removal/removal.ts';
import type { OlderDatabase } from './older-database.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';

const FILE_KINDS: readonly FileKind[] = ['document', 'run'];
/**
 * More orphans than this, and than this share of all files, are kept until an operator confirms
 * that they are orphans: so many are rather a sign of the wrong database.
 */
const ORPHANS_MAX = 100;
const SHARE_MAX = 0.1;
/** Orphans that one search removes; the next one finds the others. */
const REMOVED_MAX = 10_000;
/** Files that are inspected as one batch. */
const BATCH_FILES = 50;
/**
 * The search shares the event loop with requests: after working for this long, it rests for three
 * times as long, at most `REST_MS_MAX`.
 */
const WORK_MS = 2;
const REST_FACTOR = 3;
const REST_MS_MAX = 30;

interface Count {
  files: number;
  bytes: number;
}

/** Removes files without a row, and temporary files of processes that ended. */
export class Orphans {
  readonly #rows: Readonly<Record<FileKind, FileRows>>;
  readonly #files: FileStore;
  readonly #graceMs: number;
  readonly #age: OlderDatabase;
  /** What the last search found and kept. */
  #kept: { readonly orphans: number; readonly files: number } | null = null;

  #stored: StoredFiles | null = null;

  /** Files younger than `graceMs` stay, because their row may be about to be committed. */
  constructor(database: Database, files: FileStore, graceMs: number, age: OlderDatabase) {
    this.#rows = fileRows(database);
    this.#files = files;
    this.#graceMs = graceMs;
    this.#age = age;
  }

  /** Why many files without a row are kept; null: none are. */
  get warning(): string | null {
    if (this.#kept === null) return null;
    const { orphans, files } = this.#kept;
    return (
      `${orphans} of ${files} files have no row in this database, so they are kept: compare database` +
      ' and files, then remove them with ./intaglio sweep --accept-orphans'
    );
  }

  /** The files with a row at the last search that saw all of them; null: there was none yet. */
  get stored(): StoredFiles | null {
    return this.#stored;
  }

  /** Returns the number of removed files. `areAccepted`: all orphans go, however many there are. */
  async remove(nowMs: number, failures: Failures, areAccepted: boolean): Promise<number> {
    const waiting: Record<FileKind, FileEntry[]> = { document: [], run: [] };
    const stored = { document: { files: 0, bytes: 0 }, run: { files: 0, bytes: 0 } };
    const failuresBefore = failures.count;
    let files = 0;
    let orphans = 0;
    let removed = 0;
    for await (const entries of this.#listInSlices(failures)) {
      const temporary = entries.filter((entry) => entry.temporary);
      const oldTemporary = await this.#olderThanGrace(temporary, nowMs, failures);
      removed += await this.#removeEntries(oldTemporary, failures);
      files += entries.length - temporary.length;
      for (const kind of FILE_KINDS) {
        const search = { failures, stored: stored[kind] };
        const found = await this.#findOrphans(kind, entries, nowMs, search);
        orphans += found.length;
        if (areAccepted) removed += await this.#condemnAndRemove(kind, found, nowMs, failures);
        else if (waiting[kind].length < REMOVED_MAX) waiting[kind].push(...found);
      }
    }
    // A list that ended early would count too few.
    if (failures.count === failuresBefore) this.#stored = stored;
    const areMany = orphans > ORPHANS_MAX && orphans > files * SHARE_MAX;
    this.#kept = areMany && !areAccepted ? { orphans, files } : null;
    if (this.#kept !== null) return removed;
    for (const kind of FILE_KINDS) {
      for (let at = 0; at < waiting[kind].length; at += BATCH_FILES) {
        const batch = waiting[kind].slice(at, at + BATCH_FILES);
        removed += await this.#condemnAndRemove(kind, batch, nowMs, failures);
      }
    }
    return removed;
  }

  async #findOrphans(
    kind: FileKind,
    entries: readonly FileEntry[],
    nowMs: number,
    search: { readonly failures: Failures; readonly stored: Count },
  ): Promise<readonly FileEntry[]> {
    const { failures, stored } = search;
    const final = entries.filter(
      (entry) => !entry.temporary && entry.kind === kind && !this.#age.keeps(entry.documentId),
    );
    const withoutRow = await this.#withoutLivingRow(kind, final, stored);
    return this.#olderThanGrace(withoutRow, nowMs, failures);
  }

  async #condemnAndRemove(
    kind: FileKind,
    orphans: readonly FileEntry[],
    nowMs: number,
    failures: Failures,
  ): Promise<number> {
    return this.#removeEntries(await this.#condemn(kind, orphans, nowMs), failures);
  }

  async #removeEntries(entries: readonly FileEntry[], failures: Failures): Promise<number> {
    const removed = await eachByItself(entries, failures, (entry) =>
      this.#files.removeEntry(entry),
    );
    return removed.length;
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

  /**
   * Selects the files that have no row whose state says that the file exists; adds the others to
   * `stored`.
   */
  async #withoutLivingRow(
    kind: FileKind,
    entries: readonly FileEntry[],
    stored: Count,
  ): Promise<readonly FileEntry[]> {
    if (entries.length === 0) return [];
    const rows = await this.#rows[kind].find(entries.map(({ documentId }) => documentId));
    const { available, deleting } = DOCUMENT_STATES;
    return entries.filter(({ documentId }) => {
      const row = rows.get(documentId);
      if (row?.state !== available && row?.state !== deleting) return true;
      stored.files += 1;
      stored.bytes += row.bytes;
      return false;
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
    const state = (await this.#rows[kind].find([id])).get(id)?.state;
    return state === DOCUMENT_STATES.swept || state === DOCUMENT_STATES.deleted;
  }
}
