import {
  BOOLEAN,
  DATE,
  type Fields,
  listOf,
  NUMBER,
  optional,
  recordOf,
  TEXT,
  type Type,
} from '../../../expressions/index.ts';
import type { FieldDescriptor } from '../../contract/types.ts';

/** The types of all fields that stand in one object, as expressions know them. */
export function typesOf(fields: readonly FieldDescriptor[]): Fields {
  return Object.fromEntries(
    fields.flatMap((field): [string, Type][] => {
      const type = typeOf(field);
      // Values are members of plain objects, where __proto__ is no name like any other.
      return type === null || field.name === '__proto__' ? [] : [[field.name, type]];
    }),
  );
}

/** The type of the entries of a list with these fields. */
export function entryType(fields: readonly FieldDescriptor[]): Type {
  return recordOf({ ...typesOf(fields), _number: NUMBER, _first: BOOLEAN, _last: BOOLEAN });
}

/** A list or table that is absent is an empty list; any other absent value is null. */
function typeOf(field: FieldDescriptor): Type | null {
  const own = presentType(field);
  if (own === null || own.kind === 'list' || field.required) return own;
  return optional(own);
}

/** null: expressions cannot read such a value. */
function presentType(field: FieldDescriptor): Type | null {
  switch (field.type) {
    case 'text':
    case 'qrcode':
      return TEXT;
    case 'number':
      return NUMBER;
    case 'date':
      return DATE;
    case 'table':
      return listOf(listOf(TEXT));
    case 'record':
      return recordOf(typesOf(field.fields));
    case 'list':
      return listOf(entryType(field.fields));
    case 'image':
    case 'svg':
      return null;
  }
}

/** What a name in an expression stands for. */
export interface Head {
  readonly type: Type;
  /** Its path in the contract: that of the list, for the name of its entries. */
  readonly path: readonly string[];
  /** Index of the list at whose entry it is; -1: it stands in no list. */
  readonly list: number;
  /** From that entry, or from the whole data, to the value. */
  readonly steps: readonly string[];
}

/** The names of a place in a template. */
export type Names = ReadonlyMap<string, Head>;

/** The names of fields that stand in one object. */
export function namesIn(
  fields: readonly FieldDescriptor[],
  { path, list, steps }: Omit<Head, 'type'>,
): Names {
  const types = Object.entries(typesOf(fields));
  return new Map(
    types.map(([name, type]) => [
      name,
      { type, path: [...path, name], list, steps: [...steps, name] },
    ]),
  );
}

/** The types of names. */
export function scopeOf(names: Names): Fields {
  return Object.fromEntries(Array.from(names, ([name, { type }]) => [name, type]));
}
