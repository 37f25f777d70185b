import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import type { Outcome } from '../../errors.ts';
import { fail } from '../../errors.ts';
import { readLists } from './json-lists.ts';

/** Reads a body with the lists `a` and `b` and reassembles it. */
async function read(text: string | Uint8Array): Promise<Outcome<unknown>> {
  const lists: Record<string, unknown[]> = {};
  const taker = (name: string) => ({
    begin: () => {
      lists[name] = [];
    },
    take: (item: unknown, index: number) => {
      const list = lists[name] ?? [];
      t.equal(list.push(item) - 1, index);
      return item === 'bad' ? fail('bad_request', `${name}[${index}] is bad.`) : null;
    },
  });
  const others = await readLists(Buffer.from(text), { a: taker('a'), b: taker('b') });
  if (!others.ok) return others;
  for (const name of Object.keys(others.value)) delete lists[name];
  return { ok: true, value: { ...others.value, ...lists } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function agrees(text: string): Promise<boolean> {
  const value = parsed(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const outcome = await read(text);
  if (!isObject) return !outcome.ok && outcome.code === 'bad_request';
  return outcome.ok && isSame(outcome.value, value);
}

function sorted(value: object): [string, unknown][] {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function isSame(one: unknown, other: object): boolean {
  return JSON.stringify(sorted(one as object)) === JSON.stringify(sorted(other));
}

t.test('it accepts what JSON.parse accepts, with the same values', async () => {
  const item = fc.oneof(fc.json({ maxDepth: 2 }), fc.constantFrom('1', ' "x" ', '{}', '[]'));
  const list = fc.array(item, { maxLength: 4 }).map((items) => `[${items.join(',')}]`);
  const key = fc.constantFrom('"a"', '"b"', '"c"', '"\\u0061"', '"__proto__"');
  const member = fc.tuple(key, fc.oneof(list, item)).map(([name, value]) => `${name}: ${value}`);
  const body = fc.array(member, { maxLength: 4 }).map((members) => ` {${members.join(' ,')}} `);
  const scrap = fc.constantFrom('', ...'"\\{}[],:0-e \n\u0000ก'.split(''));
  await fc.assert(
    fc.asyncProperty(body, fc.nat(), fc.nat(2), scrap, async (text, place, cut, insert) => {
      const from = place % (text.length + 1);
      const broken = text.slice(0, from) + insert + text.slice(from + cut);
      return (await agrees(text)) && (await agrees(broken));
    }),
    { numRuns: 2_000 },
  );
});

t.test('repeated keys are read as by JSON.parse', async (t) => {
  for (const text of [
    '{"a":[1],"a":[2,3]}',
    '{"a":[1],"a":2}',
    '{"a":1,"a":[2]}',
    '{"c":1,"c":2}',
    '{"constructor":[1],"toString":2}',
  ]) {
    t.ok(await agrees(text), text);
  }
});

t.test('limits, and faults with their positions', async (t) => {
  const long = 'x'.repeat(20_000);
  const many = Array.from({ length: 101 }, (_, index) => `"k${index}":1`).join(',');
  for (const [text, message] of [
    [`{"a":[1,"${long}"]}`, /^a\[1\] has more than 16384 bytes/],
    [`{"a":[[[["${long}"]]]]}`, /^a\[0\] has more/],
    [`{"c":"${long}"}`, /^A value of the body has more/],
    [`{"${long}":1}`, /^A key of the body has more/],
    [`{"a":[${'['.repeat(500_000)}`, /^a\[0\] has more/],
    [`{"a":[${'9'.repeat(500_000)}`, /^a\[0\] has more/],
    [`{${many}}`, /too many keys/],
    ['{"b":[0,0,"bad",{]}', /^b\[2\] is bad/],
    ['[]', /must be a JSON object/],
    ['', /must be a JSON object/],
    [Buffer.from([0x7b, 0xff, 0x7d]), /UTF-8/],
  ] as const) {
    t.match(await read(text), { ok: false, code: 'bad_request', message });
  }
});

t.test('reading a long list pauses for other work', async (t) => {
  let turns = 0;
  const load = { isOver: false };
  const others = (async (): Promise<void> => {
    while (!load.isOver) {
      await setImmediate();
      turns += 1;
    }
  })();
  let count = 0;
  const taker = {
    begin: () => undefined,
    take: () => {
      count += 1;
      return null;
    },
  };
  const body = Buffer.from(`{"a":[${'{"b":1},'.repeat(200_000)}{}]}`);
  t.match(await readLists(body, { a: taker }), { ok: true });
  load.isOver = true;
  await others;
  t.equal(count, 200_001);
  t.ok(turns > 5, `${turns} turns of others meanwhile`);
});
