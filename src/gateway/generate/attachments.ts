import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { DocumentRecord, StoredFile } from '../../store/store.ts';
import type { Services } from '../route.ts';
import { explainFile, openDocument } from '../pdf-file.ts';

/** Limit of the bytes of all attachments of a request. */
const ATTACHMENT_BYTES_MAX = 64 * 1024 * 1024;

/** Why a request with attachments is refused, unless invalid data takes precedence. */
export interface AttachmentRefusal {
  readonly failure: Failure;
  /** The id of another team's document, or ''. */
  readonly foreignId: string;
}

export type Attachments =
  /** Call `release` when the renderer no longer needs the files. */
  | { readonly ok: true; readonly files: readonly Uint8Array[]; readonly release: () => void }
  | ({ readonly ok: false } & AttachmentRefusal);

const PROTECTED = 'options.attach names a protected document; it cannot be merged.';
const TOO_LARGE = 'The attached documents are too large to be merged.';
const FULL: Attachments = {
  ok: false,
  failure: fail('overloaded', 'Too many attached documents are being merged. Retry in a moment.'),
  foreignId: '',
};
const NONE: Attachments = { ok: true, files: [], release: () => undefined };

/** Finds stored documents of the team, in the requested order, and reads their files. */
export async function readAttachments(
  services: Services,
  teamId: string,
  ids: readonly string[],
): Promise<Attachments> {
  if (ids.length === 0) return NONE;
  const { store, attachmentBudget } = services;
  const documents: DocumentRecord[] = [];
  let bytes = 0;
  for (const id of ids) {
    const found = await store.documents.find(teamId, id);
    if (!found.found) return missing(found.why === 'foreign' ? id : '');
    if (found.value.gone) return missing('');
    if (found.value.protected) {
      return refuse(fail('bad_request', PROTECTED));
    }
    documents.push(found.value);
    bytes += found.value.bytes;
  }
  if (bytes > ATTACHMENT_BYTES_MAX) {
    return refuse(fail('bad_request', TOO_LARGE));
  }
  if (!attachmentBudget.take(bytes)) return FULL;
  const files: Uint8Array[] = [];
  let complete = false;
  try {
    for (const document of documents) {
      const file = await readFile(services, document);
      if (!file.ok) return file.code === 'gone' ? missing('') : refuse(file);
      files.push(file.value);
    }
    complete = true;
    return { ok: true, files, release: () => attachmentBudget.give(bytes) };
  } finally {
    if (!complete) attachmentBudget.give(bytes);
  }
}

function missing(foreignId: string): Attachments {
  return {
    ok: false,
    failure: fail('not_found', 'options.attach names a document that does not exist.'),
    foreignId,
  };
}

function refuse(failure: Failure): Attachments {
  return { ok: false, failure, foreignId: '' };
}

/**
 * Reads and checks a whole file into a buffer that nothing else shares; `gone` when it has just
 * expired.
 */
async function readFile(
  services: Services,
  document: DocumentRecord,
): Promise<Outcome<Uint8Array>> {
  const opened = await openDocument(services, document, 'through');
  if (!opened.ok) return opened;
  const file = opened.value;
  try {
    return succeed(await readWhole(file));
  } catch (error) {
    return explainFile(services, document, error);
  } finally {
    await file.close();
  }
}

async function readWhole(file: StoredFile): Promise<Uint8Array> {
  const first = await file.read(0, file.bytes);
  if (first.byteLength === file.bytes && first.byteLength === first.buffer.byteLength) {
    return first;
  }
  const whole = new Uint8Array(file.bytes);
  whole.set(first);
  let at = first.byteLength;
  while (at < whole.length) {
    const piece = await file.read(at, whole.length - at);
    if (piece.byteLength === 0) throw new Error('a stored file is shorter than it was');
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
