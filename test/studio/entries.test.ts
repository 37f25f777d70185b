import t from 'tap';
import type { Field } from '../../studio/src/api/field-types.ts';
import { ExactNumber } from '../../studio/src/api/exact.ts';
import { entryFault, numberFault } from '../../studio/src/form/entries.ts';

const LIST: Field = {
  name: 'accounts',
  type: 'list',
  required: true,
  fields: [
    { name: 'number', type: 'text', required: true },
    { name: 'opening', type: 'number', required: true },
    { name: 'closing', type: 'number', required: true, validation: { computed: true } },
    {
      name: 'entries',
      type: 'list',
      required: false,
      fields: [{ name: 'amount', type: 'number', required: true }],
    },
  ],
};

function checkNumber(field: Field, value: unknown): string {
  return field.type === 'number' ? numberFault(value) : '';
}

/** What is said of an entry with this JSON in a number field. */
function opening(json: string): string {
  return told(LIST, `[{ "number": "1", "opening": ${json} }]`, checkNumber);
}

t.test('a number of an entry is one as the service takes it', async (t) => {
  const long = '1'.repeat(41);
  for (const json of ['5', '"5"', '1.10', '-0', '1e3', '0.0000001', '1E-7', '1.5e+2', '"0.10"']) {
    t.equal(opening(json), '', json);
  }
  for (const json of ['"1e3"', '"1,000"', '" 5"', '"+5"', '"5."', '"x"']) {
    t.equal(opening(json), 'value 1 opening number expected', json);
  }
  for (const json of [long, `"${long}"`, `0.${long}`, '1e41', '1e-41', '1e400']) {
    t.equal(opening(json), 'value 1 opening number has more than 40 digits', json);
  }
  t.equal(numberFault(new ExactNumber('1e3')), '', 'of a sample');
  t.equal(numberFault('1e3'), 'number expected', 'as it is typed, it is sent as a text');
});

function check(field: Field, value: unknown): string {
  if (field.type === 'list') return told(field, value);
  return field.type === 'number' && !/^\d+$/.test(String(value)) ? 'number' : '';
}

function told(field: Field, value: unknown, by = check): string {
  const fault = entryFault(field, value, by);
  if (fault === null) return '';
  return [fault.kind, fault.entry, fault.field?.name, fault.reason].join(' ').trimEnd();
}

t.test('the entries of a list are checked as single fields are', async (t) => {
  const good = { number: '1', opening: 5, entries: [{ amount: '7' }] };
  t.equal(told(LIST, [good]), '');
  t.equal(told(LIST, JSON.stringify([good])), '');
  t.equal(told(LIST, '[{'), 'json 0');
  t.equal(told(LIST, '{}'), 'list 0');
  t.equal(told(LIST, [good, 'x']), 'object 2');
  t.equal(told(LIST, [good, new ExactNumber('1.10')]), 'object 2');
  t.equal(told(LIST, [{ ...good, number: '' }]), 'missing 1 number');
  t.equal(told(LIST, [good, { ...good, opening: '5,0' }]), 'value 2 opening number');
  t.equal(
    told(LIST, [{ ...good, entries: [{ amount: 'x' }] }]),
    'value 1 entries value 1 amount number',
  );
  t.equal(told({ ...LIST, type: 'record' }, '[]'), 'object 0');
});
