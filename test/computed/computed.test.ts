import { join } from 'node:path';
import t, { type Test } from 'tap';
import { pageTexts, render, shareTemplate, tryRender } from '../../lab/render.ts';

/** Documents with expressions, from the JSON of a request to the page. */

const FIELDS = [
  { name: 'customer', type: 'record', fields: [{ name: 'name', type: 'text' }] },
  {
    name: 'accounts',
    type: 'list',
    fields: [
      { name: 'number', type: 'text' },
      { name: 'limit', type: 'number' },
      {
        name: 'entries',
        type: 'list',
        fields: [
          { name: 'day', type: 'date' },
          { name: 'amount', type: 'number', required: true },
          { name: 'vat', type: 'number', value: 'round(amount * rate, 2)' },
        ],
      },
      { name: 'balance', type: 'number', value: 'sum(entries.map(e, e.amount + e.vat))' },
    ],
  },
  { name: 'rate', type: 'number', required: true },
  { name: 'due', type: 'date' },
  { name: 'total', type: 'number', value: 'sum(accounts.map(a, a.balance))' },
];

const DATA = {
  customer: { name: 'Ada' },
  accounts: [
    {
      number: 'A-1',
      limit: 10,
      entries: [
        { day: '2026-01-31', amount: 1000.1 },
        { day: '2026-02-01', amount: '-20.555' },
      ],
    },
    { number: 'A-2', entries: [] },
    { number: 'A-3', entries: [{ amount: 3 }] },
  ],
  rate: 0.07,
  due: '2026-01-31',
};

const templateOf = (content: readonly unknown[], fields: readonly unknown[] = FIELDS) =>
  shareTemplate(JSON.stringify({ templateId: 'computed', fields, document: { content } }));

async function linesOf(
  t: Test,
  content: readonly unknown[],
  data: object = DATA,
): Promise<readonly string[]> {
  const { pdf } = await render(templateOf(content), data);
  return pageTexts(join(t.testdir(), 'c.pdf'), pdf)
    .join('\n')
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '');
}

const each = (rest: object) => ({ each: 'accounts', as: 'account', ...rest });

t.test(
  'expressions of the document are printed exactly, in the formats of their texts',
  async (t) => {
    t.same(
      await linesOf(t, [
        '{{= 0.1 + 0.2}} {{= rate * 2}}',
        { text: '{{= total / 3}}', format: { decimals: 2, thousandsSeparator: true, prefix: '฿' } },
        { text: '{{= endOfMonth(addMonths(due, 1))}}', format: { pattern: 'd MMM yyyy' } },
        '{{= "Dear " + upper(customer.name)}}, {{total}}',
      ]),
      ['0.3 0.14', '฿350.44', '28 Feb 2026', 'Dear ADA, 1051.325'],
    );
  },
);

t.test(
  'computed fields are fields: of entries, of lists in lists, and of the document',
  async (t) => {
    t.same(
      await linesOf(t, [
        each({
          stack: [
            '{{account.number}}: {{account.balance}}',
            { each: 'account.entries', as: 'entry', text: '{{entry.amount}} + {{entry.vat}}' },
          ],
        }),
      ]),
      ['A-1: 1048.115', '1000.1 + 70.01', '-20.555 + -1.44', 'A-2: 0', 'A-3: 3.21', '3 + 0.21'],
    );
  },
);

t.test('conditions and texts read the entries around them', async (t) => {
  t.same(
    await linesOf(t, [
      each({
        stack: [
          { if: 'size(account.entries) == 0', text: '{{account.number}}: none' },
          {
            each: 'account.entries',
            as: 'entry',
            stack: [
              {
                if: 'has(account.limit) && entry.amount > account.limit',
                text: '{{account.number}} {{= entry._number * 10}}: {{= entry.amount - account.limit}} above',
              },
              { unless: 'entry.amount > 0', text: '{{= account.number + "!"}}' },
            ],
          },
        ],
      }),
      { if: 'customer.name == "Bob"', text: 'never' },
      { if: 'due', text: 'due' },
    ]),
    ['A-1 10: 990.1 above', 'A-1!', 'A-2: none', 'due'],
  );
});

t.test('rows of tables, runs and columns take them', async (t) => {
  const body = [
    [{ text: 'number', bold: true }, 'twice'],
    {
      each: 'accounts',
      as: 'account',
      cells: [
        '{{account.number}}',
        { text: ['{{= account.balance * 2}}'], format: { decimals: 2 } },
      ],
    },
    { if: 'total > 1000', cells: ['total', '{{= round(total, 1)}}'] },
    { if: 'total > 2000', cells: ['never', ''] },
  ];
  t.same(await linesOf(t, [{ table: { body } }]), [
    'number twice',
    'A-1 2096.23',
    'A-2 0.00',
    'A-3 6.42',
    'total 1051.3',
  ]);
});

t.test('what cannot be computed is invalid data, at the path of the expression', async (t) => {
  const content = [
    '{{= total / rate}} {{total}}',
    each({ stack: [{ if: 'account.limit > 5', text: '{{account.number}}' }] }),
  ];
  const result = await tryRender(templateOf(content), { ...DATA, rate: 0 });
  t.match(result, {
    code: 'invalid_data',
    fields: [
      {
        field: 'document.content[0]',
        reason: 'cannot be computed: `total / rate` divides by zero.',
      },
      {
        field: 'document.content[1].stack[0].if',
        reason: /^cannot be computed: for accounts\[1\]: `account.limit` is absent/,
      },
      {},
    ],
  });
});

t.test('a computed field that is sent is a defect by its path', async (t) => {
  const data = {
    ...DATA,
    total: 1,
    accounts: [{ number: 'A', balance: '', entries: [{ amount: 1, vat: 0.07 }] }],
  };
  const reason = 'computed by the template: leave it out';
  t.match(await tryRender(templateOf(['{{total}}']), data), {
    code: 'invalid_data',
    fields: [
      { field: 'accounts[0].entries[0].vat', reason },
      { field: 'total', reason },
    ],
  });
});

t.test('the rules of a computed field hold for its value', async (t) => {
  const fields = [
    { name: 'net', type: 'number' },
    { name: 'vat', type: 'number', value: 'net * 0.07', validation: { max: 10 } },
    { name: 'kind', type: 'text', required: true, value: 'has(net) ? "net" : null' },
  ];
  const template = templateOf(['{{vat}} {{kind}}'], fields);
  t.match(await tryRender(template, { net: 1000 }), {
    fields: [{ field: 'vat', reason: 'number of at most 10 expected' }],
  });
  t.match(await tryRender(template, {}), {
    fields: [
      {
        field: 'vat',
        reason: 'cannot be computed: `net` is absent: test it with has() or == null first.',
      },
      { field: 'kind', reason: 'required' },
    ],
  });
});

t.test('a number of more digits than can be printed is named, with its entry', async (t) => {
  const fields = [{ name: 'lines', type: 'list', fields: [{ name: 'n', type: 'number' }] }];
  const content = [{ each: 'lines', as: 'line', text: '{{= line.n * line.n}}' }];
  const lines = ['9'.repeat(30), '2', '8'.repeat(30)].map((n) => ({ n }));
  const field = 'document.content[0].text';
  const reason =
    '`line.n * line.n` gives a number of more than 40 digits, too large to be printed.';
  t.match(await tryRender(templateOf(content, fields), { lines }), {
    code: 'invalid_data',
    fields: [
      { field, reason: `cannot be computed: for lines[0]: ${reason}` },
      { field, reason: `cannot be computed: for lines[2]: ${reason}` },
    ],
  });
});

t.test('a number of too many decimals is told how to be rounded', async (t) => {
  const net = { name: 'net', type: 'number', required: true };
  const long = `${Array.from({ length: 30 }, () => 'net').join(' + ')} + net * net`;
  const share = { name: 'share', type: 'number', value: 'net * net' };
  const data = { net: `1.${'1'.repeat(30)}` };
  const told = async (content: readonly string[], fields: readonly object[]) =>
    tryRender(templateOf(content, [net, ...fields]), data);
  const why = 'gives a number of more than 40 digits';
  const rounded = `cannot be computed: \`net * net\` ${why}; write round(net * net, 2).`;
  t.match(await told(['{{net}} {{= net * net }}', `{{= ${long} }}`, '{{share}}'], [share]), {
    code: 'invalid_data',
    fields: [
      { field: 'share', reason: rounded },
      { field: 'document.content[0]', reason: rounded },
      { field: 'document.content[1]', reason: new RegExp(`…\` ${why}; write round\\(…, 2\\)\\.$`) },
    ],
  });
  const pages = await told(
    ['{{= round(net * net, 2) }}', `{{= round(${long}, 2) }}`, '{{share}}'],
    [{ ...share, value: 'round(net * net, 2)' }],
  );
  t.notMatch(pages, { code: 'invalid_data' }, 'what is proposed is printed');
});

t.test('the expressions of a document share a number of steps', async (t) => {
  const fields = [{ name: 'lines', type: 'list', fields: [{ name: 'n', type: 'number' }] }];
  const content = [{ each: 'lines', as: 'line', text: '{{= sum(lines.map(l, l.n + line.n))}}' }];
  const lines = Array.from({ length: 1000 }, (_, n) => ({ n }));
  const result = await tryRender(templateOf(content, fields), { lines });
  t.match(result, {
    fields: [
      {
        field: 'document.content[0].text',
        reason: /more than 1,000,000 steps; this one takes the most/,
      },
    ],
  });
});
