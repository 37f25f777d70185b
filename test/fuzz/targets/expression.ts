import { isDeepStrictEqual } from 'node:util';

import type { Random } from '../../../lab/fuzz-random.ts';
import {
  BOOLEAN,
  compile,
  DATE,
  EXPRESSION_LIMITS,
  type ExpressionError,
  listOf,
  NUMBER,
  optional,
  recordOf,
  type Result,
  TEXT,
  type Type,
} from '../../../src/expressions/index.ts';
import type { Target } from './target.ts';

const ITEM = {
  amount: NUMBER,
  name: TEXT,
  day: DATE,
  paid: BOOLEAN,
  note: optional(TEXT),
  parts: listOf(NUMBER),
};

const SCOPE = {
  items: listOf(recordOf(ITEM)),
  texts: listOf(TEXT),
  net: NUMBER,
  rate: optional(NUMBER),
  long: NUMBER,
  customer: optional(recordOf({ name: TEXT, email: optional(TEXT) })),
  title: TEXT,
  page: TEXT,
  due: DATE,
  isUrgent: BOOLEAN,
  empty: listOf(optional(NUMBER)),
};

const NINES = '9'.repeat(40);

const DATA = {
  items: Array.from({ length: 300 }, (_, index) => ({
    amount: `${index % 7 === 0 ? '-' : ''}${index * 37}.${String(index % 100).padStart(2, '0')}`,
    name: `รายการ ${index % 11}`,
    day: `2026-0${(index % 9) + 1}-28`,
    paid: index % 3 === 0,
    ...(index % 2 === 0 ? { note: 'x' } : {}),
    parts: ['1', '2.5'],
  })),
  texts: ['ก', 'b', '', '😀'],
  net: '1250.50',
  long: NINES,
  title: 'ใบแจ้งยอด 😀 Statement',
  page: 'ก๊าซ '.repeat(1_500),
  due: '2028-02-29',
  isUrgent: true,
  empty: [null],
};

const SEEDS = [
  'sum(items.filter(i, i.paid).map(i, round(i.amount * 0.07, 2)))',
  'has(customer.email) ? customer.email : "-"',
  'items.all(i, i.amount / net > 1 || i.note == null) && !(due < date("2026-01-31"))',
  'endOfMonth(addMonths(due, 12)) - due + daysBetween(due, due + 3)',
  'texts.map(t, upper(t).trim()).join(", ").substring(0, 3).contains("ก")',
  'items.sortBy(i, i.name).map(i, {"a": i.parts[0], \'b\': string(i.day)})[1].a in [1, 2.5, -3e2]',
  'items.exists_one(i, i.name == r"\\d" || i.name == """a"b""") // comment',
  'max(items.map(i, size(i.name) > 3, i.amount)) ?: 1',
  'page.contains("ซก") && lower(page) < page || size(page) % 7 == 0',
  'first(items).amount + last([1]) - avg(empty) * min(empty) / rate',
];

const VALUES = (
  'items texts net rate long customer.name customer.email title page due isUrgent empty i.amount ' +
  'i.name i.day i.paid i.note i.parts j.amount j 1 0 -1 0.005 1e40 2.50 "" "ก" \'x\' true null ' +
  '[] {} [1,2] ["ก"] date("2026-01-31") 31 items[0] items[9].parts {"a":1}.a'
).split(' ');

const FORMS = (
  '#+# #-# #*# #/# #%# #==# #!=# #<# #<=# #>=# #&&# #||# !# -# (#) #?#:# #_in_# has(i.note) size(#) ' +
  'sum(#) avg(#) min(#) max(#) first(#) last(#) round(#) round(#,2) floor(#) ceil(#) abs(#) string(#) ' +
  'upper(#) lower(#) trim(#) #.contains(#) #.startsWith(#) #.endsWith(#) #.substring(#,#) #.join(#) ' +
  'year(#) month(#) day(#) addDays(#,#) addMonths(#,#) startOfMonth(#) endOfMonth(#) ' +
  'daysBetween(#,#) items.map(i,#) items.map(i,#,#) items.filter(i,#) items.all(i,#) ' +
  'items.exists(i,#) items.exists_one(i,#) items.sortBy(i,#) #.map(j,#) #[#] [#,#] {"a":#,"b":#}'
).split(' ');

/** Sources, with the data of a statement. Half of the mutations make a new expression by grammar. */
export const expressionTarget: Target = {
  seeds: async () => SEEDS,
  dictionary: [...VALUES, ...FORMS.map((form) => form.replaceAll('#', '')), '\\', '`', '"""', '//'],
  mutate: (_, random) => Buffer.from(grow(random, 2 + random.below(5)).replaceAll('_', ' ')),
  run(input) {
    const source = input.toString('utf8');
    const compiled = compile(source, SCOPE);
    if (!compiled.ok) return compiled.errors.map((error) => describe(error, source)).join();
    const [first, second] = [compiled.evaluate(DATA), compiled.evaluate(DATA)];
    if (!isDeepStrictEqual(first, second)) throw new Error('two evaluations differ');
    if (!first.ok) return describe(first.error, source);
    if (first.steps > EXPRESSION_LIMITS.stepsMax) throw new Error('more steps than allowed');
    if (!fits(first.value, compiled.type)) throw new Error('the value is not of its type');
    return `${compiled.type.kind} ${Math.round(Math.log2(first.steps))}`;
  },
};

/** An expression of the forms, nested at most so deep. */
function grow(random: Random, depth: number): string {
  if (depth <= 0 || random.chance(6)) return random.pick(VALUES, '1');
  return random.pick(FORMS, '#').replaceAll('#', () => grow(random, depth - 1));
}

function describe(
  { code, message, start, end, line, column }: ExpressionError,
  source: string,
): string {
  if (start < 0 || end < start || end > source.length + 2 || line < 1 || column < 1) {
    throw new Error(`${code} is outside of the source`);
  }
  if (message.length > 2_000) throw new Error('the message is too long to read');
  return code;
}

function fits(value: Result, type: Type): boolean {
  switch (type.kind) {
    case 'number':
      return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value);
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
    case 'text':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
    // first([]) and its like.
    case 'unknown':
      return value === null;
    case 'optional':
      return value === null || fits(value, type.of);
    case 'list':
      return isList(value) && value.every((item) => fits(item, type.item));
    case 'record':
      return (
        isRecord(value) &&
        Object.entries(type.fields).every(([name, of]) => fits(value[name] ?? null, of))
      );
  }
}

function isList(value: Result): value is readonly Result[] {
  return Array.isArray(value);
}

function isRecord(value: Result): value is { readonly [name: string]: Result } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
