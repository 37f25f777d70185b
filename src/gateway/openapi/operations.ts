import type { ErrorCode } from '../../errors.ts';
import { IDENTITIES_SCHEMA, PUBLISH_SCHEMA, VERIFY_SCHEMA } from '../body/schemas.ts';
import { EXAMPLES } from './examples.ts';
import * as schemas from './schemas.ts';

/** A route as /openapi.json describes it. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put';
  readonly path: string;
  readonly summary: string;
  /** What a caller needs, in words. */
  readonly needs: string;
  readonly security: 'key' | 'session' | 'both' | 'none';
  readonly parameters?: readonly object[];
  /** By media type. */
  readonly body?: object;
  readonly replies: Readonly<Record<string, object>>;
  readonly errors: readonly ErrorCode[];
}

const pdf = { 'application/pdf': { schema: { type: 'string', format: 'binary' } } };
/** Describes the error responses of an operation. */
export const access: readonly ErrorCode[] = ['unauthenticated', 'insufficient_scope', 'forbidden'];

/** A JSON body with its schema and an example. */
export function json(schema: object, example: unknown): object {
  return { 'application/json': { schema, example } };
}

/** A parameter with an example; required in a path. */
export function parameter(
  place: string,
  name: string,
  schema: object,
  example: unknown,
  description: string,
): object {
  const required = place === 'path' ? { required: true } : {};
  return { in: place, name, schema, example, description, ...required };
}

function idParameter(of: string, example: string): object {
  return parameter('path', 'id', schemas.text, example, `Identifier of the ${of}.`);
}

export const templateId = idParameter('template', 'receipt');
export const draftId = idParameter('template', 'note');

/** Headers that make a change conditional. */
const CONDITIONS = {
  match: parameter(
    'header',
    'If-Match',
    { type: 'string' },
    `"${EXAMPLES.verify.sha256}"`,
    'The ETag of the draft to change; 412 when the draft was changed meanwhile.',
  ),
  noneMatch: parameter(
    'header',
    'If-None-Match',
    { type: 'string', enum: ['*'] },
    '*',
    '*: save only when there is no draft yet.',
  ),
};

/** What callers use most stands first. */
export const OPERATIONS: readonly Operation[] = [
  {
    operationId: 'generateDocument',
    method: 'post',
    path: '/v1/generate',
    summary: 'Generate a document',
    needs: 'Scope generate, or a session with role Editor or Admin.',
    security: 'both',
    parameters: [
      parameter(
        'header',
        'Idempotency-Key',
        { type: 'string', minLength: 1, maxLength: 255 },
        'R-2026-0042',
        'Mode async: a repeated call makes no second one. 1 to 255 printable ASCII characters.',
      ),
    ],
    body: json(schemas.generateBody, EXAMPLES.generate),
    replies: {
      200: {
        description: 'Mode sync: the PDF. Nothing is stored.',
        headers: schemas.RATE_HEADERS,
        content: pdf,
      },
      201: {
        description: 'Mode async: stored.',
        headers: schemas.RATE_HEADERS,
        content: json(schemas.acknowledgement, EXAMPLES.acknowledgement),
      },
    },
    errors: [
      'bad_request',
      'invalid_data',
      ...access,
      'draft_requires_user',
      'not_found',
      'idempotency_conflict',
      'gone',
      'payload_too_large',
      'render_failed',
      'rate_limited',
      'not_implemented',
      'protection_unavailable',
      'signing_unavailable',
      'overloaded',
      'storage_unavailable',
    ],
  },
  {
    operationId: 'getFieldContract',
    method: 'get',
    path: '/v1/templates/{id}/fields',
    summary: 'Field contract of a template version',
    needs:
      'Scope templates:read, or a session with role Editor or Admin (the only ones for drafts).',
    security: 'both',
    parameters: [
      templateId,
      parameter(
        'query',
        'version',
        schemas.version,
        3,
        'A published version; the latest if left out.',
      ),
      parameter('query', 'draft', { type: 'boolean' }, false, 'true: the current draft.'),
    ],
    replies: {
      200: {
        description: 'The contract.',
        content: json(schemas.fieldContract, EXAMPLES.contract),
      },
    },
    errors: [
      'bad_request',
      ...access,
      'draft_requires_user',
      'not_found',
      'rate_limited',
      'storage_unavailable',
    ],
  },
  {
    operationId: 'getDocument',
    method: 'get',
    path: '/v1/documents/{id}',
    summary: 'Record or file of a stored document',
    needs: 'Scope documents:read, or a session.',
    security: 'both',
    parameters: [
      parameter(
        'path',
        'id',
        schemas.uuid,
        EXAMPLES.document.documentId,
        'Identifier of the document.',
      ),
      parameter('query', 'download', { type: 'integer', enum: [1] }, 1, '1: the file itself.'),
    ],
    replies: {
      200: {
        description: 'The record with a fresh link, or with download=1 the PDF.',
        content: { ...json(schemas.documentRecord, EXAMPLES.document), ...pdf },
      },
    },
    errors: ['bad_request', ...access, 'not_found', 'gone', 'rate_limited', 'storage_unavailable'],
  },
  {
    operationId: 'getFile',
    method: 'get',
    path: '/v1/files/{token}',
    summary: 'The file behind a time-limited link',
    needs: 'The link.',
    security: 'none',
    parameters: [
      parameter(
        'path',
        'token',
        schemas.text,
        EXAMPLES.document.url.split('/').at(-1) ?? '',
        'From the url of a document.',
      ),
    ],
    replies: {
      200: { description: 'The PDF.', content: pdf },
      206: { description: 'The part asked for by Range.', content: pdf },
    },
    errors: ['not_found', 'gone', 'range_not_satisfiable', 'storage_unavailable'],
  },
  {
    operationId: 'verifyFile',
    method: 'post',
    path: '/v1/verify',
    summary: 'Whether a file was issued to the own team',
    needs:
      'Scope documents:read, or a session. Takes the digest, or the file itself (at most 64 MB), which' +
      ' is not kept.',
    security: 'both',
    body: { ...json(VERIFY_SCHEMA, EXAMPLES.verify), ...pdf },
    replies: {
      200: {
        description: 'issued, and where it is true which documents have these bytes.',
        content: json(schemas.verification, EXAMPLES.verification),
      },
    },
    errors: ['bad_request', ...access, 'payload_too_large', 'storage_unavailable'],
  },
  {
    operationId: 'listTemplates',
    method: 'get',
    path: '/v1/templates',
    summary: 'Templates of the own team',
    needs: 'A session.',
    security: 'session',
    replies: {
      200: { description: 'The list.', content: json(schemas.templateList, EXAMPLES.templates) },
    },
    errors: [...access, 'storage_unavailable'],
  },
  {
    operationId: 'saveDraft',
    method: 'put',
    path: '/v1/templates/{id}/draft',
    summary: 'Save a draft',
    needs: 'A session with role Editor or Admin.',
    security: 'session',
    parameters: [draftId, CONDITIONS.match, CONDITIONS.noneMatch],
    body: json(
      { type: 'object', description: 'The template file; its templateId is the one above.' },
      EXAMPLES.template,
    ),
    replies: {
      200: {
        description: 'Saved; what a check of it found.',
        content: json(schemas.draftSaved, EXAMPLES.draft),
      },
    },
    errors: [
      'bad_request',
      ...access,
      'draft_requires_user',
      'precondition_failed',
      'payload_too_large',
      'overloaded',
      'storage_unavailable',
    ],
  },
  {
    operationId: 'publishTemplate',
    method: 'post',
    path: '/v1/templates/{id}/publish',
    summary: 'Publish the draft as the next version',
    needs: 'A session with role Admin. Once a version is published, compared must name both sides.',
    security: 'session',
    parameters: [draftId, CONDITIONS.match],
    body: json(PUBLISH_SCHEMA, EXAMPLES.publish),
    replies: {
      201: { description: 'Published.', content: json(schemas.published, EXAMPLES.published) },
    },
    errors: [
      'bad_request',
      ...access,
      'draft_requires_user',
      'not_found',
      'precondition_failed',
      'overloaded',
      'storage_unavailable',
    ],
  },
  {
    operationId: 'listIdentities',
    method: 'get',
    path: '/v1/sync/identities',
    summary: 'Teams and users as they are',
    needs: 'Scope identity-sync.',
    security: 'key',
    replies: {
      200: {
        description: 'All teams and users.',
        content: json(schemas.identities, EXAMPLES.identities),
      },
    },
    errors: [...access, 'storage_unavailable'],
  },
  {
    operationId: 'syncIdentities',
    method: 'post',
    path: '/v1/sync/identities',
    summary: 'Make teams and users what is listed',
    needs: 'Scope identity-sync.',
    security: 'key',
    body: json(IDENTITIES_SCHEMA, EXAMPLES.identities),
    replies: {
      200: {
        description: 'Numbers of changes.',
        content: json(schemas.identityCounts, EXAMPLES.identityCounts),
      },
    },
    errors: ['bad_request', ...access, 'payload_too_large', 'storage_unavailable'],
  },
];
