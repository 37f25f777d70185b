import t from 'tap';
import { AMOUNT_FIELDS, layOutFile } from '../../../../test/amounts/lay-out.ts';
import { textsOf } from '../fixtures/lines.ts';

/** The texts of a page from left to right, each as it is read. */
async function printed(text: string, data: object, more: object = {}): Promise<string> {
  const document = { pageSize: { width: 600, height: 100 }, content: [{ text }] };
  const laid = await layOutFile(document, data, more);
  if (!laid.ok) throw new Error(laid.message);
  return textsOf(laid.value.pages[0]?.body ?? [])
    .map((item) => item.text)
    .join('');
}

const BEFORE = {
  Hebrew: '\u05d0\u05d1',
  'Hebrew, then a number': '\u05d0\u05d1 12',
  Arabic: '\u0645\u0631',
  'an Arabic letter mark': '\u061c',
  'an override': '\u05d0 \u202e',
  'an opening bracket': '\u05d0 (',
};

t.test('an amount keeps its signs and digits in order beside right-to-left text', async (t) => {
  const formats = [
    { prefix: '฿' },
    { prefix: '', suffix: ' ฿' },
    { prefix: '(', suffix: ')' },
    { prefix: 'THB ' },
    { prefix: '$', suffix: '%' },
  ];
  for (const [about, s] of Object.entries(BEFORE)) {
    for (const { prefix, suffix = '' } of formats) {
      const format = { decimals: 2, thousandsSeparator: true, prefix, suffix };
      const fields = [{ name: 'n', type: 'number', format }, ...AMOUNT_FIELDS.slice(1)];
      const amount = `-${prefix}1,234,567.50${suffix}`;
      const texts = ['{{s}} {{n}} paid {{n}}', '{{s}} {{n}}', '{{n}} {{s}} {{n}} {{s}}'];
      for (const text of texts) {
        const found = await printed(text, { s, n: '-1234567.50' }, { fields });
        const count = found.split(amount).length - 1;
        t.equal(count, text.split('{{n}}').length - 1, `${about}, ${amount}, ${text}: ${found}`);
      }
    }
  }
});

t.test('an amount without a format is one, too', async (t) => {
  const fields = [...AMOUNT_FIELDS, { name: 'a', type: 'text' }];
  const found = await printed('{{s}} {{a}}', { s: '\u05d0', a: '-฿5.00' }, { fields });
  t.ok(found.includes('-฿5.00'), found);
});
