import { Ajv } from 'ajv';
import type { ErrorObject, SchemaObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Outcome } from '../errors.ts';
import { fail, succeed } from '../errors.ts';

const ajv = new Ajv({
  // `required` must not be met by what every object inherits.
  ownProperties: true,
  coerceTypes: false,
  allErrors: false,
  allowUnionTypes: true,
  strict: true,
});
addFormats.default(ajv);

/** Unknown keys named in one message; a name is cut at its length. */
const UNKNOWN_NAMED_MAX = 10;
const NAME_LENGTH_MAX = 60;

/** `place` is where the value stands in the body; left out: it is the body. */
export type Validator<T> = (value: unknown, place?: string) => Outcome<T>;

/** A check of a parsed body against a schema. T is what the schema describes. */
export function createValidator<T>(schema: SchemaObject): Validator<T> {
  const validate = ajv.compile<T>(schema);
  return (value, place = '') => {
    if (validate(value)) return succeed(value);
    const [error] = validate.errors ?? [];
    return fail(
      'bad_request',
      error === undefined ? undefined : explain(error, schema, value, place),
    );
  };
}

/** What is wrong, where, and what is allowed. Never the offending value. */
function explain(error: ErrorObject, schema: SchemaObject, value: unknown, root: string): string {
  const place = placeOf(error.instancePath, root);
  const params: Record<string, unknown> = error.params;
  const subject = place === '' ? 'The body' : place;
  switch (error.keyword) {
    case 'additionalProperties':
      return `${unknownKeys(error, schema, value, place)}.`;
    case 'required':
      return `${join(place, String(params['missingProperty']))} is required.`;
    case 'type':
      return `${subject} must be ${article(String(params['type']))}.`;
    case 'enum':
      return `${subject} must be one of ${JSON.stringify(params['allowedValues'])}.`;
    case 'maxLength':
      return `${subject} must have at most ${String(params['limit'])} characters.`;
    case 'minLength':
      return `${subject} must not be empty.`;
    case 'maxItems':
      return `${subject} must list at most ${String(params['limit'])} items.`;
    case 'minimum':
    case 'maximum':
      return `${subject} must be ${String(params['comparison'])} ${String(params['limit'])}.`;
    default:
      return `${subject} ${error.message ?? 'is not valid'}.`;
  }
}

/** `/users/3/role` → `users[3].role`. */
function placeOf(pointer: string, root: string): string {
  let place = root;
  for (const step of pointer.split('/').slice(1)) {
    place = /^\d+$/.test(step) ? `${place}[${step}]` : join(place, step);
  }
  return place;
}

function join(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`;
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function unknownKeys(
  error: ErrorObject,
  schema: SchemaObject,
  value: unknown,
  place: string,
): string {
  let part: unknown = value;
  let known: unknown = schema;
  for (const step of error.instancePath.split('/').slice(1)) {
    known = Array.isArray(part) ? child(known, 'items') : child(properties(known), step);
    part = child(part, step);
  }
  const names = Object.keys(isObject(part) ? part : {});
  const allowed = Object.keys(properties(known));
  const unknown = names.filter((name) => !allowed.includes(name));
  const named = unknown.slice(0, UNKNOWN_NAMED_MAX).map((name) => quote(place, name));
  const more = unknown.length > named.length ? ` and ${unknown.length - named.length} more` : '';
  const verb = unknown.length === 1 ? 'is not a known key' : 'are not known keys';
  return `${named.join(', ')}${more} ${verb}; known are ${allowed.join(', ')}`;
}

function quote(place: string, name: string): string {
  const short = name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name;
  return JSON.stringify(join(place, short));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function child(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function properties(schema: unknown): Record<string, unknown> {
  const listed = child(schema, 'properties');
  return isObject(listed) ? listed : {};
}
