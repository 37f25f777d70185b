import { Fault, type Span } from '../fault.ts';
import { fieldOf, join, present, type Type } from '../types.ts';
import { Day } from '../values/day.ts';
import { compareDecimals, Decimal } from '../values/decimal.ts';
import { isRecord, ownField, readValue, type RecordValue, type Value } from '../values/value.ts';
import { charge, type Context, copySteps, parseSteps } from './typed.ts';

/** The value of a field or an item, by its type; a fault when the data is not of that type. */
export function read(raw: unknown, type: Type, span: Span): Value {
  const value = readValue(raw, type);
  if (value !== undefined) return value;
  throw new Fault('wrong_data', 'The data here is not of the declared type.', span);
}

/** Equality of two values of this type; it charges the items and texts that it compares. */
export function areEqual(context: Context, a: Value, b: Value, type: Type, span: Span): boolean {
  if (a === null || b === null) return a === b;
  if (a instanceof Decimal && b instanceof Decimal) return compareDecimals(a, b) === 0;
  if (a instanceof Day && b instanceof Day) return a.number === b.number;
  if (typeof a === 'string' && typeof b === 'string') {
    charge(context, copySteps(a.length));
    return a === b;
  }
  const inner = present(type);
  if (inner.kind === 'list' && Array.isArray(a) && Array.isArray(b)) {
    return areEqualLists(context, a, b, inner.item, span);
  }
  if (inner.kind === 'record' && isRecord(a) && isRecord(b)) {
    return areEqualRecords(context, a, b, inner, span);
  }
  return a === b;
}

function areEqualLists(
  context: Context,
  a: readonly unknown[],
  b: readonly unknown[],
  item: Type,
  span: Span,
): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    charge(context, 3 + parseSteps(a[index], item) + parseSteps(b[index], item));
    const [left, right] = [read(a[index], item, span), read(b[index], item, span)];
    if (!areEqual(context, left, right, item, span)) return false;
  }
  return true;
}

function areEqualRecords(
  context: Context,
  a: RecordValue,
  b: RecordValue,
  type: Extract<Type, { kind: 'record' }>,
  span: Span,
): boolean {
  for (const [name, of] of Object.entries(type.fields)) {
    charge(context, 4);
    const [left, right] = [read(ownField(a, name), of, span), read(ownField(b, name), of, span)];
    if (!areEqual(context, left, right, of, span)) return false;
  }
  return true;
}

/** Whether values of the types can be equal; records only when one lacks no field of the other. */
export function comparable(a: Type, b: Type): Type | null {
  const joined = join(a, b);
  const [left, right] = [present(a), present(b)];
  if (joined === null || left.kind !== 'record' || right.kind !== 'record') return joined;
  const names = [...Object.keys(left.fields), ...Object.keys(right.fields)];
  const isShared = (name: string): boolean =>
    fieldOf(left.fields, name) !== undefined && fieldOf(right.fields, name) !== undefined;
  return names.every(isShared) ? joined : null;
}

/** Negative, zero or positive; texts by code points, which charges the units that it visits. */
export function compareScalars(context: Context, a: Value, b: Value): number {
  if (a instanceof Decimal && b instanceof Decimal) return compareDecimals(a, b);
  if (a instanceof Day && b instanceof Day) return a.number - b.number;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(context, a, b);
  return Number(a) - Number(b);
}

/** UTF-16 has the order of code points except for surrogates beside U+E000 to U+FFFF. */
function compareTexts(context: Context, a: string, b: string): number {
  if (a === b) {
    charge(context, copySteps(a.length));
    return 0;
  }
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    // Two units are read each time, from texts of both widths: 8 pairs take as long as a step.
    if ((at & 7) === 7) charge(context, 1);
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
