import * as api from '../../api/audit.ts';
import { DOCUMENT_ID } from '../../api/documents.ts';
import { REQUEST_ID } from '../../api/errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { AuditOutcome, AuditRecord } from '../../store/store.ts';
import { readListQuery } from '../list-query.ts';
import { jsonReply, type PendingReply } from '../reply/reply.ts';
import { filter, json, PAGING, parameter, SINCE_TO } from '../openapi/operation.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { describedRoute, isoTime } from '../route.ts';

const NAMES = [
  ...(['principal', 'involves', 'action', 'without', 'outcome'] as const),
  ...(['templateId', 'documentId', 'requestId'] as const),
];
const OUTCOMES: readonly AuditOutcome[] = ['succeeded', 'failed', 'denied'];

/** GET /v1/audit: the audit records of the caller's team, newest first, for its Admins. */
export function auditRoute(services: Services): GuardedRoute {
  return describedRoute({
    method: 'GET',
    path: '/v1/audit',
    access: { scope: null, keyRefusal: 'insufficient_scope', roles: ['Admin'] },
    counted: false,
    bodyBytesMax: 0,
    operation: {
      operationId: 'listAudit',
      summary: "Audit records of the caller's team, newest first",
      note:
        'A page may hold fewer than asked for. Requests for something of another team are not ' +
        'shown: ./intaglio audit lists them.',
      parameters: [
        ...SINCE_TO,
        filter('principal', 'user:somchai', 'key:<keyId> or user:<userId>.'),
        filter(
          'involves',
          'user:somchai',
          'key:<keyId> or user:<userId>: what it did, and what was done to it, such as a new role.',
        ),
        filter('action', 'generate', 'Only this action, such as generate or templates.publish.'),
        filter('without', 'generate', 'Only other actions than this one.'),
        parameter('query', 'outcome', api.outcome, 'denied', 'Only with this outcome.'),
        filter('templateId', 'receipt', 'Only about this template.'),
        filter('documentId', DOCUMENT_ID, 'Only about this document.'),
        filter('requestId', REQUEST_ID, 'Only of this request.'),
        ...PAGING,
      ],
      replies: {
        200: { description: 'A page.', content: json(api.auditPage, api.AUDIT_EXAMPLE) },
      },
      errors: ['bad_request'],
    },
    run: (call) => list(services, call),
  });
}

async function list(services: Services, call: GuardedCall): PendingReply<api.AuditPage> {
  const query = readListQuery(call.query, NAMES);
  if (!query.ok) return query;
  const { filters, sinceMs, untilMs, after, limit } = query.value;
  const { outcome: asked, ...others } = filters;
  const outcome = OUTCOMES.find((known) => known === asked);
  if (asked !== undefined && outcome === undefined) {
    return fail('bad_request', `outcome must be one of ${OUTCOMES.join(', ')}.`);
  }
  const { records, next } = await services.store.audit.page({
    ...others,
    teamId: call.principal.teamId,
    hidesForeign: true,
    countMax: limit,
    ...(outcome === undefined ? {} : { outcome }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(untilMs === undefined ? {} : { untilMs }),
    ...(after === undefined ? {} : { after }),
  });
  return succeed(jsonReply<api.AuditPage>(200, { records: records.map(describe), next }));
}

function describe(record: AuditRecord): api.AuditRecord {
  const { atMs, ...rest } = record;
  return { ...rest, at: isoTime(atMs) };
}
