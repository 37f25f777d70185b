import type { DocumentNaming } from '../api/documents.ts';
import type { Failure, Outcome } from '../errors.ts';
import { fail, succeed } from '../errors.ts';
import type { DocumentRecord, KeptNaming, Reading, StoredFile } from '../store/store.ts';
import { FileDamaged, FileKeyMissing, FileMissing } from '../store/store.ts';
import type { AuditedCall } from './audit.ts';
import { attachment } from './reply/attachment.ts';
import { recordAccess, type Services } from './route.ts';

/**
 * Opens the file of a living document and checks its size before headers are sent. `gone` when the
 * document has just expired.
 */
export async function openDocument(
  services: Services,
  document: DocumentRecord,
  reading: Reading,
): Promise<Outcome<StoredFile>> {
  try {
    return succeed(await services.store.documents.open(document, reading));
  } catch (error) {
    return explainFile(services, document, error);
  }
}

/** The refusal for a file that cannot be opened. Rethrows other errors. */
export async function explainFile(
  services: Services,
  { documentId }: DocumentRecord,
  error: unknown,
): Promise<Failure> {
  if (error instanceof FileMissing) {
    const now = await services.store.documents.findAny(documentId);
    if (now === null || now.gone) return fail('gone');
  } else if (error instanceof FileKeyMissing) {
    services.log.error({ msg: error.message, documentId });
    return fail('internal_error', 'The stored file of the document cannot be decrypted now.');
  } else if (!(error instanceof FileDamaged)) throw error;
  services.log.error({ msg: error.message, documentId });
  return fail('internal_error', 'The stored file of the document is damaged or lost.');
}

/** Headers of a stored PDF. It belongs to a team, so shared caches must not store it. */
export async function pdfHeaders(
  { store }: Services,
  { documentId, sha256 }: DocumentRecord,
): Promise<Record<string, string>> {
  const naming = (await store.names.of([documentId])).get(documentId);
  return {
    'Content-Type': 'application/pdf',
    'Content-Disposition': attachment(naming?.fileName ?? '', `${documentId}.pdf`),
    ETag: `"${sha256}"`,
    'Cache-Control': 'private, no-store',
    'Referrer-Policy': 'no-referrer',
  };
}

/** Reference and file name as members of a description; nothing for a document without them. */
export function describeNaming(naming: KeptNaming | undefined): DocumentNaming {
  const { reference = '', fileName = '' } = naming ?? {};
  return { ...(reference === '' ? {} : { reference }), ...(fileName === '' ? {} : { fileName }) };
}

/**
 * Records the download of an open file, which a HEAD does not let leave the service. Closes the file
 * when that fails.
 */
export async function recordDownload(
  services: Services,
  call: AuditedCall,
  { documentId, templateId, version, sha256, bytes }: DocumentRecord,
  file: StoredFile,
): Promise<void> {
  if (call.exchange.method === 'HEAD') return;
  const subject = { documentId, templateId, version, sha256, bytes };
  try {
    await recordAccess(services, call, 'documents.download', subject);
  } catch (error) {
    await file.close();
    throw error;
  }
}
