import type { Random } from '../../../lab/fuzz-random.ts';
import {
  BOOLEAN,
  DATE,
  type Fields,
  listOf,
  NUMBER,
  optional,
  recordOf,
  TEXT,
  type Type,
} from '../../../src/expressions/index.ts';
import { dayFrom, exactOf, type Value } from './reference.ts';

/** Random names, types and values at their bounds. */

/** Names that are words of the language, of JavaScript, of Thai, and no identifiers. */
export const NAMES = (
  'a b amount rate e _first in as true null size map sum has date filter ยอด วันที่ x-y toString ' +
  'constructor hasOwnProperty valueOf __proto__ length'
)
  .split(' ')
  .concat(['date of birth', 'ก่ำ 😀']);

const NUMBERS = (
  '0 0.00 -0 1 -1 0.005 -0.005 2.50 7 100 1e3 12345678901234567890 -99999999999999999999.99 0.1 ' +
  `${'9'.repeat(40)} -${'9'.repeat(40)} 0.${'0'.repeat(38)}1 ${'9'.repeat(100)} 1e-100 1e99 31 -12 3652058`
).split(' ');
const DATES =
  '0001-01-01 9999-12-31 2026-01-31 2028-02-29 1900-02-28 2000-02-29 1970-01-01 0099-12-31'.split(
    ' ',
  );
const TEXTS = [
  '',
  'a',
  'ก',
  'ก่ำ',
  '😀',
  '\uE000',
  'A ',
  ' \u00a0',
  'x'.repeat(9_999),
  'ß',
  '{{a}}',
  '"\'\\',
  '2026-02-30',
  '\n',
  '2026-01-31',
];

const SCALARS = [NUMBER, NUMBER, TEXT, DATE, BOOLEAN];

export function anyType(random: Random, depth: number): Type {
  const of = depth <= 0 ? 9 : random.below(9);
  const type =
    of < 2
      ? listOf(anyType(random, depth - 1))
      : of === 2
        ? recordOf(anyFields(random, depth - 1, 1 + random.below(3)))
        : random.pick(SCALARS, NUMBER);
  return random.chance(4) ? optional(type) : type;
}

/** Fields with different names. */
export function anyFields(random: Random, depth: number, count: number): Fields {
  const names = Array.from({ length: count }, () => random.pick(NAMES, 'a'));
  return Object.fromEntries(names.map((name) => [name, anyType(random, depth)]));
}

/** A value of the type: both as the data holds it, and for the reference. */
export function anyValue(random: Random, type: Type, items: number): Value {
  switch (type.kind) {
    case 'number':
      return exactOf(random.pick(NUMBERS, '1'));
    case 'text':
      return random.pick(TEXTS, '');
    case 'date':
      return dayFrom(random.pick(DATES, '2026-01-31'));
    case 'boolean':
      return random.chance(2);
    case 'optional':
      return random.chance(3) ? null : anyValue(random, type.of, items);
    case 'null':
    case 'unknown':
      return null;
    case 'list': {
      const length = random.below(items + 1);
      return Array.from({ length }, () => anyValue(random, type.item, Math.min(items, 3)));
    }
    case 'record':
      return new Map(
        Object.entries(type.fields).map(([name, of]) => [name, anyValue(random, of, items)]),
      );
  }
}

/** A literal number, date or text as a source writes it, and its value. */
export function literal(random: Random, kind: 'number' | 'text' | 'date'): [string, Value] {
  if (kind === 'number') {
    const text = random.pick(NUMBERS, '1');
    return [text, exactOf(text)];
  }
  if (kind === 'text') {
    const text = random.pick(TEXTS, '');
    return [quoted(text.slice(0, 300)), text.slice(0, 300)];
  }
  const text = random.pick(DATES, '2026-01-31');
  return [`date("${text}")`, dayFrom(text)];
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The type without null. */
export function present(type: Type): Exclude<Type, { kind: 'optional' }> {
  return type.kind === 'optional' ? type.of : type;
}
