import * as api from '../../api/documents.ts';
import * as values from '../../api/schema.ts';
import { fail, succeed } from '../../errors.ts';
import type { DocumentPage, DocumentRecord, KeptNaming } from '../../store/store.ts';
import { ROLES } from '../../store/store.ts';
import { isDocumentId } from '../callers/links.ts';
import type { ListQuery } from '../list-query.ts';
import { readListQuery } from '../list-query.ts';
import { jsonReply, type PendingReply } from '../reply/reply.ts';
import { filter, json, PAGING, parameter, SINCE_TO } from '../openapi/operation.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { describedRoute, isoTime } from '../route.ts';
import { describeNaming } from '../pdf-file.ts';

const NAMES = ['templateId', 'sha256', 'reference', 'sameReferenceAs'] as const;
type Query = ListQuery<(typeof NAMES)[number]>;

/**
 * GET /v1/documents: the stored documents of the caller's team, newest first. It is for browser users;
 * the scope documents:read covers single documents, whose ids a system has kept. A document whose
 * id is known has a separate address, which does not reveal documents of other teams.
 */
export function documentListRoute(services: Services): GuardedRoute {
  return describedRoute({
    method: 'GET',
    path: '/v1/documents',
    access: {
      scope: null,
      keyRefusal: 'insufficient_scope',
      keyAdvice:
        'With the scope documents:read, a key finds documents by POST /v1/verify with their reference or sha256.',
      roles: ROLES,
    },
    counted: false,
    bodyBytesMax: 0,
    operation: {
      operationId: 'listDocuments',
      summary: "Stored documents of the caller's team, newest first",
      note: 'A page may hold fewer than asked for: go on while next is not null.',
      parameters: [
        ...SINCE_TO,
        filter('templateId', 'receipt', 'Made from this template.'),
        filter(
          'reference',
          'RC-2569-0011872',
          'With this reference, as it is printed; if there is none, with it in capitals.',
        ),
        filter(
          'sameReferenceAs',
          api.DOCUMENT_ID,
          'With the reference of this document, itself included; none if it has no reference.',
        ),
        parameter('query', 'sha256', values.digest, api.SHA256, 'With these bytes.'),
        ...PAGING,
      ],
      replies: {
        200: { description: 'A page.', content: json(api.documentPage, api.DOCUMENT_PAGE_EXAMPLE) },
      },
      errors: ['bad_request'],
    },
    run: (call) => list(services, call),
  });
}

async function list(services: Services, call: GuardedCall): PendingReply<api.DocumentPage> {
  const query = readListQuery(call.query, NAMES);
  if (!query.ok) return query;
  const { sha256, reference, sameReferenceAs } = query.value.filters;
  if ([sha256, reference, sameReferenceAs].filter((one) => one !== undefined).length > 1) {
    return fail('bad_request', 'Ask by one of sha256, reference and sameReferenceAs.');
  }
  if (sameReferenceAs !== undefined && !isDocumentId(sameReferenceAs)) {
    return fail('bad_request', 'sameReferenceAs must be the documentId of a stored document.');
  }
  const { documents, next } = await find(services, call.principal.teamId, query.value);
  const names = await services.store.names.of(documents.map(({ documentId }) => documentId));
  const described = documents.map((document) => describe(document, names.get(document.documentId)));
  return succeed(jsonReply<api.DocumentPage>(200, { documents: described, next }));
}

/** A digest matches few documents, so the other filters are applied to the result. */
async function find(services: Services, teamId: string, query: Query): Promise<DocumentPage> {
  const { filters, sinceMs, untilMs, after, limit } = query;
  const { templateId, sha256, reference, sameReferenceAs } = filters;
  const { documents } = services.store;
  if (sha256 === undefined) {
    const bounds = { sinceMs, untilMs, after, countMax: limit };
    return documents.list({ teamId, templateId, reference, sameReferenceAs, ...bounds });
  }
  const named = await documents.findBySha256(teamId, sha256.toLowerCase(), limit);
  const chosen = named.filter(
    (document) =>
      (templateId === undefined || document.templateId === templateId) &&
      (sinceMs === undefined || document.createdAtMs >= sinceMs) &&
      (untilMs === undefined || document.createdAtMs < untilMs),
  );
  return { documents: chosen.toReversed(), next: null };
}

function describe(document: DocumentRecord, naming: KeptNaming | undefined): api.DocumentSummary {
  const { documentId, templateId, version, sha256, bytes, pages, createdAtMs } = document;
  const { expiresAtMs, gone, damaged } = document;
  return {
    documentId,
    templateId,
    version,
    sha256,
    bytes,
    pages,
    protected: document.protected,
    createdAt: isoTime(createdAtMs),
    expiresAt: isoTime(expiresAtMs),
    available: !gone && !damaged,
    ...describeNaming(naming),
  };
}
