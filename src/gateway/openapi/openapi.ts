import {
  type ErrorBody,
  errorBody,
  RATE_HEADERS,
  REQUEST_ID,
  RETRY_HEADER,
} from '../../api/errors.ts';
import type { ErrorCode } from '../../errors.ts';
import { ERRORS } from '../../errors.ts';
import { ROLES } from '../../store/store.ts';
import type { Access } from '../callers/auth.ts';
import { sessionCookieName } from '../callers/session-cookie.ts';
import type { Route } from '../route.ts';
import { components, refer } from './components.ts';
import type { Operation } from './operation.ts';
import { TAGS, tagsOf } from './tags.ts';

const KEY = { apiKey: [] };
const SESSION = { session: [] };

/**
 * Builds /openapi.json (OpenAPI 3.1) from the routes, the schemas that validate requests and the
 * error table; `url` is the public address of the service.
 */
export function openApi(url: string, version: string, routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.operation === undefined) continue;
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = describe(route, route.operation);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Intaglio', version, description: 'Templates and data in, PDF out.' },
    servers: [{ url }],
    tags: TAGS,
    paths: refer(paths),
    components: {
      schemas: components(),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName(url.startsWith('https:')),
        },
      },
    },
  };
}

function describe(route: Route, operation: Operation): object {
  const { operationId, summary, note, parameters, body, replies, errors } = operation;
  const access = route.kind === 'guarded' ? route.access : null;
  const description = [access === null ? '' : whoMayCall(access), note ?? ''];
  return {
    operationId,
    tags: tagsOf(route.path),
    summary,
    description: description.filter((sentence) => sentence !== '').join(' '),
    security: access === null ? [] : securityOf(access),
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: { ...replies, ...errorReplies([...accessErrors(access), ...errors]) },
  };
}

function securityOf({ scope, roles }: Access): readonly object[] {
  return [...(scope === null ? [] : [KEY]), ...(roles.length === 0 ? [] : [SESSION])];
}

function whoMayCall({ scope, roles }: Access): string {
  const isAll = roles.length === ROLES.length;
  const session = isAll ? 'a session' : `a session with role ${roles.join(' or ')}`;
  if (roles.length === 0) return `Scope ${scope}.`;
  return scope === null ? `${session.replace('a', 'A')}.` : `Scope ${scope}, or ${session}.`;
}

function accessErrors(access: Access | null): readonly ErrorCode[] {
  if (access === null) return ['storage_unavailable'];
  const refusals = [
    'unauthenticated',
    'insufficient_scope',
    'forbidden',
    access.keyRefusal,
  ] as const;
  const changed = access.roles.length > 0 ? (['session_changed'] as const) : [];
  return [...new Set(refusals), ...changed, 'storage_unavailable'];
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
      content: { 'application/json': { schema: errorBody, examples } },
    };
  }
  return replies;
}

function headersOf(codes: readonly ErrorCode[]): object {
  if (codes.includes('rate_limited')) return { headers: { ...RETRY_HEADER, ...RATE_HEADERS } };
  return codes.includes('overloaded') ? { headers: RETRY_HEADER } : {};
}

function errorExample(code: ErrorCode): ErrorBody {
  const body = { error: ERRORS[code].message, code, requestId: REQUEST_ID };
  if (code !== 'invalid_data') return body;
  return { ...body, fields: [{ field: 'total', reason: 'number expected' }] };
}
