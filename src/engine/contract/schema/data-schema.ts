import { isComputed } from '../../../runtime/contract/computed.ts';
import { isObject } from '../../../runtime/json-object.ts';
import type { FieldDescriptor } from '../types.ts';
import { FIELD_TYPES } from '../types.ts';
import { type Schema, valueSchema, type ValueSchema } from './field-schema.ts';
import { listSchema } from './list-schema.ts';

/** The descriptor of a field as field discovery gives it: labels and help stand in `format`. */
export type DescribedField = FieldDescriptor & {
  readonly format?: { readonly presentation?: unknown };
};

/** The parts of a template, beside its fields, that describe its data. */
export interface DataContext {
  readonly title: string;
  /** The language of labels and help. */
  readonly language: string;
  /** `data` of the samples; their values become examples. */
  readonly samples: readonly Readonly<Record<string, unknown>>[];
}

/** The same for the fields that stand in one object. */
interface Context extends DataContext {
  /** The object is `data` itself. */
  readonly isTop: boolean;
}

const EXAMPLES_MAX = 3;
/** Longer values, such as images, tell nobody what to send. */
const EXAMPLE_LENGTH_MAX = 1_000;

/**
 * JSON Schema 2020-12 of `data`. What it takes, the check of the contract takes, except for the rules
 * that stand in `$comment`, which JSON Schema cannot state.
 */
export function dataSchema(fields: readonly DescribedField[], context: DataContext): Schema {
  const known = fields.filter(({ type }) => FIELD_TYPES.includes(type));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: context.title,
    $comment:
      'The contract of the fields. The layout may refuse more, such as an amount wider than its place.',
    ...objectSchema(known, { ...context, isTop: true }),
  };
}

function objectSchema(fields: readonly DescribedField[], context: Context): Schema {
  return {
    type: 'object',
    // fromEntries defines own members: __proto__ is a name like any other.
    properties: Object.fromEntries(
      fields.map((field) => [field.name, fieldSchema(field, context)]),
    ),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** The values of a field; the samples of a record are not repeated for the fields in it. */
function valuesOf(field: DescribedField, context: Context): ValueSchema {
  if (field.type !== 'record' && field.type !== 'list') return valueSchema(field);
  const object = objectSchema(field.fields, {
    ...context,
    samples: [],
    isTop: false,
  });
  const beside = { contentMediaType: 'application/json' };
  const whole = field.type === 'list' ? listSchema(field, object) : { schema: object, beyond: [] };
  const { schema, beyond } = whole;
  if (!context.isTop) return { anyOf: [schema], beyond };
  const pattern = field.type === 'list' ? String.raw`^[ \n\r\t]*\[` : String.raw`^[ \n\r\t]*\{`;
  return {
    anyOf: [schema, { type: 'string', pattern, ...beside, contentSchema: schema }],
    beyond,
  };
}

function fieldSchema(field: DescribedField, context: Context): Schema {
  const { name, required } = field;
  const { language, samples } = context;
  const { anyOf, beyond } = valuesOf(field, context);
  const presentation = field.format?.presentation;
  const { label, help, example, secret } = isObject(presentation) ? presentation : {};
  const isSecret = secret === true;
  const title = textIn(label, language);
  const description = textIn(help, language);
  const own = textIn(example, language);
  const sent = samples
    .filter((sample) => Object.hasOwn(sample, name))
    .map((sample) => sample[name])
    .filter((value) => value !== null && value !== '' && lengthOf(value) <= EXAMPLE_LENGTH_MAX);
  const unique = new Map(
    [...(own === null ? [] : [own]), ...(isSecret ? [] : sent)].map((value) => [
      JSON.stringify(value),
      value,
    ]),
  );
  const examples = [...unique.values()].slice(0, EXAMPLES_MAX);
  const absent = { enum: [null, ''], $comment: 'Absent.' };
  return {
    ...(title === null ? {} : { title }),
    ...(description === null ? {} : { description }),
    ...(beyond.length === 0 ? {} : { $comment: beyond.join(' ') }),
    ...(examples.length === 0 ? {} : { examples }),
    ...(isSecret ? { writeOnly: true } : {}),
    ...(isComputed(field) ? COMPUTED : {}),
    anyOf: isComputed(field) ? [absent] : required ? anyOf : [...anyOf, absent],
  };
}

/** A caller may name such a field, but not give it a value. */
const COMPUTED = {
  readOnly: true,
  $comment: 'The template computes the value; a request that has one is refused.',
};

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? Infinity;
}

/** The text in the language of the template, or else in the first language that there is. */
function textIn(texts: unknown, language: string): string | null {
  if (!isObject(texts)) return null;
  const text = Object.hasOwn(texts, language) ? texts[language] : Object.values(texts)[0];
  return typeof text === 'string' ? text : null;
}
