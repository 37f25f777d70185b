import { isObject } from '../../runtime/json-object.ts';
import {
  BOOLEAN,
  DATE,
  isDay,
  join,
  listOf,
  NULL,
  NUMBER,
  recordOf,
  type Result,
  TEXT,
  type Type,
  UNKNOWN,
} from '../../expressions/index.ts';

/** The data with an `ExactNumber` for each number; throws a SyntaxError when the text is not JSON. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, exactly);
}

/** Reads numbers by the source text that JSON.parse gives to its reviver. */
function exactly(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? new ExactNumber(context?.source ?? String(value)) : value;
}

/** A number of the data, with the digits that it was written with. */
class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** The data as an expression takes it: exact numbers are texts. */
export function plain(data: unknown): unknown {
  if (data instanceof ExactNumber) return data.digits;
  if (Array.isArray(data)) return data.map(plain);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, plain(value)]));
}

/**
 * Adds the members that list entries have in a template: `_number` (from 1), `_first` and `_last`.
 */
export function withPlaces(data: unknown): unknown {
  if (Array.isArray(data)) return data.map((item, index) => placed(item, index, data.length));
  if (!isObject(data) || data instanceof ExactNumber) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, withPlaces(value)]));
}

/** Removes the members that `withPlaces` added. */
export function withoutPlaces(value: Result): Result {
  if (typeof value !== 'object' || value === null) return value;
  if (isItems(value)) return value.map(withoutPlaces);
  const own = Object.entries(value).filter(([name]) => !PLACES.has(name));
  return Object.fromEntries(own.map(([name, inner]) => [name, withoutPlaces(inner)]));
}

function isItems(value: object): value is readonly Result[] {
  return Array.isArray(value);
}

const PLACES: ReadonlySet<string> = new Set(['_number', '_first', '_last']);

function placed(item: unknown, index: number, count: number): unknown {
  const own = withPlaces(item);
  if (!isObject(own) || own instanceof ExactNumber) return own;
  const number = new ExactNumber(String(index + 1));
  return { ...own, _number: number, _first: index === 0, _last: index === count - 1 };
}

/**
 * The types that data shows: a text YYYY-MM-DD is a date, and a field that some items of a list lack
 * or have as null is optional. `mixed` is told the path of an item that has another type than the
 * items before it.
 */
export function inferType(data: unknown, path: string, mixed: (path: string) => void): Type {
  if (data === null) return NULL;
  if (typeof data === 'boolean') return BOOLEAN;
  if (typeof data === 'string') return isDay(data) ? DATE : TEXT;
  if (data instanceof ExactNumber) return NUMBER;
  if (Array.isArray(data)) {
    return listOf(
      data.reduce((type: Type, item: unknown, index) => {
        const of = `${path}[${index}]`;
        const joined = join(type, inferType(item, of, mixed));
        if (joined === null) mixed(of);
        return joined ?? type;
      }, UNKNOWN),
    );
  }
  const fields = Object.entries(data ?? {}).map(([name, value]) => [
    name,
    inferType(value, path === '' ? name : `${path}.${name}`, mixed),
  ]);
  return recordOf(Object.fromEntries(fields) as Record<string, Type>);
}
