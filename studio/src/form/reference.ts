import { normalReference } from '../../../src/runtime/naming/naming.ts';
import type { Field } from '../api/field-types.ts';
import type { Data } from '../api/template-data.ts';

/** The reference that a form holds before its document is made. */
export interface FormReference {
  readonly text: string;
  /** The field that completes it, as the form names it: beside it is said what is known about it. */
  readonly field: string;
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/**
 * What the document of a form will be found by. Null: a part of it is missing, or prints otherwise than
 * it is typed (an amount, a date, a mask), which only the service knows.
 *
 * @param source The text of the template's `reference`, such as `{{branch}}-{{receiptNo}}`.
 */
export function referenceIn(
  source: string,
  fields: readonly Field[],
  data: Data,
): FormReference | null {
  const names = Array.from(source.matchAll(PLACEHOLDER), ([, name = '']) => name.trim());
  const values = new Map<string, string>();
  for (const name of names) {
    const value = data[name];
    if (typeof value !== 'string' || value.trim() === '') return null;
    if (!fields.some((field) => field.name === name && printsAsTyped(field))) return null;
    values.set(name, value);
  }
  const last = names.at(-1);
  if (last === undefined) return null;
  const text = source.replaceAll(PLACEHOLDER, (_, name: string) => values.get(name.trim()) ?? '');
  return text.includes('{{') ? null : { text: normalReference(text), field: last };
}

function printsAsTyped({ type, format, validation }: Field): boolean {
  if (type !== 'text' || validation?.computed === true) return false;
  return format?.mask === undefined && format?.case === undefined;
}
