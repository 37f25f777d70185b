import type { FileStore } from '../files/files.ts';
import type { Schema } from '../database/schema.ts';
import { type DocumentFile, FileMissing, type StoredFile } from '../store.ts';

/*
 * A pack is one file with the documents of a chunk of a run, one after the other. It is synced once;
 * its index is the rows of the documents, which are committed together with the pack's own row:
 *
 *   documents: pack_id P, pack_offset 0, bytes 700 │ P, 700, 650 │ P, 1350, 710 │ …
 *   file P.run: %PDF…%%EOF                          %PDF…%%EOF    %PDF…%%EOF     …
 */

/** Where a document's file lies in a pack; null: it has one of its own. */
export function packPlace(
  row: Pick<Schema['documents'], 'pack_id' | 'pack_offset'>,
): DocumentFile['pack'] {
  return row.pack_id === null ? null : { packId: row.pack_id, offset: row.pack_offset ?? 0 };
}

/** The file of a document, wherever it lies. `FileMissing` names the document. */
export async function openPacked(files: FileStore, document: DocumentFile): Promise<StoredFile> {
  const { documentId, pack, bytes } = document;
  if (pack === null) return files.open(documentId);
  const { packId, offset } = pack;
  try {
    return new FileSection(await files.open(packId, 'run', offset), offset, bytes);
  } catch (error) {
    throw error instanceof FileMissing ? new FileMissing(documentId) : error;
  }
}

/** A part of a stored file; shorter than asked for where the file is. */
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
