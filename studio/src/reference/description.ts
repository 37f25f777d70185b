import { callJson } from '../api/client.ts';

/** The parts of an OpenAPI 3.1 description that the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Reply {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Reply>>;
}

export interface Operation extends RawOperation {
  readonly method: string;
  readonly path: string;
}

export interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function loadDescription(signal: AbortSignal): Promise<Description> {
  return callJson<Description>('/openapi.json', { signal });
}

export function operationsOf({ paths }: Description): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** The group of operations that the description puts it in. */
export function groupOf({ tags: [group = ''] }: Operation): string {
  return group;
}

/** Whether the operation accepts an API key; others take a session or need neither. */
export function takesKey({ security = [] }: Operation): boolean {
  return security.some((one) => 'apiKey' in one);
}

/** Follows a schema's `$ref`, if it has one. */
export function resolve(schema: Schema, description: Description): Schema {
  const { $ref } = schema;
  if ($ref === undefined) return schema;
  return description.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {};
}

interface Body {
  readonly type: string;
  readonly text: string;
}

/** The example body of a request; null when the description has no example. */
export function exampleBody({ requestBody }: Operation): Body | null {
  for (const [type, { example }] of Object.entries(requestBody?.content ?? {})) {
    if (example === undefined) continue;
    return { type, text: typeof example === 'string' ? example : JSON.stringify(example, null, 2) };
  }
  return null;
}

export function isJson(type: string): boolean {
  return type.startsWith('application/json');
}

/** The files that responses may be, by media type. */
const FILES: Readonly<Record<string, string>> = {
  'application/pdf': 'document.pdf',
  'application/zip': 'documents.zip',
};

/** The name for a response to be saved as a file; '' for one that is text. */
export function fileNameOf(type: string): string {
  return FILES[type.split(';')[0] ?? ''] ?? '';
}

/** The media types of the responses to a call that succeeds. */
export function successTypes({ responses }: Operation): readonly string[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.keys(content));
}
