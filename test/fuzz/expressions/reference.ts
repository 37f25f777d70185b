/**
 * A second, plain implementation of docs/expressions.md: decimals are digits with a scale, the calendar
 * counts days, and texts are arrays of code points. It uses nothing of src/expressions.
 */

/** A decimal: units / 10^scale. */
export interface Exact {
  readonly units: bigint;
  readonly scale: number;
}

/** A day by its number since 0001-01-01, which is 0. */
export interface DayNumber {
  readonly days: number;
}

export type Value =
  Exact | DayNumber | string | boolean | null | readonly Value[] | ReadonlyMap<string, Value>;

/** The code of the error with which an evaluation has to end. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const DIGITS_MAX = 100;

export function refuse(code: string): never {
  throw new Refused(code);
}

export function isExact(value: Value): value is Exact {
  return typeof value === 'object' && value !== null && 'units' in value;
}

export function isDayNumber(value: Value): value is DayNumber {
  return typeof value === 'object' && value !== null && 'days' in value;
}

export function isMap(value: Value): value is ReadonlyMap<string, Value> {
  return value instanceof Map;
}

/** The value, which may not be null. */
export function need(value: Value): Exclude<Value, null> {
  return value ?? refuse('absent');
}

function limited(units: bigint, scale: number): Exact {
  const digits = String(units < 0n ? -units : units).length;
  return digits > DIGITS_MAX || scale > DIGITS_MAX ? refuse('out_of_range') : { units, scale };
}

/** 10^n by repeated multiplication. */
function tenTo(n: number): bigint {
  let result = 1n;
  for (let step = 0; step < n; step += 1) result *= 10n;
  return result;
}

export function exactOf(text: string): Exact {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction);
  return scale < 0 ? { units: units * tenTo(-scale), scale: 0 } : { units, scale };
}

/** The number as plain digits, with as many after the point as its scale. */
export function textOf({ units, scale }: Exact): string {
  const digits = String(units)
    .replace('-', '')
    .padStart(scale + 1, '0');
  const cut = digits.length - scale;
  const text = scale === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
  return units < 0n ? `-${text}` : text;
}

function aligned(a: Exact, b: Exact): readonly [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.units * tenTo(scale - a.scale), b.units * tenTo(scale - b.scale), scale];
}

export function plus(a: Exact, b: Exact, sign: 1n | -1n): Exact {
  const [x, y, scale] = aligned(a, b);
  return limited(x + sign * y, scale);
}

export function times(a: Exact, b: Exact): Exact {
  return limited(a.units * b.units, a.scale + b.scale);
}

/** |n| / |d| to the nearest whole number, halves up. */
function nearestWhole(n: bigint, d: bigint): bigint {
  return (2n * n + d) / (2n * d);
}

function magnitude(units: bigint): bigint {
  return units < 0n ? -units : units;
}

export function over(a: Exact, b: Exact): Exact {
  if (b.units === 0n) return refuse('division_by_zero');
  const [x, y] = aligned(a, b);
  const isNegative = x < 0n !== y < 0n;
  let units = nearestWhole(magnitude(x) * tenTo(20), magnitude(y));
  let scale = 20;
  for (; scale > 0 && units % 10n === 0n; scale -= 1) units /= 10n;
  return limited(isNegative ? -units : units, scale);
}

export function rest(a: Exact, b: Exact): Exact {
  if (b.units === 0n) return refuse('division_by_zero');
  const [x, y, scale] = aligned(a, b);
  const left = magnitude(x) % magnitude(y);
  return limited(x < 0n ? -left : left, scale);
}

/** Rounded half away from zero to so many digits after the point, always that many. */
export function rounded(value: Exact, decimals: Exact): Exact {
  const count = wholeOf(decimals);
  if (count === null || count < 0 || count > 30) return refuse('out_of_range');
  if (count >= value.scale) return limited(value.units * tenTo(count - value.scale), count);
  const units = nearestWhole(magnitude(value.units), tenTo(value.scale - count));
  return limited(value.units < 0n ? -units : units, count);
}

/** The whole number below (-1) or above (1). */
export function wholeBeside({ units, scale }: Exact, side: -1 | 1): Exact {
  const unit = tenTo(scale);
  const remainder = ((units % unit) + unit) % unit;
  const below = (units - remainder) / unit;
  return { units: side === 1 && remainder !== 0n ? below + 1n : below, scale: 0 };
}

/** The number as an integer that a double holds; null for any other. */
export function wholeOf({ units, scale }: Exact): number | null {
  const unit = tenTo(scale);
  if (units % unit !== 0n) return null;
  const number = Number(units / unit);
  return Math.abs(number) < 2 ** 53 ? number : null;
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Days before the first of January of the year. */
function daysBefore(year: number): number {
  const past = year - 1;
  return past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
}

export function dayOf(year: number, month: number, day: number): DayNumber {
  let days = daysBefore(year) + day - 1;
  for (let before = 1; before < month; before += 1) days += daysInMonth(year, before);
  return { days };
}

export function calendarOf({ days }: DayNumber): readonly [number, number, number] {
  let year = Math.floor(days / 366) + 1;
  while (daysBefore(year + 1) <= days) year += 1;
  let left = days - daysBefore(year);
  let month = 1;
  for (; left >= daysInMonth(year, month); month += 1) left -= daysInMonth(year, month);
  return [year, month, left + 1];
}

/** The day of YYYY-MM-DD. */
export function dayFrom(text: string): DayNumber {
  const match = /^(\d\d\d\d)-(\d\d)-(\d\d)$/.exec(text);
  const [year = 0, month = 0, day = 0] = (match ?? []).slice(1).map(Number);
  const isDay = year > 0 && month > 0 && month < 13 && day > 0 && day <= daysInMonth(year, month);
  return isDay ? dayOf(year, month, day) : refuse('out_of_range');
}

export function dayText(day: DayNumber): string {
  const [year, month, ofMonth] = calendarOf(day);
  return [
    String(year).padStart(4, '0'),
    ...[month, ofMonth].map((n) => String(n).padStart(2, '0')),
  ].join('-');
}

const DAYS = daysBefore(10_000);

export function dayAfter({ days }: DayNumber, count: Exact, sign: 1 | -1): DayNumber {
  const number = wholeOf(count);
  const later = number === null ? -1 : days + sign * number;
  return later >= 0 && later < DAYS ? { days: later } : refuse('out_of_range');
}

export function monthsAfter(day: DayNumber, count: Exact): DayNumber {
  const number = wholeOf(count);
  if (number === null || Math.abs(number) > 200_000) return refuse('out_of_range');
  const [year, month, ofMonth] = calendarOf(day);
  const months = year * 12 + month - 1 + number;
  const [newYear, newMonth] = [Math.floor(months / 12), (((months % 12) + 12) % 12) + 1];
  if (newYear < 1 || newYear > 9999) return refuse('out_of_range');
  return dayOf(newYear, newMonth, Math.min(ofMonth, daysInMonth(newYear, newMonth)));
}

/** Negative, zero or positive; texts by code points, false before true. */
export function compare(a: Value, b: Value): number {
  if (isExact(a) && isExact(b)) {
    const [x, y] = aligned(a, b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (isDayNumber(a) && isDayNumber(b)) return a.days - b.days;
  if (typeof a === 'string' && typeof b === 'string') {
    const [x, y] = [a, b].map((text) => Array.from(text, (sign) => sign.codePointAt(0) ?? 0));
    if (x === undefined || y === undefined) throw new RangeError('two texts');
    const at = x.findIndex((code, index) => code !== y[index]);
    return at < 0 ? x.length - y.length : (x[at] ?? 0) - (y[at] ?? -1);
  }
  return Number(a) - Number(b);
}

export function isEqual(a: Value, b: Value): boolean {
  if (a === null || b === null) return a === b;
  if (Array.isArray(a) && Array.isArray(b)) {
    return (
      a.length === b.length && a.every((item: Value, index) => isEqual(item, b[index] as Value))
    );
  }
  if (isMap(a) && isMap(b)) {
    const names = new Set([...a.keys(), ...b.keys()]);
    return [...names].every((name) => isEqual(a.get(name) ?? null, b.get(name) ?? null));
  }
  return compare(a, b) === 0;
}

/** The value as the data of a document has it. */
export function jsonOf(value: Value): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isExact(value)) return textOf(value);
  if (isDayNumber(value)) return dayText(value);
  if (isMap(value)) {
    return Object.fromEntries(Array.from(value, ([name, field]) => [name, jsonOf(field)]));
  }
  return value.map(jsonOf);
}
