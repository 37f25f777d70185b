import { HALF_A_PAIR, kindOf } from './arguments.ts';
import { InvalidArgumentError, NotFiniteError } from './errors.ts';

/**
 * Writes a body as JSON. Throws InvalidArgumentError for what JSON cannot hold: a BigInt, a value that
 * holds itself, half of a surrogate pair; and NotFiniteError for NaN and Infinity, for which
 * JSON.stringify writes null: the document would lack the value, or be refused for a field that the
 * caller had filled.
 */
export function writeJson(body: unknown): string {
  // JSON.stringify returns undefined for a function or a symbol.
  let text: string | undefined;
  try {
    text = JSON.stringify(body) as string | undefined;
  } catch (error) {
    throw faultOf(body, error);
  }
  if (text === undefined) throw new InvalidArgumentError('the body of the call', kindOf(body));
  // Numbers that are not finite have become null, and halves of pairs are written as \udXXX: most
  // bodies need no second look.
  if (text.includes('null') || text.includes('\\ud')) refuseUnsendable(body);
  return text;
}

/** Why JSON.stringify threw. */
function faultOf(body: unknown, error: unknown): Error {
  try {
    refuseUnsendable(body);
  } catch (found) {
    if (found instanceof InvalidArgumentError) return found;
  }
  // An error of a `toJSON` of the caller, or more nesting than the stack holds.
  const why = error instanceof RangeError ? 'is nested too deeply' : 'has a toJSON that throws';
  return new InvalidArgumentError('the data of the call', why, error);
}

/**
 * The JSON text of an object, whose digits are sent as they are. Throws InvalidArgumentError for other
 * texts.
 */
export function checkJsonText(where: string, text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The message of the cause would quote the data.
    if (error instanceof SyntaxError) throw new InvalidArgumentError(where, 'is no JSON text');
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidArgumentError(where, `${kindOf(value)} as JSON, no object`);
  }
  if (!text.isWellFormed()) throw new InvalidArgumentError(where, HALF_A_PAIR);
  // An escaped half, \ud800, can be sent: the service names its place as that of any defect.
}

/** Throws for the first value that cannot be sent. What `toJSON` returns counts, as it is sent. */
export function refuseUnsendable(body: unknown): void {
  /** The objects around the value that is looked at, the outermost first. */
  const around: object[] = [];
  /** The path of each object and array that has been written so far, such as `data.items[2]`. */
  const places = new WeakMap<object, string>();
  JSON.stringify(body, function place(this: object, key: string, value: unknown): unknown {
    while (around.length > 0 && around.at(-1) !== this) around.pop();
    if (around.length === 0) around.push(this);
    const where = placeOf(this, key, places.get(this) ?? '');
    refuse(where, key, value);
    const given: unknown = Reflect.get(this, key);
    if (given instanceof Date && Number.isNaN(given.getTime())) {
      throw new InvalidArgumentError(where, 'is a Date without a time');
    }
    if (typeof value === 'object' && value !== null) {
      if (around.includes(value)) throw new InvalidArgumentError(where, 'holds itself');
      around.push(value);
      places.set(value, where);
    }
    return value;
  });
}

function refuse(where: string, key: string, value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new NotFiniteError(where);
  if (typeof value === 'bigint') {
    throw new InvalidArgumentError(where, 'is a BigInt: give it as a string of digits');
  }
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new InvalidArgumentError(where, `is a ${typeof value}, which JSON does not have`);
  }
  const isText = typeof value !== 'string' || value.isWellFormed();
  if (!isText || !key.isWellFormed()) throw new InvalidArgumentError(where, HALF_A_PAIR);
}

function placeOf(holder: object, key: string, above: string): string {
  if (Array.isArray(holder)) return `${above}[${key}]`;
  const name = key.toWellFormed();
  return above === '' ? name : `${above}.${name}`;
}
