import schemaFile from '../../../templates/template.schema.json' with { type: 'json' };

/** The parts of JSON Schema that the template's schema uses. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema | readonly Schema[];
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
}

interface SchemaFile extends Schema {
  readonly definitions: Readonly<Record<string, Schema>>;
}

// The file is generated from the code that checks templates, so it has this shape.
const ROOT = schemaFile as unknown as SchemaFile;

export type Path = readonly (string | number)[];

/** A key that an object may have, or a value that is allowed at a path. */
export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  readonly info: string;
  /** The kind of value after a key: a text, a list, an object or a plain value. */
  readonly shape: 'text' | 'list' | 'object' | 'value';
  /** Higher ones come first. */
  readonly rank: number;
}

/** Bounds how deep alternatives are followed, because nodes nest. */
const DEPTH_MAX = 12;

/** Resolves references and alternatives to the plain schemas behind them. */
function alternatives(schema: Schema, depth = 0): Schema[] {
  if (depth > DEPTH_MAX) return [];
  const next = (other: Schema): Schema[] => alternatives(other, depth + 1);
  const found: Schema[] = [];
  if (schema.$ref !== undefined) {
    const target = targetOf(schema);
    if (target !== undefined) found.push(...next(target));
  }
  for (const list of [schema.allOf, schema.anyOf, schema.oneOf]) {
    for (const other of list ?? []) found.push(...next(other));
  }
  for (const other of [schema.then, schema.else]) {
    if (other !== undefined) found.push(...next(other));
  }
  const { properties, items, type, patternProperties, additionalProperties } = schema;
  const isPlain = schema.enum ?? schema.const ?? properties ?? items ?? type ?? patternProperties;
  if (isPlain !== undefined || typeof additionalProperties === 'object') found.push(schema);
  return found;
}

/** The definition that a schema refers to. */
function targetOf({ $ref = '' }: Schema): Schema | undefined {
  return ROOT.definitions[$ref.replace('#/definitions/', '')];
}

function step(schemas: readonly Schema[], key: string | number): Schema[] {
  const found = new Set<Schema>();
  for (const schema of schemas) {
    for (const child of childrenOf(schema, key)) {
      for (const other of alternatives(child)) found.add(other);
    }
  }
  return [...found];
}

function childrenOf(schema: Schema, key: string | number): readonly Schema[] {
  const { items, properties, patternProperties = {}, additionalProperties } = schema;
  if (typeof key === 'number') {
    if (items === undefined) return [];
    return isList(items) ? items : [items];
  }
  const own = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : null;
  if (own !== undefined && own !== null) return [own];
  for (const [pattern, child] of Object.entries(patternProperties)) {
    if (new RegExp(pattern, 'u').test(key)) return [child];
  }
  return typeof additionalProperties === 'object' ? [additionalProperties] : [];
}

function isList(items: Schema | readonly Schema[]): items is readonly Schema[] {
  return Array.isArray(items);
}

function schemasAt(path: Path): Schema[] {
  let schemas = alternatives(ROOT);
  for (const key of path) schemas = step(schemas, key);
  return schemas;
}

/**
 * Keys that the object at `path` may have beside those that it has. They decide which of several
 * kinds of objects it is: beside `table` there are no keys of images.
 */
export function keysAt(path: Path, present: readonly string[] = []): Suggestion[] {
  const kinds = kindsAt(path, present);
  const found = new Map<string, Suggestion>();
  for (const schema of kinds) {
    for (const [label, child] of Object.entries(schema.properties ?? {})) {
      if (present.includes(label)) continue;
      const types = new Set(alternatives(child).flatMap((one) => typesOf(one)));
      const before = found.get(label);
      const info = before?.info || describe(child);
      const detail = [...types].join(' | ');
      const own = rankOf(label, schema, kinds);
      const rank = Math.max(own, before?.rank ?? own);
      found.set(label, { label, detail, info, shape: shapeOf(types), rank });
    }
  }
  return [...found.values()];
}

/** The kinds of objects at `path` that may have all the keys that the object has. */
function kindsAt(path: Path, present: readonly string[]): readonly Schema[] {
  const objects = schemasAt(path).filter(({ properties }) => properties !== undefined);
  const known = present.filter((key) => objects.some((schema) => has(schema, key)));
  const fitting = objects.filter((schema) => known.every((key) => has(schema, key)));
  return fitting.length > 0 ? fitting : objects;
}

function has({ properties = {} }: Schema, key: string): boolean {
  return Object.hasOwn(properties, key);
}

/** Ranks required keys first, and keys that only some kinds of the object have last. */
function rankOf(key: string, schema: Schema, kinds: readonly Schema[]): number {
  // A text is the kind of node that needs no key.
  if (schema.required?.includes(key) === true || key === 'text') return 2;
  return kinds.every((kind) => has(kind, key)) ? 1 : 0;
}

/** Whether the value at `path` may be a node of a document. */
export function isNodeAt(path: Path): boolean {
  return schemasAt(path).some((schema) => has(schema, 'stack'));
}

function describe(schema: Schema): string {
  if (schema.description !== undefined) return schema.description;
  const target = targetOf(schema);
  if (target?.description !== undefined) return target.description;
  return alternatives(schema).find((one) => one.description !== undefined)?.description ?? '';
}

function typesOf(schema: Schema): readonly string[] {
  if (schema.enum !== undefined || schema.const !== undefined) return ['choice'];
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return type ?? [];
}

function shapeOf(types: ReadonlySet<string>): Suggestion['shape'] {
  const [first = ''] = types;
  if (first === 'string' || first === 'choice') return 'text';
  if (first === 'array') return 'list';
  return first === 'object' ? 'object' : 'value';
}

/** Values that the schema lists for `path`, as JSON. */
export function valuesAt(path: Path): Suggestion[] {
  const values = new Map<string, Suggestion>();
  for (const schema of schemasAt(path)) {
    const named = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
    const flags = typesOf(schema).includes('boolean') ? [true, false] : [];
    for (const value of [...named, ...flags]) {
      const label = JSON.stringify(value);
      const info = schema.description ?? '';
      values.set(label, { label, detail: '', info, shape: 'value', rank: 1 });
    }
  }
  return [...values.values()];
}

/**
 * The schema's description of the key at the end of `path`; '' when it has none. The keys beside it
 * decide what it belongs to: `mask` of a QR code is not that of a format.
 */
export function describeAt(path: Path, siblings: readonly string[] = []): string {
  const key = path.at(-1);
  if (key === undefined) return '';
  const owner = path.slice(0, -1);
  for (const schema of [...kindsAt(owner, siblings), ...schemasAt(owner)]) {
    for (const child of childrenOf(schema, key)) {
      const text = describe(child);
      if (text !== '') return text;
    }
  }
  return '';
}
