import { EXPRESSION_LIMITS } from '../limits.ts';

const { digitsMax, quotientDecimals } = EXPRESSION_LIMITS;

/** 10^0 to the largest power that an operation needs. */
const POWERS = Array.from({ length: digitsMax * 3 + 2 }, (_, exponent) => 10n ** BigInt(exponent));
const LIMIT = power(digitsMax);

function power(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

/**
 * An exact decimal: `coefficient` / 10^`scale`. The scale is kept as written, so 1.10 + 2 is 3.10;
 * comparisons ignore it. Sums, differences and products are exact.
 */
export class Decimal {
  readonly coefficient: bigint;
  /** Digits after the point, 0 to `digitsMax`. */
  readonly scale: number;

  constructor(coefficient: bigint, scale: number) {
    this.coefficient = coefficient;
    this.scale = scale;
  }
}

export const ZERO = new Decimal(0n, 0);

/** A whole number as a decimal. */
export function decimalFrom(whole: number): Decimal {
  return new Decimal(BigInt(whole), 0);
}

/** The decimal of `-?digits[.digits][e±digits]`; null for any other text and too many digits. */
export function parseDecimal(text: string): Decimal | null {
  if (text.length > digitsMax * 2) return null;
  const short = parseShort(text);
  if (short !== null) return short;
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const coefficient = BigInt(sign + whole + fraction);
  const scale = fraction.length - Number(exponent);
  if (scale >= 0) return within(coefficient, scale);
  return -scale > digitsMax
    ? coefficient === 0n
      ? ZERO
      : null
    : within(coefficient * power(-scale), 0);
}

/** Amounts of up to 15 digits, which a double holds exactly: most of all data, in a third of the time. */
function parseShort(text: string): Decimal | null {
  if (text.length > 16) return null;
  const start = text.charCodeAt(0) === 0x2d ? 1 : 0;
  let [digits, point] = [0, -1];
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) digits = digits * 10 + code - 0x30;
    else if (code === 0x2e && point < 0 && at > start) point = at;
    else return null;
  }
  const length = text.length - start - (point < 0 ? 0 : 1);
  if (length < 1 || length > 15 || point === text.length - 1) return null;
  const scale = point < 0 ? 0 : text.length - point - 1;
  return new Decimal(BigInt(start === 1 ? -digits : digits), scale);
}

/** The decimal, or null when it has more than `digitsMax` digits. */
function within(coefficient: bigint, scale: number): Decimal | null {
  if (scale > digitsMax || coefficient >= LIMIT || coefficient <= -LIMIT) return null;
  return new Decimal(coefficient, scale);
}

/** `-?digits[.digits]`, with as many digits after the point as the scale says. */
export function formatDecimal({ coefficient, scale }: Decimal): string {
  if (scale === 0) return coefficient.toString();
  const isNegative = coefficient < 0n;
  const digits = (isNegative ? -coefficient : coefficient).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${isNegative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** a + b; null when the sum has too many digits. */
export function add(a: Decimal, b: Decimal): Decimal | null {
  if (a.scale === b.scale) return within(a.coefficient + b.coefficient, a.scale);
  return a.scale > b.scale
    ? within(a.coefficient + b.coefficient * power(a.scale - b.scale), a.scale)
    : within(a.coefficient * power(b.scale - a.scale) + b.coefficient, b.scale);
}

/** -a. */
export function negate({ coefficient, scale }: Decimal): Decimal {
  return new Decimal(-coefficient, scale);
}

/** a × b; null when the product has too many digits. */
export function multiply(a: Decimal, b: Decimal): Decimal | null {
  return within(a.coefficient * b.coefficient, a.scale + b.scale);
}

/**
 * a ÷ b, b not zero: rounded half away from zero to `quotientDecimals` digits after the point,
 * without zeros at its end; null when the quotient has too many digits.
 */
export function divide(a: Decimal, b: Decimal): Decimal | null {
  // a / b = (ca / 10^sa) / (cb / 10^sb) = ca * 10^(sb - sa) / cb.
  const shift = b.scale - a.scale + quotientDecimals;
  const numerator = shift >= 0 ? a.coefficient * power(shift) : a.coefficient;
  const denominator = shift >= 0 ? b.coefficient : b.coefficient * power(-shift);
  return withoutZeros(divideRounded(numerator, denominator), quotientDecimals);
}

/** n ÷ d, rounded half away from zero. */
function divideRounded(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  const rest = n - quotient * d;
  const twice = rest < 0n ? -rest * 2n : rest * 2n;
  if (twice < (d < 0n ? -d : d)) return quotient;
  return n < 0n === d < 0n ? quotient + 1n : quotient - 1n;
}

function withoutZeros(coefficient: bigint, scale: number): Decimal | null {
  let [rest, left] = [coefficient, scale];
  while (left > 0 && rest % 10n === 0n) {
    rest /= 10n;
    left -= 1;
  }
  return within(rest, left);
}

/** What is left of a after whole multiples of b, b not zero; it has the sign of a. */
export function remainder(a: Decimal, b: Decimal): Decimal | null {
  const scale = Math.max(a.scale, b.scale);
  const [whole, by] = [
    a.coefficient * power(scale - a.scale),
    b.coefficient * power(scale - b.scale),
  ];
  return within(whole % by, scale);
}

/** Negative, zero or positive as a - b. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  let [left, right] = [a.coefficient, b.coefficient];
  if (a.scale > b.scale) right *= power(a.scale - b.scale);
  else if (a.scale < b.scale) left *= power(b.scale - a.scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Rounded half away from zero; with exactly `decimals` digits after the point. */
export function roundTo({ coefficient, scale }: Decimal, decimals: number): Decimal | null {
  if (decimals >= scale) return within(coefficient * power(decimals - scale), decimals);
  return within(divideRounded(coefficient, power(scale - decimals)), decimals);
}

/** The next whole number below (-1) or above (1), or the number itself when it is whole. */
export function toWhole({ coefficient, scale }: Decimal, direction: -1 | 1): Decimal {
  const unit = power(scale);
  const truncated = coefficient / unit;
  const isWhole = truncated * unit === coefficient;
  const isBeyond = isWhole || coefficient < 0n !== (direction === -1);
  return new Decimal(isBeyond ? truncated : truncated + BigInt(direction), 0);
}

/** The whole number within ±2^53; null for any other. */
export function wholeNumber({ coefficient, scale }: Decimal): number | null {
  const unit = power(scale);
  const whole = coefficient / unit;
  if (whole * unit !== coefficient) return null;
  const number = Number(whole);
  return Number.isSafeInteger(number) ? number : null;
}
