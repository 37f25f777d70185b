import { isObject } from '../../../runtime/json-object.ts';
import type { JsonObject } from '../../../runtime/json-object.ts';
import { dataSchema, type DescribedField } from '../../contract/schema/data-schema.ts';
import { hasMoreValues } from '../source.ts';
import { DEFAULT_LANGUAGE } from './fields.ts';
import { choicesOf, presentationOf } from './presentation.ts';

/**
 * The field descriptors of a template file as field discovery returns them: a JSON array in UTF-8,
 * which the gateway sends without parsing it. A draft may be any JSON; what is not a field is left
 * out.
 */
export function listFields(source: Uint8Array): Uint8Array {
  return fieldsOf(hasMoreValues(source) ? null : parse(source));
}

/** The same for a file that has been parsed. */
export function fieldsOf(file: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(descriptorsOf(file)));
}

/** JSON Schema of the data that a published template takes, in UTF-8. */
export function listSchema(source: Uint8Array): Uint8Array {
  const parsed = parse(source);
  const file = isObject(parsed) ? parsed : {};
  const { name, templateId, samples } = file;
  const data = (Array.isArray(samples) ? samples : [])
    .filter(isObject)
    .map((sample) => sample['data'])
    .filter(isObject);
  // A template is published only when its contract has no error, so these are sound descriptors.
  const fields = descriptorsOf(file) as readonly DescribedField[];
  const title = typeof name === 'string' && name !== '' ? name : templateId;
  const context = {
    title: typeof title === 'string' ? title : '',
    language: languageOf(file),
    samples: data,
  };
  return new TextEncoder().encode(JSON.stringify(dataSchema(fields, context)));
}

function descriptorsOf(file: unknown): readonly object[] {
  const { fields } = isObject(file) ? file : {};
  if (!Array.isArray(fields)) return [];
  return fields.filter(isObject).map((field) => descriptorOf(field, languageOf(file)));
}

function languageOf(file: unknown): string {
  const { language } = isObject(file) ? file : {};
  return typeof language === 'string' && language !== '' ? language : DEFAULT_LANGUAGE;
}

function parse(source: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(source)) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * A descriptor has the keys of the interface specification and no others, but for `fields` of a record
 * or list. What else is beyond it stands in `format` and `validation`, whose further keys the
 * specification leaves open.
 */
function descriptorOf(field: JsonObject, language: string): object {
  const { name, type, required, format, validation, fields } = field;
  const isComputed = typeof field['value'] === 'string';
  const hasFields = (type === 'record' || type === 'list') && Array.isArray(fields);
  const presentation = presentationOf(field, language);
  const choices = choicesOf(field);
  return {
    name,
    type,
    required: required === true && !isComputed,
    ...withKeys('format', format, { presentation }),
    ...withKeys('validation', validation, {
      choices,
      computed: isComputed ? true : null,
    }),
    ...(hasFields
      ? { fields: fields.filter(isObject).map((one) => descriptorOf(one, language)) }
      : {}),
  };
}

/** `{ [name]: given }` with the values in it that are not null. */
function withKeys(name: string, given: unknown, values: JsonObject): object {
  const own = Object.entries(values).filter(([, value]) => value !== null);
  if (own.length === 0) return given === undefined ? {} : { [name]: given };
  return { [name]: { ...(isObject(given) ? given : {}), ...Object.fromEntries(own) } };
}
