import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { DocumentRecord, StoredFile } from '../../store/store.ts';
import { FileMissing, StorageUnavailable } from '../../store/store.ts';
import type { Services } from '../route.ts';

/**
 * The file of a living document, opened and as long as its row says, so that nothing is promised in
 * headers that the disk cannot keep. `gone` when it expired a moment ago.
 */
export async function openDocument(
  services: Services,
  document: DocumentRecord,
): Promise<Outcome<StoredFile>> {
  const { documentId, bytes } = document;
  let file: StoredFile;
  try {
    file = await services.store.documents.open(documentId);
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    const now = await services.store.documents.findAny(documentId);
    if (now === null || now.gone) return fail('gone');
    throw error;
  }
  if (file.bytes === bytes) return succeed(file);
  await file.close();
  throw new StorageUnavailable('a stored file has not the size of its row');
}

/** Headers of a stored PDF. It is the team's own: no cache on the way may keep it. */
export function pdfHeaders(document: DocumentRecord): Record<string, string> {
  return {
    'Content-Type': 'application/pdf',
    'Content-Disposition': `attachment; filename="${document.documentId}.pdf"`,
    ETag: `"${document.sha256}"`,
    'Cache-Control': 'private, no-store',
    'Referrer-Policy': 'no-referrer',
  };
}
