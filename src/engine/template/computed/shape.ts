import type { ReadPath } from '../../../expressions/index.ts';
import { entryColumns, FIRST_COLUMN, LAST_COLUMN } from '../../contract/nested/columns.ts';
import type { FieldDescriptor } from '../../contract/types.ts';

/** Where the values that expressions read stand among the checked values of a document. */
export interface Shape {
  readonly scalars: readonly { readonly name: string; readonly at: number }[];
  /** `at`: what tells whether the record is there. */
  readonly records: readonly { readonly name: string; readonly at: number; readonly in: Shape }[];
  readonly lists: readonly { readonly name: string; readonly list: number; readonly in: Shape }[];
  readonly tables: readonly { readonly name: string; readonly at: number }[];
  /** Marks of an entry: its columns that are true or false. */
  readonly flags: readonly { readonly name: string; readonly at: number }[];
}

/** Finds the index of a field in the contract by its path. */
type IndexOf = (path: string) => number | null;

/** The part of the contract that one of the reads needs. */
export function shapeOf(
  fields: readonly FieldDescriptor[],
  reads: readonly ReadPath[],
  indexOf: IndexOf,
): Shape {
  return shapeIn(fields, [], reads, (path) => indexOf(path.join('.')) ?? -1, indexOf);
}

/** Whether a value is read, itself or in part or with what is around it. */
function isRead(path: readonly string[], reads: readonly ReadPath[]): boolean {
  return reads.some((read) => {
    const length = Math.min(path.length, read.length);
    return path.slice(0, length).every((step, index) => step === read[index]);
  });
}

/** `at` gives the place of a value: its index in the contract, or its column in an entry. */
function shapeIn(
  fields: readonly FieldDescriptor[],
  prefix: readonly string[],
  reads: readonly ReadPath[],
  at: (path: readonly string[]) => number,
  indexOf: IndexOf,
): Shape {
  const shape = { scalars: [], records: [], lists: [], tables: [], flags: [] } as {
    [K in keyof Shape]: Shape[K][number][];
  };
  for (const field of fields) {
    const { name, type } = field;
    const path = [...prefix, name];
    if (!isRead(path, reads)) continue;
    if (type === 'list') {
      const inner = entryShape(field.fields, path, reads, indexOf);
      shape.lists.push({ name, list: indexOf(path.join('.')) ?? -1, in: inner });
    } else if (type === 'record') {
      const inner = shapeIn(field.fields, path, reads, at, indexOf);
      shape.records.push({ name, at: at(path), in: inner });
    } else if (type === 'table') {
      shape.tables.push({ name, at: at(path) });
    } else if (type !== 'image' && type !== 'svg') {
      shape.scalars.push({ name, at: at(path) });
    }
  }
  return shape;
}

function entryShape(
  fields: readonly FieldDescriptor[],
  list: readonly string[],
  reads: readonly ReadPath[],
  indexOf: IndexOf,
): Shape {
  const columns = entryColumns(fields);
  const at = (path: readonly string[]): number => {
    const own = path.slice(list.length).join('.');
    return columns.find(({ name }) => name === own)?.rawColumn ?? -1;
  };
  const shape = shapeIn(fields, list, reads, at, indexOf);
  const own = (name: string): boolean => isRead([...list, name], reads);
  const number = columns.filter(({ name }) => name === '_number' && own(name));
  const flags = [
    { name: '_first', at: FIRST_COLUMN },
    { name: '_last', at: LAST_COLUMN },
  ];
  return {
    ...shape,
    scalars: [...shape.scalars, ...number.map(({ name, rawColumn }) => ({ name, at: rawColumn }))],
    flags: flags.filter(({ name }) => own(name)),
  };
}
