import t from 'tap';

import { bodiesOf, stretch } from './bodies.ts';
import type { TunedTemplate } from './workload.ts';

const TEMPLATE: TunedTemplate = {
  name: 'retail/receipt',
  source: new Uint8Array(0),
  fields: [
    { name: 'id', type: 'text' },
    { name: 'day', type: 'number' },
    { name: 'total', type: 'number' },
    { name: 'issued', type: 'date' },
    { name: 'items', type: 'table' },
  ],
  samples: [
    {
      name: 'long',
      data: {
        id: 'A-1234567',
        day: 28,
        total: 123_456,
        issued: '2026-11-21',
        items: [
          ['1', 'ค่าธรรมเนียม', '250.00'],
          ['2', 'fee', '1,250.00'],
        ],
      },
    },
    { name: 'short', data: { id: 'none' } },
  ],
};

function dataOf(bytes: Buffer): Record<string, unknown> {
  return (JSON.parse(bytes.toString()) as { data: Record<string, unknown> }).data;
}

t.test('every sample comes unchanged first, then with other digits in the same form', async (t) => {
  const bodies = bodiesOf([TEMPLATE]);
  t.equal(bodies.length, 64);
  t.strictSame(
    bodies.slice(0, 2).map(({ isSample, name }) => [isSample, name]),
    [
      [true, 'retail/receipt, sample long'],
      [true, 'retail/receipt, sample short'],
    ],
  );
  t.strictSame(dataOf(bodies[0]?.bytes ?? Buffer.alloc(0)), TEMPLATE.samples[0]?.data);
  const seen = new Set<unknown>();
  for (const { bytes, isSample } of bodies.filter((_, index) => index % 2 === 0)) {
    if (isSample) continue;
    const data = dataOf(bytes);
    t.match(data['id'], /^A-[1-9]{7}$/);
    t.equal(data['day'], 28, 'a small number has a meaning');
    t.equal(Math.floor(Number(data['total']) / 1_000), 123);
    t.equal(data['issued'], '2026-11-21');
    const items = data['items'] as string[][];
    t.match(items[1]?.[2], /^[1-9],[1-9]{2}0\.00$/);
    seen.add(JSON.stringify(data));
  }
  t.ok(seen.size >= 30, `${seen.size} different ones`);
  const again = bodiesOf([TEMPLATE]).map(({ bytes }) => bytes.toString());
  t.strictSame(
    again,
    bodies.map(({ bytes }) => bytes.toString()),
    'the same every time',
  );
});

t.test('the number of requests is divided among many samples', async (t) => {
  const many = Array.from({ length: 200 }, () => TEMPLATE);
  t.equal(bodiesOf(many).length, 400);
});

t.test('a table is stretched up to the limits of callers', async (t) => {
  const [long, short] = TEMPLATE.samples;
  if (long === undefined || short === undefined) throw new Error('there are two');
  const rowsOf = (bodyBytesMax: number): string[][] =>
    (stretch(long, bodyBytesMax) ?? long).data['items'] as string[][];
  t.equal(rowsOf(1_048_576).length, 2_000);
  const fitted = rowsOf(10_000).length;
  t.ok(fitted > 2 && fitted < 2_000);
  t.ok(Buffer.byteLength(JSON.stringify(stretch(long, 10_000)?.data)) <= 10_000);
  t.equal(stretch(short, 1_048_576), null);
});
