import { hash } from 'node:crypto';
import type { ManifestRow } from '../store/runs/types.ts';
import {
  FileDamaged,
  FileExpired,
  FileMissing,
  type Store,
  StorageUnavailable,
  type StoredFile,
} from '../store/store.ts';

/** Why stored bytes are not delivered. */
export type Finding = 'damaged' | 'missing';

/** Why a document of a run is not delivered. */
export type DocumentFinding = Finding | 'expired';

/** A stored row with its document; without `file`, the document is damaged, missing or expired. */
export type ReadDocument =
  | { readonly row: ManifestRow; readonly file: Uint8Array; readonly finding: null }
  | { readonly row: ManifestRow; readonly file: null; readonly finding: DocumentFinding };

export type DocumentReads = Pick<Store, 'documents'> & {
  readonly runs: Pick<Store['runs'], 'openPack'>;
};

/**
 * Reads the documents of stored rows, which follow each other in one pack, and compares each with
 * the digest of its row. A document that differs is read once more in the way that records damage.
 */
export async function* readDocuments(
  store: DocumentReads,
  packId: string,
  rows: readonly ManifestRow[],
): AsyncGenerator<ReadDocument> {
  const pack = await openPack(store, packId);
  try {
    for (const row of rows) {
      const file = typeof pack === 'string' ? null : await readOne(pack, row);
      if (file !== null) yield { row, file, finding: null };
      else if (pack === 'expired') yield { row, file, finding: pack };
      else yield { row, file, finding: await findingOf(store, row) };
    }
  } finally {
    if (typeof pack !== 'string') await pack.close();
  }
}

async function openPack(
  { runs }: DocumentReads,
  packId: string,
): Promise<StoredFile | 'expired' | 'lost'> {
  try {
    return await runs.openPack(packId);
  } catch (error) {
    if (error instanceof FileExpired) return 'expired';
    if (isLoss(error)) return 'lost';
    throw error;
  }
}

/** null: the bytes are not those that were stored. */
async function readOne(
  pack: StoredFile,
  { offset, bytes = 0, sha256 }: ManifestRow,
): Promise<Uint8Array | null> {
  const file = new Uint8Array(bytes);
  try {
    for (let at = 0; at < bytes;) {
      const piece = await pack.read(offset + at, bytes - at);
      if (piece.byteLength === 0) return null;
      file.set(piece, at);
      at += piece.byteLength;
    }
  } catch (error) {
    if (isLoss(error)) return null;
    throw error;
  }
  return hash('sha256', file, 'hex') === sha256 ? file : null;
}

/** Reads the document as a download does, which marks it when it is damaged or missing. */
async function findingOf({ documents }: DocumentReads, row: ManifestRow): Promise<DocumentFinding> {
  const { documentId = '' } = row;
  const document = await documents.findAny(documentId);
  if (document === null) return 'missing';
  if (document.gone) return 'expired';
  // The row of the document and the row of the run disagree: one of them was changed.
  if (document.sha256 !== row.sha256 || document.bytes !== row.bytes) return 'damaged';
  try {
    await (await documents.open(document, 'parts')).close();
  } catch (error) {
    if (error instanceof FileDamaged) return 'damaged';
    if (error instanceof FileMissing) return 'missing';
    throw error;
  }
  throw new StorageUnavailable(
    `document ${documentId} did not match its row in one read of its pack, but did in the next`,
  );
}

function isLoss(error: unknown): boolean {
  return error instanceof FileDamaged || error instanceof FileMissing;
}
