import t from 'tap';
import { renderTagged } from './tree.ts';

/** Text in another language than the document's says so (ISO 14289-1, 7.2). */

const ENGLISH = { text: 'English inside', language: 'en' };

t.test('runs in another language are spans with their language', async (t) => {
  const content = [
    { text: ['ภาษาไทย with ', ENGLISH, ' และ'] },
    { text: [ENGLISH] },
    { text: ['In English, ', { text: 'ไทย', language: 'th' }, ' too'], language: 'en' },
    { text: ['ดู ', { ...ENGLISH, link: 'https://bank.example' }] },
    { text: ['a ', { text: 'word '.repeat(60), language: 'en' }] },
  ];
  const { lines, violations } = await renderTagged(content);
  t.strictSame(violations, []);
  t.strictSame(lines.slice(0, -1), [
    'Document',
    '  P "ภาษาไทย with  และ"',
    '    Span @en "English inside"',
    '  P',
    '    Span @en "English inside"',
    '  P @en "In English,  too"',
    '    Span @th "ไทย"',
    '  P "ดู"',
    '    Link @en links=1 "English inside"',
    '  P "a"',
  ]);
  t.match(lines.at(-1), /^ {4}Span @en "(word ?){60}"$/u, 'one span over all lines');
});

t.test('cells, items and what stands in them have their language', async (t) => {
  const body = [
    ['ชื่อ', { text: 'Name', language: 'en' }],
    ['ก', { text: ['x ', { text: 'ข', language: 'th' }], language: 'en' }],
  ];
  const content = [
    { table: { headerRows: 1, body } },
    { ul: [{ text: 'item', language: 'en' }, 'ข้อ'] },
    { table: { headerRows: 1, body: [['A'], [{ text: 'ข', language: 'th' }]] }, language: 'en' },
  ];
  const { lines, violations } = await renderTagged(content);
  t.strictSame(violations, []);
  t.strictSame(
    lines.filter((line) => /"/.test(line)).map((line) => line.trim()),
    [
      'TH scope=Column "ชื่อ"',
      'TH @en scope=Column "Name"',
      'TD "ก"',
      'TD @en "x"',
      'Span @th "ข"',
      'LBody @en "item"',
      'LBody "ข้อ"',
      'TH scope=Column "A"',
      'TD @th "ข"',
    ],
  );
});

t.test('rows of a table field have the language of their cells', async (t) => {
  const fields = [{ name: 'rows', type: 'table' }];
  const cells = ['{{0}}', { text: '{{1}}', language: 'en' }];
  const table = { headerRows: 1, body: [['ก', 'ข'], { each: 'rows', cells }] };
  const { lines } = await renderTagged({ table }, { fields }, { rows: [['ค', 'word']] });
  t.ok(
    lines.some((line) => line.trim() === 'TD @en "word"'),
    lines.join('\n'),
  );
});

t.test('an amount in English words in a Thai document is English', async (t) => {
  const format = { words: true, language: 'en', currency: 'THB' };
  const fields = [{ name: 'amount', type: 'number', format }];
  const content = [{ text: '{{amount}}' }, { text: 'รวม ({{amount}}) ถ้วน' }];
  const { lines, violations } = await renderTagged(content, { fields }, { amount: '20.00' });
  t.strictSame(violations, []);
  t.match(lines, [
    /Document/,
    /P$/,
    /Span @en ".*twenty/i,
    /P "รวม \(\) ถ้วน"/,
    /Span @en ".*twenty/i,
  ]);
});
