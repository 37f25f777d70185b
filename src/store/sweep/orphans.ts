import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { type FileRows, fileRows } from './file-rows.ts';
import type { FileEntry, FileKind, FileStore } from '../files/files.ts';
import { eachByItself, type Failures } from './removal.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';

const FILE_KINDS: readonly FileKind[] = ['document', 'run'];
/** Files that are inspected as one batch. */
const LOOKED_AT = 50;
/**
 * The search shares the event loop with requests: after a turn of this length, it rests for three
 * times as long.
 */
const TURN_MS = 2;
const REST = 3;
const REST_MS_MAX = 30;

/** Removes files without a row, and temporary files of processes that ended. */
export class Orphans {
  readonly #rows: Readonly<Record<FileKind, FileRows>>;
  readonly #files: FileStore;
  readonly #graceMs: number;

  /** Files younger than `graceMs` stay, because their row may be about to be committed. */
  constructor(database: Database, files: FileStore, graceMs: number) {
    this.#rows = fileRows(database);
    this.#files = files;
    this.#graceMs = graceMs;
  }

  /** Returns the number of removed files. */
  async remove(nowMs: number, failures: Failures): Promise<number> {
    let removed = 0;
    for await (const entries of this.#listInSlices(failures)) {
      const temporary = entries.filter((entry) => entry.temporary);
      const oldTemporary = await this.#olderThanGrace(temporary, nowMs, failures);
      const condemned = [...oldTemporary];
      for (const kind of FILE_KINDS) {
        const known = entries.filter((entry) => !entry.temporary && entry.kind === kind);
        const unknown = await this.#withoutRow(kind, known);
        const oldUnknown = await this.#olderThanGrace(unknown, nowMs, failures);
        condemned.push(...(await this.#condemn(kind, oldUnknown, nowMs)));
      }
      const gone = await eachByItself(condemned, failures, (entry) =>
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

  /** Selects files that have no row, or whose row says that the file should be gone. */
  async #withoutRow(kind: FileKind, entries: readonly FileEntry[]): Promise<readonly FileEntry[]> {
    if (entries.length === 0) return [];
    const states = await this.#rows[kind].states(entries.map(({ documentId }) => documentId));
    const { available, deleting } = DOCUMENT_STATES;
    return entries.filter(({ documentId }) => {
      const state = states.get(documentId);
      return state !== available && state !== deleting;
    });
  }

  /**
   * Inserts rows with the ids, so that a commit later than the grace period fails on the primary
   * key instead of adding a row without a file. Returns the files that may be removed.
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
    const [only] = entries;
    if (entries.length === 1 && only !== undefined) {
      return (await this.#isDoomed(kind, only.documentId)) ? entries : [];
    }
    const condemned: FileEntry[] = [];
    for (const entry of entries) condemned.push(...(await this.#condemn(kind, [entry], nowMs)));
    return condemned;
  }

  /**
   * Whether the file may go: another instance condemned it, or it is an already destroyed file that
   * a restored disk brought back.
   */
  async #isDoomed(kind: FileKind, id: string): Promise<boolean> {
    const state = (await this.#rows[kind].states([id])).get(id);
    return state === DOCUMENT_STATES.swept || state === DOCUMENT_STATES.deleted;
  }
}
