import type { ErrorCode } from '../../errors.ts';
import { ERRORS } from '../../errors.ts';
import { REQUEST_ID } from './examples.ts';
import { OPERATIONS } from './operations.ts';
import { RUN_OPERATIONS } from './run-operations.ts';
import { STUDIO_OPERATIONS } from './studio-operations.ts';
import { COMPONENTS, ERROR, RATE_HEADERS, RETRY_HEADER } from './schemas.ts';

const SECURITY = {
  key: [{ apiKey: [] }],
  session: [{ session: [] }],
  both: [{ apiKey: [] }, { session: [] }],
  none: [],
} as const;

/**
 * /openapi.json (OpenAPI 3.1), put together from the schemas that validate and the error table;
 * `url` is what callers reach the service by.
 */
export function openApi(url: string, version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of [...OPERATIONS, ...RUN_OPERATIONS, ...STUDIO_OPERATIONS]) {
    const { operationId, method, path, summary, needs, security } = operation;
    const { parameters, body, replies, errors } = operation;
    paths[path] ??= {};
    paths[path][method] = {
      operationId,
      summary,
      description: needs,
      security: SECURITY[security],
      ...(parameters === undefined ? {} : { parameters }),
      ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
      responses: { ...replies, ...errorReplies(errors) },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Intaglio', version, description: 'Templates and data in, PDF out.' },
    servers: [{ url }],
    paths,
    components: {
      schemas: COMPONENTS,
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
    const examples = Object.fromEntries(group.map((code) => [code, { value: errorExample(code) }]));
    replies[status] = {
      description: lines.join('\n\n'),
      ...headersOf(group),
      content: { 'application/json': { schema: ERROR, examples } },
    };
  }
  return replies;
}

function headersOf(codes: readonly ErrorCode[]): object {
  if (codes.includes('rate_limited')) return { headers: { ...RETRY_HEADER, ...RATE_HEADERS } };
  return codes.includes('overloaded') ? { headers: RETRY_HEADER } : {};
}

function errorExample(code: ErrorCode): object {
  const body = { error: ERRORS[code].message, code, requestId: REQUEST_ID };
  if (code !== 'invalid_data') return body;
  return { ...body, fields: [{ field: 'total', reason: 'number expected' }] };
}
