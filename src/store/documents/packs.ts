import type { Database } from '../database/database.ts';
import type { Vault } from '../encryption/vault.ts';
import type { Schema } from '../database/schema.ts';
import type { DocumentFile } from './types.ts';
import { FileMissing } from '../files/faults.ts';
import type { FileKind } from '../files/files.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';
import { uuidv7 } from '../ids.ts';
import { StorageUnavailable, type StoredFile } from '../terms.ts';

/*
 * A pack is one file that concatenates documents: those of a chunk of a run, or those that requests
 * stored at the same moment (packing.ts). It is synced once; the rows of the documents are its index,
 * committed together with the row of the pack:
 *
 *   documents: pack_id P, pack_offset 0, bytes 700 │ P, 700, 650 │ P, 1350, 710 │ …
 *   file P.run: %PDF…%%EOF                          %PDF…%%EOF    %PDF…%%EOF     …
 */

/** A pack that must be written. */
export interface NewPack {
  /** The files of its documents, in order, in any number of pieces; the callee takes ownership. */
  readonly pieces: readonly Uint8Array[];
  /** The run of its documents; '' if they are documents of requests. */
  readonly runId: string;
  readonly atMs: number;
  readonly expiresAtMs: number;
}

/** Writes the file of a pack durably; returns its row, which the caller commits. */
export async function writePack(
  vault: Vault,
  { pieces, runId, atMs, expiresAtMs }: NewPack,
): Promise<Schema['run_files']> {
  const packId = uuidv7(atMs);
  // Sum up before the vault takes ownership of the pieces, which leaves them empty.
  const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  const wrappedKey = await vault.put(packId, pieces, 'run');
  return {
    file_id: packId,
    run_id: runId,
    kind: 'pack',
    bytes,
    expires_at_ms: expiresAtMs,
    state: DOCUMENT_STATES.available,
    wrapped_key: wrappedKey,
  };
}

/**
 * Removes a file whose row is known not to exist. Tries only once; the sweep removes a file that
 * remains.
 */
export async function discardFile(vault: Vault, id: string, kind: FileKind): Promise<void> {
  try {
    await vault.remove(id, kind);
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
  }
}

/** Where a document's file lies in a pack; null: the document has a separate file. */
export function packPlace(
  row: Pick<Schema['documents'], 'pack_id' | 'pack_offset'>,
): DocumentFile['pack'] {
  return row.pack_id === null ? null : { packId: row.pack_id, offset: row.pack_offset ?? 0 };
}

/** Which of these packs are not destroyed. */
export async function findLivingPacks(
  database: Database,
  packIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.readUncompared((db) =>
    db
      .selectFrom('run_files')
      .select('file_id')
      .where('file_id', 'in', packIds)
      .where('state', '=', DOCUMENT_STATES.available)
      .execute(),
  );
  return new Set(rows.map((row) => row.file_id));
}

/**
 * Opens the file of a document, in a pack or separate. A `FileMissing` names the document, not the
 * pack.
 */
export async function openPacked(vault: Vault, document: DocumentFile): Promise<StoredFile> {
  const { documentId, pack, bytes, wrappedKey } = document;
  if (pack === null) return vault.open(documentId, wrappedKey, 'document');
  const { packId, offset } = pack;
  try {
    return new FileSection(await vault.openRunFile(packId, offset), offset, bytes);
  } catch (error) {
    throw error instanceof FileMissing ? new FileMissing(documentId) : error;
  }
}

/** Reads a range of a stored file; the result is shorter where the file ends earlier. */
export class FileSection implements StoredFile {
  readonly bytes: number;
  readonly #file: StoredFile;
  readonly #offset: number;

  constructor(file: StoredFile, offset: number, bytes: number) {
    this.#file = file;
    this.#offset = offset;
    this.bytes = Math.max(0, Math.min(bytes, file.bytes - offset));
  }

  read(position: number, length: number): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.bytes - position));
    return this.#file.read(this.#offset + position, wanted);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
