import * as service from '../../../src/engine/contract/format/sent-number.ts';
import { isComputed } from '../../../src/runtime/contract/computed.ts';
import { ExactNumber, parseExact, textOf } from '../api/exact.ts';
import type { Field } from '../api/field-types.ts';

/** A fault of a list, or of a record that is written as JSON. */
export interface EntryFault {
  /**
   * `json`: the text is not JSON; `list`, `object`: the value is not a list, or an entry is not an
   * object.
   */
  readonly kind: 'json' | 'list' | 'object' | 'missing' | 'value';
  /** Number of the entry, from 1; 0 for the whole value. */
  readonly entry: number;
  /** The field within the entry. */
  readonly field: Field | null;
  /** For `value`: the reason. */
  readonly reason: string;
}

/** Returns the fault of a field's value; '' if there is none. */
type Check = (field: Field, value: unknown) => string;

/**
 * The first fault that the browser finds in the value of a list or record; null if there is none.
 */
export function entryFault(field: Field, value: unknown, check: Check): EntryFault | null {
  const parsed = typeof value === 'string' ? parse(value) : value;
  if (parsed === undefined) return faultOf('json', 0);
  if (field.type === 'record') return objectFault(field, parsed, 0, check);
  if (!Array.isArray(parsed)) return faultOf('list', 0);
  for (const [index, entry] of parsed.entries()) {
    const fault = objectFault(field, entry, index + 1, check);
    if (fault !== null) return fault;
  }
  return null;
}

function objectFault(
  { fields = [] }: Field,
  value: unknown,
  entry: number,
  check: Check,
): EntryFault | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || textOf(value) !== null) return faultOf('object', entry);
  const members = new Map(Object.entries(value));
  // Fields inside a record or list have the same keys as others (field-types.ts).
  for (const inner of fields as unknown as readonly Field[]) {
    if (isComputed(inner)) continue;
    const member: unknown = members.get(inner.name) ?? '';
    if (member === '') {
      if (inner.required) return { ...faultOf('missing', entry), field: inner };
      continue;
    }
    const isPlain = textOf(member) !== null;
    const reason = isPlain || inner.fields !== undefined ? check(inner, member) : '';
    if (reason !== '') return { ...faultOf('value', entry), field: inner, reason };
  }
  return null;
}

/** The reason for which the service refuses a text or number in a number field; '' if it takes it. */
export function numberFault(value: unknown): string {
  const sent = value instanceof ExactNumber ? Number(value.source) : value;
  const decimal = service.sentDecimal(sent, () => textOf(value) ?? '');
  return decimal === null ? service.numberFault(sent) : '';
}

function faultOf(kind: EntryFault['kind'], entry: number): EntryFault {
  return { kind, entry, field: null, reason: '' };
}

/** The value of a JSON text; undefined if it is not JSON. */
function parse(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
