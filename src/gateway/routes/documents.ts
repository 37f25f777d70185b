import * as api from '../../api/documents.ts';
import * as values from '../../api/schema.ts';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { DocumentRecord, KeptNaming } from '../../store/store.ts';
import { ROLES } from '../../store/store.ts';
import { isDocumentId } from '../callers/links.ts';
import { nameOf } from '../callers/principal-name.ts';
import { type JsonReply, jsonReply, type PlainReply } from '../reply/reply.ts';
import { json, parameter, PDF } from '../openapi/operation.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { beforeNotFound, describedRoute, isoTime, linkTo } from '../route.ts';
import { describeNaming, openDocument, pdfHeaders, recordDownload } from '../pdf-file.ts';

const NO_DOCUMENT = 'There is no such document.';

/** GET /v1/documents/:id: the record of a stored document with a fresh link, or its file. */
export function documentsRoute(services: Services): GuardedRoute {
  return describedRoute({
    method: 'GET',
    path: '/v1/documents/:id',
    access: { scope: 'documents:read', keyRefusal: 'insufficient_scope', roles: ROLES },
    counted: false,
    bodyBytesMax: 0,
    operation: {
      operationId: 'getDocument',
      summary: 'Record or file of a stored document',
      parameters: [
        parameter('path', 'id', values.uuid, api.DOCUMENT_ID, 'Identifier of the document.'),
        parameter('query', 'download', { type: 'integer', enum: [1] }, 1, '1: the file itself.'),
      ],
      replies: {
        200: {
          description: 'The record with a fresh link, or with download=1 the PDF.',
          content: { ...json(api.documentRecord, api.DOCUMENT_EXAMPLE), ...PDF },
        },
      },
      errors: ['bad_request', 'not_found', 'gone', 'rate_limited'],
    },
    run: (call) => retrieve(services, call),
  });
}

async function retrieve(
  services: Services,
  call: GuardedCall,
): Promise<Outcome<JsonReply<api.DocumentRecord> | PlainReply>> {
  const [documentId = ''] = call.params;
  const downloads = new URLSearchParams(call.query).getAll('download');
  if (downloads.length > 1) return fail('bad_request', 'download may be given once.');
  const download = downloads[0] === '1';
  if (!isDocumentId(documentId)) return fail('not_found', NO_DOCUMENT);
  const found = await services.store.documents.find(call.principal.teamId, documentId);
  if (!found.found) {
    const action = download ? 'documents.download' : 'documents.read';
    const refusal = await beforeNotFound(services, call, found.why, action, { documentId });
    return refusal ?? fail('not_found', NO_DOCUMENT);
  }
  const document = found.value;
  if (document.gone) {
    await services.store.documents.expire(documentId, services.nowMs());
    return fail('gone');
  }
  if (download) return sendFile(services, call, document);
  // A link to a damaged file would fail. One that was missing may have come back.
  if (document.damaged) {
    const opened = await openDocument(services, document, 'through');
    if (!opened.ok) return opened;
    await opened.value.close();
  }
  const names = await services.store.names.of([documentId]);
  const maker = await findMaker(services, call, document);
  return succeed(describe(services, document, names.get(documentId), maker));
}

/**
 * Who made a document, with the name: a Viewer may not list keys. Systems, which call much more often
 * than people, are spared the look-ups.
 */
async function findMaker(
  { store }: Services,
  { principal: { kind, teamId } }: GuardedCall,
  document: DocumentRecord,
): Promise<api.DocumentMaker | null> {
  if (kind !== 'user') return null;
  const maker = await store.documents.makerOf(document);
  if (maker === null) return null;
  const { principal, runId } = maker;
  const name = await nameOf(store, teamId, principal);
  return {
    principal,
    ...(name === '' ? {} : { name }),
    ...(runId === '' ? {} : { runId }),
  };
}

async function sendFile(
  services: Services,
  call: GuardedCall,
  document: DocumentRecord,
): Promise<Outcome<PlainReply>> {
  const headers = await pdfHeaders(services, document);
  const opened = await openDocument(services, document, 'through');
  if (!opened.ok) return opened;
  await recordDownload(services, call, document, opened.value);
  const body = { file: opened.value, from: 0, to: document.bytes };
  return succeed({ status: 200, headers, body });
}

function describe(
  services: Services,
  document: DocumentRecord,
  naming: KeptNaming | undefined,
  maker: api.DocumentMaker | null,
): JsonReply<api.DocumentRecord> {
  const { documentId, templateId, version, sha256, createdAtMs, expiresAtMs } = document;
  return jsonReply(200, {
    documentId,
    templateId,
    version,
    sha256,
    createdAt: isoTime(createdAtMs),
    expiresAt: isoTime(expiresAtMs),
    ...describeNaming(naming),
    ...(maker === null ? {} : { madeBy: maker }),
    url: linkTo(services, document),
  });
}
