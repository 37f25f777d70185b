import type { Examples, KeyExample } from './key-examples.ts';

const of = (value: unknown, beside?: Readonly<Record<string, unknown>>): KeyExample =>
  beside === undefined ? { value } : { value, beside };
const forPeople = (value: unknown): KeyExample => ({ value, inert: 'people read it' });

/** Examples of the keys of a field and of its choices. */
export const FIELD_EXAMPLES: Readonly<Record<'field' | 'choice', Examples>> = {
  field: {
    name: of('number'),
    type: of('number'),
    required: of(true, { name: 'absent' }),
    secret: {
      value: true,
      beside: { name: 'absent', type: 'text', format: { mask: 'XXXX-xxxx' } },
      inert: 'it decides who may read the value',
    },
    value: of('upper("computed")', { name: 'absent', type: 'text' }),
    label: forPeople({ th: 'ยอดรวม', en: 'Total' }),
    help: forPeople('With tax, as on the invoice.'),
    group: forPeople({ th: 'การชำระเงิน', en: 'Payment' }),
    choices: of(['1', { value: '2', label: 'Two' }]),
    example: forPeople('1250.50'),
    columns: forPeople([{ th: 'รายการ', en: 'Item' }, 'Amount']),
    description: forPeople('With tax'),
    fields: of([{ name: 'name', type: 'text' }]),
    format: of({ decimals: 2 }),
    validation: of({ min: 10_000 }),
  },
  choice: {
    value: of('1250.5'),
    label: forPeople({ th: 'เงินสด', en: 'Cash' }),
  },
};
