import t from 'tap';
import type { FieldDefect } from '../../../errors.ts';
import { LIMITS } from '../../../limits.ts';
import { compileContract } from '../contract.ts';
import { contractProblems } from '../descriptor.ts';
import type { FieldDescriptor, FieldValues } from '../types.ts';

const text = (name: string, required = false): FieldDescriptor => ({
  name,
  type: 'text',
  required,
});
const number = (name: string, required = false): FieldDescriptor => ({
  name,
  type: 'number',
  required,
  format: { decimals: 2, thousandsSeparator: true },
});
const record = (name: string, fields: readonly FieldDescriptor[], required = false) =>
  ({ name, type: 'record', required, fields }) as const;
const list = (name: string, fields: readonly FieldDescriptor[], validation = {}) =>
  ({ name, type: 'list', required: false, validation, fields }) as const;

const CONTRACT: readonly FieldDescriptor[] = [
  record('customer', [text('name', true), record('address', [text('city', true)])], true),
  list('accounts', [
    text('number', true),
    number('balance'),
    list('entries', [number('amount', true), { name: 'day', type: 'date', required: false }]),
  ]),
  text('note'),
];

async function check(
  fields: readonly FieldDescriptor[],
  data: unknown,
): Promise<FieldValues | readonly FieldDefect[]> {
  const json = typeof data === 'string' ? data : JSON.stringify(data);
  const outcome = await compileContract(fields, 'en').check(new TextEncoder().encode(json));
  return outcome.ok ? outcome.value : (outcome.fields ?? []);
}

t.test('values of records and lists have their places', async (t) => {
  const values = await check(CONTRACT, {
    customer: { name: 'Ada', address: { city: 'London' } },
    accounts: [
      {
        number: '1',
        balance: 1250.5,
        entries: [{ amount: '10' }, { amount: -2, day: '2026-01-31' }],
      },
      { number: '2' },
      { number: '3', entries: [{ amount: 3 }] },
    ],
  });
  t.same(
    compileContract(CONTRACT, 'en').fields.map(({ name }) => name),
    [
      'customer',
      'customer.name',
      'customer.address',
      'customer.address.city',
      'accounts',
      'accounts.entries',
      'note',
    ],
  );
  t.match(values, [
    { type: 'record' },
    { display: 'Ada' },
    { type: 'record' },
    { display: 'London' },
    {
      type: 'list',
      parent: -1,
      rows: [
        ['1', '1', '', '1', '1,250.50', '1250.5'],
        ['2', '', '', '2', '', ''],
        ['3', '', '1', '3', '', ''],
      ],
    },
    {
      type: 'list',
      parent: 4,
      starts: [0, 2, 2],
      rows: [
        ['1', '1', '', '10.00', '10', '', ''],
        ['2', '', '1', '-2.00', '-2', '2026-01-31', '2026-01-31'],
        ['1', '1', '1', '3.00', '3', '', ''],
      ],
    },
    null,
  ]);
});

t.test('every defect is named once, by its path', async (t) => {
  const found = await check(CONTRACT, {
    customer: { address: { city: 5 } },
    accounts: [
      { number: '1', balance: 'x', entries: [{ amount: 'y' }, 7, { amount: 1, day: 'z' }, {}] },
      'no entry',
      { number: ['1'], entries: {} },
    ],
    note: 1,
  });
  t.same(found, [
    { field: 'customer.name', reason: 'required' },
    { field: 'customer.address.city', reason: 'text expected' },
    { field: 'accounts[0].balance', reason: 'number expected' },
    { field: 'accounts[0].entries[0].amount', reason: 'number expected' },
    { field: 'accounts[0].entries[1]', reason: 'object expected' },
    { field: 'accounts[0].entries[2].day', reason: 'date expected as YYYY-MM-DD' },
    { field: 'accounts[0].entries[3].amount', reason: 'required' },
    { field: 'accounts[1]', reason: 'object expected' },
    { field: 'accounts[2].number', reason: 'text expected' },
    { field: 'accounts[2].entries', reason: 'array of objects expected' },
    { field: 'note', reason: 'text expected' },
  ]);
});

t.test('an absent record demands nothing of its fields, one that is there does', async (t) => {
  const fields = [record('customer', [text('name', true)])];
  t.same(await check(fields, {}), [null, null]);
  t.same(await check(fields, { customer: null }), [null, null]);
  t.same(await check(fields, { customer: {} }), [{ field: 'customer.name', reason: 'required' }]);
  t.same(await check(fields, { customer: [] }), [{ field: 'customer', reason: 'object expected' }]);
  t.same(await check([record('customer', [text('name')], true)], {}), [
    { field: 'customer', reason: 'required' },
  ]);
});

t.test('numbers keep the digits they were sent with, however deep', async (t) => {
  const plain = { name: 'n', type: 'number', required: false } as const;
  const fields = [record('r', [plain]), list('l', [plain, list('m', [plain])])];
  const json =
    '{"r":{"n":1.10},"l":[{"n":12345678901234567890.10,"m":[{"n":"2.50"},{"n":1e3}]},{"n":0.30}]}';
  const values = (await check(fields, json)) as FieldValues;
  t.match(values[1], { raw: '1.10' });
  t.match(values[2], { rows: [{ 4: '12345678901234567890.10' }, { 4: '0.30' }] });
  t.match(values[3], { rows: [{ 4: '2.50' }, { 4: '1000' }] });
  // Where each number is as JavaScript writes it, no second parse is needed.
  const usual = (await check(
    fields,
    '{"r":{"n":-1.5},"l":[{"n":0.25},{"n":0},{"n":120}]}',
  )) as FieldValues;
  t.match(usual[1], { raw: '-1.5' });
  t.match(usual[2], { rows: [{ 4: '0.25' }, { 4: '0' }, { 4: '120' }] });
  for (const digits of ['-0', '-0.0', '1.0', '0.0000001', '1234567890123456', '1E2', '100.10']) {
    const sent = (await check(fields, `{"r":{"n":${digits}}}`)) as FieldValues;
    t.match(sent[1], { raw: digits === '1E2' ? '100' : digits }, digits);
  }
  // As a cell of a CSV has them.
  const cells = { r: '{"n":1.10}', l: '[{"n":7.00,"m":[{"n":5.0}]}]' };
  const encoded = (await check(fields, cells)) as FieldValues;
  t.match(encoded[1], { raw: '1.10' });
  t.match(encoded[2], { rows: [{ 4: '7.00' }] });
  t.match(encoded[3], { rows: [{ 4: '5.0' }] });
  t.same(await check(fields, { r: '{', l: '{}' }), [
    { field: 'r', reason: 'object expected' },
    { field: 'l', reason: 'array of objects expected' },
  ]);
});

const m = (count: number): object => ({ m: Array.from({ length: count }, () => ({ t: 'x' })) });

t.test('lists have bounds', async (t) => {
  const fields = [
    list('l', [list('m', [text('t')], { maxItems: 3 })], { minItems: 1, maxItemsTotal: 5 }),
  ];
  t.match(await check(fields, { l: [m(3), {}] }), [{ type: 'list' }, { type: 'list' }]);
  t.same(await check(fields, { l: [] }), [
    { field: 'l', reason: 'list of at least 1 entry expected' },
  ]);
  t.same(await check(fields, { l: [m(4)] }), [
    { field: 'l[0].m', reason: 'list of at most 3 entries expected' },
  ]);
  t.same(await check(fields, { l: [m(3), m(1)] }), [
    { field: 'l', reason: 'list has more than 5 entries, those of lists inside it included' },
  ]);
  const many = list('l', [number('n')]);
  const wrong = Array.from({ length: 1_500 }, () => ({ n: 'x' }));
  t.equal(((await check([many], { l: wrong })) as FieldDefect[]).length, LIMITS.defectsMax);
});

t.test('names the faults of records and lists in a contract', async (t) => {
  const deep = list('a', [list('b', [list('c', [list('d', [text('e')])])])]);
  const problems = contractProblems(
    [
      record('empty', []),
      record('page', [text('with.dot'), text('twice'), text('twice'), text('_first')]),
      list('l', [{ name: 'photo', type: 'image', required: false }], { minItems: 2, maxItems: 1 }),
      deep,
      text('l.photo'),
    ],
    'en',
  );
  t.same(
    problems.map(({ path }) => path),
    [
      'fields[1].fields[2].name',
      'fields[2].validation',
      'fields[2].validation.minItems',
      'fields[0]',
      'fields[1].fields[0].name',
      'fields[1].fields[3].name',
      'fields[2].fields[0].type',
      'fields[3].fields[0].fields[0].fields[0]',
      'fields[1].name',
      'fields[4].name',
    ],
  );
  t.same(contractProblems(CONTRACT, 'en'), []);
});
