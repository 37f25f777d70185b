import t from 'tap';
import { layOutFile, outcomeOf } from '../../../../test/amounts/lay-out.ts';
import type { Item } from '../../model/frame.ts';

const PAGE = { pageSize: { width: 300, height: 200 }, pageMargins: 20 };
/** 21 modules a side. */
const SHORT = { s: 'A' };
/** 53 modules a side. */
const LONG = { s: 'x'.repeat(200) };
const lost = (field: string): unknown => [
  'invalid_data',
  { field, reason: 'code is larger than its place on the page' },
];

interface Area {
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
  readonly heightPt: number;
}

/** The area of each code with its padding, if that is painted; else of its modules. */
function areasOf(items: readonly Item[], scale = 1, dx = 0, dy = 0): Area[] {
  return items.flatMap((item): Area[] => {
    const x = 'x' in item ? dx + item.x * scale : 0;
    const y = 'y' in item ? dy + item.y * scale : 0;
    if (item.kind === 'group') {
      return areasOf(item.items, scale * (item.matrix?.[0] ?? 1), x, y);
    }
    if (item.kind === 'qr') {
      return [{ x, y, widthPt: item.sizePt * scale, heightPt: item.sizePt * scale }];
    }
    if (item.kind !== 'path') return [];
    const [, , , width = 0, height = 0] = item.path;
    return [{ x, y, widthPt: width * scale, heightPt: height * scale }];
  });
}

/** The first area of a document of one page. */
async function areaOf(content: unknown, data: object, more: object = {}): Promise<Area> {
  const laid = await layOutFile({ ...PAGE, ...more, content }, data);
  if (!laid.ok) throw new Error(laid.message);
  t.equal(laid.value.pages.length, 1);
  const [area] = areasOf(laid.value.pages[0]?.body ?? []);
  if (area === undefined) throw new Error('no code is painted');
  return area;
}

const outcome = async (content: unknown, data: object, more: object = {}): Promise<unknown> =>
  outcomeOf({ ...PAGE, content, ...more }, data);

t.test('`fit` is the side without the padding, as in pdfmake', async (t) => {
  const A4 = { pageSize: 'A4', pageMargins: 40 };
  for (const padding of [0, 1, 4]) {
    for (const [fit, data, count, modulePt] of [
      [80, SHORT, 21, 3],
      [81, LONG, 53, 1],
      [400, SHORT, 21, 19],
      [30, LONG, 53, 30 / 53],
    ] as const) {
      const area = await areaOf({ qr: '{{s}}', fit, padding }, data, A4);
      const widthPt = (count + 2 * padding) * modulePt;
      t.ok(Math.abs(area.widthPt - Math.min(515.28, widthPt)) < 0.01, `${area.widthPt} of ${fit}`);
    }
  }
  const { x, widthPt } = await areaOf({ qr: '{{s}}', fit: 500, padding: 4 }, SHORT, A4);
  t.equal(x, 40);
  t.ok(Math.abs(widthPt - 515.28) < 0.01, 'what the page has no room for is made smaller');
});

t.test('a code that is wider than its place is made smaller', async (t) => {
  const qr = { qr: '{{s}}', fit: 400 };
  const whole = { x: 20, y: 20 };
  t.match(await areaOf(qr, SHORT), { ...whole, widthPt: 160, heightPt: 160 }, 'height of a page');
  const low = { ...PAGE, pageSize: { width: 200, height: 400 } };
  t.match(await areaOf(qr, SHORT, low), { ...whole, widthPt: 160 }, 'width of a page');
  t.match(await areaOf({ ...qr, padding: 4 }, SHORT, low), { ...whole, widthPt: 160 });
  const narrow = { columns: [{ width: 50, ...qr, alignment: 'right' }, 'text'] };
  t.match(await areaOf(narrow, SHORT), { ...whole, widthPt: 50 }, 'a column');
  const cell = { table: { widths: [50, '*'], body: [[qr, 'text']] }, layout: 'noBorders' };
  t.equal((await areaOf(cell, SHORT)).widthPt, 50, 'a cell');
  const bars = { barcode: 'code128', data: '{{s}}', width: 400, height: 30 };
  const area = await areaOf(bars, SHORT);
  t.ok(Math.abs(area.widthPt - 260) < 0.01 && Math.abs(area.heightPt - 19.5) < 0.01, 'bars');
  const pay = { barcode: 'promptPay', payee: '0801234567', fit: [300, 300] };
  t.ok(Math.abs((await areaOf(pay, {})).widthPt - 160) < 0.01, 'a payment');
});

t.test('`auto` and `*` columns that are too wide for their codes share the room', async (t) => {
  const qr = { qr: '{{s}}', fit: 200 };
  for (const width of ['auto', '*']) {
    const columns = [
      { ...qr, width },
      { width, stack: [qr, 'a caption'] },
    ];
    const { widthPt } = await areaOf({ columns }, SHORT);
    t.ok(widthPt > 120 && widthPt <= 130, `${width}: ${widthPt}`);
    const table = { widths: [width, width], body: [[qr, qr]] };
    const cell = await areaOf({ table, layout: 'noBorders' }, SHORT);
    t.ok(cell.widthPt > 120 && cell.widthPt <= 130, `a cell, ${width}: ${cell.widthPt}`);
    const beside = [
      { ...qr, width },
      { width: 'auto', text: 'Wordwordwordword' },
    ];
    const code = await areaOf({ columns: beside }, SHORT);
    t.ok(code.widthPt > 140 && code.widthPt < 180, `beside a word, ${width}: ${code.widthPt}`);
  }
  const many = { columns: Array.from({ length: 8 }, () => qr) };
  t.equal(await outcome(many, SHORT), 'printed');
  t.same(await outcome(many, LONG), lost('s'), 'even with modules of 0.7 points');
});

t.test('the next page is taken before a code is made smaller for its height', async (t) => {
  const content = ['a line', { qr: '{{s}}', fit: 160 }];
  const laid = await layOutFile({ ...PAGE, content }, SHORT);
  const pages = laid.ok ? laid.value.pages : [];
  t.equal(pages.length, 2);
  t.equal(areasOf(pages[1]?.body ?? [])[0]?.widthPt, 147, '7 points a module');
});

const columns = (width: number): object => ({ columns: [{ width, qr: '{{s}}' }, 'text'] });

const narrow = (width: number): object => ({
  columns: [{ width: 130, stack: [{ barcode: 'code128', data: '{{s}}', width }] }, 'text'],
});

t.test('a code whose modules would be too narrow is refused', async (t) => {
  t.equal(await outcome(columns(37.2), LONG), 'printed', '0.7 points a module');
  t.same(await outcome(columns(37), LONG), lost('s'));
  for (const width of [130, 131, 136]) {
    t.equal(await outcome(narrow(width), { s: 'a'.repeat(20) }), 'printed', `of ${width} points`);
  }
  t.same(await outcome(narrow(138), { s: 'a'.repeat(20) }), lost('s'), 'more than 5 % too wide');
  t.equal(await outcome(columns(37), SHORT), 'printed', 'a shorter text');
  t.same(await outcome({ qr: '{{s}}', fit: 30 }, LONG), 'printed', 'the template wants it so');
  const fixed = { columns: [{ width: 20, qr: 'x'.repeat(200) }, 'text'] };
  const laid = await layOutFile({ ...PAGE, content: fixed }, {});
  t.match(laid, {
    ok: false,
    code: 'render_failed',
    message:
      /^document\.content\.columns\[0\]: code is larger than its place .*; give it more room/,
  });
  const cells = { table: { widths: [20], body: [{ each: 'rows', cells: [{ qr: '{{0}}' }] }] } };
  t.same(await outcome(cells, { rows: [['A'], [LONG.s]] }), lost('rows'));
  const bars = { barcode: 'code128', data: '{{s}}' };
  t.same(await outcome(bars, { s: 'a'.repeat(60) }), lost('s'), 'bars');
});

t.test('a code that the paper would cut is refused', async (t) => {
  const qr = { qr: '{{s}}', fit: 63 };
  const at = (x: number, y: number): object => ({ ...qr, absolutePosition: { x, y } });
  t.match(await areaOf(at(230, 130), SHORT), { x: 230, y: 130, widthPt: 63 }, 'into the margin');
  t.match(await areaOf(at(240, 130), SHORT), { x: 240, widthPt: 40 }, 'to the margin');
  t.same(await outcome(at(275, 130), SHORT), lost('s'));
  t.same(await outcome(at(230, 150), SHORT), lost('s'), 'below');
  t.same(await outcome(at(-5, 20), SHORT), lost('s'), 'on the left');
  t.same(await outcome([{ ...qr, relativePosition: { x: 0, y: -30 } }], SHORT), lost('s'), 'above');
  t.same(await outcome([{ ...qr, margin: [-30, 0, 0, 0] }], SHORT), lost('s'), 'a margin');
  const turned = { ...qr, absolutePosition: { x: 60, y: 30, rotate: 90 } };
  t.same(await outcome(turned, SHORT), lost('s'), 'turned');
  t.equal(
    await outcome({ ...turned, absolutePosition: { x: 70, y: 30, rotate: 90 } }, SHORT),
    'printed',
  );
  const blank = { ...qr, padding: 4, absolutePosition: { x: -5, y: 20 } };
  t.equal(await outcome(blank, SHORT), 'printed', 'only blank modules are cut');
  for (const place of ['header', 'footer', 'background']) {
    t.same(await outcome('body', SHORT, { [place]: { ...qr, fit: 400 } }), lost('s'), place);
    t.equal(await outcome('body', SHORT, { [place]: { ...qr, fit: 20 } }), 'printed', place);
  }
  const bars = { barcode: 'code128', data: '{{s}}', width: 100, height: 30 };
  const barsAt = (x: number, y: number): object => ({ ...bars, absolutePosition: { x, y } });
  t.same(await outcome(barsAt(-20, 20), SHORT), lost('s'), 'bars');
  t.equal(await outcome(barsAt(20, -10), SHORT), 'printed', 'any strip of bars is enough');
});

t.test('a code whose value makes a header higher than its margin is refused', async (t) => {
  const qr = { qr: '{{s}}' };
  const header = { columns: ['Bank', { width: 'auto', stack: [qr] }] };
  const pageSize = { width: 300, height: 300 };
  const page = (top: number): object => ({ pageSize, pageMargins: [20, top, 20, 20], header });
  t.equal(await outcome('body', SHORT, page(106)), 'printed');
  t.same(await outcome('body', { s: 'x'.repeat(60) }, page(106)), lost('s'));
  t.equal(await outcome('body', { s: 'x'.repeat(60) }, page(170)), 'printed');
  t.equal(await outcome('body', SHORT, page(90)), 'printed', 'as high as its template wants it');
  const fixed = { pageSize, pageMargins: [20, 90, 20, 20], header: { qr: 'x'.repeat(60) } };
  const aside = { text: 'body', alignment: 'right' };
  t.equal(await outcome(aside, SHORT, fixed), 'printed', 'no value is to blame');
  const below = { ...page(106), header: { stack: ['{{s}}', { qr: 'A', fit: 80 }] } };
  t.same(
    await outcome('body', { s: 'word '.repeat(60) }, below),
    ['invalid_data', { field: 's', reason: 'text is longer than its place on the page' }],
    'a text moves the code down',
  );
  const typed = { ...page(106), header: { qr: '{{q}}' } };
  const more = { fields: [{ name: 'q', type: 'qrcode' }] };
  const long = await layOutFile({ ...typed, content: 'body' }, { q: 'x'.repeat(60) }, more);
  t.match(long, { ok: false, fields: [{ field: 'q' }] }, 'a field for codes');
  const ean = { barcode: 'ean13', data: '{{s}}', height: 60, margin: [0, 50, 0, 0] };
  const bars = { ...page(100), header: { columns: ['', { width: 'auto', stack: [ean] }] } };
  const digits = { s: '885123456789' };
  t.equal(await outcome('body', digits, bars), 'printed', 'bars that no single digit can be');
});

t.test('what is beside the code is in its place', async (t) => {
  const content = [{ qr: '{{s}}', fit: 400, margin: [10, 5, 10, 5] }];
  const area = await areaOf(content, SHORT, { pageSize: { width: 200, height: 300 } });
  t.same(area, { x: 30, y: 25, widthPt: 140, heightPt: 140 });
  for (const alignment of ['right', 'center']) {
    const qr = { qr: '{{s}}', margin: [10, 0, 20, 0], alignment };
    const columns = [{ ...qr, width: 140 }, 'text'];
    const { x } = await areaOf({ columns }, SHORT, { pageMargins: 30 });
    t.ok(x >= 40 && x + 105 <= 150, `${alignment}: between its margins, at ${x}`);
  }
});
