import { join } from 'node:path';
import t, { type Test } from 'tap';
import { pageTexts, render, shareTemplate, tryRender } from '../../lab/render.ts';

/** Lists that are filtered, sorted and grouped, from the JSON of a request to the page. */

const FIELDS = [
  {
    name: 'shops',
    type: 'list',
    fields: [
      { name: 'name', type: 'text' },
      {
        name: 'lines',
        type: 'list',
        fields: [
          { name: 'text', type: 'text' },
          { name: 'rate', type: 'number' },
          { name: 'net', type: 'number' },
          { name: 'day', type: 'date' },
        ],
      },
    ],
  },
];

const LINES = [
  { text: 'ขาว', rate: 7, net: 10, day: '2026-01-03' },
  { text: 'เก', rate: 0, net: 2.5, day: '2026-01-01' },
  { text: 'กา', rate: '7.00', net: 100, day: '2026-01-02' },
  { text: 'คน', net: 30 },
  { text: 'แกะ', rate: 0, net: -1, day: '2026-01-02' },
];
const DATA = {
  shops: [
    { name: 'North', lines: LINES },
    { name: 'Empty', lines: [] },
    { name: 'South', lines: LINES.slice(0, 2) },
  ],
};

async function linesOf(
  t: Test,
  content: readonly unknown[],
  data: object = DATA,
): Promise<readonly string[]> {
  const file = { templateId: 'groups', language: 'th', fields: FIELDS, document: { content } };
  const { pdf } = await render(shareTemplate(JSON.stringify(file)), data);
  return pageTexts(join(t.testdir(), 'g.pdf'), pdf)
    .join('\n')
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '');
}

const shops = (stack: readonly unknown[]) => [{ each: 'shops', as: 'shop', stack }];
const lines = (rest: object) => ({ each: 'shop.lines', as: 'line', ...rest });
const text = '{{line._number}} {{line.text}}';

t.test('filter leaves entries out; the number and the marks count what is left', async (t) => {
  const last = { text: ['{{line.text}}', { if: 'line._last', text: '.' }] };
  t.same(
    await linesOf(
      t,
      shops([lines({ filter: 'line.net > 5', text }), lines({ filter: 'line.rate', ...last })]),
    ),
    ['1 ขาว', '2 กา', '3 คน', 'ขาว', 'เก', 'กา', 'แกะ.', '1 ขาว', 'ขาว', 'เก.'],
  );
});

t.test(
  'sortBy orders by several keys, Thai as a dictionary does, absent values last',
  async (t) => {
    const sorted = async (sortBy: unknown): Promise<string> =>
      (await linesOf(t, shops([lines({ sortBy, text: '{{line.text}}' })]))).slice(0, 5).join(' ');
    t.equal(await sorted('line.text'), 'กา เก แกะ ขาว คน');
    t.equal(await sorted('line.net desc'), 'กา คน ขาว เก แกะ');
    t.equal(await sorted(['line.rate', 'line.text desc']), 'แกะ เก ขาว กา คน');
    t.equal(await sorted(['line.day desc', 'line.net']), 'ขาว แกะ กา เก คน');
    t.equal(await sorted(['line.net > 5 desc', 'line.net']), 'ขาว คน กา แกะ เก');
  },
);

t.test('groups of nodes have a header, a footer and sums', async (t) => {
  const node = lines({
    filter: 'has(line.rate)',
    sortBy: ['line.rate', 'line.net'],
    groupBy: 'line.rate',
    groupHeader: '{{shop.name}}: {{= round(line.rate)}} %',
    groupFooter: '{{= size(group)}} lines, {{= sum(group.map(l, l.net))}}',
    text,
  });
  t.same(await linesOf(t, shops([node])), [
    'North: 0 %',
    '1 แกะ',
    '2 เก',
    '2 lines, 1.5',
    'North: 7 %',
    '1 ขาว',
    '2 กา',
    '2 lines, 110',
    'South: 0 %',
    '1 เก',
    '1 lines, 2.5',
    'South: 7 %',
    '1 ขาว',
    '1 lines, 10',
  ]);
});

t.test('groups of rows stand in one table', async (t) => {
  const row = lines({
    groupBy: 'has(line.rate) ? line.rate : 0',
    groupHeader: ['rate', '{{= has(line.rate) ? line.rate : 0}}'],
    groupFooter: [
      { text: '{{= first(group).text}}…', bold: true },
      '{{= sum(group.map(l, l.net))}}',
    ],
    cells: ['{{line.text}}', '{{line.net}}'],
  });
  const body = [['text', 'net'], row, ['end', '']];
  t.same((await linesOf(t, shops([{ table: { widths: [80, 80], body } }]))).slice(0, 12), [
    'text net',
    'rate 7',
    'ขาว 10',
    'กา 100',
    'ขาว… 110',
    'rate 0',
    'เก 2.5',
    'คน 30',
    'แกะ -1',
    'เก… 31.5',
    'end',
    'text net',
  ]);
});

t.test('groups of a long list break over pages with all their rows', async (t) => {
  const many = Array.from({ length: 300 }, (_, n) => ({ text: `L${n}`, rate: n % 3, net: 1 }));
  const row = lines({
    sortBy: 'line.rate',
    groupBy: 'line.rate',
    groupHeader: ['rate', '{{line.rate}}'],
    groupFooter: ['sum', '{{= sum(group.map(l, l.net))}}'],
    cells: ['{{line._number}}', '{{line.text}}'],
  });
  const content = shops([{ table: { widths: [80, 80], body: [row] } }]);
  const expected = [0, 1, 2].flatMap((rate) => [
    `rate ${rate}`,
    ...Array.from({ length: 100 }, (_, n) => `${n + 1} L${n * 3 + rate}`),
    'sum 100',
  ]);
  t.same(await linesOf(t, content, { shops: [{ lines: many }] }), expected);
});

const sortedShops = (sortBy: string, count: number) => {
  const text = [{ text: '{{shop.name}}', if: 'shop._first' }];
  const node = { each: 'shops', as: 'shop', sortBy, text };
  const content = Array.from({ length: count }, () => node);
  return shareTemplate(
    JSON.stringify({ templateId: 'steps', fields: FIELDS, document: { content } }),
  );
};
const namedShops = (count: number, length: number): object => ({
  shops: Array.from({ length: count }, (_, n) => ({ name: `${'ก'.repeat(length)}${n % 7}` })),
});

t.test('sorting takes of the steps of the document', async (t) => {
  t.ok((await tryRender(sortedShops('shop.name', 1), namedShops(5000, 20))).ok);
  const refused = { code: 'invalid_data', fields: [{ reason: /too many steps/ }] };
  t.match(await tryRender(sortedShops('shop.name', 1), namedShops(4000, 800)), refused);
  t.match(await tryRender(sortedShops('shop.name desc', 40), namedShops(5000, 0)), refused);
});
