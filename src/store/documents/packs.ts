import type { Vault } from '../encryption/vault.ts';
import type { Schema } from '../database/schema.ts';
import type { DocumentFile } from './types.ts';
import { FileMissing } from '../files/faults.ts';
import type { StoredFile } from '../terms.ts';

/*
 * A pack is one file that concatenates the documents of a chunk of a run. It is synced once; the rows
 * of the documents are its index, committed together with the row of the pack:
 *
 *   documents: pack_id P, pack_offset 0, bytes 700 │ P, 700, 650 │ P, 1350, 710 │ …
 *   file P.run: %PDF…%%EOF                          %PDF…%%EOF    %PDF…%%EOF     …
 */

/** Where a document's file lies in a pack; null: the document has a separate file. */
export function packPlace(
  row: Pick<Schema['documents'], 'pack_id' | 'pack_offset'>,
): DocumentFile['pack'] {
  return row.pack_id === null ? null : { packId: row.pack_id, offset: row.pack_offset ?? 0 };
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
