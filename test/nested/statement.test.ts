import { join } from 'node:path';
import t, { type Test } from 'tap';
import { check, pageTexts, render, shareTemplate } from '../../lab/render.ts';

/** Statement tables over lists: running balances of entries, carried over page breaks. */

const MONEY = { decimals: 2, thousandsSeparator: true };
const ENTRY = [
  { name: 'day', type: 'date', format: { pattern: 'd MMM' } },
  { name: 'amount', type: 'number', format: MONEY },
  { name: 'paid', type: 'record', fields: [{ name: 'out', type: 'number', format: MONEY }] },
  { name: 'text', type: 'text' },
];
const FIELDS = [
  { name: 'opening', type: 'number' },
  { name: 'entries', type: 'list', fields: ENTRY },
  {
    name: 'accounts',
    type: 'list',
    fields: [
      { name: 'number', type: 'text' },
      { name: 'opening', type: 'number', format: MONEY },
      { name: 'entries', type: 'list', fields: ENTRY },
    ],
  },
  { name: 'cells', type: 'table' },
];

const right = (text: string) => ({ text, alignment: 'right' });
const balance = right('{{statement.balance}}');
const carried = {
  broughtForward: ['brought', '', balance],
  carriedForward: ['carried', '', balance],
};

function templateOf(content: unknown, height: number): string {
  const pageSize = { width: 300, height };
  const document = { pageSize, pageMargins: 10, defaultStyle: { fontSize: 10 }, content };
  const fields = FIELDS.map((field) => ({ ...field, required: false }));
  return JSON.stringify({ templateId: 'statement', language: 'en', fields, document });
}

/** The lines of each page. */
async function pagesOf(
  t: Test,
  content: unknown,
  data: object,
  height = 800,
): Promise<readonly (readonly string[])[]> {
  const { pdf } = await render(shareTemplate(templateOf(content, height)), data);
  return pageTexts(join(t.testdir(), 's.pdf'), pdf).map((page) =>
    page
      .split('\n')
      .map((line) => line.trim().replaceAll(/\s+/g, ' '))
      .filter((line) => line !== ''),
  );
}

const table = (body: readonly unknown[], statement: object) => ({
  table: { widths: ['*', 60, 80], body, statement },
  layout: 'noBorders',
});
const row = {
  each: 'account.entries',
  as: 'entry',
  cells: ['{{entry.text}}', '{{entry.amount}}', balance],
};
const ofAccount = { each: 'account.entries', opening: 'account.opening', credit: 'amount' };
const entries = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    text: `e${index + 1}`,
    amount: `${index + 1}.10`,
  }));

t.test('each account has a balance of its own, from its opening balance', async (t) => {
  const content = {
    each: 'accounts',
    as: 'account',
    stack: ['{{account.number}}', table([row], ofAccount)],
  };
  const accounts = [
    {
      number: 'A',
      opening: '100',
      entries: [
        { text: 'a', amount: '-0.30' },
        { text: 'b', amount: 1e3 },
      ],
    },
    {
      number: 'B',
      entries: [{ text: 'c', amount: 0.1 }, { text: 'd', amount: 0.2 }, { text: 'e' }],
    },
    { number: 'C', opening: 7, entries: [] },
  ];
  t.same(await pagesOf(t, content, { accounts }), [
    ['A', 'a -0.30 99.70', 'b 1,000.00 1,099.70', 'B', 'c 0.10 0.10', 'd 0.20 0.30', 'e 0.30', 'C'],
  ]);
});

t.test('the balance is carried over the pages of each account', async (t) => {
  const content = {
    each: 'accounts',
    as: 'account',
    ...table([row], { ...ofAccount, ...carried }),
  };
  const accounts = [
    { opening: 1, entries: entries(4) },
    { opening: 50, entries: entries(5) },
  ];
  const pages = await pagesOf(t, content, { accounts }, 78);
  t.same(
    pages.map((page) => page.join(' | ')),
    [
      'e1 1.10 2.10 | e2 2.10 4.20 | carried 4.20',
      'brought 4.20 | e3 3.10 7.30 | e4 4.10 11.40',
      'e1 1.10 51.10 | e2 2.10 53.20 | carried 53.20',
      'brought 53.20 | e3 3.10 56.30 | carried 56.30',
      'brought 56.30 | e4 4.10 60.40 | e5 5.10 65.50',
    ],
  );
});

t.test('it runs over the entries as they are shown: filtered, sorted, in groups', async (t) => {
  const list = { each: 'entries', opening: 'opening', debit: 'paid.out', credit: 'amount' };
  const data = {
    opening: '10',
    entries: [
      { text: 'b', day: '2026-02-03', amount: 5 },
      { text: 'c', day: '2026-02-04', paid: { out: '2.5' } },
      { text: 'x', day: '2026-01-01' },
      { text: 'a', day: '2026-01-09', amount: 1 },
    ],
  };
  const sorted = {
    each: 'entries',
    as: 'entry',
    filter: 'entry.text != "x"',
    sortBy: 'entry.day',
    cells: ['{{entry.text}}', '{{entry.amount}}', balance],
  };
  t.same(await pagesOf(t, table([sorted], list), data), [
    ['a 1.00 11.00', 'b 5.00 16.00', 'c 13.50'],
  ]);
  const month = 'entry.day < date("2026-02-01") ? "January" : "February"';
  const grouped = {
    ...sorted,
    groupBy: month,
    groupHeader: [`{{= ${month}}}`, 'from', balance],
    groupFooter: ['', 'until', balance],
  };
  t.same(await pagesOf(t, table([grouped], list), data), [
    [
      'January from 10.00',
      'a 1.00 11.00',
      'until 11.00',
      'February from 11.00',
      'b 5.00 16.00',
      'c 13.50',
      'until 13.50',
    ],
  ]);
});

t.test('rows over another list, sorted, count nothing', async (t) => {
  const remarks = {
    each: 'entries',
    as: 'other',
    sortBy: 'other.text',
    cells: ['{{other.text}}', '', balance],
  };
  const sums = { each: 'cells', credit: 0, ...carried };
  const body = [{ each: 'cells', cells: ['', '{{0}}', balance] }, remarks];
  const data = { cells: [['1'], ['2']], entries: [{ text: 'b' }, { text: 'a' }] };
  t.same(await pagesOf(t, table(body, sums), data), [['1 1.00', '2 3.00', 'a 3.00', 'b 3.00']]);
});

/** The errors of a template whose statement has these keys. */
async function faults(statement: object): Promise<readonly string[]> {
  const content = {
    each: 'accounts',
    as: 'account',
    ...table([row], { ...ofAccount, ...statement }),
  };
  const findings = await check(templateOf(content, 800));
  return findings
    .filter(({ severity }) => severity === 'error')
    .map(
      ({ path, message }) => `${path.replace('document.content.table.statement.', '')}: ${message}`,
    );
}

t.test('publishing says what a statement over a list needs', async (t) => {
  t.same(await faults({}), []);
  t.match(await faults({ credit: 0 }), [/^credit: A list has no columns/]);
  t.match(await faults({ credit: 'amout' }), [/^credit: .*did you mean "amount"/]);
  t.match(await faults({ credit: 'text' }), [/^credit: "text" is of type text/]);
  t.match(await faults({ debit: '_number' }), [/^debit: .*no field "_number"/]);
  t.match(await faults({ opening: 'account.number' }), [/^opening: .*type text/]);
  t.match(await faults({ each: 'accounts' }), [/^each: /]);
  t.match(await faults({ each: 'account.number' }), [/^each: .*no list/]);
  t.match(await faults({ each: 'cells', credit: 'amount' }), [/^credit: A table has no names/]);
});
