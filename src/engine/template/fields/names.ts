import { LIMITS } from '../../../limits.ts';
import type { FieldDescriptor } from '../../contract/types.ts';
import { type EntryColumn, entryColumns } from '../../contract/nested/columns.ts';
import { isObject } from '../../../runtime/json-object.ts';
import { headOf } from './entries.ts';

/** Paths of all fields that a template declares, including those inside records and lists. */
export function declaredPaths(
  fields: readonly unknown[],
  prefix = '',
  depth = 0,
): readonly string[] {
  return fields.flatMap((field) => {
    const name = isObject(field) ? field['name'] : undefined;
    if (!isObject(field) || typeof name !== 'string') return [];
    const inner = depth < LIMITS.nestedFieldsDepthMax ? field['fields'] : undefined;
    const path = prefix + name;
    return [path, ...declaredPaths(Array.isArray(inner) ? inner : [], `${path}.`, depth + 1)];
  });
}

/**
 * A name for the value of an expression: its path, with a number if the path has several
 * expressions.
 */
export function unusedName(path: string, names: readonly string[]): string {
  if (!names.includes(path)) return path;
  let number = 2;
  while (names.includes(`${path} (${number})`)) number++;
  return `${path} (${number})`;
}

/** The column of the field with this name. Throws RangeError if there is no such field. */
export function columnIn(fields: readonly FieldDescriptor[], name: string): EntryColumn {
  const column = entryColumns(fields).find((one) => one.name === name);
  if (column === undefined) throw new RangeError('no such column');
  return column;
}

/**
 * The path of the only field inside a record that has this name. Null if there is none, or more
 * than one.
 */
export function fieldInRecord(name: string, known: Iterable<string>): string | null {
  const found = [...known].filter((one) => one.endsWith(`.${name}`));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The end of the message about an unknown name that resembles no known name. */
export function unknownHint(name: string, isHeadKnown: boolean): string {
  const head = headOf(name);
  if (head === name || isHeadKnown) return '; declare it in fields.';
  const quoted = JSON.stringify(head);
  return `: ${quoted} is neither a field nor the "as" of an "each" around this place.`;
}
