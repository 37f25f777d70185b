import type { Database } from '../database/database.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';
import type { FileStore } from '../files/files.ts';
import { firstIdAt, isUuid } from '../ids.ts';
import { StorageUnavailable } from '../terms.ts';
import { noteOf, readNote } from './checked-note.ts';

/** Name of the file, beside the folders of the documents, that holds what was noted. */
const NOTE = '.newest-row';
/** While documents are added, the newest is noted this often. */
const NOTE_EVERY_MS = 5_000;

/** Ids of files that are kept although no row names them: after `from`, before `to`. */
interface Held {
  readonly from: string;
  readonly to: string;
}

interface Noted {
  readonly newest: string;
  /** Null: the database was never older than the note. */
  readonly held: Held | null;
}

const HELD_TEXT =
  'the database is older than its files: rows of documents are missing. Restore the newest database;' +
  ' files that are newer than it are kept until ./intaglio sweep --accept-older-database';

/**
 * Notices a database that was put back to an earlier time, or has lost its newest rows: the file
 * store remembers the id of the newest row. The files of the lost rows would be orphans; they are
 * kept until an operator confirms that the rows will not come back.
 */
export class OlderDatabase {
  readonly #database: Database;
  readonly #files: FileStore;
  readonly #wallMs: () => number;
  readonly #warn: (message: string) => void;
  #noted: Noted = { newest: '', held: null };
  #isCompared = false;
  #nextNoteMs = 0;
  /** The note that `added` writes; it never rejects because of an outage. */
  #pending: Promise<void> = Promise.resolve();

  constructor(
    database: Database,
    files: FileStore,
    wallMs: () => number,
    warn: (message: string) => void,
  ) {
    this.#database = database;
    this.#files = files;
    this.#wallMs = wallMs;
    this.#warn = warn;
  }

  /** What `/readyz` warns of; null: nothing. */
  get warning(): string | null {
    return this.#database.loss ?? (this.#noted.held === null ? null : HELD_TEXT);
  }

  /** Compares the database with the note, once for each process. Throws StorageUnavailable. */
  async compare(): Promise<void> {
    if (this.#isCompared) return;
    const noted = await this.#read();
    const newest = await this.#newestRow();
    // Rows that the log has lost may be newer than what was noted last.
    const isLost = this.#database.loss !== null && noted.held === null;
    const isOlder = newest < noted.newest || isLost;
    const from = noted.held !== null && noted.held.from < newest ? noted.held.from : newest;
    const held = isOlder ? { from, to: firstIdAt(this.#wallMs()) } : noted.held;
    // After a loss the note goes on from the rows that are left.
    if (newest === noted.newest && held === noted.held) this.#noted = noted;
    else await this.#write({ newest, held });
    this.#isCompared = true;
    if (this.warning !== null) this.#warn(this.warning);
  }

  /** As `compare`, for the start: when the file store is away, the next sweep compares. */
  async compareAtStart(): Promise<void> {
    try {
      await this.compare();
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      this.#warn(`the age of the database is compared later: ${error.message}`);
    }
  }

  /** Notes a document whose row is committed; not each one, and without waiting. */
  added(documentId: string): void {
    if (!this.#isCompared || performance.now() < this.#nextNoteMs) return;
    this.#nextNoteMs = performance.now() + NOTE_EVERY_MS;
    this.#pending = this.#note(documentId).catch((error: unknown) => {
      // The next one is noted in its place; only a bug is not an outage.
      if (!(error instanceof StorageUnavailable)) throw error;
    });
  }

  /** Notes the newest row; each sweep calls it. */
  async noteNewest(): Promise<void> {
    await this.compare();
    await this.#pending;
    await this.#note(await this.#newestRow());
  }

  async #note(newest: string): Promise<void> {
    if (newest > this.#noted.newest) await this.#write({ ...this.#noted, newest });
  }

  /** Resolves when nothing is being written. */
  settled(): Promise<void> {
    return this.#pending;
  }

  /** Whether a file without a row must stay. */
  keeps(id: string): boolean {
    const { held } = this.#noted;
    return held !== null && id > held.from && id < held.to;
  }

  /** The rows will not come back: files without a row are orphans again. */
  async accept(): Promise<void> {
    await this.compare();
    await this.#write({ ...this.#noted, held: null });
    await this.#database.acceptLoss();
  }

  async #newestRow(): Promise<string> {
    const row = await this.#database.readUncompared((db) =>
      db
        .selectFrom('documents')
        .select('document_id')
        .where('state', '!=', DOCUMENT_STATES.swept)
        .orderBy('document_id', 'desc')
        .limit(1)
        .executeTakeFirst(),
    );
    return row?.document_id ?? '';
  }

  async #read(): Promise<Noted> {
    const bytes = await this.#files.readNote(NOTE);
    const noted = bytes === null ? null : parse(bytes);
    if (bytes !== null && noted === null)
      this.#warn(`the file ${NOTE} is damaged and written anew`);
    return noted ?? { newest: '', held: null };
  }

  async #write(noted: Noted): Promise<void> {
    await this.#files.writeNote(NOTE, noteOf(noted));
    this.#noted = noted;
  }
}

function parse(bytes: Buffer): Noted | null {
  const fields = readNote(bytes);
  const newest = fields?.get('newest');
  const held = fields?.get('held');
  if (!isIdOrNone(newest) || held === undefined) return null;
  if (held === null) return { newest, held: null };
  if (typeof held !== 'object' || !('from' in held) || !('to' in held)) return null;
  const { from, to } = held;
  return isIdOrNone(from) && typeof to === 'string' ? { newest, held: { from, to } } : null;
}

function isIdOrNone(value: unknown): value is string {
  return value === '' || isUuid(value);
}
