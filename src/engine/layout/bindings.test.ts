import t from 'tap';
import { compileFile } from '../template/fixtures.ts';
import type { Finding } from '../job.ts';
import type { Run } from '../model/nodes.ts';
import { DataScope } from './scope.ts';

/** Text that placeholders print, from the template file to the page. */

const FIELDS = [
  { name: 'customer', type: 'text', format: {} },
  { name: 'account', type: 'text', format: { mask: 'XXX-X-Xxxxx-x' } },
  {
    name: 'total',
    type: 'number',
    format: { decimals: 2, thousandsSeparator: true, prefix: '฿' },
  },
  { name: 'inThai', type: 'number', format: { style: 'bahttext' } },
  { name: 'issued', type: 'date', format: { calendar: 'buddhist', pattern: 'd MMMM yyyy' } },
  { name: 'items', type: 'table' },
].map((field) => ({ ...field, required: false }));

const DATA = {
  customer: 'Ms Somying o’Hara-Lee',
  account: '1234567890',
  total: '1250.5',
  inThai: '1250.5',
  issued: '2026-11-21',
  items: [
    ['Statement', '2', '75.50'],
    ['Box', '1', '1,250.005'],
    ['Waived', '1', '-'],
  ],
};

interface Printed {
  readonly lines: readonly string[];
  readonly findings: readonly Finding[];
}

async function print(
  content: readonly unknown[],
  data: object = DATA,
  more: object = {},
): Promise<Printed> {
  const file = { templateId: 't', language: 'th', fields: FIELDS, document: { content, ...more } };
  const { template, findings } = await compileFile(file);
  const telling = findings.filter(({ message }) => !message.includes('nothing is bound'));
  if (template === null) return { lines: [], findings: telling };
  const checked = await template.contract.check(Buffer.from(JSON.stringify(data)));
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  const scope = new DataScope(checked.value);
  const lines = (template.sections[0]?.content.children ?? []).map((node) => {
    if (node.kind !== 'text') throw new Error('a test of texts');
    return node.runs.map((run: Run) => scope.text(run.text)).join('');
  });
  return { lines, findings: telling };
}

async function findingsOf(text: unknown, format: object): Promise<readonly Finding[]> {
  return (await print([{ text, format }])).findings;
}

t.test('one value in figures and in words, in both languages', async (t) => {
  const words = { words: true, currency: 'THB' };
  const { lines, findings } = await print([
    '{{total}}',
    { text: '{{total}}', format: words },
    { text: '{{total}}', format: { ...words, language: 'en' } },
    { text: '({{total}})', format: { ...words, language: 'en', case: 'upper' } },
    { text: '{{total}}', format: { prefix: 'THB ' } },
    { text: '{{inThai}}', format: { words: true, language: 'en' } },
    { text: '{{inThai}}', format: { decimals: 2 } },
  ]);
  t.same(findings, []);
  t.same(lines, [
    '฿1,250.50',
    'หนึ่งพันสองร้อยห้าสิบบาทห้าสิบสตางค์',
    'One thousand two hundred fifty baht and 50/100',
    '(ONE THOUSAND TWO HUNDRED FIFTY BAHT AND 50/100)',
    'THB 1,250.50',
    'One thousand two hundred fifty baht and 50/100',
    '1250.50',
  ]);
});

t.test('one day in two calendars; a format inherits keys from the field', async (t) => {
  const { lines, findings } = await print([
    '{{issued}}',
    { text: '{{issued}}', format: { calendar: 'gregory', language: 'en' } },
    { text: '{{issued}}', format: { pattern: 'dd/MM/yy', digits: 'thai' } },
    { text: '{{issued}}', format: { calendar: 'gregory', language: 'en', case: 'upper' } },
  ]);
  t.same(findings, []);
  t.same(lines, ['21 พฤศจิกายน 2569', '21 November 2026', '๒๑/๑๑/๖๙', '21 NOVEMBER 2026']);
});

t.test('text in capitals and in another mask', async (t) => {
  const { lines, findings } = await print([
    { text: '{{customer}}', format: { case: 'upper' } },
    { text: '{{customer}}', format: { case: 'lower' } },
    { text: 'total {{customer}}', format: { case: 'title' } },
    { text: '{{account}}', format: { mask: 'xxx-x-xxxxx-x' } },
    '{{account}}',
  ]);
  t.same(findings, []);
  t.same(lines, [
    'MS SOMYING O’HARA-LEE',
    'ms somying o’hara-lee',
    'total Ms Somying O’Hara-Lee',
    '123-4-56789-0',
    'XXX-X-X6789-0',
  ]);
});

t.test('an empty format changes nothing', async (t) => {
  const { lines, findings } = await print([{ text: '{{total}}', format: {} }]);
  t.same(findings, []);
  t.same(lines, ['฿1,250.50']);
});

t.test('a format reaches each placeholder that it fits, and the runs inside', async (t) => {
  const { lines, findings } = await print([
    { text: ['{{total}} on {{issued}}', { text: ', {{total}}' }], format: { decimals: 0 } },
  ]);
  t.same(findings, []);
  t.same(lines, ['฿1,251 on 21 พฤศจิกายน 2569, ฿1,251']);
});

t.test('an absent value prints nothing, with or without affixes', async (t) => {
  const content = [
    { text: '{{total}}', format: { prefix: '(', suffix: ')' } },
    { text: '{{sum items.2}}', format: { words: true } },
  ];
  t.same((await print(content, {})).lines, ['', '']);
});

t.test('language is inherited, and an inner one wins', async (t) => {
  const { lines, findings } = await print(
    [
      { language: 'en', text: ['{{issued}} ', { language: 'th', text: '{{issued}}' }] },
      { style: 'english', text: '{{issued}}' },
      { language: 'en', text: '{{total}}', format: { words: true, currency: 'THB' } },
      { language: 'de', text: '{{total}}' },
    ],
    DATA,
    { styles: { english: { language: 'en' } } },
  );
  t.same(findings, []);
  t.same(lines, [
    '21 November 2569 21 พฤศจิกายน 2569',
    '21 November 2569',
    'One thousand two hundred fifty baht and 50/100',
    '฿1.250,50',
  ]);
});

t.test('sums of a column are exact; cells without a number add nothing', async (t) => {
  const money = { decimals: 2, thousandsSeparator: true };
  const { lines, findings } = await print([
    '{{sum items.2}}',
    { text: '{{ sum items.2 }}', format: money },
    { text: '{{sum items.1}}' },
    { text: '{{sum items.2}}', format: { words: true, currency: 'THB', language: 'en' } },
  ]);
  t.same(findings, []);
  t.same(lines, [
    '1325.505',
    '1,325.51',
    '4',
    'One thousand three hundred twenty-five baht and 51/100',
  ]);
  t.same((await print(['{{sum items.2}}'], { items: [] })).lines, ['0']);
  const rows = Array.from({ length: 2_000 }, () => ['0.1', '99999999999999999999.99', '-0.05']);
  const many = await print(['{{sum items.0}} {{sum items.1}} {{sum items.2}}'], { items: rows });
  t.same(many.lines, ['200.0 199999999999999999999980.00 -100.00']);
});

t.test('a sum over something other than a table column is a finding', async (t) => {
  const { findings } = await print(['{{sum items.amount}}', '{{sum itms.2}}', '{{sum total.1}}']);
  t.match(findings, [
    { severity: 'error', path: 'document.content[0]', message: /number of its column, from 0/ },
    { severity: 'error', path: 'document.content[1]', message: /did you mean "items"/ },
    { severity: 'error', path: 'document.content[2]', message: /needs table/ },
  ]);
});

/** Findings about the sum of a column, in a template whose sample has rows. */
async function sumFindings(column: number): Promise<readonly Finding[]> {
  const content = [`{{sum items.${column}}}`];
  const samples = [{ name: 's', data: { items: DATA.items } }];
  const file = { templateId: 't', fields: FIELDS, document: { content }, samples };
  return (await compileFile(file)).findings.filter(({ path }) => path.startsWith('document'));
}

t.test('a sum over a column without numbers is a finding if samples show it', async (t) => {
  t.same(await sumFindings(2), []);
  t.match(await sumFindings(0), [{ severity: 'warning', path: 'document.content[0]' }]);
  t.match(await sumFindings(7), [{ message: /No sample has a number in column 7/ }]);
});

t.test('a format that does not fit the field is a finding', async (t) => {
  t.match(await findingsOf('{{total}}', { pattern: 'd' }), [
    { severity: 'error', path: 'document.content[0].format', message: /"total" is of type number/ },
  ]);
  t.match(await findingsOf('{{customer}}', { decimals: 2 }), [{ severity: 'error' }]);
  t.match(await findingsOf('{{total}}', { decimals: 2, calendar: 'gregory' }), [
    { severity: 'warning', path: 'document.content[0].format.calendar' },
  ]);
  t.match(await findingsOf('{{total}}', { words: true, currency: 'XYZ' }), [
    { severity: 'error', path: 'document.content[0].format.currency', message: /THB, USD/ },
  ]);
  t.match(await findingsOf('{{total}}', { words: true, language: 'de' }), [
    { severity: 'error', path: 'document.content[0].format.words', message: /Thai and English/ },
  ]);
  t.match(await findingsOf('{{total}}', { currency: 'THB', decimals: 2 }), [
    { severity: 'warning', path: 'document.content[0].format.currency' },
  ]);
  t.match(await findingsOf('{{total}}', { words: true, thousandsSeparator: true }), [
    { severity: 'warning', path: 'document.content[0].format.thousandsSeparator' },
  ]);
  t.match(await findingsOf('{{issued}}', { language: 'not a tag' }), [
    { severity: 'error', path: 'document.content[0].format.language' },
  ]);
  t.same(await findingsOf(['{{0}}', { text: 'x' }], { decimals: 2 }), [
    {
      severity: 'error',
      path: 'document.content[0].text[0]',
      message:
        '{{0}} is a cell of the current row; it needs "each" on this node or on one around it.',
    },
  ]);
});

t.test(
  'number words in a language that has none are a finding at the node that prints them',
  async (t) => {
    const fields = [{ name: 'n', type: 'number', format: { words: true } }];
    const file = (document: object): object => ({
      templateId: 't',
      language: 'th',
      fields,
      document,
    });
    const { findings } = await compileFile(file({ content: [{ language: 'de', text: '{{n}}' }] }));
    t.match(findings, [{ severity: 'error', path: /^document\.content\[0\]/ }]);
  },
);
