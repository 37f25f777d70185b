import { Day, formatDay, parseDay } from './day.ts';
import { Decimal, formatDecimal, parseDecimal } from './decimal.ts';
import { present, type Type } from '../types.ts';

/**
 * A value during evaluation. Lists and records of the data are passed on as they came, and their
 * items and fields are read by their types when they are used: what is not used costs nothing.
 */
export type Value = Decimal | Day | string | boolean | null | readonly unknown[] | RecordValue;

export type RecordValue = Readonly<Record<string, unknown>>;

/** A result: numbers are exact decimals and dates YYYY-MM-DD, both as texts. */
export type Result =
  string | boolean | null | readonly Result[] | { readonly [name: string]: Result };

/** The value of what the data has; undefined when it is not of this type. */
export function readValue(raw: unknown, type: Type): Value | undefined {
  if (raw === null || raw === undefined) {
    return type.kind === 'optional' || type.kind === 'null' ? null : undefined;
  }
  const inner = present(type);
  switch (inner.kind) {
    case 'number':
      return readNumber(raw);
    case 'date':
      return raw instanceof Day
        ? raw
        : typeof raw === 'string'
          ? (parseDay(raw) ?? undefined)
          : undefined;
    case 'text':
      return typeof raw === 'string' ? raw : undefined;
    case 'boolean':
      return typeof raw === 'boolean' ? raw : undefined;
    case 'list':
      return Array.isArray(raw) ? (raw as readonly unknown[]) : undefined;
    case 'record':
      return isRecord(raw) ? raw : undefined;
    case 'null':
    case 'unknown':
      return undefined;
  }
}

/** Numbers come as texts; a JavaScript number only where it is surely exact. */
function readNumber(raw: unknown): Decimal | undefined {
  if (raw instanceof Decimal) return raw;
  if (typeof raw === 'string') return parseDecimal(raw) ?? undefined;
  return Number.isSafeInteger(raw) ? (parseDecimal(String(raw)) ?? undefined) : undefined;
}

export function isRecord(raw: unknown): raw is RecordValue {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return false;
  return !(raw instanceof Decimal) && !(raw instanceof Day);
}

/** The own field of a record. */
export function ownField(record: RecordValue, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The scalar as a text: a number with the digits it has, a date as YYYY-MM-DD. */
export function textOfScalar(value: Decimal | Day | string | boolean): string {
  if (value instanceof Decimal) return formatDecimal(value);
  return value instanceof Day ? formatDay(value) : String(value);
}
