import { PLAIN_PATTERN, type TypeOf } from '../../api/schema.ts';
import { Ajv } from 'ajv';
import type { ErrorObject, SchemaObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';

const SETTINGS = {
  // Otherwise inherited properties would satisfy `required`.
  ownProperties: true,
  coerceTypes: false,
  allowUnionTypes: true,
  strict: true,
} as const;
const first = new Ajv({ ...SETTINGS, allErrors: false });
const all = new Ajv({ ...SETTINGS, allErrors: true });
addFormats.default(first);
addFormats.default(all);

/** Limits of the unknown keys in a message and of the length of each name. */
const UNKNOWN_NAMED_MAX = 10;
const NAME_LENGTH_MAX = 60;

/** Limit of the unknown members of an object that are examined when all faults are listed. */
const UNKNOWN_CHECKED_MAX = 20;

/** Checks a value; `place` is its place in the body, by default the body itself. */
export type Validator<T> = (value: unknown, place?: string) => Outcome<T>;

/** A fault of a body. */
export interface Fault {
  /** `options.attach[0]`; '' for the body itself. */
  readonly place: string;
  /** A sentence without its full stop. */
  readonly text: string;
}

/**
 * Makes a check of parsed bodies against a schema, which gives them its type. It reports the first
 * fault.
 */
export function createValidator<S extends SchemaObject>(schema: S): Validator<TypeOf<S>> {
  const validate = first.compile<TypeOf<S>>(schema);
  return (value, place = '') => {
    if (validate(value)) return succeed(value);
    const [error] = validate.errors ?? [];
    return fail(
      'bad_request',
      error === undefined ? undefined : `${explain(error, schema, value, place)}.`,
    );
  };
}

/**
 * Makes a function that lists all faults of a refused body. It cuts lists and objects to a little
 * more than their schema allows, so that a large body costs no more than a small one.
 */
export function createFaultLister(schema: SchemaObject): (value: unknown) => readonly Fault[] {
  const validate = all.compile(schema);
  return (value) => {
    validate(cut(value, schema));
    const faults: Fault[] = [];
    const unknown = new Set<string>();
    for (const error of validate.errors ?? []) {
      if (error.keyword === 'additionalProperties') {
        // The validator reports an error for each unknown key; make it a single fault of the
        // object.
        if (unknown.has(error.instancePath)) continue;
        unknown.add(error.instancePath);
      }
      faults.push({
        place: placeOf(error.instancePath, ''),
        text: explain(error, schema, value, ''),
      });
    }
    return faults;
  };
}

function cut(value: unknown, schema: unknown): unknown {
  if (Array.isArray(value)) {
    const itemsMax = Number(child(schema, 'maxItems') ?? 0);
    return value.slice(0, itemsMax + 1).map((item) => cut(item, child(schema, 'items')));
  }
  const known = properties(schema);
  if (!isObject(value) || Object.keys(known).length === 0) return value;
  const kept = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(known)) {
    if (Object.hasOwn(value, key)) kept[key] = cut(value[key], known[key]);
  }
  let unknown = 0;
  for (const key in value) {
    if (Object.hasOwn(known, key) || !Object.hasOwn(value, key)) continue;
    unknown += 1;
    if (unknown > UNKNOWN_CHECKED_MAX) break;
    kept[key] = null;
  }
  return kept;
}

/**
 * Describes a fault with its place and the allowed values, without a full stop and without the
 * offending value.
 */
function explain(error: ErrorObject, schema: SchemaObject, value: unknown, root: string): string {
  const place = placeOf(error.instancePath, root);
  const params: Record<string, unknown> = error.params;
  const subject = place === '' ? 'The body' : place;
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKeys(error, schema, value, place);
    case 'required':
      return `${join(place, String(params['missingProperty']))} is required`;
    case 'type':
      return `${subject} must be ${article(String(params['type']))}`;
    case 'enum':
      return `${subject} must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'maxLength':
      return `${subject} must have at most ${String(params['limit'])} characters`;
    case 'minLength':
      return `${subject} must not be empty`;
    case 'pattern':
      return params['pattern'] === PLAIN_PATTERN
        ? `${subject} must have no control characters`
        : `${subject} ${error.message ?? 'is not valid'}`;
    case 'maxItems':
      return `${subject} must list at most ${String(params['limit'])} items`;
    case 'minimum':
    case 'maximum':
      return `${subject} must be ${String(params['comparison'])} ${String(params['limit'])}`;
    default:
      return `${subject} ${error.message ?? 'is not valid'}`;
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
