import {
  isTooLong,
  normalReference,
  type Naming,
  type ReferenceKeep,
} from '../../runtime/naming/naming.ts';
import { fileNameOf, hasUnusable } from '../../runtime/naming/file-name.ts';
import { isObject } from '../../runtime/json-object.ts';
import type { FieldValues } from '../contract/types.ts';
import type { TextTemplate } from '../model/nodes.ts';
import type { CompileScope, Context } from './context.ts';
import { parseText } from './fields/bindings.ts';
import { checkObject } from './vocabulary/check.ts';
import { REFERENCE_KEYS } from './vocabulary/keys.ts';

/** Tells what a document with these values is called. */
export interface NamingTemplate {
  readonly of: (values: FieldValues) => Naming;
  /** A field of the reference, when the reference of these values is too long; null: it is not. */
  readonly findTooLong: (values: FieldValues) => number | null;
}

type Print = (values: FieldValues) => string;

interface Reference {
  /** '' when none of its fields has a value. */
  readonly print: Print;
  readonly keep: ReferenceKeep;
  readonly fields: readonly number[];
}

/** Compiles `reference` and `fileName`; null: the template has neither. */
export function compileNaming(
  { reference: source, fileName }: { readonly reference?: unknown; readonly fileName?: string },
  context: Context,
  scope: CompileScope,
): NamingTemplate | null {
  const reference = source === undefined ? null : compileReference(source, context, scope);
  const file = fileName === undefined ? null : compileFileName(fileName, context, scope);
  if (reference === null && file === null) return null;
  return {
    of: (values) => ({
      reference: reference === null ? '' : reference.print(values),
      keep: reference?.keep ?? 'hash',
      fileName: file === null ? '' : fileNameOf(file(values)),
    }),
    findTooLong: (values) =>
      reference !== null && isTooLong(reference.print(values))
        ? (reference.fields[0] ?? null)
        : null,
  };
}

function compileReference(
  source: unknown,
  context: Context,
  scope: CompileScope,
): Reference | null {
  const { findings } = context;
  const object = isObject(source) ? source : { value: source };
  const { value, keep = 'hash' } = checkObject(object, 'reference', REFERENCE_KEYS, findings);
  const path = isObject(source) ? 'reference.value' : 'reference';
  if (value === undefined) {
    if (isObject(source)) findings.error('reference', 'A reference needs "value".');
    return null;
  }
  const { print, fields } = compileText(value, path, context, scope);
  if (fields.length === 0) {
    const message = 'names no field, so all documents would have the same; write "{{receiptNo}}".';
    if (!value.includes('{{')) findings.error(path, message);
    return null;
  }
  if (fields.every((field) => !context.fields.descriptor(field).required)) {
    const names = fields.map((field) => JSON.stringify(context.fields.descriptor(field).name));
    findings.warning(
      path,
      `A document without ${names.join(' and ')} has no reference and is not found by one; ` +
        'make a field of it required if every document should have one.',
    );
  }
  const isEmpty: (values: FieldValues) => boolean = (values) =>
    fields.every((field) => printed(values, field).trim() === '');
  return {
    print: (values) => (isEmpty(values) ? '' : normalReference(print(values))),
    keep,
    fields,
  };
}

function compileFileName(source: string, context: Context, scope: CompileScope): Print {
  const { print, fixed } = compileText(source, 'fileName', context, scope);
  if (hasUnusable(fixed)) {
    const message = String.raw`A file name has none of / \ : * ? " < > | and no control characters.`;
    context.findings.error('fileName', message);
  }
  return print;
}

/** A text whose placeholders are fields, as the function that prints it. */
function compileText(
  source: string,
  path: string,
  context: Context,
  scope: CompileScope,
): { readonly print: Print; readonly fields: readonly number[]; readonly fixed: string } {
  const parts = parseText(source, path, context, scope);
  const fields = new Set<number>();
  let fixed = '';
  for (const part of parts) {
    if (part.kind === 'field') fields.add(part.field);
    else if (part.kind === 'static') fixed += part.text;
    else context.findings.error(path, 'Only fields can stand here, no sums and no cells.');
  }
  return { print: printerOf(parts), fields: [...fields], fixed };
}

function printerOf(parts: TextTemplate): Print {
  const prints = parts.flatMap((part): Print[] => {
    if (part.kind === 'static') return [() => part.text];
    return part.kind === 'field' ? [(values) => printed(values, part.field)] : [];
  });
  const [only] = prints;
  if (only !== undefined && prints.length === 1) return only;
  return (values) => {
    let text = '';
    for (const print of prints) text += print(values);
    return text;
  };
}

/** A field as a text prints it. */
function printed(values: FieldValues, field: number): string {
  const value = values[field] ?? null;
  return value !== null && 'display' in value ? value.display : '';
}
