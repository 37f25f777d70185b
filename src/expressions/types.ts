/** The type of a value, known before the expression is evaluated. */
export type Type =
  | { readonly kind: 'number' | 'text' | 'date' | 'boolean' | 'null' }
  /** The items of `[]`, and an operand in which a defect was found: it fits every type. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'list'; readonly item: Type }
  | { readonly kind: 'record'; readonly fields: Fields }
  /** Either null or a value of the inner type. */
  | { readonly kind: 'optional'; readonly of: Exclude<Type, { kind: 'optional' }> };

/** The names of a record, or of the scope, with their types. */
export type Fields = Readonly<Record<string, Type>>;

export type Kind = Exclude<Type['kind'], 'optional'>;

export const NUMBER: Type = { kind: 'number' };
export const TEXT: Type = { kind: 'text' };
export const DATE: Type = { kind: 'date' };
export const BOOLEAN: Type = { kind: 'boolean' };
export const NULL: Type = { kind: 'null' };
export const UNKNOWN: Type = { kind: 'unknown' };

/** The type of lists of these items. */
export function listOf(item: Type): Type {
  return { kind: 'list', item };
}

/** The type of records with these fields. */
export function recordOf(fields: Fields): Type {
  return { kind: 'record', fields };
}

/**
 * The type of values that may be absent. `unknown` becomes optional, too: `first([])` fits every
 * type, but is null.
 */
export function optional(type: Type): Type {
  if (type.kind === 'optional' || type.kind === 'null') return type;
  return { kind: 'optional', of: type };
}

/** The type without null. */
export function present(type: Type): Exclude<Type, { kind: 'optional' }> {
  return type.kind === 'optional' ? type.of : type;
}

/** Own fields only: `constructor` is no name of a scope that does not declare it. */
export function fieldOf(fields: Fields, name: string): Type | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

const SIZES = new WeakMap<Type, number>();

/** Types inside the type, each counted as often as it occurs. */
export function sizeOf(type: Type): number {
  const known = SIZES.get(type);
  if (known !== undefined) return known;
  const inner = present(type);
  let size = 1;
  if (inner.kind === 'list') size += sizeOf(inner.item);
  if (inner.kind === 'record') {
    for (const field of Object.values(inner.fields)) size += sizeOf(field);
  }
  SIZES.set(type, size);
  return size;
}

/** The type that holds the values of both; null when there is none. */
export function join(a: Type, b: Type): Type | null {
  if (a === b) return a;
  if (a.kind === 'unknown') return b;
  if (b.kind === 'unknown') return a;
  if (a.kind === 'null') return optional(b);
  if (b.kind === 'null') return optional(a);
  if (a.kind === 'optional' || b.kind === 'optional') {
    const joined = join(present(a), present(b));
    return joined === null ? null : optional(joined);
  }
  if (a.kind === 'list' && b.kind === 'list') {
    const item = join(a.item, b.item);
    return item === null ? null : listOf(item);
  }
  if (a.kind === 'record' && b.kind === 'record') return joinRecords(a.fields, b.fields);
  return a.kind === b.kind ? a : null;
}

function joinRecords(a: Fields, b: Fields): Type | null {
  const joined: [string, Type][] = [];
  for (const [name, type] of Object.entries(a)) {
    const other = fieldOf(b, name);
    const both = other === undefined ? optional(type) : join(type, other);
    if (both === null) return null;
    joined.push([name, both]);
  }
  for (const [name, type] of Object.entries(b)) {
    if (fieldOf(a, name) === undefined) joined.push([name, optional(type)]);
  }
  return recordOf(Object.fromEntries(joined));
}

/** The type as messages name it: `a number`, `a list of texts`. */
export function describeType(type: Type): string {
  const { kind } = present(type);
  if (kind === 'null') return 'null';
  if (kind === 'unknown') return 'a value';
  return `a ${kind}`;
}
