import t from 'tap';

import {
  BOOLEAN,
  compile,
  DATE,
  EXPRESSION_LIMITS,
  listOf,
  NUMBER,
  recordOf,
  TEXT,
} from '../../src/expressions/index.ts';
import { isWithin } from '../hostile/machine.ts';

const COUNT = 2_000;
const LONG = 'กขคง'.repeat(2_400);
const BIG = `${'9'.repeat(49)}.${'9'.repeat(50)}`;

const ITEM = { amount: NUMBER, big: NUMBER, text: TEXT, long: TEXT, day: DATE, paid: BOOLEAN };
const SCOPE = {
  items: listOf(recordOf(ITEM)),
  a: TEXT,
  wide: TEXT,
  faces: TEXT,
  amounts: listOf(NUMBER),
  names: listOf(TEXT),
  days: listOf(DATE),
  bigs: listOf(NUMBER),
};

const items = Array.from({ length: COUNT }, (_, index) => ({
  amount: `${(index * 7_919) % 100_000}.25`,
  big: BIG,
  text: `รายการที่ ${index}`,
  long: LONG,
  day: '2026-01-31',
  paid: index % 2 === 0,
}));
const DATA = {
  items,
  a: 'a'.repeat(9_000),
  faces: '😀'.repeat(4_500),
  // Two bytes a unit, the other one: the slowest to compare.
  wide: `${'a'.repeat(9_000)}ก`,
  amounts: items.map(({ amount }) => amount),
  names: items.map(({ text }) => text),
  days: items.map(({ day }) => day),
  bigs: items.map(({ big }) => big),
};

/** Each makes one kind of costly step, as often as the limit allows. */
const COSTLY = [
  'items.map(i, i.big / 7 / 3 / 11 / 13 / 17)',
  'items.map(i, (i.big % 7) * 3 - i.big + i.big)',
  'items.map(i, round(i.big, 0) + round(i.big, 1) + round(i.big, 2))',
  'items.all(i, i.big > 1 && i.big > 2 && i.big > 3 && i.big > 4 && i.big > 5)',
  'items.map(i, string(i.big) + string(i.big) + string(i.big))',
  'items.map(i, i.long.contains("ขขข"))',
  'items.map(i, a.contains("aaaaaaab"))',
  'items.map(i, i.long < i.long)',
  'items.map(i, wide < a)',
  'items.map(i, max([a, wide]))',
  'items.map(i, [a, wide, a, wide, a, wide].sortBy(x, x))',
  'items.sortBy(i, (i.paid ? a : wide))',
  'items.map(i, i.long.substring(5, 9) + upper(i.text))',
  'items.map(i, size(i.long))',
  'items.map(i, size(faces) + size(wide))',
  'items.map(i, size(trim(lower(i.long))))',
  'items.map(i, endOfMonth(addMonths(i.day, 1)) - startOfMonth(i.day))',
  'items.map(i, year(i.day) + month(i.day) + day(i.day))',
  'items.exists(i, i.amount / (i.amount - i.amount) > 1)',
  'items.map(i, {"a": i.amount, "b": i.text, "c": i.day})',
  'items.map(i, items.map(j, i.amount * j.amount))',
  'items.map(i, i in items)',
  'items.map(i, -1 in amounts)',
  'items.map(i, "x" in names)',
  `items.map(i, items.exists(j, "${'x'.repeat(300)}" in j))`,
  'items.map(i, items.exists(j, i.text in j))',
  'items.map(i, items.exists(j, a in j))',
  'items.map(i, items.exists(j, i.long in j))',
  'items.map(i, names + names)',
  'items.map(i, sum(amounts))',
  'items.sortBy(i, i.long)',
  'items.sortBy(i, i.text).map(i, i.text)',
  'max(items.map(i, i.long))',
  'items',
  'days.all(a, days.all(b, true))',
  'days.map(a, days == days)',
  'days.map(a, max(days))',
  'bigs.all(a, bigs.all(b, true))',
  'bigs.map(a, bigs == bigs)',
  'bigs.map(a, max(bigs))',
];

const CPU_MS = 5;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

t.test('an expression at its limit takes at most 5 ms of CPU', async (t) => {
  for (const source of COSTLY) {
    const compiled = compile(source, SCOPE);
    if (!compiled.ok) return t.fail(`${source}: ${compiled.errors[0]?.message}`);
    for (let run = 0; run < 10; run += 1) compiled.evaluate(DATA);
    let ms = Infinity;
    for (let group = 0; group < 3; group += 1) {
      const start = cpuMs();
      for (let run = 0; run < 10; run += 1) compiled.evaluate(DATA);
      ms = Math.min(ms, (cpuMs() - start) / 10);
    }
    t.ok(isWithin(ms, CPU_MS), `${ms.toFixed(2)} ms: ${source}`);
  }
});

t.test('an evaluation ends with its steps, and a smaller limit ends it sooner', async (t) => {
  const compiled = compile('items.all(i, items.all(j, items.all(k, true)))', SCOPE);
  if (!compiled.ok) return t.fail('it compiles');
  t.match(compiled.evaluate(DATA), { ok: false, error: { code: 'too_many_steps' } });
  t.match(compiled.evaluate({ ...DATA, items: items.slice(0, 5) }), { ok: true, value: true });
  const few = compiled.evaluate({ ...DATA, items: items.slice(0, 5) }, 100);
  t.match(few, { ok: false, error: { code: 'too_many_steps' } });
  const absorbed = compile('items.exists(i, items.all(j, true)) || true', SCOPE);
  const given = absorbed.ok ? absorbed.evaluate(DATA, 1_000) : null;
  t.match(given, { ok: false, error: { code: 'too_many_steps' } }, '|| does not hide a limit');
  const large = compile('names.join(", ") == "" || true', SCOPE);
  const joined = large.ok ? large.evaluate(DATA) : null;
  t.match(joined, { ok: false, error: { code: 'too_large' } }, 'nor a text that is too long');
});

t.test('sources at their limits compile or are refused', async (t) => {
  const { sourceLengthMax: length, nestingMax: depth } = EXPRESSION_LIMITS;
  const chain = '1+'.repeat(length / 2 - 1);
  t.match(compile(`${chain}1`, {}), { ok: true });
  t.match(compile(`${chain}1+1`, {}), { ok: false, errors: [{ code: 'too_large' }] });
  const inside = depth - 1;
  t.match(compile(`${'('.repeat(inside)}1${')'.repeat(inside)}`, {}), { ok: true });
  for (const open of ['(', '[', '!', '-', 'f(', '{"a":', 'true?1:', 'has(']) {
    const source = open.repeat(Math.floor(length / open.length));
    t.match(compile(source, {}), { ok: false, errors: [{ code: 'too_large' }] }, open);
  }
  t.match(compile(`1${'.a'.repeat(900)}`, {}), { ok: false });
});

t.test('types that double with each macro are refused before they take time', async (t) => {
  const doubled = `[1]${'.map(a,{"x":a,"y":a})'.repeat(40)}`;
  t.match(compile(`${doubled}==${doubled}`, {}), { ok: false, errors: [{ code: 'too_large' }] });
  const merged = `[1]${'.map(a,[{"x":a},{"y":a}][0])'.repeat(30)}`;
  t.match(compile(`${merged}==${merged}`, {}), { ok: false, errors: [{ code: 'too_large' }] });
});
