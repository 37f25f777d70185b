import t from 'tap';
import { compileFile } from './fixtures.ts';

const DAYS = { pattern: 'd MMMM yyyy' };
const LINE_FIELDS = [
  { name: 'label', type: 'text' },
  { name: 'price', type: 'number' },
  { name: 'count', type: 'number' },
  { name: 'amount', type: 'number', value: 'price * count' },
];
const FIELDS = {
  number: { name: 'number', type: 'text', required: true },
  issued: { name: 'issued', type: 'date', format: DAYS },
  customer: { name: 'customer', type: 'record', fields: [{ name: 'city', type: 'text' }] },
  lines: { name: 'lines', type: 'list', fields: LINE_FIELDS },
  total: { name: 'total', type: 'number', value: 'sum(lines.map(l, l.amount))' },
};
const FAULTY_LINES = {
  ...FIELDS.lines,
  fields: LINE_FIELDS.with(1, { name: 'price', type: 'amount' }),
};
const ROW = {
  each: 'lines',
  as: 'line',
  filter: 'line.price > 0',
  groupBy: 'line.count',
  groupHeader: [{ text: '{{line.count}}', colSpan: 2 }, {}],
  cells: ['{{line.label}} {{line.price}}', '{{line.amount}}'],
  groupFooter: ['{{= size(group)}}', '{{= sum(group.map(l, l.price))}}'],
};
const CONTENT = [
  '{{number}}',
  { text: 'on {{issued}}', format: { calendar: 'gregory' } },
  'in {{customer.city}}',
  { table: { body: [ROW, ['{{total}}', '{{= lines[0].price}}']] } },
];

/** The findings of the template above when its contract has `fields` and its third text is `city`. */
async function told(fields: object = {}, city = CONTENT[2]): Promise<readonly string[]> {
  const { findings } = await compileFile({
    templateId: 'x',
    reference: '{{number}}',
    fields: Object.values({ ...FIELDS, ...fields }),
    document: { content: CONTENT.with(2, city ?? '') },
  });
  return findings.map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
}

t.test('one fault of the contract is one finding, wherever the field is used', async (t) => {
  t.same(await told(), []);
  const price = await told({ lines: FAULTY_LINES });
  t.match(price, [/^error fields\[3\]\.fields\[1\]\.type: /]);
  t.equal(price.length, 1, price.join('\n'));
  const city = { ...FIELDS.customer, fields: [{ name: 'city', type: 'string' }] };
  const place = await told({ customer: city });
  t.match(place, [/^error fields\[2\]\.fields\[0\]\.type: /]);
  t.equal(place.length, 1, place.join('\n'));
  for (const type of ['table', 'array']) {
    const list = await told({ lines: { ...FIELDS.lines, type } });
    t.match(list, [/^error fields\[3\]\.(?:fields: needs the type|type: )/], type);
    t.equal(list.length, 1, `${type}: ${list.join('\n')}`);
  }
  const number = { ...FIELDS.number, required: 'true' };
  t.match(await told({ number }), [/^error fields\[0\]\.required: /]);
  t.equal((await told({ number })).length, 1);
  const issued = { ...FIELDS.issued, format: { pattern: 'DD/MM/YYYY' } };
  t.match(await told({ issued }), [/^error fields\[1\]\.format\.pattern: uses DD, YYYY/]);
  t.equal((await told({ issued })).length, 1, 'not at its placeholders');
});

t.test('a placeholder that lacks its end still uses the field that it names', async (t) => {
  const open = await told({}, 'in {{customer.city');
  t.match(open, [/^error document\.content\[2\]: "{{" has no "}}"/]);
  t.equal(open.length, 1, open.join('\n'));
});

t.test('an undeclared name is reported beside other faults', async (t) => {
  const both = await told({ lines: FAULTY_LINES }, '{{prize}} {{= cty + 1}}');
  t.match(both, [/fields\[3\]/, /There is no field "prize"/, /There is no "cty"/, /customer.city/]);
});
