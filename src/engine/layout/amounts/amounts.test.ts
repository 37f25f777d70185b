import t from 'tap';
import { linesOf, textsOf } from '../fixtures/lines.ts';
import { compileFile } from '../../template/fixtures.ts';
import { layoutDocument, narrowedAmounts } from '../layout.ts';
import { looksLikeAmount } from './look.ts';

const FORMAT = { decimals: 2, thousandsSeparator: true, prefix: '฿' };
const PAGE_PT = 600;

/** Lays out content with a number `n` and the table `rows`, in Sarabun 12 between margins. */
async function lay(content: unknown, data: object, more: object = {}, format: object = FORMAT) {
  const { template, findings } = await compileFile({
    templateId: 'test',
    language: 'en',
    fields: [
      { name: 'n', type: 'number', format },
      { name: 'rows', type: 'table' },
      { name: 'text', type: 'text' },
    ],
    document: {
      pageSize: { width: PAGE_PT, height: 2_000 },
      pageMargins: 0,
      defaultStyle: { font: 'Sarabun', fontSize: 12 },
      content,
    },
    ...more,
  });
  if (template === null) throw new Error(JSON.stringify(findings));
  const checked = await template.contract.check(Buffer.from(JSON.stringify(data)));
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  const laid = layoutDocument(template, checked.value);
  return { laid, narrowed: [...narrowedAmounts(template).keys()] };
}

async function linesIn(widthPt: number, node: object, data: object, format: object = FORMAT) {
  const { laid } = await lay([{ columns: [{ width: widthPt, ...node }] }], data, {}, format);
  if (!laid.ok) throw new Error(laid.message);
  return linesOf(laid.value).flat();
}

t.test('sign, prefix, number and suffix stay on one line at every width', async (t) => {
  const formats = [
    FORMAT,
    { ...FORMAT, prefix: 'THB ' },
    { ...FORMAT, prefix: '(', suffix: ')' },
    { ...FORMAT, prefix: '€', suffix: ' net' },
    { ...FORMAT, suffix: ' บาท' },
  ];
  for (const format of formats) {
    const amount = `-${format.prefix}1,250.50${'suffix' in format ? format.suffix : ''}`;
    for (let widthPt = 60; widthPt <= 327; widthPt += 3) {
      for (const alignment of ['left', 'justify']) {
        const node = { text: 'Your balance on 24 November is {{n}} after the fee.', alignment };
        const lines = await linesIn(widthPt, node, { n: '-1250.50' }, format);
        const found = lines.filter((line) => line.replaceAll('|', '').includes(amount));
        t.equal(found.length, 1, `${amount} at ${widthPt} pt, ${alignment}`);
      }
    }
  }
});

t.test('a justified line has no wide gap inside an amount', async (t) => {
  const text = 'Your balance is now {{n}} after the fee of this month, and it is due on Monday.';
  const format = { ...FORMAT, prefix: 'THB ' };
  const lines = await linesIn(190, { text, alignment: 'justify' }, { n: '1250.5' }, format);
  t.ok(
    lines.some((line) => line.includes('THB 1,250.50')),
    'the words of an amount are painted as one',
  );
});

t.test('auto columns are as wide as their amounts', async (t) => {
  const cells = Array.from({ length: 6 }, (_, column) => ({
    text: `{{${column}}}`,
    format: FORMAT,
  }));
  const table = { widths: cells.map(() => 'auto'), body: [{ each: 'rows', cells }] };
  const row = cells.map(() => '-123456.5');
  const { laid } = await lay([{ table }], { rows: [row, row] });
  if (!laid.ok) throw new Error(laid.message);
  t.same(linesOf(laid.value), [Array(2).fill(cells.map(() => '-฿123,456.50').join('|'))]);
});

t.test(
  'an amount that is wider than its column is printed smaller, on a line as high',
  async (t) => {
    const content = [{ columns: [{ width: 50, text: '{{n}}' }] }, 'after'];
    const { laid, narrowed } = await lay(content, { n: '123456.5' });
    if (!laid.ok) throw new Error(laid.message);
    const items = laid.value.pages[0]?.body ?? [];
    const [amount, after] = textsOf(items);
    t.equal(amount?.text, '฿123,456.50');
    t.ok(
      amount !== undefined && amount.width <= 50 && amount.width > 46,
      `${amount?.width} pt wide`,
    );
    t.ok(Math.abs((after?.y ?? 0) - (amount?.y ?? 0) - 15.6) < 0.01, 'the lines are 15.6 pt apart');
    t.same(narrowed, ['document.content[0].columns[0]']);
  },
);

async function refusal(content: unknown, data: object, more: object = {}) {
  const { laid } = await lay(content, data, more);
  return laid.ok ? 'printed' : [laid.code, ...(laid.fields ?? [])];
}

const rowsOf = (cell: unknown): object => ({
  table: { widths: [50], body: [{ each: 'rows', cells: [cell] }] },
});

t.test('an amount that fits in no size is refused at its field', async (t) => {
  const reason = 'amount is wider than its place on the page';
  const wide = '123456789012.50';
  const narrow = { columns: [{ width: 50, text: '{{n}}' }] };
  t.same(await refusal(narrow, { n: wide }), ['invalid_data', { field: 'n', reason }]);
  t.equal(await refusal(narrow, { n: '123456.50' }), 'printed');
  t.same(await refusal(narrow, { n: '123456.50' }, { wideAmount: 'reject' }), [
    'invalid_data',
    { field: 'n', reason },
  ]);
  const inRows = ['invalid_data', { field: 'rows', reason }];
  t.same(
    await refusal(rowsOf({ text: '{{0}}', format: FORMAT }), { rows: [['1'], [wide]] }),
    inRows,
  );
  t.same(await refusal(rowsOf('{{0}}'), { rows: [['1'], ['-฿123,456,789,012.50']] }), inRows);
  const sum = { columns: [{ width: 50, text: '{{sum rows.0}}', format: FORMAT }] };
  t.same(await refusal(sum, { rows: [['1'], [wide]] }), inRows);
  const least = { columns: [{ width: 50, text: '{{n}}', shrink: 10 }] };
  t.same(await refusal(least, { n: '12345678.50' }), ['invalid_data', { field: 'n', reason }]);
});

t.test('a sum that no page end shows refuses nothing', async (t) => {
  const balance = '{{statement.balance}}';
  const statement = {
    each: 'rows',
    credit: 1,
    carriedForward: ['', { text: balance, fontSize: 30 }],
  };
  const body = [{ each: 'rows', cells: ['{{0}}', { text: balance, fontSize: 8 }] }];
  const content = { table: { widths: [50, 70], statement, body } };
  const rows = Array.from({ length: 90 }, () => ['a remark of several lines', '1.00']);
  rows[9] = ['a remark of several lines', '123456789.00'];
  rows[10] = ['a remark of several lines', '-123456789.00'];
  t.equal(await refusal(content, { rows }), 'printed');
  rows[10] = ['a remark of several lines', '1.00'];
  const reason = 'amount is wider than its place on the page';
  t.same(await refusal(content, { rows }), ['invalid_data', { field: 'rows', reason }]);
});

t.test('digits alone are an amount where their column is summed', async (t) => {
  const cells = ['{{0}}', '{{1}}'];
  const table = { widths: [30, 30], body: [{ each: 'rows', cells }] };
  const rows = [['1234567', '54873']];
  const of = async (more: readonly unknown[]): Promise<string> => {
    const { laid } = await lay([{ table }, ...more], { rows });
    if (!laid.ok) throw new Error(laid.message);
    return linesOf(laid.value).flat().join('/');
  };
  t.equal(await of(['{{sum rows.1}}']), '1234|54873/567/54873');
  t.equal(await of([]), '1234|5487/567|3');
  const list = {
    ul: [{ each: 'rows', columns: [{ width: 24, text: '{{1}}' }] }, '{{sum rows.1}}'],
  };
  t.match(await of([list]), '54873/54873');
});

t.test('numbers in words and other text break as text', async (t) => {
  const words = await linesIn(60, { text: '{{n}}' }, { n: '1250.5' }, { words: true });
  t.ok(words.length > 3, words.join('/'));
  const text = await linesIn(60, { text: '{{text}}' }, { text: 'paid at 5 or 1,250.50 baht' });
  t.ok(text.length > 1, text.join('/'));
});

t.test('an amount is recognised in a text by its sign, separators or currency', async (t) => {
  const amounts =
    '-5|−฿1,250.50|(1,234.00)|฿ 1,250.50|1,250.50 CR|1.234.567,89|12,34,567.00|๑,๒๕๐.๕๐|.50|5%|US$5|' +
    "100.00-|THB 1,250.50|1'000.00|1,250.50 บาท|-(฿5.00)|[1,000]|1\u00a0234,50 €";
  const others =
    '1234567890|0-2345-6789|081 234 5678|24/11/2026|24.11.2026|A-5|paid 5.00|5 years|||-|n/a|+66812345678|' +
    '1,250.50 and 3.00|12:30|XXX-X-X6789-0';
  for (const text of amounts.split('|')) t.ok(looksLikeAmount(text), text);
  for (const text of others.split('|')) t.notOk(looksLikeAmount(text), text);
  t.notOk(looksLikeAmount(`1${',000'.repeat(100)}`), 'a very long text');
  const units = ['CR', 'DR', 'Cr', 'Dr', 'Rs', 'Rs.', 'บาท', '฿', 'THB', '€', '%', '‰', '-'];
  for (const unit of units) {
    t.ok(looksLikeAmount(`1,250.50 ${unit}`), unit);
    t.notOk(looksLikeAmount(`1,250.50 ${unit}ก`), `${unit} and a letter`);
  }
  const currencies = ['Rs', 'Rs.', 'บาท', '฿', 'THB', 'US$', '€'];
  for (const currency of currencies) {
    t.ok(looksLikeAmount(`${currency} ๑,๒๕๐`), currency);
    t.notOk(looksLikeAmount(`ก${currency} ๑,๒๕๐`), `a letter and ${currency}`);
  }
});
