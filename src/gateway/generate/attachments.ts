import type { Failure } from '../../errors.ts';
import { fail } from '../../errors.ts';
import { FileMissing } from '../../store/store.ts';
import type { Store } from '../../store/store.ts';

/** Bytes of all attachments of one request. */
const ATTACHMENT_BYTES_MAX = 64 * 1024 * 1024;

/** Why a request with attachments fails, unless its data is invalid already. */
export interface AttachmentRefusal {
  readonly failure: Failure;
  /** The id of another team's document, or ''. */
  readonly foreignId: string;
}

export type Attachments =
  | { readonly ok: true; readonly files: readonly Uint8Array[] }
  | ({ readonly ok: false } & AttachmentRefusal);

const NONE: Attachments = { ok: true, files: [] };

/** Reads stored documents of the team, in the order asked for. */
export async function readAttachments(
  store: Store,
  teamId: string,
  ids: readonly string[],
): Promise<Attachments> {
  if (ids.length === 0) return NONE;
  const files: Uint8Array[] = [];
  let bytesLeft = ATTACHMENT_BYTES_MAX;
  for (const id of ids) {
    const found = await store.documents.find(teamId, id);
    if (!found.found) return missing(found.why === 'foreign' ? id : '');
    const document = found.value;
    if (document.gone) return missing('');
    if (document.protected) {
      return refused('options.attach names a protected document; it cannot be merged.');
    }
    bytesLeft -= document.bytes;
    if (bytesLeft < 0) return refused('The attached documents are too large to be merged.');
    const file = await readFile(store, id);
    if (file === null) return missing('');
    files.push(file);
  }
  return { ok: true, files };
}

function missing(foreignId: string): Attachments {
  return {
    ok: false,
    failure: fail('not_found', 'options.attach names a document that does not exist.'),
    foreignId,
  };
}

function refused(message: string): Attachments {
  return { ok: false, failure: fail('bad_request', message), foreignId: '' };
}

/** The whole file in a buffer of its own; null when it expired since its row was read. */
async function readFile(store: Store, documentId: string): Promise<Uint8Array | null> {
  let file;
  try {
    file = await store.documents.open(documentId);
  } catch (error) {
    if (error instanceof FileMissing) return null;
    throw error;
  }
  try {
    const whole = new Uint8Array(file.bytes);
    let at = 0;
    while (at < whole.length) {
      const piece = await file.read(at, whole.length - at);
      if (piece.byteLength === 0) throw new Error('a stored file is shorter than it was');
      whole.set(piece, at);
      at += piece.byteLength;
    }
    return whole;
  } finally {
    await file.close();
  }
}
