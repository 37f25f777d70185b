import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';

/** The document's bytes as text: without compression an embedded file stands there as it is. */
async function fileOf(file: object, data: object): Promise<string> {
  const money = { decimals: 2, thousandsSeparator: true, prefix: '฿', digits: 'thai' };
  const template = shareTemplate(
    JSON.stringify({
      templateId: 'files',
      name: 'files',
      language: 'de',
      fields: [
        { name: 'total', type: 'number', required: true, format: money },
        { name: 'due', type: 'date', required: true, format: { calendar: 'buddhist' } },
        { name: 'payer', type: 'text', required: true, format: { case: 'upper' } },
        { name: 'fees', type: 'table', required: true },
      ],
      files: [file],
      document: { compress: false, content: '{{total}}' },
      samples: [],
    }),
  );
  return Buffer.from((await render(template, data)).pdf).toString('utf8');
}

const DATA = {
  total: '-1250.510',
  due: '2026-11-24',
  payer: 'a "b"',
  fees: [
    ['a', '1,000.5'],
    ['b', '-'],
  ],
};
const CONTENT = '{"total":{{total}},"fees":{{sum fees.1}},"due":"{{due}}","payer":"{{payer}}"}';

t.test('a plain file has decimals and days that programs read', async (t) => {
  const file = { name: 'a.json', mediaType: 'application/json', plain: true, data: CONTENT };
  const pdf = await fileOf(file, DATA);
  const [found = ''] = /\{"total".*\}/u.exec(pdf) ?? [];
  t.equal(found, '{"total":-1250.510,"fees":1000.5,"due":"2026-11-24","payer":"a \\"b\\""}');
  t.same(JSON.parse(found), { total: -1250.51, fees: 1000.5, due: '2026-11-24', payer: 'a "b"' });
});

t.test('any other file has values as they are printed', async (t) => {
  const file = { name: 'a.json', mediaType: 'application/json', data: CONTENT };
  t.match(await fileOf(file, DATA), '{"total":-฿๑.๒๕๐,๕๑,"fees":1000,5,');
});
