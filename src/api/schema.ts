/**
 * What the descriptions of all resources use: schemas of single values, and the TypeScript type of a
 * schema. Schemas are plain objects, as they stand in /openapi.json.
 */

/** Texts without control characters, such as the NUL at which some programs end a text. */
export const PLAIN_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

export const text = { type: 'string' } as const;
export const time = { type: 'string', format: 'date-time' } as const;
export const uuid = { type: 'string', format: 'uuid' } as const;
export const digest = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
export const version = { type: 'integer', minimum: 1 } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const flag = { type: 'boolean' } as const;
export const url = { type: 'string', format: 'uri' } as const;
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const;

/** The body of a call that takes no parameters. */
export const emptyBody = {
  type: 'object',
  additionalProperties: false,
  description: 'Empty.',
} as const;

/** The query parameter that limits a page. */
export const limit = { type: 'integer', minimum: 1, maximum: 200 } as const;

/** An object whose members are all required, or those that `required` lists. */
export function object<const P extends object, const R extends Key<P> = Key<P>>(
  properties: P,
  // Without the argument, R is every key of P.
  required: readonly R[] = keysOf(properties) as readonly string[] as readonly R[],
): { readonly type: 'object'; readonly required: readonly R[]; readonly properties: P } {
  return { type: 'object', required, properties };
}

type Key<P> = keyof P & string;

/** The names of the members, for the list `required`. */
export function keysOf<P extends object>(properties: P): readonly Key<P>[] {
  // An object literal has no keys but those of its type.
  return Object.keys(properties) as Key<P>[];
}

export function list<const I extends object>(
  items: I,
): { readonly type: 'array'; readonly items: I } {
  return { type: 'array', items };
}

export function orNull<const S extends object>(
  schema: S,
  description: string,
): { readonly description: string; readonly oneOf: readonly [S, { readonly type: 'null' }] } {
  return { description, oneOf: [schema, { type: 'null' }] };
}

/** The member `next` of a page, beside its items. */
export const next = {
  type: ['string', 'null'],
  description: 'The value of after for the next page; null: this is the last page.',
} as const;

/**
 * The type of the values that a schema describes. An object has the members of `properties` and no
 * other, whether or not the schema allows more: a response must not have a member that the schema
 * does not describe.
 */
export type TypeOf<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly oneOf: readonly (infer O)[] }
    ? TypeOf<O>
    : S extends { readonly type: readonly (infer T)[] }
      ? Typed<T, S>
      : S extends { readonly type: infer T }
        ? Typed<T, S>
        : unknown;

/** Distributes over the names of types. A name that is not known literally allows every value. */
type Typed<T, S> = T extends keyof Simple
  ? Simple[T]
  : T extends 'array'
    ? readonly TypeOf<S extends { readonly items: infer I } ? I : unknown>[]
    : T extends 'object'
      ? Members<S>
      : unknown;

interface Simple {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  null: null;
}

type Members<S> = S extends { readonly properties: infer P }
  ? Flat<
      { readonly [K in keyof P as K extends Required<S> ? K : never]: TypeOf<P[K]> } & {
        readonly [K in keyof P as K extends Required<S> ? never : K]?: TypeOf<P[K]>;
      }
    >
  : S extends { readonly additionalProperties: infer V extends object }
    ? Readonly<Record<string, TypeOf<V>>>
    : Readonly<Record<string, unknown>>;

type Required<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

type Flat<T> = { [K in keyof T]: T[K] };
