import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';
import type { FileKind, FileStore } from '../files/files.ts';
import { FileDamaged, FileExpired, FileKeyMissing, FileMissing } from '../files/faults.ts';
import { PagePool } from '../../runtime/memory/page-pool.ts';
import { KeysMissing, StillWriting, type StoredFile } from '../terms.ts';
import { EncryptedFile } from './encrypted-file.ts';
import { keyIdOf, type KeyRing } from './key-ring.ts';
import { encryptFile, SEGMENT_BYTES, segmentOffset } from './segments.ts';

/** Files from this size on, mostly packs of runs, are encrypted into memory that is used again. */
const LARGE_BYTES = 1024 * 1024;
/** A pack of 250 receipts has 8 MB; `encryptFile` makes a buffer for a larger file. */
const MEMORY_BYTES = 16 * 1024 * 1024;

/**
 * Files of documents and runs, encrypted when a key is configured. The key of each file is stored,
 * wrapped, in the file's row; without that row nobody can read the file.
 */
export class Vault {
  readonly #files: FileStore;
  readonly #database: Database;
  readonly #ring: KeyRing;
  readonly #wallMs: () => number;
  /** Ids of the keys that this process has recorded in the database as used. */
  readonly #recorded = new Map<string, Promise<void>>();
  readonly #memories = new PagePool(MEMORY_BYTES);
  #missingKeys: readonly string[] = [];

  constructor(files: FileStore, database: Database, ring: KeyRing, wallMs: () => number) {
    this.#files = files;
    this.#database = database;
    this.#ring = ring;
    this.#wallMs = wallMs;
  }

  /** Whether new files are encrypted. */
  get encrypts(): boolean {
    return this.#ring.ids.length > 0;
  }

  /** Ids of keys that stored files need and that are not available, as far as this process knows. */
  get missingKeys(): readonly string[] {
    return this.#missingKeys;
  }

  /**
   * Stores a file durably and takes ownership of the bytes. Returns the wrapped key for the file's
   * row; null: the file is not encrypted.
   */
  async put(
    id: string,
    bytes: Uint8Array | readonly Uint8Array[],
    kind: FileKind,
  ): Promise<Uint8Array | null> {
    const fileKey = this.#ring.newFileKey();
    if (fileKey === null) {
      await this.#files.put(id, bytes, kind);
      return null;
    }
    const { key, wrapped, keyId } = fileKey;
    await this.recordUse(keyId);
    const pieces = bytes instanceof Uint8Array ? [bytes] : bytes;
    const memory = isLarge(pieces) ? this.#memories.take() : null;
    let isFree = true;
    try {
      const stored = await encryptFile({ key, fileId: id }, pieces, memory);
      key.fill(0);
      await this.#files.put(id, stored, kind);
    } catch (error) {
      isFree = !(error instanceof StillWriting);
      throw error;
    } finally {
      if (memory !== null && isFree) this.#memories.giveBack(memory);
    }
    return wrapped;
  }

  /** The same for a file that is never stored in clear: it throws while no key is available. */
  async putSecret(id: string, bytes: Uint8Array, kind: FileKind): Promise<Uint8Array | null> {
    if (!this.encrypts) throw new KeysMissing('no key encrypts the rows of a protected run');
    return this.put(id, bytes, kind);
  }

  /**
   * Opens a file whose row holds this wrapped key; the first read should begin at `position`.
   * Throws `FileMissing`, `FileKeyMissing`, or `FileDamaged` when the file or its wrapped key was
   * changed.
   */
  async open(
    id: string,
    wrapped: Uint8Array | null,
    kind: FileKind,
    position = 0,
  ): Promise<StoredFile> {
    if (wrapped === null) return this.#files.open(id, kind, position);
    const key = await this.#ring.unwrap(wrapped);
    if (key === null) throw this.#unwrapError(id, keyIdOf(wrapped));
    const from = segmentOffset(Math.floor(position / SEGMENT_BYTES));
    const file = await this.#files.open(id, kind, from);
    try {
      return new EncryptedFile(file, { key, fileId: id });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Opens a file of a run. Throws as `open` does; a file that is being deleted is missing. */
  async openRunFile(fileId: string, position = 0): Promise<StoredFile> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('run_files')
        .select('wrapped_key')
        .where('file_id', '=', fileId)
        .where('state', '=', DOCUMENT_STATES.available)
        .executeTakeFirst(),
    );
    // A deleted row has lost its key, so the file would be taken for an unencrypted one.
    if (row === undefined) throw new FileMissing(fileId);
    return this.open(fileId, row.wrapped_key, 'run', position);
  }

  /**
   * Opens a file of a run that has not expired by `nowMs`. Throws as `openRunFile` does, and
   * `FileExpired`.
   */
  async openUnexpired(fileId: string, nowMs: number): Promise<StoredFile> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('run_files')
        .select(['wrapped_key', 'state', 'expires_at_ms'])
        .where('file_id', '=', fileId)
        .executeTakeFirst(),
    );
    if (row === undefined) throw new FileMissing(fileId);
    const { state, expires_at_ms: expiresAtMs, wrapped_key: wrappedKey } = row;
    if (state !== DOCUMENT_STATES.available || expiresAtMs <= nowMs) throw new FileExpired(fileId);
    return this.open(fileId, wrappedKey, 'run');
  }

  /** Removes a file durably; does nothing when it does not exist. */
  remove(id: string, kind: FileKind): Promise<void> {
    return this.#files.remove(id, kind);
  }

  /** Finds the keys that are used and not available. */
  async findMissingKeys(): Promise<readonly string[]> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('encryption_keys').select('key_id').execute(),
    );
    // `rewrap` may have removed the row of a key that this process still uses: record it again.
    this.#recorded.clear();
    const available = new Set(this.#ring.ids);
    this.#missingKeys = rows.map((row) => row.key_id).filter((id) => !available.has(id));
    return this.#missingKeys;
  }

  /** The error for a wrapped key that could not be unwrapped. */
  #unwrapError(id: string, keyId: string): Error {
    if (this.#ring.ids.includes(keyId)) return new FileDamaged(id);
    if (!this.#missingKeys.includes(keyId)) this.#missingKeys = [...this.#missingKeys, keyId];
    return new FileKeyMissing(id, keyId);
  }

  /** Records in the database that the key is used, before the first file that needs it is stored. */
  recordUse(keyId: string): Promise<void> {
    const earlier = this.#recorded.get(keyId);
    if (earlier !== undefined) return earlier;
    const row = { key_id: keyId, first_used_at_ms: this.#wallMs() };
    const recording = this.#database
      .write((db) => db.insertInto('encryption_keys').values(row).execute())
      .then(
        () => undefined,
        (error: unknown) => {
          if (isFault(error, 'duplicate')) return;
          this.#recorded.delete(keyId);
          throw error;
        },
      );
    this.#recorded.set(keyId, recording);
    return recording;
  }
}

function isLarge(pieces: readonly Uint8Array[]): boolean {
  let bytes = 0;
  for (const { byteLength } of pieces) bytes += byteLength;
  return bytes >= LARGE_BYTES;
}
