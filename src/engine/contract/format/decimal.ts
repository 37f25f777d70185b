import { LIMITS } from '../../../limits.ts';

/**
 * Exact decimals as strings, `-?digits[.digits]`: what the caller sent is what is printed. No
 * double ever holds an amount.
 */

const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;

/** True for `-?digits[.digits]` with at most 40 digits: no blank, plus, exponent, other digits. */
export function isDecimal(text: string): boolean {
  const length = text.length;
  // 40 digits, a sign and a point: anything longer is not a decimal.
  if (length === 0 || length > LIMITS.numberDigitsMax + 2) return false;
  let at = text.charCodeAt(0) === MINUS ? 1 : 0;
  const start = at;
  let point = -1;
  for (; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) continue;
    if (code !== POINT || point >= 0 || at === start) return false;
    point = at;
  }
  if (point === length - 1) return false;
  const digits = length - start - (point < 0 ? 0 : 1);
  return digits > 0 && digits <= LIMITS.numberDigitsMax;
}

/** The same without a limit of digits: sums may have more than any of their cells. */
export function isLongDecimal(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}

/**
 * The plain decimal of a JSON number's source text, digits kept as sent: `1.10` stays `1.10`,
 * `1.5e3` is `1500`. null when it needs more than 40 digits.
 */
export function expandJsonNumber(source: string): string | null {
  if (isDecimal(source)) return source;
  const exponentAt = source.search(/[eE]/);
  if (exponentAt < 0) return null;
  const exponentText = source.slice(exponentAt + 1);
  const mantissa = source.slice(0, exponentAt);
  // A longer exponent is beyond 40 digits whatever the mantissa, unless that is zero or itself
  // hundreds of digits long; neither is an amount anybody means.
  if (exponentText.length > 4 || mantissa.length > LIMITS.numberDigitsMax * 2) return null;
  const exponent = Number(exponentText);
  const negative = mantissa.startsWith('-');
  const unsigned = negative ? mantissa.slice(1) : mantissa;
  const pointAt = unsigned.indexOf('.');
  const digits = pointAt < 0 ? unsigned : unsigned.slice(0, pointAt) + unsigned.slice(pointAt + 1);
  const integerDigits = (pointAt < 0 ? unsigned.length : pointAt) + exponent;
  if (Math.abs(integerDigits) > LIMITS.numberDigitsMax * 2) return null;
  const plain =
    integerDigits <= 0
      ? `0.${'0'.repeat(-integerDigits)}${digits}`
      : integerDigits >= digits.length
        ? digits + '0'.repeat(integerDigits - digits.length)
        : `${digits.slice(0, integerDigits)}.${digits.slice(integerDigits)}`;
  const trimmed = plain.replace(/^0+(?=\d)/, '');
  const signed = negative ? `-${trimmed}` : trimmed;
  return isDecimal(signed) ? signed : null;
}

/** Sign of a - b, exactly. */
export function compareDecimals(a: string, b: string): -1 | 0 | 1 {
  const signA = signOf(a);
  const signB = signOf(b);
  if (signA !== signB) return signA < signB ? -1 : 1;
  if (signA === 0) return 0;
  const order = compareMagnitudes(a, b);
  return signA > 0 ? order : ((0 - order) as -1 | 0 | 1);
}

function signOf(decimal: string): -1 | 0 | 1 {
  for (let at = 0; at < decimal.length; at++) {
    const code = decimal.charCodeAt(at);
    if (code > ZERO) return decimal.charCodeAt(0) === MINUS ? -1 : 1;
  }
  return 0;
}

function compareMagnitudes(a: string, b: string): -1 | 0 | 1 {
  const [integerA, fractionA] = splitDecimal(a);
  const [integerB, fractionB] = splitDecimal(b);
  const wholeA = integerA.replace(/^0+/, '');
  const wholeB = integerB.replace(/^0+/, '');
  if (wholeA.length !== wholeB.length) return wholeA.length < wholeB.length ? -1 : 1;
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1;
  const length = Math.max(fractionA.length, fractionB.length);
  const paddedA = fractionA.padEnd(length, '0');
  const paddedB = fractionB.padEnd(length, '0');
  return paddedA === paddedB ? 0 : paddedA < paddedB ? -1 : 1;
}

/** Integer and fraction digits, without the sign. */
export function splitDecimal(decimal: string): readonly [string, string] {
  const start = decimal.charCodeAt(0) === MINUS ? 1 : 0;
  const pointAt = decimal.indexOf('.', start);
  return pointAt < 0
    ? [decimal.slice(start), '']
    : [decimal.slice(start, pointAt), decimal.slice(pointAt + 1)];
}

/**
 * The magnitude rounded half away from zero to `decimals` fraction digits, as integer digits
 * without leading zeros and fraction digits of exactly that length.
 */
export function roundMagnitude(decimal: string, decimals: number): readonly [string, string] {
  const [integer, fraction] = splitDecimal(decimal);
  const hasZeros = integer.length > 1 && integer.charCodeAt(0) === ZERO;
  const whole = hasZeros ? integer.replace(/^0+(?=\d)/, '') : integer;
  if (fraction.length === decimals) return [whole, fraction];
  if (fraction.length < decimals) return [whole, fraction.padEnd(decimals, '0')];
  const kept = whole + fraction.slice(0, decimals);
  const rounded = fraction.charCodeAt(decimals) >= ZERO + 5 ? increment(kept) : kept;
  const split = rounded.length - decimals;
  return [rounded.slice(0, split), rounded.slice(split)];
}

/** The digits plus one in the last place; may grow by one digit. */
function increment(digits: string): string {
  let at = digits.length - 1;
  while (at >= 0 && digits.charCodeAt(at) === NINE) at--;
  const zeros = '0'.repeat(digits.length - 1 - at);
  if (at < 0) return `1${zeros}`;
  return digits.slice(0, at) + String.fromCharCode(digits.charCodeAt(at) + 1) + zeros;
}
