import { isObject } from '../../../runtime/json-object.ts';
import { hasMoreValues } from '../source.ts';

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
  const fields: unknown = isObject(file) ? file['fields'] : null;
  const list = Array.isArray(fields) ? fields.filter(isObject).map(descriptorOf) : [];
  return new TextEncoder().encode(JSON.stringify(list));
}

function parse(source: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(source)) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function descriptorOf({ name, type, required, format, validation }: Record<string, unknown>) {
  return {
    name,
    type,
    required: required === true,
    ...(format === undefined ? {} : { format }),
    ...(validation === undefined ? {} : { validation }),
  };
}
