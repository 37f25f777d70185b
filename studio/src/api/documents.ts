import { ApiError, call, callJson, path, query, readBody } from './client.ts';
import { findNamed } from './named-templates.ts';
import type { DocumentPage, DocumentRecord, DocumentSummary } from './types.ts';

/** A stored document. Only lists tell its size, its pages, and whether a password protects it. */
export type StoredDocument = Omit<DocumentRecord, 'url'> & Partial<DocumentSummary>;

export interface DocumentFilters {
  readonly templateId: string;
  readonly sha256: string;
  readonly reference: string;
  readonly from: string;
  readonly to: string;
}

export const NO_FILTERS: DocumentFilters = {
  templateId: '',
  sha256: '',
  reference: '',
  from: '',
  to: '',
};

interface FoundDocuments {
  readonly items: readonly StoredDocument[];
  readonly next: string | null;
}

const LIMIT = 50;

export async function listDocuments(
  filters: DocumentFilters,
  after: string | null,
  signal: AbortSignal,
): Promise<FoundDocuments> {
  const asked = query({ ...filters, after, limit: LIMIT });
  const { documents, next } = await callJson<DocumentPage>(`/v1/documents${asked}`, { signal });
  return { items: documents, next };
}

/**
 * Searches in two ways and returns a page of the first that finds anything: documents with this
 * reference, which the service tries in capitals, too, and documents of the templates that the text
 * names. References may be stored as keyed hashes, so each search needs a whole reference.
 */
export async function searchDocuments(
  text: string,
  filters: DocumentFilters,
  after: string | null,
  signal: AbortSignal,
): Promise<FoundDocuments> {
  const found = await listDocuments({ ...filters, reference: text }, after, signal);
  if (found.items.length > 0 || found.next !== null) return found;
  const named = await findNamed(text, signal);
  const { templateId: chosen } = filters;
  const templates = chosen === '' ? named : named.filter((one) => one === chosen);
  return listOfTemplates(templates, filters, after, signal);
}

/** Limit of the templates whose documents are requested one template at a time. */
const TEMPLATES_MAX = 10;

/**
 * A page of the documents of these templates, newest first. As any page, it may have fewer
 * documents than asked for.
 */
async function listOfTemplates(
  templates: readonly string[],
  filters: DocumentFilters,
  after: string | null,
  signal: AbortSignal,
): Promise<FoundDocuments> {
  if (templates.length > TEMPLATES_MAX) {
    const { items, next } = await listDocuments(filters, after, signal);
    return { items: items.filter(({ templateId }) => templates.includes(templateId)), next };
  }
  const pages = await Promise.all(
    templates.map((templateId) => listDocuments({ ...filters, templateId }, after, signal)),
  );
  // Each list descends by documentId and is complete down to its `next`, so all of them together
  // are complete down to the newest `next`.
  const next = pages.reduce(
    (newest, page) => (page.next !== null && page.next > newest ? page.next : newest),
    '',
  );
  const items = pages.flatMap((page) => page.items.filter(({ documentId }) => documentId >= next));
  return { items: items.toSorted(byDescendingId), next: next === '' ? null : next };
}

function byDescendingId(one: StoredDocument, other: StoredDocument): number {
  return one.documentId < other.documentId ? 1 : -1;
}

/** The name under which a document is saved. */
export function savedName({ documentId, fileName = '' }: StoredDocument): string {
  return fileName === '' ? `${documentId}.pdf` : fileName;
}

export function findDocument(documentId: string, signal?: AbortSignal): Promise<StoredDocument> {
  return callJson<StoredDocument>(path`/v1/documents/${documentId}`, { signal });
}

/** A page with the document of this id; an empty one when the team has no such document. */
export async function listDocument(
  documentId: string,
  signal: AbortSignal,
): Promise<FoundDocuments> {
  try {
    const found = await findDocument(documentId, signal);
    // Lists also tell pages, size and whether a password protects the document.
    const { items } = await listDocuments({ ...NO_FILTERS, sha256: found.sha256 }, null, signal);
    return { items: [items.find((one) => one.documentId === documentId) ?? found], next: null };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { items: [], next: null };
    throw error;
  }
}

/** Other documents with the same reference, the newest first; `isAll` false: there are more. */
export interface SameReference {
  readonly others: readonly StoredDocument[];
  readonly isAll: boolean;
}

/**
 * Finds the team's other documents with the reference of this one, by one look-up of an index. The
 * service compares hashes, so it need not keep the reference. Null: the look-up was refused or did not
 * arrive; the document is stored all the same.
 */
export async function findSameReference(sameReferenceAs: string): Promise<SameReference | null> {
  const address = `/v1/documents${query({ sameReferenceAs, limit: LIMIT })}`;
  try {
    const { documents, next } = await callJson<DocumentPage>(address);
    const others = documents.filter(({ documentId }) => documentId !== sameReferenceAs);
    return { others, isAll: next === null };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/**
 * The newest document of a template with this reference, which is compared as the list of documents
 * compares it. Null: there is none.
 *
 * @param otherThan The id of a document that is passed over; '' for none.
 */
export async function findReference(
  templateId: string,
  reference: string,
  signal: AbortSignal,
  otherThan = '',
): Promise<StoredDocument | null> {
  const limit = otherThan === '' ? 1 : 2;
  const address = `/v1/documents${query({ templateId, reference, limit })}`;
  const { documents } = await callJson<DocumentPage>(address, { signal });
  return documents.find(({ documentId }) => documentId !== otherThan) ?? null;
}

export async function readDocument(documentId: string, signal?: AbortSignal): Promise<Uint8Array> {
  const response = await call(path`/v1/documents/${documentId}?download=1`, { signal });
  return new Uint8Array(await readBody(response.arrayBuffer()));
}

const DOCUMENT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** Classifies a search text: the id of a document, a digest, or else a reference or a template. */
export function kindOfSearch(text: string): 'id' | 'digest' | 'words' {
  const lower = text.toLowerCase();
  if (DOCUMENT_ID.test(lower)) return 'id';
  return DIGEST.test(lower) ? 'digest' : 'words';
}
