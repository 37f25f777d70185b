import type { Failure } from '../../errors.ts';
import { fail } from '../../errors.ts';
import { FileMissing } from '../../store/store.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../route.ts';

/** Bytes of all attachments of one request. */
const ATTACHMENT_BYTES_MAX = 64 * 1024 * 1024;
const ATTACHMENTS_IN_FLIGHT_BYTES_MAX = 256 * 1024 * 1024;

/** Why a request with attachments fails, unless its data is invalid already. */
export interface AttachmentRefusal {
  readonly failure: Failure;
  /** The id of another team's document, or ''. */
  readonly foreignId: string;
}

export type Attachments =
  /** `release` once the renderer is done with the files. */
  | { readonly ok: true; readonly files: readonly Uint8Array[]; readonly release: () => void }
  | ({ readonly ok: false } & AttachmentRefusal);

const FULL: Attachments = { ok: false, failure: fail('overloaded'), foreignId: '' };
const NONE: Attachments = { ok: true, files: [], release: () => undefined };

/** Looks up stored documents of the team, in the order asked for, and reads their files. */
export async function readAttachments(
  services: Services,
  teamId: string,
  ids: readonly string[],
): Promise<Attachments> {
  if (ids.length === 0) return NONE;
  const { store, attachmentBudget } = services;
  let bytes = 0;
  for (const id of ids) {
    const found = await store.documents.find(teamId, id);
    if (!found.found) return missing(found.why === 'foreign' ? id : '');
    if (found.value.gone) return missing('');
    if (found.value.protected) {
      return refused('options.attach names a protected document; it cannot be merged.');
    }
    bytes += found.value.bytes;
  }
  if (bytes > ATTACHMENT_BYTES_MAX) {
    return refused('The attached documents are too large to be merged.');
  }
  if (!attachmentBudget.take(bytes)) return FULL;
  const files: Uint8Array[] = [];
  let complete = false;
  try {
    for (const id of ids) {
      const file = await readFile(store, id);
      if (file === null) return missing('');
      files.push(file);
    }
    complete = true;
    return { ok: true, files, release: () => attachmentBudget.give(bytes) };
  } finally {
    if (!complete) attachmentBudget.give(bytes);
  }
}

/** Bytes of stored documents that wait for a renderer or are in one, over all requests. */
export class AttachmentBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax = ATTACHMENTS_IN_FLIGHT_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** False: too much is under way already. One request alone always fits. */
  take(bytes: number): boolean {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }
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
  } finally {
    await file.close();
  }
}
