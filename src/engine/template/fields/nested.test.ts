import t from 'tap';
import { compileFile, findingsOf } from '../fixtures.ts';

const FIELDS = [
  {
    name: 'customer',
    type: 'record',
    fields: [
      { name: 'name', type: 'text' },
      { name: 'photo', type: 'image' },
    ],
  },
  {
    name: 'accounts',
    type: 'list',
    fields: [
      { name: 'number', type: 'text' },
      { name: 'owner', type: 'record', fields: [{ name: 'name', type: 'text' }] },
      { name: 'entries', type: 'list', fields: [{ name: 'amount', type: 'number' }] },
    ],
  },
  { name: 'items', type: 'table' },
];

const content = (node: unknown) => findingsOf({ content: [node] }, { fields: FIELDS });
const each = (rest: object) => ({ each: 'accounts', as: 'account', ...rest });

t.test('paths are bound in records and in entries', async (t) => {
  t.same(await content('{{customer.name}}'), []);
  t.same(await content({ image: '{{customer.photo}}', if: 'customer' }), []);
  t.same(await content(each({ text: '{{account._number}} {{account.owner.name}}' })), []);
  const inner = {
    each: 'account.entries',
    as: 'entry',
    if: 'account._first',
    text: '{{account.number}} {{entry.amount}}',
  };
  t.same(await content(each({ stack: [inner] })), []);
  const body = [{ each: 'account.entries', as: 'entry', cells: ['{{entry.amount}}'] }];
  t.same(await content(each({ table: { body } })), []);
});

const told = async (node: unknown): Promise<readonly string[]> =>
  (await content(node)).map(({ path, message }) => `${path}: ${message}`);

t.test('names what is wrong with a path, and where', async (t) => {
  const at = 'document.content[0]';
  t.same(await told('{{customer.nam}}'), [
    `${at}: There is no field "customer.nam"; did you mean "customer.name"?`,
  ]);
  t.same(await told('{{customer}}'), [
    `${at}: Field "customer" is of type record; {{customer}} in a text needs text or number or date or qrcode.`,
  ]);
  t.same(await told(each({ text: '{{account.numbr}}' })), [
    `${at}.text: Entries of "accounts" have no field "numbr"; did you mean "account.number"?`,
  ]);
  t.same(await told('{{accounts.number}}'), [
    `${at}: "accounts" is a list: put {"each": "accounts", "as": "entry"} on this node or one around it, and write "entry.number".`,
  ]);
  t.same(await told({ each: 'accounts', text: 'x' }), [
    `${at}: "accounts" is a list: name its entries, such as "as": "entry".`,
  ]);
  t.same(await told({ each: 'accounts.entries', as: 'entry', text: '{{entry.amount}}' }), [
    `${at}.each: "accounts" is a list: put {"each": "accounts", "as": "entry"} on this node or one around it, and write "entry.entries".`,
  ]);
  t.same(await told(each({ text: '{{account}}' })), [
    `${at}.text: "account" is an entry of a list; name one of its fields: {{account.…}}.`,
  ]);
  t.same(await told(each({ text: '{{account.entries}}' })), [
    `${at}.text: "account.entries" is a list; put "each": "account.entries" on a node, and print values of its entries.`,
  ]);
  t.same(await told(each({ if: 'account.number', text: 'x' })), [
    `${at}.if: "account" is known only inside this node: use "filter" to leave entries out, or put the condition on a node inside it.`,
  ]);
  t.same(await told({ each: 'items', as: 'item', text: '{{0}}' }), [
    `${at}.as: "as" names the entries of a list; the cells of a table are {{0}}, {{1}}, …`,
  ]);
  t.same(await told(each({ stack: [{ ...each({ text: 'x' }), as: 'other' }] })), [
    `${at}.stack[0].each: The "each" around it goes over this list already.`,
  ]);
});

t.test('warns of values of entries that nothing uses', async (t) => {
  const document = { content: [each({ text: '{{account.number}}' }), '{{customer.name}}'] };
  const { findings } = await compileFile({ templateId: 'x', fields: FIELDS, document });
  t.same(
    findings.map(({ path, severity }) => `${severity} ${path}`),
    [
      'warning fields[0].fields[1]',
      'warning fields[1].fields[1].fields[0]',
      'warning fields[1].fields[2]',
      'warning fields[2]',
    ],
  );
});

t.test('a field in a record cannot be secret', async (t) => {
  const fields = [
    { name: 'r', type: 'record', fields: [{ name: 'pin', type: 'text', secret: true }] },
  ];
  const found = await findingsOf({ content: ['{{r.pin}}'] }, { fields });
  t.match(found, [{ severity: 'error', path: 'fields[0].fields[0].secret' }]);
});
