import { join } from 'node:path';
import t, { type Test } from 'tap';
import { pageTexts, render, shareTemplate, tryRender } from '../../lab/render.ts';

/** Documents of records and lists, from the JSON of a request to the page. */

const FIELDS = [
  { name: 'customer', type: 'record', fields: [{ name: 'name', type: 'text' }] },
  {
    name: 'accounts',
    type: 'list',
    fields: [
      { name: 'number', type: 'text' },
      { name: 'note', type: 'text' },
      {
        name: 'entries',
        type: 'list',
        fields: [
          { name: 'day', type: 'date', format: { pattern: 'd MMM yyyy' } },
          { name: 'text', type: 'text' },
          { name: 'amount', type: 'number', format: { decimals: 2, thousandsSeparator: true } },
        ],
      },
    ],
  },
  { name: 'branches', type: 'list', fields: [{ name: 'name', type: 'text' }] },
];

const LONG = 'word '.repeat(30).trim();
const DATA = {
  customer: { name: 'Ada' },
  accounts: [
    {
      number: 'A-1',
      note: 'frozen',
      entries: [
        { day: '2026-01-31', text: 'Salary', amount: 1000 },
        { day: '2026-02-01', text: LONG, amount: '-20.555' },
      ],
    },
    { number: 'A-2', entries: [] },
    { number: 'A-3', entries: [{ amount: 3 }] },
  ],
  branches: [{ name: 'North' }, { name: 'South' }],
};

const templateOf = (content: readonly unknown[]) =>
  shareTemplate(JSON.stringify({ templateId: 'nested', fields: FIELDS, document: { content } }));

async function linesOf(t: Test, content: readonly unknown[]): Promise<readonly string[]> {
  const { pdf } = await render(templateOf(content), DATA);
  const pages = pageTexts(join(t.testdir(), 'n.pdf'), pdf);
  return pages
    .join('\n')
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '');
}

const each = (rest: object) => ({ each: 'accounts', as: 'account', ...rest });
const inner = (rest: object) => ({ each: 'account.entries', as: 'entry', ...rest });

t.test('entries, and entries in them, print in order', async (t) => {
  const row = inner({
    cells: ['{{account.number}}', '{{entry._number}}', '{{entry.day}}', '{{entry.amount}}'],
  });
  const lines = await linesOf(t, [
    each({
      stack: [
        '{{account._number}}: {{account.number}} of {{customer.name}}',
        { if: 'account.note', text: 'note {{account.note}}' },
        { unless: 'account.entries', text: 'no entries' },
        { if: 'account.entries', table: { body: [row] } },
        { if: 'account._first', text: 'the first' },
        { if: 'account._last', text: 'the last' },
      ],
    }),
  ]);
  t.same(lines, [
    '1: A-1 of Ada',
    'note frozen',
    'A-1 1 31 Jan 2026 1,000.00',
    'A-1 2 1 Feb 2026 -20.56',
    'the first',
    '2: A-2 of Ada',
    'no entries',
    '3: A-3 of Ada',
    'A-3 1 3.00',
    'the last',
  ]);
});

t.test('a row that wraps, and is made again later, keeps the entries around it', async (t) => {
  const cells = ['{{branch.name}}', '{{account.number}}', '{{entry.text}}'];
  const table = { widths: [50, 50, 200], body: [inner({ cells })] };
  const lines = await linesOf(t, [
    { each: 'branches', as: 'branch', stack: [each({ stack: [{ table }] })] },
  ]);
  t.same(
    lines.filter((line) => /^(?:North|South)/.test(line)).map((line) => line.slice(0, 16)),
    [
      'North A-1 Salary',
      'North A-1 word w',
      'North A-3',
      'South A-1 Salary',
      'South A-1 word w',
      'South A-3',
    ],
  );
});

t.test('a run, a list item and a row of a table are repeated, with a format', async (t) => {
  const format = { pattern: 'd/M' };
  const lines = await linesOf(t, [
    each({ text: ['Days:', inner({ text: ' {{entry.day}}', format })] }),
    { ul: [{ each: 'branches', as: 'branch', text: '{{branch.name}}' }] },
    { table: { body: [each({ cells: ['{{account.number}}', '{{account.note}}'] })] } },
  ]);
  t.same(lines, ['Days: 31/1 1/2', 'Days:', 'Days:', 'North', 'South', 'A-1 frozen', 'A-2', 'A-3']);
});

t.test('barcodes in entries are checked with their conditions', async (t) => {
  const barcode = { if: 'account.note', barcode: 'ean13', data: '{{account.number}}' };
  const result = await tryRender(templateOf([each({ stack: [barcode] })]), DATA);
  t.match(result, { ok: false, code: 'invalid_data', fields: [{ field: 'accounts' }] });
  const none = { ...DATA, accounts: DATA.accounts.slice(1) };
  t.match(await tryRender(templateOf([each({ stack: [barcode] })]), none), { ok: true });
});
