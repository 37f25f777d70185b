import t from 'tap';
import { outcomeOf } from '../../../../test/amounts/lay-out.ts';

/** Codes that share their place with texts and other codes. */

const PAGE = { pageSize: { width: 300, height: 300 }, pageMargins: 20 };
/** 21 modules a side: 63 points with `fit` 70. */
const SHORT = { s: 'A' };
/** 53 modules a side. */
const LONG = { s: 'x'.repeat(200) };
const shared = (field: string): unknown => [
  'invalid_data',
  { field, reason: 'code would share its place with a text or another code' },
];
const code = { qr: '{{s}}', fit: 70 };
const bars = { barcode: 'code128', data: '{{s}}', width: 80, height: 40 };

const outcome = async (content: unknown, data: object, more: object = {}): Promise<unknown> =>
  outcomeOf({ ...PAGE, content, ...more }, data);

t.test('a nested code reaches beyond its column over free room only', async (t) => {
  const nested = [
    { width: 60, text: '' },
    { width: 70, stack: [code] },
  ];
  const table = { table: { widths: [60, 70], body: [['', code]] }, layout: 'noBorders' };
  for (const inner of [{ columns: nested }, table, { ul: [{ columns: nested }] }]) {
    const beside = (other: unknown): object => ({
      columns: [{ width: 90, stack: [inner] }, other],
    });
    t.equal(await outcome(beside(''), SHORT), 'printed', 'nothing is there');
    t.same(await outcome(beside('some words'), SHORT), shared('s'), 'a text');
    t.same(await outcome(beside({ qr: 'A', fit: 50 }), SHORT), shared('s'), 'a code');
    t.same(await outcome(beside(bars), SHORT), shared('s'), 'bars');
  }
  t.equal(await outcome({ columns: [{ width: 160, columns: nested }, 'words'] }, SHORT), 'printed');
});

t.test('the lines of a table around it do not cross a nested code', async (t) => {
  const inner = {
    columns: [
      { width: 60, text: '' },
      { width: 70, stack: [code] },
    ],
  };
  const outer = (width: number): object => ({ table: { widths: [width], body: [[inner]] } });
  t.same(await outcome(outer(90), SHORT), shared('s'));
  t.equal(await outcome({ ...outer(90), layout: 'noBorders' }, SHORT), 'printed');
  t.equal(await outcome(outer(130), SHORT), 'printed');
});

t.test('nested codes give way where `auto` and `*` columns have not all room', async (t) => {
  const qr = { qr: '{{s}}', fit: 130 };
  for (const width of ['auto', '*']) {
    const inner = {
      columns: [
        { ...qr, width },
        { ...qr, width },
      ],
      width,
    };
    const table = {
      width,
      stack: [{ table: { widths: [width], body: [[qr]] }, layout: 'noBorders' }],
    };
    for (const nested of [inner, table, { width, ul: [inner] }]) {
      const beside = { width, text: 'Wordwordwordword' };
      t.equal(await outcome({ columns: [nested, inner] }, SHORT), 'printed');
      t.equal(await outcome({ columns: [nested, beside] }, SHORT), 'printed');
    }
  }
});

const label = (x: number): object => ({ text: 'PAY', absolutePosition: { x, y: 130 } });

t.test('a code that grows over a text, or under one, is refused', async (t) => {
  const at = { ...code, fit: 200, absolutePosition: { x: 20, y: 40 } };
  const words = { text: 'words at the right', alignment: 'right' };
  const lines = [{ text: '\n\n\n\n\n\n\n\n\n\n' }, words];
  for (const content of [
    [...lines, { qr: '{{s}}', absolutePosition: { x: 15, y: 12 } }],
    [{ qr: '{{s}}', absolutePosition: { x: 15, y: 12 } }, ...lines],
  ]) {
    t.equal(await outcome(content, SHORT), 'printed');
    t.same(await outcome(content, LONG), shared('s'));
  }
  const rows = Array.from({ length: 12 }, () => ['x']);
  const grid = { table: { body: [{ each: 'rows', cells: ['{{0}}'] }] }, layout: 'noBorders' };
  t.same(await outcome([at, grid], { s: 'A', rows }), shared('s'), 'rows of a table');
  t.equal(await outcome([at, label(105)], SHORT), 'printed', 'a label in the middle');
  t.same(await outcome([at, label(40)], SHORT), shared('s'), 'one at the side');
  const stamp = { text: 'COPY', fontSize: 60, absolutePosition: { x: 30, y: 60 } };
  t.equal(
    await outcome([{ ...stamp, color: '#dddddd' }, at], SHORT),
    'printed',
    'a light text below',
  );
  t.equal(await outcome([at, { ...stamp, opacity: 0.2 }], SHORT), 'printed', 'a faint text above');
  t.same(await outcome([at, stamp], SHORT), shared('s'));
  t.equal(await outcome([at], SHORT, { background: stamp }), 'printed', 'a letterhead below');
});

t.test('a text that reaches beyond its column does not cover a code', async (t) => {
  const long = { text: 'A text of the template that does not wrap', noWrap: true, width: 60 };
  t.same(await outcome({ columns: [long, code] }, SHORT), shared('s'));
  t.same(await outcome({ columns: [code, { ...long, width: 40 }] }, SHORT), 'printed');
});

const kept = (text: string): object => ({ text, fontSize: 10, preserveLeadingSpaces: true });

t.test('spaces that indent a text, or stand in it, may lie over a code', async (t) => {
  const over = (text: string): object => ({ ...kept(text), margin: [0, -40, 0, 0] });
  const moved = { ...code, margin: [0, -10, 0, 0] };
  const indent = '\u00a0'.repeat(40);
  t.equal(await outcome([code, over(`${indent}words`)], SHORT), 'printed', 'above it');
  t.equal(await outcome([kept(`${indent}words`), moved], SHORT), 'printed', 'below it');
  for (const short of ['', indent.slice(0, 16)]) {
    t.same(await outcome([code, over(`${short}words`)], SHORT), shared('s'));
    t.same(await outcome([kept(`${short}words`), moved], SHORT), shared('s'));
  }
  for (const blank of [indent, '\u00a0\u200b'.repeat(40), '\u3000'.repeat(12)]) {
    t.equal(await outcome([code, over(blank)], SHORT), 'printed', 'nothing else');
    const inside = { ...code, absolutePosition: { x: 60, y: 20 } };
    t.equal(await outcome([inside, `a${blank}words`], SHORT), 'printed', 'between two words');
    t.same(await outcome([inside, `a b words${blank}words`], SHORT), shared('s'));
  }
  const spaced = { ...code, absolutePosition: { x: 100, y: 20 } };
  const heading = { text: 'BANK', fontSize: 10 };
  t.equal(await outcome([spaced, heading], SHORT), 'printed');
  t.same(await outcome([spaced, { ...heading, characterSpacing: 40 }], SHORT), shared('s'));
  t.equal(await outcome([spaced, { ...heading, characterSpacing: 16 }], SHORT), 'printed');
});

const at = (y: number, field = 's'): object => ({
  qr: `{{${field}}}`,
  fit: 70,
  absolutePosition: { x: 20, y },
});
const words = (y: number): object => ({ text: 'words', absolutePosition: { x: 20, y } });

t.test('of several codes that share their places, the first is named', async (t) => {
  const data = { s: 'A', n: '1' };
  const texts = [words(20), words(180)];
  t.same(await outcome([at(170), at(20, 'n'), ...texts], data), shared('s'));
  t.same(await outcome([at(20, 'n'), at(170), ...texts], data), shared('n'));
  t.same(await outcome([at(170), at(20, 'n'), at(30, 'n'), words(180)], data), shared('s'));
  t.same(await outcome([at(20, 'n'), at(30, 'n'), at(170), words(180)], data), shared('n'));
});

t.test('codes of headers and footers keep off the content', async (t) => {
  const header = { ...code, fit: 120 };
  const right = { text: '1,234.00', alignment: 'right' };
  t.equal(await outcome(right, SHORT, { header }), 'printed');
  t.same(await outcome('1,234.00', SHORT, { header }), shared('s'), 'a text of the content');
  t.same(
    await outcome({ qr: 'A', fit: 50 }, SHORT, { header }),
    shared('s'),
    'a code of the content',
  );
  const moved = { ...code, absolutePosition: { x: 20, y: 5 } };
  t.same(await outcome(moved, SHORT, { header: { text: 'Bank', margin: 20 } }), shared('s'));
  t.same(await outcome('words', SHORT, { background: { ...code, margin: 10 } }), shared('s'));
  const fixed = { qr: 'https://bank.example', fit: 120 };
  t.same(await outcome('words', SHORT, { header: fixed }), ['render_failed']);
});

t.test('blank modules and half the height of bars may lie under other things', async (t) => {
  const padded = { ...code, padding: 4 };
  const above = { stack: [{ ...padded }, { text: 'caption', margin: [0, -12, 0, 0] }] };
  t.equal(await outcome(above, SHORT), 'printed', 'a caption in the blank modules');
  const close = [code, { ...padded, margin: [0, -10, 0, 0] }];
  t.same(await outcome(close, SHORT), shared('s'), 'the blank modules of the next code hide it');
  t.equal(await outcome([bars, { text: 'words', margin: [0, -14, 0, 0] }], SHORT), 'printed');
  t.same(await outcome([bars, { text: 'words', margin: [0, -24, 0, 0] }], SHORT), shared('s'));
  const turned = { ...code, absolutePosition: { x: 150, y: 60, rotate: 45 } };
  t.equal(await outcome([turned, 'words'], SHORT), 'printed');
});

t.test('a code in a header row that is repeated keeps to its place, too', async (t) => {
  const rows = Array.from({ length: 40 }, () => ['x']);
  const body = [[code], { each: 'rows', cells: ['{{0}}'] }];
  const table = { table: { headerRows: 1, widths: ['*'], body } };
  const snake = (width: number): object => ({
    columns: [
      { width: 100, stack: [table] },
      { width, text: '' },
      { width: '*', text: '' },
    ],
    snakingColumns: true,
    columnGap: 0,
  });
  t.same(await outcome(snake(40), { s: 'A', rows }), shared('s'), 'over that of the next column');
  t.equal(await outcome(snake(90), { s: 'A', rows }), 'printed');
});
