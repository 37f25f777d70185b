import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { sql } from 'kysely';
import { CheckedFile } from '../files/checked-file.ts';
import type { Damage, Damages } from './damages.ts';
import type { Database } from '../database/database.ts';
import type { Vault } from '../encryption/vault.ts';
import { hex } from '../ids.ts';
import { openPacked, packPlace } from './packs.ts';
import { DOCUMENT_STATES, LIVING_STATES } from '../database/schema.ts';
import type { DocumentFile, Reading, Scrub, ScrubResult } from './types.ts';
import { FileDamaged, FileKeyMissing, FileMissing } from '../files/faults.ts';
import { StorageUnavailable, type StoredFile } from '../terms.ts';

/** A file up to this size is checked before any of its bytes are returned. */
const READ_AHEAD_BYTES_MAX = 64 * 1024;
/** Bytes that a check reads at a time. */
const PIECE_BYTES = 64 * 1024;
/** How long a file counts as intact after its check, for a viewer that reads it part by part. */
const INTACT_MS = 60_000;
const INTACT_COUNT_MAX = 10_000;
/** Documents that a scrub lists at a time. */
const SCRUB_PAGE = 100;

/** The result of a check; `gone`: the file does not exist, because the document was destroyed. */
type Verdict = Damage | 'intact' | 'gone';

/**
 * Opens the files of documents and checks them against size and digest in their rows, so that a
 * damaged file is never delivered as if it were intact.
 */
export class Integrity {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #damages: Damages;
  readonly #nowMs: () => number;
  /** Files that were found intact recently. */
  readonly #intact = new LRUCache<string, true>({ max: INTACT_COUNT_MAX, ttl: INTACT_MS });
  /** Checks under way; concurrent requests for parts of a file share its check. */
  readonly #checks = new Map<string, Promise<Verdict>>();

  constructor(database: Database, vault: Vault, damages: Damages, nowMs: () => number) {
    this.#database = database;
    this.#vault = vault;
    this.#damages = damages;
    this.#nowMs = nowMs;
  }

  async open(document: DocumentFile, reading: Reading): Promise<StoredFile> {
    const { documentId, bytes, sha256 } = document;
    if (document.missing) await this.#demandReturned(document);
    else if (document.damaged) throw new FileDamaged(documentId);
    if (reading === 'parts') await this.#checkBeforeParts(document);
    const file = await this.#openFile(document);
    try {
      if (file.bytes !== bytes) throw await this.#mismatchError(document);
      if (reading === 'parts') return file;
      const checked = new CheckedFile(file, sha256, () => this.#mismatchError(document));
      if (bytes <= READ_AHEAD_BYTES_MAX) await checked.readAhead();
      return checked;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Throws unless the file that was missing has come back intact; then its record is removed. */
  async #demandReturned(document: DocumentFile): Promise<void> {
    const { documentId } = document;
    const verdict = await this.#checkOnce(document);
    if (verdict !== 'intact') throw faultOf(documentId, verdict);
    await this.#damages.clear(documentId);
  }

  async #openFile(document: DocumentFile): Promise<StoredFile> {
    try {
      return await openPacked(this.#vault, document);
    } catch (error) {
      throw error instanceof FileDamaged ? await this.#mismatchError(document) : error;
    }
  }

  /** Throws unless the whole file is intact, or was so a moment ago. */
  async #checkBeforeParts(document: DocumentFile): Promise<void> {
    const { documentId } = document;
    if (this.#intact.has(documentId)) return;
    const verdict = await this.#checkOnce(document);
    if (verdict === 'intact') this.#intact.set(documentId, true);
    else throw faultOf(documentId, verdict);
  }

  /** Checks the file, or waits for the check of it that is under way. */
  #checkOnce(document: DocumentFile): Promise<Verdict> {
    const { documentId } = document;
    const running = this.#checks.get(documentId);
    if (running !== undefined) return running;
    const check = this.#check(document).finally(() => this.#checks.delete(documentId));
    this.#checks.set(documentId, check);
    return check;
  }

  /**
   * Returns the error to throw for a file that did not match its row. The file is read once more,
   * because its bytes may have been damaged in transit: then the error says that a new try may work.
   */
  async #mismatchError(document: DocumentFile): Promise<Error> {
    const { documentId } = document;
    this.#intact.delete(documentId);
    const verdict = await this.#checkOnce(document);
    if (verdict !== 'intact') return faultOf(documentId, verdict);
    return new StorageUnavailable(
      `the file of document ${documentId} did not match its row in one read, but did in the next`,
    );
  }

  /** Reads the whole file and records damage. */
  async #check(document: DocumentFile): Promise<Verdict> {
    const { documentId } = document;
    const verdict = await this.#compare(document);
    if (verdict === 'damaged' || verdict === 'missing') {
      await this.#damages.record(documentId, verdict);
    }
    return verdict;
  }

  /** Compares the file with its row. */
  async #compare(document: DocumentFile): Promise<Verdict> {
    const { documentId, bytes, sha256 } = document;
    let file: StoredFile;
    try {
      file = await openPacked(this.#vault, document);
    } catch (error) {
      if (error instanceof FileDamaged) return 'damaged';
      if (!(error instanceof FileMissing)) throw error;
      return (await this.#isLiving(documentId)) ? 'missing' : 'gone';
    }
    try {
      if (file.bytes !== bytes) return 'damaged';
      const mismatch = new FileDamaged(documentId);
      const checked = new CheckedFile(file, sha256, () => Promise.resolve(mismatch));
      let position = 0;
      while (position < bytes) {
        const piece = await checked.read(position, PIECE_BYTES);
        position += piece.byteLength;
      }
      return 'intact';
    } catch (error) {
      if (error instanceof FileDamaged) return 'damaged';
      throw error;
    } finally {
      await file.close();
    }
  }

  async #isLiving(documentId: string): Promise<boolean> {
    const row = await this.#database.readUncompared((db) =>
      db
        .selectFrom('documents')
        .leftJoin('run_files', 'run_files.file_id', 'documents.pack_id')
        .select(['documents.state', 'pack_id', 'run_files.state as pack_state'])
        .select('documents.expires_at_ms')
        .where('document_id', '=', documentId)
        .executeTakeFirst(),
    );
    if (row === undefined || !LIVING_STATES.includes(row.state)) return false;
    // An expired document counts as gone: the next sweep destroys it, and a restore leaves its file
    // out.
    if (row.expires_at_ms <= this.#nowMs()) return false;
    // Documents of a run stay `packed` when their pack is destroyed.
    return row.pack_id === null || row.pack_state === DOCUMENT_STATES.available;
  }

  /** Reads the file of every living document, at a bounded rate, and records damage. */
  async scrub({ bytesPerSecond, onFinding }: Scrub): Promise<ScrubResult> {
    const result = { checked: 0, bytes: 0, damaged: 0, missing: 0, unread: 0 };
    const startMs = performance.now();
    for await (const document of this.#livingDocuments()) {
      const verdict = await this.#scrubOne(document);
      result.checked += 1;
      result.bytes += document.bytes;
      if (verdict === 'damaged' || verdict === 'missing' || verdict === 'unread') {
        result[verdict] += 1;
        onFinding(document.documentId, verdict);
      }
      const dueMs = (result.bytes / bytesPerSecond) * 1_000;
      const aheadMs = dueMs - (performance.now() - startMs);
      if (aheadMs > 0) await pause(aheadMs);
    }
    return result;
  }

  /** Yields all living documents, in the order of their ids. */
  async *#livingDocuments(): AsyncGenerator<DocumentFile> {
    let after = '';
    for (;;) {
      const page = await this.#page(after);
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.documentId;
    }
  }

  async #scrubOne(document: DocumentFile): Promise<Verdict | 'unread'> {
    try {
      const verdict = await this.#check(document);
      if (verdict === 'intact' && document.damaged) await this.#damages.clear(document.documentId);
      return verdict;
    } catch (error) {
      // A file that cannot be read does not end the scrub.
      if (error instanceof StorageUnavailable || error instanceof FileKeyMissing) return 'unread';
      throw error;
    }
  }

  async #page(after: string): Promise<readonly DocumentFile[]> {
    const rows = await this.#database.readUncompared((db) =>
      db
        .selectFrom('documents')
        .leftJoin('damages', 'damages.document_id', 'documents.document_id')
        .select(['documents.document_id', 'bytes', 'sha256', 'damages.kind'])
        .select(['pack_id', 'pack_offset', 'wrapped_key'])
        .where('documents.document_id', '>', after)
        // The unary plus makes SQLite follow the ids instead of an index over the state.
        .where(sql<boolean>`+state in (${sql.join(LIVING_STATES)})`)
        .orderBy('documents.document_id')
        .limit(sql.lit(SCRUB_PAGE))
        .execute(),
    );
    return rows.map((row) => ({
      documentId: row.document_id,
      bytes: row.bytes,
      sha256: hex(row.sha256),
      damaged: row.kind !== null,
      missing: row.kind === 'missing',
      pack: packPlace(row),
      wrappedKey: row.wrapped_key,
    }));
  }
}

function faultOf(documentId: string, verdict: Damage | 'gone'): Error {
  return verdict === 'damaged' ? new FileDamaged(documentId) : new FileMissing(documentId);
}
