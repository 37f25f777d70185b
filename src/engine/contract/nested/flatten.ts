import type { FieldDescriptor, ListField } from '../types.ts';

/**
 * The fields of a contract by index, under the names that bindings and defects have: a record or list
 * comes before the fields in it. The fields of a list's entries have columns, so that only lists among
 * them are in here: `customer`, `customer.name`, `accounts`, `accounts.entries`.
 */
export function flattenFields(fields: readonly FieldDescriptor[]): readonly FieldDescriptor[] {
  if (fields.every(({ type }) => type !== 'record' && type !== 'list')) return fields;
  return flattened(fields).map(({ field }) => field);
}

/** A field by its index in the contract. */
export interface FlatField {
  readonly field: FieldDescriptor;
  /** Index of the nearest list around it; -1: there is none. */
  readonly parent: number;
  /** Indexes of the field in `fields` of the template, and in those of each field around it. */
  readonly steps: readonly number[];
}

/** All of them with their places. */
export function flattened(fields: readonly FieldDescriptor[]): readonly FlatField[] {
  const found: FlatField[] = [];
  add(fields, { prefix: '', parent: -1, steps: [] }, found);
  return found;
}

interface Around {
  readonly prefix: string;
  readonly parent: number;
  readonly steps: readonly number[];
}

function add(fields: readonly FieldDescriptor[], around: Around, found: FlatField[]): void {
  for (const [position, field] of fields.entries()) {
    const name = around.prefix + field.name;
    const { parent } = around;
    const steps = [...around.steps, position];
    const inEntry = parent >= 0;
    if (field.type === 'list' || !inEntry) found.push({ field: { ...field, name }, parent, steps });
    if (field.type !== 'record' && field.type !== 'list') continue;
    const own = field.type === 'list' ? found.length - 1 : parent;
    add(field.fields, { prefix: `${name}.`, parent: own, steps }, found);
  }
}

/** Whether a field has entries. */
export function isList(field: FieldDescriptor): field is ListField {
  return field.type === 'list';
}
