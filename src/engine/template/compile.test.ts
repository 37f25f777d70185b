import t from 'tap';
import { compiled, compileFile, nodeOf, nodesOf } from './fixtures.ts';

const RECEIPT = {
  templateId: 'receipt',
  name: 'ใบเสร็จรับเงิน',
  language: 'th',
  fields: [
    { name: 'customer', type: 'text', required: true },
    { name: 'total', type: 'number', required: true, format: { decimals: 2, prefix: '฿' } },
    { name: 'issued', type: 'date', required: true, format: { calendar: 'buddhist' } },
    { name: 'items', type: 'table', required: true },
    { name: 'verify', type: 'qrcode', required: false },
  ],
  document: {
    pageSize: 'A4',
    pageMargins: [40, 60, 40, 60],
    defaultStyle: { font: 'Sarabun', fontSize: 11 },
    styles: { h1: { fontSize: 18, bold: true } },
    header: { text: '{{customer}}', alignment: 'right', margin: [40, 20, 40, 0] },
    footer: { text: 'หน้า {{page}} จาก {{pages}}', alignment: 'center' },
    content: [
      { text: 'ใบเสร็จรับเงิน', style: 'h1' },
      { text: ['วันที่ ', { text: '{{issued}}', bold: true }] },
      {
        table: {
          headerRows: 1,
          widths: [30, '*', 80],
          body: [
            ['#', 'รายการ', { text: 'จำนวนเงิน', alignment: 'right' }],
            { each: 'items', cells: ['{{0}}', '{{1}}', { text: '{{2}}', alignment: 'right' }] },
            [{ text: 'รวม', colSpan: 2 }, {}, { text: '{{total}}', bold: true }],
          ],
        },
        layout: 'lightHorizontalLines',
      },
      { if: 'verify', qr: '{{verify}}', fit: 90 },
    ],
  },
  samples: [{ name: 'one', data: { customer: '…' } }],
};

t.test('a typical receipt compiles without a finding', async (t) => {
  const { template, findings } = await compileFile(RECEIPT);
  t.strictSame(findings, []);
  t.equal(template?.templateId, 'receipt');
  t.equal(template?.language, 'th');
  const [section] = template?.sections ?? [];
  t.same(section?.setup.margins, [40, 60, 40, 60]);
  t.equal(section?.setup.widthPt, 595.28);
  const [title, , table, qr] = section?.content.children ?? [];
  t.match(title, { kind: 'text', runs: [{ style: { sizePt: 18, stack: { family: 'Sarabun' } } }] });
  t.match(table, { kind: 'table', headerRows: 1, rows: [{ each: null }, { each: 3 }, {}] });
  t.match(qr, { kind: 'qr', conditions: [{ field: 4, present: true }], fitPt: 90 });
  t.match(section?.setup.footer?.rest, {
    runs: [{ text: [{ text: 'หน้า ' }, { kind: 'page' }, { text: ' จาก ' }, { kind: 'pages' }] }],
  });
});

const text = (value: string): object[] => [{ kind: 'static', text: value }];

t.test('shorthands mean the same as in pdfmake', async (t) => {
  const nodes = await nodesOf(['a', 12, true, null, '', {}, ['b', 'c'], 'x\ty']);
  const texts = nodes.map((node) => (node.kind === 'text' ? node.runs[0]?.text : node.kind));
  t.same(texts, [
    text('a'),
    text('12'),
    text('true'),
    text(''),
    text(''),
    text(''),
    'stack',
    text('x    y'),
  ]);
});

t.test('the page is A4 with 40 points around; the family follows the language', async (t) => {
  const english = await compiled({ content: 'x' });
  t.same(english.sections[0]?.setup.margins, [40, 40, 40, 40]);
  t.equal(english.fontUses[0]?.stack.family, 'Roboto');
  const thai = await compiled({ content: 'x' }, { language: 'th-TH' });
  t.equal(thai.fontUses[0]?.stack.family, 'Sarabun');
});

t.test('text nodes carry every run property', async (t) => {
  const node = await nodeOf('text', {
    text: [
      { text: 'a', sup: true },
      { text: 'b', link: 'https://x.example/{{text}}' },
    ],
    fontSize: 10,
    decoration: ['underline', 'overline'],
    decorationStyle: 'dashed',
    color: '#f00',
    background: 'yellow',
    characterSpacing: 2,
    lineHeight: 1.5,
    noWrap: true,
    opacity: 0.5,
    leadingIndent: 7,
    fontFeatures: ['smcp'],
  });
  t.equal(node.leadingIndentPt, 7);
  t.match(node.runs[0], {
    script: 'sup',
    lineHeight: 1.5,
    noWrap: true,
    background: 0xffff00,
    decoration: { lines: ['underline', 'overline'], style: 'dashed', color: 0xff0000 },
    style: { sizePt: 5.8, characterSpacingPt: 2, opacity: 0.5, color: 0xff0000 },
  });
  t.match(node.runs[1]?.link, { kind: 'uri', to: [{ text: 'https://x.example/' }, { field: 0 }] });
});

t.test('equal styles are one object', async (t) => {
  const [a, b] = await nodesOf([
    { text: 'a', bold: true },
    { text: 'b', bold: true },
  ]);
  t.ok(a?.kind === 'text' && b?.kind === 'text' && a.runs[0]?.style === b.runs[0]?.style);
});

t.test('lists keep counters, types and colours of their items', async (t) => {
  const list = await nodeOf('list', {
    ol: ['a', { text: 'b', counter: 7 }, { text: 'c', listType: 'none', markerColor: 'red' }],
    type: 'lower-roman',
    separator: ['(', ')'],
    start: 3,
    markerColor: 'blue',
  });
  t.match(list, { ordered: true, type: 'lower-roman', start: 3, separator: ['(', ')'] });
  t.equal(list.markerStyle.color, 0x0000ff);
  t.match(list.items, [
    { counter: null, markerColor: null },
    { counter: 7 },
    { listType: 'none', markerColor: 0xff0000 },
  ]);
  const reversed = await nodeOf('list', { ol: ['a', 'b', 'c'], reversed: true });
  t.equal(reversed.start, 3);
  t.same(reversed.separator, ['', '.']);
});

t.test('canvas vectors become paths and have the size that pdfmake gives them', async (t) => {
  const canvas = await nodeOf('canvas', {
    canvas: [
      { type: 'line', x1: 0, y1: 0, x2: 100, y2: 10, lineWidth: 2, dash: { length: 3 } },
      { type: 'rect', x: 5, y: 5, w: 20, h: 30, color: 'red', lineColor: 'blue' },
      { type: 'ellipse', x: 20, y: 60, r1: 10, r2: 5, linearGradient: ['red', 'blue'] },
      {
        type: 'polyline',
        points: [
          { x: 0, y: 0 },
          { x: 9, y: 9 },
        ],
        closePath: true,
      },
    ],
  });
  t.equal(canvas.widthPt, 100);
  t.equal(canvas.heightPt, 65);
  const [line, rect, ellipse, polyline] = canvas.vectors;
  t.same(line?.path, [0, 0, 0, 1, 100, 10]);
  t.match(line?.stroke, { widthPt: 2, dash: { lengths: [3, 3], phase: 0 } });
  t.equal(line?.fill, null);
  t.same(rect?.path, [4, 5, 5, 20, 30]);
  t.match(rect, { fill: { paint: 0xff0000 }, stroke: { paint: 0x0000ff } });
  t.match(ellipse?.fill?.paint, { kind: 'linear', x1: 10, x2: 30 });
  t.equal(ellipse?.stroke, null);
  t.same(polyline?.path, [0, 0, 0, 1, 9, 9, 3]);
});

t.test('font uses hold static text, formats, and whether there is free text', async (t) => {
  const { fontUses } = await compiled({
    content: [{ text: 'fixed {{number}}' }, { text: '{{text}}', bold: true }],
    footer: { text: '{{page}}', italics: true },
  });
  const [plain, bold, italics] = ['plain', 'bold', 'italics'].map((kind) =>
    fontUses.find(
      ({ stack }) => stack.bold === (kind === 'bold') && stack.italics === (kind === 'italics'),
    ),
  );
  t.ok(plain?.texts.includes('fixed '));
  t.ok(plain?.texts.includes('0123456789'));
  t.equal(plain?.freeText, false);
  t.equal(bold?.freeText, true);
  t.same(italics?.texts, ['0123456789']);
});

t.test('a qr node tells the contract what its value must fit', async (t) => {
  const { contract } = await compiled({
    content: { qr: 'https://x.example/{{qrcode}}', version: 1, eccLevel: 'H' },
  });
  const check = (value: string): unknown =>
    contract.check(new TextEncoder().encode(JSON.stringify({ qrcode: value })));
  t.match(check('a'.repeat(200)), { ok: false, code: 'invalid_data' });
});

/** A document of eight texts with this number of different features. */
const featured = (count: number): object => ({
  content: Array.from({ length: 8 }, (_, index) => ({
    text: 'office',
    fontFeatures: [index < count ? `ss0${index + 1}` : 'ss01'],
  })),
});

t.test('font stacks with features count as memory of the template', async (t) => {
  const [one, eight] = [await compiled(featured(1)), await compiled(featured(8))];
  t.ok(eight.bytes - one.bytes > 7 * 1024 * 1024, 'each holds a megabyte of shaped pairs');
});
