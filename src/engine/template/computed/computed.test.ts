import t from 'tap';
import { listFields, listSchema } from '../fields/field-list.ts';
import { compileFile, findingsOf } from '../fixtures.ts';

const FIELDS = [
  { name: 'net', type: 'number', required: true },
  { name: 'due', type: 'date' },
  { name: 'note text', type: 'text' },
  { name: 'photo', type: 'image' },
  { name: 'pin', type: 'text', secret: true },
  {
    name: 'accounts',
    type: 'list',
    fields: [
      { name: 'number', type: 'text' },
      { name: 'entries', type: 'list', fields: [{ name: 'amount', type: 'number' }] },
    ],
  },
  { name: 'branches', type: 'list', fields: [{ name: 'name', type: 'text' }] },
];

const told = async (node: unknown, fields: readonly unknown[] = FIELDS) =>
  (await findingsOf({ content: [node] }, { fields })).map(
    ({ path, message }) => `${path}: ${message}`,
  );
const each = (rest: object) => ({ each: 'accounts', as: 'account', ...rest });
const at = 'document.content[0]';

t.test(
  'a condition is a name or an expression, by its signs and the names of fields',
  async (t) => {
    t.same(await told({ if: 'note text', text: 'x' }), []);
    t.same(await told({ if: '{{note text}}', unless: 'net > 5', text: 'x' }), []);
    t.same(await told({ if: 'nett', text: 'x' }), [
      `${at}.if: There is no field "nett"; did you mean "net"?`,
    ]);
    const branch = [{ name: 'branch', type: 'text' }];
    const customer = { name: 'customer', type: 'record', fields: branch };
    t.same(await told({ if: 'branch', text: '{{customer.branch}}' }, [customer]), [
      `${at}.if: There is no field "branch"; did you mean "customer.branch"?`,
    ]);
    t.same(await told({ if: '= true', text: 'x' }), []);
    t.same(await told({ if: 'a > b', text: 'x' }, [{ name: 'a > b', type: 'text' }]), []);
  },
);

t.test('mistakes are named at their path, with their column and the nearest name', async (t) => {
  t.same(await told({ if: 'net > 5 && nett < 7', text: 'x' }), [
    `${at}.if: Expression, column 12: There is no "nett"; did you mean "net"?`,
  ]);
  t.same(await told({ text: ['{{= due < 5}} {{= net +}}'] }), [
    `${at}.text[0]: Expression, column 1: \`due < 5\`: a date and a number cannot be compared.`,
    `${at}.text[0]: Expression, column 6: Expected a value, found the end.`,
  ]);
  t.same(await told(each({ text: '{{= account.numbr}}' })), [
    `${at}.text: Expression, column 9: \`account\` has no field "numbr"; did you mean "number"?`,
  ]);
  t.same(await told('{{= net > 5}}'), [
    `${at}: The expression gives a boolean; a text prints numbers, texts and dates; write condition ? "yes" : "no".`,
  ]);
  t.same(await told({ unless: 'net + 1', text: 'x' }), [
    `${at}.unless: The expression gives a number; a condition is true or false.`,
  ]);
  t.same(await told('{{= accounts}}'), [
    `${at}: The expression gives a list; a text prints numbers, texts and dates.`,
  ]);
});

t.test('entries are known inside of their each only, and secret fields nowhere', async (t) => {
  t.same(await told(each({ if: 'account.number == "1"', text: 'x' })), [
    `${at}.if: "account" is known only inside this node: use "filter" to leave entries out, or put the condition on a node inside it.`,
  ]);
  t.match(await told('{{= pin + "1"}}'), [/Field "pin" is secret/]);
  const inner = { each: 'branches', as: 'branch', text: '{{= account.number + branch.name}}' };
  t.match(await told(each({ stack: [inner] })), [/lists that do not stand in one another/]);
});

const field = (name: string, value: string, rest: object = {}) => ({
  name,
  type: 'number',
  value,
  ...rest,
});

t.test('computed fields are checked like expressions, and must not go round', async (t) => {
  const net = { name: 'net', type: 'number' };
  t.same(await told('{{b}}', [field('b', 'a + net'), field('a', 'net * 2'), net]), []);
  t.same(await told('{{a}}', [field('a', 'b + 1'), field('b', 'c'), field('c', 'a')]), [
    'fields[0].value: The value of this field depends on itself: a → b → c → a.',
  ]);
  t.same(await told('{{a}}', [field('a', 'nett'), net]), [
    'fields[0].value: Expression, column 1: There is no "nett"; did you mean "net"?',
  ]);
  t.same(await told('{{a}}', [{ ...field('a', 'net'), type: 'text' }, net]), [
    'fields[0].value: The expression gives a number, and the field is of type text; write string(…).',
  ]);
  t.same(await told({ image: '{{a}}' }, [{ ...field('a', 'net'), type: 'image' }, net]), [
    'fields[0].value: A field of type image cannot be computed; text, number, date, qrcode can.',
  ]);
});

t.test(
  'a list is counted without being read, so that its entries may ask for its size',
  async (t) => {
    const share = field('share', 'round(100 / size(lines), 2)');
    const lines = { name: 'lines', type: 'list', fields: [{ name: 'n', type: 'number' }, share] };
    const node = { each: 'lines', as: 'line', text: '{{line.share}} {{line.n}}' };
    t.same(await told(node, [lines]), []);
    const sum = field('share', 'sum(lines.map(l, l.share))');
    t.match(await told(node, [{ ...lines, fields: [lines.fields[0], sum] }]), [
      /depends on itself: lines.share → lines.share/,
    ]);
  },
);

t.test('what an expression reads is used, also where it has a fault', async (t) => {
  const document = { content: [{ if: 'size(accounts) > 1', text: '{{= net + due}}' }] };
  const { findings } = await compileFile({ templateId: 'x', fields: FIELDS, document });
  t.same(
    findings.filter(({ severity }) => severity === 'warning').map(({ path }) => path),
    ['fields[2]', 'fields[3]', 'fields[5].fields[1]', 'fields[6]'],
  );
});

const read = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

t.test('discovery and JSON Schema know that a field is computed', async (t) => {
  const file = { templateId: 'x', fields: [field('vat', '1', { required: true })] };
  const source = new TextEncoder().encode(JSON.stringify(file));
  t.same(read(listFields(source)), [
    { name: 'vat', type: 'number', required: false, validation: { computed: true } },
  ]);
  t.match(read(listSchema(source)), { properties: { vat: { readOnly: true } }, required: [] });
});

const sumOf = async (text: string, node = (inner: unknown): unknown => inner) =>
  (await told(node({ text })))[0]?.split('summed by ')[1];

t.test('{{sum}} over a list says what to write', async (t) => {
  t.equal(await sumOf('{{sum accounts.number}}'), '{{= sum(accounts.map(item, item.number))}}.');
  t.equal(await sumOf('{{sum accounts}}'), '{{= sum(accounts.map(item, item.…))}}.');
  t.equal(
    await sumOf('{{sum account.entries.amount}}', (inner) => each({ stack: [inner] })),
    '{{= sum(account.entries.map(item, item.amount))}}.',
  );
});

t.test('filter, sortBy and groupBy are checked where they stand', async (t) => {
  const shown = { text: '{{account.number}}' };
  t.same(
    await told(each({ filter: 'account.number != ""', sortBy: 'account.number desc', ...shown })),
    [],
  );
  t.same(await told({ filter: 'net > 1', text: 'x' }), [
    `${at}.filter: "filter" needs "each" over a list.`,
  ]);
  t.same(await told(each({ groupHeader: 'x', ...shown })), [
    `${at}.groupHeader: "groupHeader" needs "groupBy".`,
  ]);
  t.same(await told(each({ sortBy: ['account.numbr', 'net', 'account.entries'], ...shown })), [
    `${at}.sortBy[0]: Expression, column 9: \`account\` has no field "numbr"; did you mean "number"?`,
    `${at}.sortBy[1]: The expression reads nothing of the entry.`,
    `${at}.sortBy[2]: The expression gives a list; entries are ordered by numbers, texts, dates or conditions.`,
  ]);
  t.match(await told(each({ text: '{{= size(group)}}' })), [
    /There is no "group" here: only groupHeader and groupFooter know it/,
  ]);
});

const table = (row: object) => ({
  table: { body: [{ each: 'accounts', as: 'account', groupBy: 'account.number', ...row }] },
});
const row = `${at}.table.body[0]`;

t.test('the header and the footer of a group in a table are cells', async (t) => {
  const cells = ['{{account.number}}'];
  t.same(await told(table({ groupHeader: ['a'], groupFooter: { cells: ['b'] }, cells })), []);
  const wrong = { groupHeader: { cells, if: 'nosuch' }, groupFooter: { each: 'accounts' }, cells };
  t.same(await told(table(wrong)), [
    `${row}.groupHeader.if: "if" is not a key here`,
    `${row}.groupFooter: must be a row (an array of cells), which is printed once for each group; not {"each":"accounts"}.`,
  ]);
  t.same(await told(table({ groupHeader: 'text', cells })), [
    `${row}.groupHeader: must be a row (an array of cells), which is printed once for each group; not "text".`,
  ]);
});

t.test('a fault in the name of entries has no consequences', async (t) => {
  const inside = {
    stack: [
      { text: '{{a.number}} {{= size(a.entries)}}', if: 'a._first' },
      { each: 'a.entries', as: 'e', text: '{{e.amount}} {{nett}}' },
    ],
  };
  t.same(await told({ each: 'accounts', ...inside }), [
    `${at}: "accounts" is a list: name its entries, such as "as": "entry".`,
    `${at}.stack[1].text: There is no field "nett"; did you mean "net"?`,
  ]);
  const taken = [...FIELDS, { name: 'a', type: 'text' }];
  t.match(await told({ each: 'accounts', as: 'a', ...inside }, taken), [
    /A field has this name already/,
    /"nett"; did you mean "net"/,
  ]);
  const cells = ['{{account.number}} {{= size(account.entries)}}'];
  t.same(await told(table({ groupBy: 'number', groupFooter: ['{{= size(group)}}'], cells })), [
    `${row}.groupBy: Expression, column 1: There is no "number"; did you mean "account.number"?`,
  ]);
});

t.test('a name that is known elsewhere is said to be', async (t) => {
  t.same(await told('{{account.number}}'), [
    `${at}: There is no field "account.number": "account" is neither a field nor the "as" of an "each" around this place.`,
  ]);
});

t.test('a computed field of an entry knows its number', async (t) => {
  const before = 'sum(lines.filter(l, l._number <= _number).map(l, l.n))';
  const lines = {
    name: 'lines',
    type: 'list',
    fields: [{ name: 'n', type: 'number' }, field('balance', `_last ? 0 : ${before}`)],
  };
  const node = { each: 'lines', as: 'line', text: '{{line.balance}} {{line.n}}' };
  t.same(await told(node, [lines]), []);
});

t.test('a mask that an expression does not apply is a warning', async (t) => {
  const account = { name: 'account', type: 'text', format: { mask: 'XXX-x' } };
  const text = '{{= upper(account)}}';
  t.match(await told({ text }, [account]), [/Field account has a mask/]);
  t.same(await told({ text, format: { mask: 'XXX-x' } }, [account]), []);
  t.same(await told({ if: 'account != ""', text: '{{account}}' }, [account]), []);
});

const inside = (node: object) => each({ stack: [node] });

t.test('a name of an entry without the name of the entry is found there', async (t) => {
  const path = `${at}.stack[0]`;
  t.same(await told(inside({ text: '{{number}} {{_number}}' })), [
    `${path}.text: There is no field "number"; did you mean "account.number"?`,
    `${path}.text: There is no field "_number"; did you mean "account._number"?`,
  ]);
  t.same(await told(inside({ each: 'entries', as: 'e', text: '{{e.amount}}', if: 'number' })), [
    `${path}.if: There is no field "number"; did you mean "account.number"?`,
    `${path}.each: There is no field "entries"; did you mean "account.entries"?`,
  ]);
  t.same(await told({ text: '{{accounts[0].number}} {{accounts.0.number}}', if: 'true' }), [
    `${at}.if: There is no field "true"; write the expression as "= true".`,
    `${at}.text: "accounts[0].number" is an expression: write {{= accounts[0].number}}.`,
    `${at}.text: "accounts" is a list: put {"each": "accounts", "as": "entry"} on this node or one around it, and write "entry.number"; one entry alone is read by {{= accounts[0]}}.`,
  ]);
});

t.test('a computed field of an entry calls those beside it by their names alone', async (t) => {
  const lines = {
    name: 'lines',
    type: 'list',
    fields: [{ name: 'count', type: 'number' }, field('twice', 'line.count * 2')],
  };
  const node = { each: 'lines', as: 'line', text: '{{line.count}} {{line.twice}}' };
  t.match(await told(node, [lines]), [
    /There is no "line"; name a field of the same entry without a prefix: "count"\./,
  ]);
});
