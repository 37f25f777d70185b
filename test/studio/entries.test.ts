import t from 'tap';
import type { Field } from '../../studio/src/api/field-types.ts';
import { ExactNumber } from '../../studio/src/api/exact.ts';
import { entryFault } from '../../studio/src/form/entries.ts';

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

function check(field: Field, value: unknown): string {
  if (field.type === 'list') return told(field, value);
  return field.type === 'number' && !/^\d+$/.test(String(value)) ? 'number' : '';
}

function told(field: Field, value: unknown): string {
  const fault = entryFault(field, value, check);
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
