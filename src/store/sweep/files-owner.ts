import { isFault } from '../database/database-fault.ts';
import type { Database } from '../database/database.ts';
import { databaseId, databaseIdIfAny } from '../database/installation.ts';
import type { FileEntry, FileKind, FileStore } from '../files/files.ts';
import { isUuid } from '../ids.ts';
import { StorageUnavailable } from '../terms.ts';
import { noteOf, readNote } from './checked-note.ts';
import { type FileRows, fileRows } from './file-rows.ts';

/** Name of the file, beside the folders of the documents, that names the database of the files. */
const NOTE = '.owner';
/** Files of a store without that name that are looked at, to tell whose it is. */
const LOOKED_AT_MAX = 2_000;
/** Files of one question to the database. */
const BATCH_FILES = 50;

/**
 * Which database owns the files. If the file store names none, they are `free`, or `unnamed` when
 * there are files and none has a row in this database. `damaged`: the name cannot be read.
 * `unknown`: not looked at yet.
 */
type Ownership =
  | { readonly kind: 'own' | 'free' | 'unnamed' | 'damaged' | 'unknown' }
  | { readonly kind: 'foreign'; readonly owner: Owner };

interface Owner {
  readonly database: string;
  /** ISO 8601. */
  readonly since: string;
}

const OWN: Ownership = { kind: 'own' };
const MEND =
  'name another folder, bucket or prefix; only if these files belong to this database from now on,' +
  ' confirm that by --accept-files (./intaglio sweep, ./intaglio restore)';

/**
 * Ties a file store to one database, whose id it holds: a service with another database would find
 * only files without a row there, and remove them. A store that names no database is taken when it
 * has no files, or some of them have rows here, as after an update.
 *
 * Two databases that find the same store empty at the same moment both write their id. The later
 * one stays, and the other database finds it when it looks again before it sweeps.
 */
export class FilesOwner {
  readonly #database: Database;
  readonly #files: FileStore;
  readonly #graceMs: number;
  readonly #wallMs: () => number;
  #found: Ownership = { kind: 'unknown' };

  /** Files younger than `graceMs` say nothing: their row may be about to be committed. */
  constructor(database: Database, files: FileStore, graceMs: number, wallMs: () => number) {
    this.#database = database;
    this.#files = files;
    this.#graceMs = graceMs;
    this.#wallMs = wallMs;
  }

  /** Why this database must not use the files; null: nothing speaks against it. */
  get objection(): string | null {
    switch (this.#found.kind) {
      case 'foreign': {
        const { database, since } = this.#found.owner;
        return `the files belong to another database (${database}, since ${since}): ${MEND}`;
      }
      case 'unnamed':
        return `there are files already, and none has a row in this database: ${MEND}`;
      case 'own':
      case 'free':
      case 'damaged':
      case 'unknown':
        return null;
    }
  }

  /** What `/readyz` warns of; null: nothing. */
  get warning(): string | null {
    if (this.#found.kind !== 'damaged') return this.objection;
    return (
      `the file ${NOTE} in the file store is damaged: files without a row are kept until` +
      ' ./intaglio sweep --accept-files writes it anew'
    );
  }

  /** Whether files without a row are known to be orphans of this database. */
  get isOwn(): boolean {
    return this.#found.kind === 'own';
  }

  /** Looks whose the files are, and takes those that are nobody's. Throws StorageUnavailable. */
  async check(): Promise<void> {
    const id = await databaseId(this.#database);
    this.#found = await this.#look(id);
    if (this.#found.kind === 'free') await this.#write(id);
  }

  /** As `check`, and throws StorageUnavailable, too, when the files belong to another database. */
  async demand(): Promise<void> {
    await this.check();
    if (this.objection !== null) throw new StorageUnavailable(this.objection);
  }

  /** As `check`, for the start: when database or file store are away, the next sweep looks. */
  async checkAtStart(warn: (message: string) => void): Promise<void> {
    try {
      await this.check();
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      warn(`the owner of the files is looked up later: ${error.message}`);
    }
  }

  /** As `check`, but writes nothing, and the schema may be older than the ids. */
  async inspect(): Promise<void> {
    this.#found = await this.#look((await databaseIdIfAny(this.#database)) ?? '');
  }

  /** From now on the files belong to this database. */
  async takeOver(): Promise<void> {
    await this.#write(await databaseId(this.#database));
  }

  async #look(id: string): Promise<Ownership> {
    const bytes = await this.#files.readNote(NOTE);
    if (bytes === null) return { kind: (await this.#hasOnlyUnknownFiles()) ? 'unnamed' : 'free' };
    const owner = ownerIn(bytes);
    if (owner === null) return { kind: 'damaged' };
    return owner.database === id ? OWN : { kind: 'foreign', owner };
  }

  async #write(id: string): Promise<void> {
    const since = new Date(this.#wallMs()).toISOString();
    await this.#files.writeNote(NOTE, noteOf({ database: id, since }));
    this.#found = await this.#look(id);
  }

  /** Whether there are files, and the first of them have no row of any state here. */
  async #hasOnlyUnknownFiles(): Promise<boolean> {
    const rows = fileRows(this.#database);
    let lookedAt = 0;
    let isAnyOld = false;
    for await (const list of this.#files.list()) {
      for (let at = 0; at < list.length; at += BATCH_FILES) {
        const entries = list.slice(at, at + BATCH_FILES).filter(({ temporary }) => !temporary);
        if (await hasRow(rows, entries)) return false;
        isAnyOld ||= await this.#isAnyOld(entries);
        lookedAt += entries.length;
        if (lookedAt >= LOOKED_AT_MAX) return isAnyOld;
      }
    }
    return isAnyOld;
  }

  async #isAnyOld(entries: readonly FileEntry[]): Promise<boolean> {
    const youngestMs = this.#wallMs() - this.#graceMs;
    for (const entry of entries) {
      const modifiedAtMs = await this.#files.modifiedAtMs(entry);
      if (modifiedAtMs !== null && modifiedAtMs <= youngestMs) return true;
    }
    return false;
  }
}

async function hasRow(
  rows: Readonly<Record<FileKind, FileRows>>,
  entries: readonly FileEntry[],
): Promise<boolean> {
  for (const kind of ['document', 'run'] as const) {
    const ids = entries.filter((entry) => entry.kind === kind).map((entry) => entry.documentId);
    if (ids.length > 0 && (await rowsOf(rows[kind], ids)).size > 0) return true;
  }
  return false;
}

/** None when the schema is older than the table. */
async function rowsOf(rows: FileRows, ids: readonly string[]): ReturnType<FileRows['find']> {
  try {
    return await rows.find(ids);
  } catch (error) {
    if (!isFault(error, 'refused')) throw error;
    return new Map();
  }
}

function ownerIn(bytes: Buffer): Owner | null {
  const fields = readNote(bytes);
  const database = fields?.get('database');
  const since = fields?.get('since');
  return isUuid(database) && typeof since === 'string' ? { database, since } : null;
}
