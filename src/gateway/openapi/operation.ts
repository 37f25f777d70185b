import { DOCUMENT_ID, SHA256 } from '../../api/documents.ts';
import * as values from '../../api/schema.ts';
import type { TypeOf } from '../../api/schema.ts';
import type { ErrorCode } from '../../errors.ts';

/**
 * Description of a route for /openapi.json and /docs. Method, path and permitted callers come from
 * the route itself.
 */
export interface Operation {
  /** Names the operation in generated clients. */
  readonly operationId: string;
  readonly summary: string;
  /** Further sentences for callers. */
  readonly note?: string;
  readonly parameters?: readonly object[];
  /** By media type. */
  readonly body?: object;
  /** By status. */
  readonly replies: Readonly<Record<string, object>>;
  /** Error codes beyond those of every route with access control. */
  readonly errors: readonly ErrorCode[];
}

/** A body of type PDF. */
export const PDF = { 'application/pdf': { schema: { type: 'string', format: 'binary' } } };

/** A JSON body with its schema and an example of the type of the schema. */
export function json<const S extends object>(
  schema: S,
  example: TypeOf<S>,
): { readonly 'application/json': { readonly schema: S; readonly example: unknown } } {
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

/** A query parameter that narrows a list. */
export function filter(name: string, example: string, description: string): object {
  return parameter('query', name, values.text, example, description);
}

export const TEMPLATE_ID = parameter(
  'path',
  'id',
  values.text,
  'receipt',
  'Identifier of the template.',
);
export const DRAFT_ID = parameter('path', 'id', values.text, 'note', 'Identifier of the template.');

/** Headers that make a change conditional. */
export const CONDITIONS = {
  match: parameter(
    'header',
    'If-Match',
    { type: 'string' },
    `"${SHA256}"`,
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

/** Bounds in time of a list. */
export const SINCE_TO = [
  parameter('query', 'from', values.time, '2026-11-01T00:00:00Z', 'Made at or after this time.'),
  parameter('query', 'to', values.time, '2026-12-01T00:00:00Z', 'Made before this time.'),
];

/** The query parameters of a list that is paged by ids. */
export function paging(limitDefault: number): ReturnType<typeof parameter>[] {
  const next = 'The value of next in the previous page.';
  return [
    parameter('query', 'after', values.uuid, DOCUMENT_ID, next),
    parameter('query', 'limit', values.limit, 50, `1 to 200; ${limitDefault} when left out.`),
  ];
}

export const PAGING = paging(50);
