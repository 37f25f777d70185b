import type { ErrorCode } from '../errors.ts';
import { ERRORS } from '../errors.ts';
import { GENERATE_SCHEMA, IDENTITIES_SCHEMA, VERIFY_SCHEMA } from './schemas.ts';

/** /openapi.json (OpenAPI 3.1), put together from the schemas that validate and the error table. */

interface Operation {
  readonly method: 'get' | 'post' | 'put';
  readonly path: string;
  readonly summary: string;
  /** What a caller needs, in words. */
  readonly needs: string;
  readonly security: 'key' | 'session' | 'both' | 'none';
  readonly parameters?: readonly object[];
  readonly body?: object;
  readonly replies: Readonly<Record<string, object>>;
  readonly errors: readonly ErrorCode[];
}

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const uuid = { type: 'string', format: 'uuid' };
const digest = { type: 'string', pattern: '^[0-9a-f]{64}$' };

const fieldContract = object({
  templateId: text,
  version: { type: 'number' },
  status: { type: 'string', enum: ['published', 'draft'] },
  fields: { type: 'array', items: { $ref: '#/components/schemas/Field' } },
});
const field = object(
  {
    name: { ...text, description: 'Key to use inside data.' },
    type: {
      type: 'string',
      enum: ['text', 'number', 'date', 'image', 'qrcode', 'table', 'svg'],
    },
    required: { type: 'boolean' },
    format: { type: 'object' },
    validation: { type: 'object' },
  },
  ['name', 'type', 'required'],
);
const acknowledgement = object({ documentId: uuid, url: text, sha256: digest, expiresAt: time });
const documentRecord = object({
  documentId: uuid,
  templateId: text,
  version: { type: 'number' },
  sha256: digest,
  createdAt: time,
  expiresAt: time,
  url: { ...text, description: 'Fresh, time-limited link. Keep the documentId, not the link.' },
});
const errorBody = object(
  {
    error: text,
    code: { type: 'string', enum: Object.keys(ERRORS) },
    requestId: text,
    fields: {
      type: 'array',
      items: object({ field: text, reason: text }),
      description: 'Every defective field of data, with code invalid_data.',
    },
  },
  ['error', 'code', 'requestId'],
);
const counts = object(
  Object.fromEntries(
    ['created', 'updated', 'deactivated', 'unchanged'].map((name) => [name, { type: 'integer' }]),
  ),
);

const pdf = { 'application/pdf': { schema: { type: 'string', format: 'binary' } } };
const door: readonly ErrorCode[] = ['unauthenticated', 'insufficient_scope', 'forbidden'];

const OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/generate',
    summary: 'Generate a document',
    needs: 'Scope generate, or a session with role Editor or Admin.',
    security: 'both',
    parameters: [
      parameter(
        'header',
        'Idempotency-Key',
        text,
        'Mode async: a repeated call makes no second one. 1 to 255 printable ASCII characters.',
      ),
    ],
    body: GENERATE_SCHEMA,
    replies: {
      200: { description: 'Mode sync: the PDF. Nothing is stored.', content: pdf },
      201: { description: 'Mode async: stored.', content: json(acknowledgement) },
    },
    errors: [
      'bad_request',
      'invalid_data',
      ...door,
      'draft_requires_user',
      'not_found',
      'idempotency_conflict',
      'gone',
      'payload_too_large',
      'render_failed',
      'rate_limited',
      'not_implemented',
      'protection_unavailable',
      'overloaded',
      'storage_unavailable',
    ],
  },
  {
    method: 'get',
    path: '/v1/templates/{id}/fields',
    summary: 'Field contract of a template version',
    needs:
      'Scope templates:read, or a session with role Editor or Admin (the only ones for drafts).',
    security: 'both',
    parameters: [
      idParameter(),
      parameter(
        'query',
        'version',
        { type: 'number' },
        'A published version; the latest if left out.',
      ),
      parameter('query', 'draft', { type: 'boolean' }, 'true: the current draft.'),
    ],
    replies: { 200: { description: 'The contract.', content: json(fieldContract) } },
    errors: ['bad_request', ...door, 'draft_requires_user', 'not_found'],
  },
  {
    method: 'get',
    path: '/v1/documents/{id}',
    summary: 'Record or file of a stored document',
    needs: 'Scope documents:read, or a session.',
    security: 'both',
    parameters: [
      idParameter(),
      parameter('query', 'download', { type: 'number', enum: [1] }, '1: the file itself.'),
    ],
    replies: {
      200: {
        description: 'The record with a fresh link, or with download=1 the PDF.',
        content: { ...json(documentRecord), ...pdf },
      },
    },
    errors: ['bad_request', ...door, 'not_found', 'gone', 'storage_unavailable'],
  },
  {
    method: 'get',
    path: '/v1/files/{token}',
    summary: 'The file behind a time-limited link',
    needs: 'The link.',
    security: 'none',
    parameters: [parameter('path', 'token', text, 'From the url of a document.')],
    replies: {
      200: { description: 'The PDF.', content: pdf },
      206: { description: 'The part asked for by Range.', content: pdf },
    },
    errors: ['not_found', 'gone', 'range_not_satisfiable', 'storage_unavailable'],
  },
  {
    method: 'post',
    path: '/v1/verify',
    summary: 'Whether a file was issued to the own team',
    needs: 'Scope documents:read, or a session.',
    security: 'both',
    body: VERIFY_SCHEMA,
    replies: {
      200: {
        description: 'issued, and where it is true what the file is.',
        content: json(
          object(
            {
              issued: { type: 'boolean' },
              sha256: digest,
              documentId: uuid,
              templateId: text,
              version: { type: 'number' },
              createdAt: time,
              expiresAt: time,
              available: {
                type: 'boolean',
                description: 'false: it has expired, or its file is damaged.',
              },
              documents: { type: 'array', items: { type: 'object' } },
              madeHere: { type: 'array', items: { type: 'object' } },
            },
            ['issued', 'documents', 'madeHere'],
          ),
        ),
      },
    },
    errors: ['bad_request', ...door, 'payload_too_large'],
  },
  {
    method: 'get',
    path: '/v1/templates',
    summary: 'Templates of the own team',
    needs: 'A session.',
    security: 'session',
    replies: {
      200: { description: 'The list.', content: json(object({ templates: { type: 'array' } })) },
    },
    errors: door,
  },
  {
    method: 'put',
    path: '/v1/templates/{id}/draft',
    summary: 'Save a draft',
    needs: 'A session with role Editor or Admin.',
    security: 'session',
    parameters: [idParameter()],
    body: { type: 'object', description: 'The template file.' },
    replies: {
      200: {
        description: 'Saved; what a check of it found.',
        content: json(object({ templateId: text, status: text, findings: { type: 'array' } })),
      },
    },
    errors: ['bad_request', ...door, 'draft_requires_user', 'payload_too_large'],
  },
  {
    method: 'post',
    path: '/v1/templates/{id}/publish',
    summary: 'Publish the draft as the next version',
    needs: 'A session with role Admin.',
    security: 'session',
    parameters: [idParameter()],
    replies: {
      201: {
        description: 'Published.',
        content: json(object({ templateId: text, version: { type: 'number' } })),
      },
    },
    errors: ['bad_request', ...door, 'draft_requires_user', 'not_found'],
  },
  {
    method: 'get',
    path: '/v1/sync/identities',
    summary: 'Teams and users as they are',
    needs: 'Scope identity-sync.',
    security: 'key',
    replies: {
      200: {
        description: 'Everybody.',
        content: json(object({ teams: { type: 'array' }, users: { type: 'array' } })),
      },
    },
    errors: door,
  },
  {
    method: 'post',
    path: '/v1/sync/identities',
    summary: 'Make teams and users what is listed',
    needs: 'Scope identity-sync.',
    security: 'key',
    body: IDENTITIES_SCHEMA,
    replies: {
      200: {
        description: 'What changed.',
        content: json(object({ teams: counts, users: counts })),
      },
    },
    errors: ['bad_request', ...door, 'payload_too_large'],
  },
];

function object(properties: object, required = Object.keys(properties)): object {
  return { type: 'object', required, properties };
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}

function parameter(place: string, name: string, schema: object, description: string): object {
  return { in: place, name, schema, description, ...(place === 'path' ? { required: true } : {}) };
}

function idParameter(): object {
  return parameter('path', 'id', text, 'Identifier.');
}

const SECURITY = {
  key: [{ apiKey: [] }],
  session: [{ session: [] }],
  both: [{ apiKey: [] }, { session: [] }],
  none: [],
} as const;

/** The whole description; `url` is what callers reach the service by. */
export function openApi(url: string, version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    const { method, path, summary, needs, security, parameters, body, replies } = operation;
    paths[path] ??= {};
    paths[path][method] = {
      summary,
      description: needs,
      security: SECURITY[security],
      ...(parameters === undefined ? {} : { parameters }),
      ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
      responses: { ...replies, ...errorReplies(operation.errors) },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Intaglio', version, description: 'Templates and data in, PDF out.' },
    servers: [{ url }],
    paths,
    components: {
      schemas: { Field: field, Error: errorBody },
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        session: { type: 'apiKey', in: 'cookie', name: 'intaglio_session' },
      },
    },
  };
}

/** Codes that share a status share an entry. */
function errorReplies(codes: readonly ErrorCode[]): Record<string, object> {
  const replies: Record<string, object> = {};
  for (const [status, group] of Map.groupBy(codes, (code) => ERRORS[code].status)) {
    const lines = group.map((code) => `\`${code}\`: ${ERRORS[code].message}`);
    replies[status] = {
      description: lines.join('\n\n'),
      content: json({ $ref: '#/components/schemas/Error' }),
    };
  }
  return replies;
}
