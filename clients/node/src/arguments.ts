import { InvalidArgumentError } from './errors.ts';

/**
 * Checks of what a program gives, before anything is sent: programs in JavaScript have no types that
 * would find null in place of a key, and no types know NUL in a text.
 */

const CONTROL = /\p{Cc}/u;

/** A part of an address: a text that stays one part when the address is read, or a number. */
export function checkPlace(where: string, value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  const text = checkText(where, value);
  if (CONTROL.test(text)) throw new InvalidArgumentError(where, 'has a control character in it');
  // Addresses are read without them (RFC 3986 §5.2.4): the request would go elsewhere.
  if (/^\.{0,2}$/.test(text)) {
    throw new InvalidArgumentError(where, text === '' ? 'is empty' : 'is . or .., which is no id');
  }
  return text;
}

/** A text that can be sent. */
export function checkText(where: string, value: unknown): string {
  if (typeof value !== 'string') throw new InvalidArgumentError(where, `${kindOf(value)}, no text`);
  if (!value.isWellFormed()) throw new InvalidArgumentError(where, HALF_A_PAIR);
  return value;
}

/** The message for a text that has half of a surrogate pair. */
export const HALF_A_PAIR =
  'has half of a surrogate pair, which is no character and cannot be sent: correct the text';

/** The name of a file on this machine. */
export function checkPath(path: unknown): void {
  if (typeof path !== 'string') throw new InvalidArgumentError('path', `${kindOf(path)}, no text`);
  if (path === '') throw new InvalidArgumentError('path', 'is empty');
  if (path.includes('\0')) throw new InvalidArgumentError('path', 'has NUL in it');
}

/** A SHA-256 in hexadecimal, in small letters then. */
export function checkSha256(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError('sha256', 'is no SHA-256 of 64 hexadecimal digits');
}

/** The reference that is printed on a document. */
export function checkReference(value: unknown): string {
  const reference = checkText('reference', value);
  if (reference === '') throw new InvalidArgumentError('reference', 'is empty');
  return reference;
}

/** The name of a call that stores something. */
export function checkIdempotencyKey(value: unknown): void {
  if (typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)) return;
  throw new InvalidArgumentError('idempotencyKey', 'is not 1 to 255 printable ASCII characters');
}

/** Checks the signal that ends a call. */
export function checkSignal(value: unknown): void {
  if (value === undefined || value instanceof AbortSignal) return;
  throw new InvalidArgumentError('signal', `${kindOf(value)}, no AbortSignal`);
}

/** Options: an object with no others than `known`, so that a misspelt one is not ignored. */
export function checkOptions(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new InvalidArgumentError(where, `${kindOf(options)}, no object`);
  }
  const odd = Object.keys(options).find((name) => !known.includes(name));
  if (odd === undefined) return;
  const names = known.join(', ');
  throw new InvalidArgumentError(where, `has no option ${JSON.stringify(odd)}, but ${names}`);
}

/** An address of HTTP. */
export function checkAddress(where: string, value: unknown): string {
  if (typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value)) return value;
  throw new InvalidArgumentError(where, 'must begin with http:// or https://');
}

/** A number from `least` on; a whole one if it counts. */
export function checkNumber(where: string, value: unknown, least: number, isCount: boolean): void {
  const isNumber = typeof value === 'number' && value >= least;
  if (isNumber && (!isCount || Number.isInteger(value) || value === Infinity)) return;
  const wanted = `${isCount ? 'a whole number' : 'a number of milliseconds'} from ${least} on`;
  throw new InvalidArgumentError(where, `must be ${wanted}`);
}

/** The type of a value that is of the wrong type, for a message. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return `is ${value}`;
  return `is of the type ${Array.isArray(value) ? 'array' : typeof value}`;
}
