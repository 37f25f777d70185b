import { sentFields } from '../../../runtime/contract/computed.ts';
import { breakingChanges } from '../../../runtime/contract/breaking-changes.ts';
import { isObject } from '../../../runtime/json-object.ts';
import type { FieldDescriptor, FieldType } from '#engine';
import { secretsOf } from '#engine/light';
import { type NameRules, toName } from './names.ts';

/** A field of the contract with what its comment says. */
export interface TypedField {
  readonly name: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
  /** The permitted values of a text; null: any text that follows the rules. */
  readonly choices: readonly string[] | null;
  /** Label, help and rules, a line each, without line ends and control characters. */
  readonly comment: readonly string[];
  /** record: the type of its value; list: that of an entry; null: a single value. */
  readonly entry: EntryType | null;
}

/** A type of its own for the fields of a record or of a list's entries. */
export interface EntryType {
  /** It begins with the name of the whole type, and no other has it. */
  readonly typeName: string;
  readonly fields: readonly TypedField[];
}

/** The input from which the types of a language are written. */
export interface TypeSource {
  /** Name of the type that holds the data. */
  readonly typeName: string;
  /** Package or namespace; '' for none. */
  readonly scope: string;
  /** First lines of the file: which template it was made from. */
  readonly origin: readonly string[];
  readonly fields: readonly TypedField[];
}

/** The fields that callers send, of a list as field discovery gives it, in its order. */
export function readFields(list: Uint8Array): readonly FieldDescriptor[] {
  // A renderer of this process wrote it.
  return sentFields(JSON.parse(new TextDecoder().decode(list)) as readonly FieldDescriptor[]);
}

const TYPE_NAMES: NameRules = { isPascal: true, illegal: /[^A-Za-z0-9]/g, reserved: new Set() };

/** The fields with their comments, in one language, of the type called `typeName`. */
export function typedFields(
  fields: readonly FieldDescriptor[],
  language: string,
  typeName: string,
  taken = new Set<string>(),
): readonly TypedField[] {
  return fields.map((field) => ({
    name: field.name,
    type: field.type,
    isRequired: field.required,
    choices: field.type === 'text' ? (field.validation?.choices ?? null) : null,
    comment: [...textsOf(field, language), ...rulesOf(field), ...secrecyOf(field)].flatMap(toLines),
    entry: entryOf(field, language, typeName, taken),
  }));
}

function entryOf(
  field: FieldDescriptor,
  language: string,
  above: string,
  taken: Set<string>,
): EntryType | null {
  if (field.type !== 'record' && field.type !== 'list') return null;
  const wanted = above + toName(field.name, TYPE_NAMES);
  let typeName = wanted;
  for (let count = 2; taken.has(typeName); count += 1) typeName = `${wanted}${count}`;
  taken.add(typeName);
  return { typeName, fields: typedFields(field.fields, language, typeName, taken) };
}

/** All types of fields in fields, the outer ones first. */
export function entryTypes(fields: readonly TypedField[]): readonly EntryType[] {
  return fields.flatMap(({ entry }) =>
    entry === null ? [] : [entry, ...entryTypes(entry.fields)],
  );
}

/** The changes from `before` to `after` that callers notice. */
export function changesFor(before: readonly FieldDescriptor[], after: readonly FieldDescriptor[]) {
  return breakingChanges(before.map(withMask), after.map(withMask));
}

/** A value that does not fit the mask is refused, so that a mask is a rule as those of `validation`. */
function withMask(field: FieldDescriptor): FieldDescriptor {
  const mask = field.format?.mask;
  return mask === undefined
    ? field
    : { ...field, validation: { ...field.validation, mask } as object };
}

function textsOf(field: FieldDescriptor, language: string): readonly string[] {
  const { presentation } = { presentation: undefined, ...field.format } as {
    readonly presentation: unknown;
  };
  if (!isObject(presentation)) return [];
  return [presentation['label'], presentation['help']].flatMap((texts) => {
    if (!isObject(texts)) return [];
    const text = Object.hasOwn(texts, language) ? texts[language] : Object.values(texts)[0];
    return typeof text === 'string' ? [text] : [];
  });
}

function secrecyOf(field: FieldDescriptor): readonly string[] {
  return secretsOf([field]).any ? ['Secret: the service shows its value to nobody again.'] : [];
}

const EXPECTED: Readonly<Record<FieldType, string | null>> = {
  text: null,
  number: 'Plain decimal as text, such as "-1250.50": at most 40 digits.',
  date: 'A day as YYYY-MM-DD.',
  image: 'data:image/png;base64,… (png, jpeg, gif or webp).',
  qrcode: 'A text that fits the QR code.',
  table: 'Rows of cells: at most 2000 rows and 20000 cells.',
  svg: 'SVG markup without scripts.',
  record: null,
  list: null,
};

function rulesOf(field: FieldDescriptor): readonly string[] {
  const { required, format, validation } = field;
  const { min, max, minLength, maxLength, pattern, choices, minItems, maxItems } = validation ?? {};
  return [
    required ? 'Required.' : 'Optional.',
    EXPECTED[field.type],
    minItems === undefined ? null : `At least ${minItems} entries.`,
    maxItems === undefined ? null : `At most ${maxItems} entries.`,
    min === undefined ? null : `At least ${min}.`,
    max === undefined ? null : `At most ${max}.`,
    minLength === undefined ? null : `At least ${minLength} characters.`,
    maxLength === undefined ? null : `At most ${maxLength} characters.`,
    pattern === undefined ? null : `Pattern: ${pattern}`,
    format?.mask === undefined ? null : `Fits the mask: ${format.mask}`,
    choices === undefined
      ? null
      : `One of: ${choices.map((one) => JSON.stringify(one)).join(', ')}`,
  ].filter((rule) => rule !== null);
}

/** Characters that a compiler or a reader could take for something else: controls, bidi marks. */
const UNSAFE = /[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** The lines of a text for a comment: without controls, and none is empty. */
export function toLines(text: string): readonly string[] {
  return text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => line.replaceAll(UNSAFE, ' ').trim())
    .filter((line) => line !== '');
}
