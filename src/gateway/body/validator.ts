import { Ajv } from 'ajv';
import type { ErrorObject, SchemaObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';

const SETTINGS = {
  // `required` must not be met by what every object inherits.
  ownProperties: true,
  coerceTypes: false,
  allowUnionTypes: true,
  strict: true,
} as const;
const first = new Ajv({ ...SETTINGS, allErrors: false });
const all = new Ajv({ ...SETTINGS, allErrors: true });
addFormats.default(first);
addFormats.default(all);

/** Unknown keys named in one message; a name is cut at its length. */
const UNKNOWN_NAMED_MAX = 10;
const NAME_LENGTH_MAX = 60;

/** Members of an object that the schema does not know, looked at when every fault is listed. */
const UNKNOWN_CHECKED_MAX = 20;

/** `place` is where the value stands in the body; left out: it is the body. */
export type Validator<T> = (value: unknown, place?: string) => Outcome<T>;

/** One thing that is wrong with a body. */
export interface Fault {
  /** `options.attach[0]`; '' for the body itself. */
  readonly place: string;
  /** A sentence without its full stop. */
  readonly text: string;
}

/** A check of a parsed body against a schema, which tells the first fault. T is what the schema describes. */
export function createValidator<T>(schema: SchemaObject): Validator<T> {
  const validate = first.compile<T>(schema);
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
 * Every fault of a body that a validator refused. What is looked at is bounded: lists and objects are
 * cut to a little more than their schema allows, so that a large body costs no more than a small one.
 */
export function createFaultLister(schema: SchemaObject): (value: unknown) => readonly Fault[] {
  const validate = all.compile(schema);
  return (value) => {
    validate(cut(value, schema));
    const faults: Fault[] = [];
    const unknown = new Set<string>();
    for (const error of validate.errors ?? []) {
      if (error.keyword === 'additionalProperties') {
        // One error for each key, one fault for the object.
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

/** Says the fault, its place and the allowed values, without a full stop. Never the offending value. */
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
