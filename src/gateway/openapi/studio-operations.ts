import { LIMITS } from '../../limits.ts';
import { KEY_SCHEMA, ROLLBACK_SCHEMA } from '../body/schemas.ts';
import { EXAMPLES } from './examples.ts';
import type { Operation } from './operations.ts';
import { access, draftId, json, parameter, templateId } from './operations.ts';
import * as schemas from './schemas.ts';
import { STUDIO_EXAMPLES as examples } from './studio-examples.ts';
import * as studio from './studio-schemas.ts';

const sinceTo = [
  parameter('query', 'from', schemas.time, '2026-11-01T00:00:00Z', 'Made at or after this time.'),
  parameter('query', 'to', schemas.time, '2026-12-01T00:00:00Z', 'Made before this time.'),
];
const paging = [
  parameter(
    'query',
    'after',
    schemas.uuid,
    examples.after,
    'The value of next in the previous page.',
  ),
  parameter('query', 'limit', studio.limit, 50, '1 to 200; 50 when left out.'),
];

function filter(name: string, example: string, description: string): object {
  return parameter('query', name, schemas.text, example, description);
}

/** Operations of browser users beyond saving and publishing drafts. */
export const STUDIO_OPERATIONS: readonly Operation[] = [
  {
    operationId: 'getTemplate',
    method: 'get',
    path: '/v1/templates/{id}',
    summary: 'A template with its versions and the state of its draft',
    needs: 'A session.',
    security: 'session',
    parameters: [templateId],
    replies: {
      200: { description: 'The template.', content: json(studio.template, examples.template) },
    },
    errors: [...access, 'not_found', 'rate_limited', 'storage_unavailable'],
  },
  {
    operationId: 'getDraft',
    method: 'get',
    path: '/v1/templates/{id}/draft',
    summary: 'The file of the draft',
    needs: 'A session with role Editor or Admin. ETag names this state of the draft.',
    security: 'session',
    parameters: [draftId],
    replies: {
      200: {
        description: 'The file as it was saved.',
        content: json({ type: 'object' }, EXAMPLES.template),
      },
    },
    errors: [...access, 'draft_requires_user', 'not_found', 'rate_limited', 'storage_unavailable'],
  },
  {
    operationId: 'checkDraft',
    method: 'get',
    path: '/v1/templates/{id}/draft/check',
    summary: 'What publishing the draft would find',
    needs: 'A session with role Editor or Admin. Samples are rendered; nothing is changed.',
    security: 'session',
    parameters: [draftId],
    replies: {
      200: { description: 'The findings.', content: json(studio.draftCheck, examples.draftCheck) },
    },
    errors: [
      ...access,
      'draft_requires_user',
      'not_found',
      'rate_limited',
      'overloaded',
      'storage_unavailable',
    ],
  },
  {
    operationId: 'previewDraft',
    method: 'post',
    path: '/v1/previews',
    summary: 'A draft as it looks with some data',
    needs:
      'A session with role Editor or Admin. The body is that of generateDocument with draft true.' +
      ` Counted apart from it: ${LIMITS.previewsPerMinuteMax} a minute for each user, one at a time.`,
    security: 'session',
    body: json(schemas.generateBody, examples.preview),
    replies: {
      200: {
        description: 'The PDF. Nothing is stored.',
        headers: schemas.RATE_HEADERS,
        content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } },
      },
    },
    errors: [
      'bad_request',
      'invalid_data',
      ...access,
      'draft_requires_user',
      'not_found',
      'payload_too_large',
      'render_failed',
      'rate_limited',
      'overloaded',
      'storage_unavailable',
    ],
  },
  {
    operationId: 'getTemplateVersion',
    method: 'get',
    path: '/v1/templates/{id}/versions/{version}',
    summary: 'The file of a published version',
    needs: 'A session with role Editor or Admin.',
    security: 'session',
    parameters: [
      templateId,
      parameter('path', 'version', schemas.version, 3, 'A published version.'),
    ],
    replies: {
      200: { description: 'The file.', content: json({ type: 'object' }, EXAMPLES.template) },
    },
    errors: [...access, 'not_found', 'rate_limited', 'storage_unavailable'],
  },
  {
    operationId: 'rollBackTemplate',
    method: 'post',
    path: '/v1/templates/{id}/rollback',
    summary: 'Publish the content of an earlier version again',
    needs: 'A session with role Admin. The draft stays as it is.',
    security: 'session',
    parameters: [templateId],
    body: json(ROLLBACK_SCHEMA, { version: 2 }),
    replies: {
      201: { description: 'Published.', content: json(schemas.published, EXAMPLES.published) },
    },
    errors: ['bad_request', ...access, 'not_found', 'rate_limited', 'storage_unavailable'],
  },
  {
    operationId: 'listDocuments',
    method: 'get',
    path: '/v1/documents',
    summary: 'Stored documents of the own team, newest first',
    needs: 'A session. A page may hold fewer than asked for: go on while next is not null.',
    security: 'session',
    parameters: [
      ...sinceTo,
      filter('templateId', 'receipt', 'Made from this template.'),
      parameter('query', 'sha256', schemas.digest, EXAMPLES.verify.sha256, 'With these bytes.'),
      ...paging,
    ],
    replies: {
      200: { description: 'A page.', content: json(studio.documentPage, examples.documentPage) },
    },
    errors: ['bad_request', ...access, 'storage_unavailable'],
  },
  {
    operationId: 'listAudit',
    method: 'get',
    path: '/v1/audit',
    summary: 'Audit records of the own team, newest first',
    needs: 'A session with role Admin. A page may hold fewer than asked for.',
    security: 'session',
    parameters: [
      ...sinceTo,
      filter('principal', 'user:somchai', 'key:<keyId> or user:<userId>.'),
      filter('action', 'generate', 'Such as generate or templates.publish.'),
      parameter('query', 'outcome', studio.outcome, 'denied', 'How it ended.'),
      filter('templateId', 'receipt', 'About this template.'),
      filter('documentId', examples.after, 'About this document.'),
      filter('requestId', examples.requestId, 'Of this request.'),
      ...paging,
    ],
    replies: {
      200: { description: 'A page.', content: json(studio.auditPage, examples.auditPage) },
    },
    errors: ['bad_request', ...access, 'storage_unavailable'],
  },
  ...keyOperations(),
  {
    operationId: 'getSession',
    method: 'get',
    path: '/v1/session',
    summary: 'Who is signed in',
    needs: 'A session.',
    security: 'session',
    replies: {
      200: { description: 'The user.', content: json(studio.session, examples.session) },
    },
    errors: [...access, 'storage_unavailable'],
  },
];

function keyOperations(): readonly Operation[] {
  return [
    {
      operationId: 'listKeys',
      method: 'get',
      path: '/v1/keys',
      summary: 'API keys of the own team',
      needs: 'A session with role Admin. Keys of the identity sync are not shown.',
      security: 'session',
      replies: {
        200: { description: 'The keys.', content: json(studio.keyList, examples.keys) },
      },
      errors: [...access, 'storage_unavailable'],
    },
    {
      operationId: 'createKey',
      method: 'post',
      path: '/v1/keys',
      summary: 'Create an API key',
      needs: 'A session with role Admin. apiKey is shown only once.',
      security: 'session',
      body: json(KEY_SCHEMA, examples.newKey),
      replies: {
        201: { description: 'Created.', content: json(studio.createdKey, examples.createdKey) },
      },
      errors: ['bad_request', ...access, 'storage_unavailable'],
    },
    {
      operationId: 'revokeKey',
      method: 'post',
      path: '/v1/keys/{id}/revoke',
      summary: 'Revoke an API key',
      needs: 'A session with role Admin. The key stops working within seconds.',
      security: 'session',
      parameters: [parameter('path', 'id', schemas.uuid, examples.keyId, 'Identifier of the key.')],
      body: json({ type: 'object', description: 'Empty.' }, {}),
      replies: {
        200: { description: 'The key.', content: json(studio.key, examples.revokedKey) },
      },
      errors: [...access, 'not_found', 'storage_unavailable'],
    },
  ];
}
