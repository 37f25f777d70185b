import { digest } from '../../src/store/ids.ts';
import type { NewAudit, NewDocument, Store } from '../../src/store/store.ts';

/** A document of team `bank` that expires an hour after `atMs`. */
export function newDocument(pdf: Uint8Array, atMs = Date.now(), teamId = 'bank'): NewDocument {
  return {
    teamId,
    templateId: 'receipt',
    version: 1,
    sha256: digest(pdf).toString('hex'),
    pages: 1,
    protected: false,
    createdAtMs: atMs,
    expiresAtMs: atMs + 3_600_000,
  };
}

export function newAudit(documentId = '', over: Partial<NewAudit> = {}): NewAudit {
  return {
    atMs: Date.now(),
    requestId: 'r1',
    teamId: 'bank',
    principal: 'key:k1',
    action: 'generate',
    outcome: 'succeeded',
    code: '',
    templateId: 'receipt',
    version: 1,
    documentId,
    mode: 'async',
    pages: 1,
    bytes: 10,
    durationMs: 5,
    sha256: '',
    signer: '',
    certificateSerial: '',
    draft: false,
    contributors: [],
    detail: '',
    ...over,
  };
}

export function addDocument(
  store: Store,
  pdf: Uint8Array,
  atMs = Date.now(),
  teamId = 'bank',
): ReturnType<Store['documents']['add']> {
  // The store takes over the buffer that it gets, so it gets a copy.
  const given = new Uint8Array(pdf);
  return store.documents.add(newDocument(pdf, atMs, teamId), given, (id) => newAudit(id), null);
}

export async function readAll(store: Store, documentId: string): Promise<Uint8Array> {
  const document = await store.documents.findAny(documentId);
  if (document === null) throw new Error('no such document');
  const file = await store.documents.open(document, 'through');
  try {
    return await file.read(0, file.bytes);
  } finally {
    await file.close();
  }
}
