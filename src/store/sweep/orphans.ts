import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { type FileRows, fileRows } from './file-rows.ts';
import type { FileEntry, FileKind, FileStore } from '../files/files.ts';
import { eachByItself, type Failures } from './removal.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';

const FILE_KINDS: readonly FileKind[] = ['document', 'run'];
/** Files looked at in one go. */
const LOOKED_AT = 50;
/** Looking at all files shares its thread with requests: after so long it rests three times as long. */
const TURN_MS = 2;
const REST = 3;
const REST_MS_MAX = 30;

/** Removes files that no row knows, and temporary files of processes that ended. */
export class Orphans {
  readonly #rows: Readonly<Record<FileKind, FileRows>>;
  readonly #files: FileStore;
  readonly #graceMs: number;

  /** `graceMs`: a younger file is left alone, because its row may be about to come. */
  constructor(database: Database, files: FileStore, graceMs: number) {
    this.#rows = fileRows(database);
    this.#files = files;
    this.#graceMs = graceMs;
  }

  /** Returns how many files it removed. */
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

  /** Those whose row is missing, or says that the file should be. */
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
   * Takes the ids themselves, so that a commit that slept longer than the grace fails on its primary
   * key instead of leaving a row without a file. Returns those that are ours to remove.
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

  /** Condemned by another instance, or destroyed before and come back with a restored disk. */
  async #isDoomed(kind: FileKind, id: string): Promise<boolean> {
    const state = (await this.#rows[kind].states([id])).get(id);
    return state === DOCUMENT_STATES.swept || state === DOCUMENT_STATES.deleted;
  }
}
