import { parseExact, textOf, toJson } from '../api/exact.ts';
import type { Field } from '../api/field-types.ts';
import type { Data } from '../api/template-data.ts';

/*
 * A form holds a list as the JSON text that was typed, which the service accepts, too. A sample in the
 * text of a template has the list itself.
 */

/** The fields of a contract, or those in a record. */
type Fields = readonly Pick<Field, 'name' | 'type' | 'fields'>[];

/** The values as JSON; the JSON texts of lists and records stand in it as they were typed. */
export function jsonOfTyped(fields: Fields, data: Data): ReadonlyMap<string, string> {
  const given = Object.entries(data).filter(([, value]) => value !== undefined);
  return new Map(
    given.map(([name, value]) => {
      const field = fields.find((one) => one.name === name);
      if (parsedText(field, value) !== null) return [name, String(value)];
      const inner = recordIn(field, value);
      if (inner === null) return [name, toJson(value)];
      const members = Array.from(
        jsonOfTyped(inner.fields, inner.data),
        ([key, json]) => `${JSON.stringify(key)}:${json}`,
      );
      return [name, `{${members.join()}}`];
    }),
  );
}

/** The data with the lists and records that its JSON texts stand for. */
export function withParsedTexts(fields: Fields, data: Data): Data {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const field = fields.find((one) => one.name === name);
      const inner = recordIn(field, value);
      if (inner !== null) return [name, withParsedTexts(inner.fields, inner.data)];
      return [name, parsedText(field, value) ?? value];
    }),
  );
}

/** The list or record whose JSON text a form holds; null: it holds none, or the text is no JSON yet. */
function parsedText(field: Fields[number] | undefined, value: unknown): object | null {
  if (typeof value !== 'string' || (field?.type !== 'list' && field?.type !== 'record'))
    return null;
  try {
    const parsed = parseExact(value);
    return typeof parsed === 'object' && textOf(parsed) === null ? parsed : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The members of a record that a form holds as fields. */
function recordIn(
  field: Fields[number] | undefined,
  value: unknown,
): { readonly fields: Fields; readonly data: Data } | null {
  if (field?.type !== 'record' || typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value) || textOf(value) !== null) return null;
  // Fields inside records have the same keys as others (field-types.ts), and an object is data.
  return { fields: (field.fields ?? []) as unknown as Fields, data: value as Data };
}
