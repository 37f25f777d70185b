import t from 'tap';
import { nodeOf, findingsOf } from '../fixtures.ts';
import type { TableLayout } from '../../model/table-layout.ts';

async function layoutOf(layout: unknown, more: object = {}): Promise<TableLayout> {
  const node = await nodeOf('table', { table: { body: [['a']] }, layout }, more);
  return node.layout;
}

const six = [0, 1, 2, 3, 4, 5];

t.test('a layout may start from a named one', async (t) => {
  const layout = await layoutOf({ extends: 'lightHorizontalLines', paddingLeft: 8 });
  t.same(
    [0, 1, 2].map((column) => layout.paddingLeft(column, 3, 0)),
    [8, 8, 8],
  );
  t.same(
    [0, 1, 2].map((column) => layout.paddingRight(column, 3, 0)),
    [8, 8, 0],
  );
  t.same(
    six.map((line) => layout.hLineWidth(line, 5, 1)),
    [0, 2, 1, 1, 1, 0],
  );
  const table = { table: { body: [['a']] }, layout: { extends: 'lightLines' } };
  t.match(await findingsOf({ content: table }), [
    { severity: 'error', path: 'document.content.layout.extends', message: /"headerLineOnly"/ },
  ]);
});

t.test('the named layouts are pdfmake’s', async (t) => {
  const light = await layoutOf('lightHorizontalLines');
  t.same(
    six.map((line) => light.hLineWidth(line, 5, 1)),
    [0, 2, 1, 1, 1, 0],
  );
  t.same(
    six.map((line) => light.hLineWidth(line, 5, 0)),
    [0, 1, 1, 1, 1, 0],
  );
  t.same(
    [0, 1, 2].map((line) => light.hLineColor(line, 5, 1)),
    [0xaaaaaa, 0, 0xaaaaaa],
  );
  t.same(
    [0, 1, 2].map((column) => light.paddingLeft(column, 3, 0)),
    [0, 8, 8],
  );
  t.same(
    [0, 1, 2].map((column) => light.paddingRight(column, 3, 0)),
    [8, 8, 0],
  );
  const header = await layoutOf('headerLineOnly');
  t.same(
    six.map((line) => header.hLineWidth(line, 5, 2)),
    [0, 0, 2, 0, 0, 0],
  );
  const none = await layoutOf('noBorders');
  t.same(
    [0, 1, 2].map((column) => none.paddingLeft(column, 3, 0)),
    [0, 4, 4],
  );
  t.same([none.hLineWidth(1, 3, 0), none.vLineWidth(1, 3, 0)], [0, 0]);
  const plain = await layoutOf(undefined);
  t.same(
    [plain.hLineWidth(0, 1, 0), plain.paddingLeft(0, 1, 0), plain.paddingTop(0, 1, 0)],
    [1, 4, 2],
  );
});

t.test('a value, even and odd, places and arrays', async (t) => {
  const layout = await layoutOf({
    hLineWidth: { first: 3, outer: 2, header: 1.5, inner: 0.5 },
    vLineWidth: [4, 5],
    fillColor: { header: 'navy', even: '#eee' },
    paddingTop: 7,
    paddingLeft: { first: 0, rest: 9 },
    hLineColor: { odd: 'red' },
    hLineStyle: { dash: { length: 2, space: 3 } },
    defaultBorder: false,
    hLineWhenBroken: false,
  });
  t.same(
    six.map((line) => layout.hLineWidth(line, 5, 1)),
    [3, 1.5, 0.5, 0.5, 0.5, 2],
  );
  t.same(
    [0, 1, 2].map((line) => layout.vLineWidth(line, 2, 0)),
    [4, 5, 1],
  );
  t.same(
    [0, 1, 2, 3].map((row) => layout.fillColor(row, 4, 1)),
    [0x000080, null, 0xeeeeee, null],
  );
  t.equal(layout.paddingTop(3, 4, 0), 7);
  t.equal(layout.paddingBottom(3, 4, 0), 2);
  t.same(
    [0, 1].map((column) => layout.paddingLeft(column, 2, 0)),
    [0, 9],
  );
  t.same(
    [0, 1].map((line) => layout.hLineColor(line, 2, 0)),
    [0, 0xff0000],
  );
  t.same(layout.hLineDash(0, 1, 0), { lengths: [2, 3], phase: 0 });
  t.equal(layout.defaultBorder, false);
  t.equal(layout.hLineWhenBroken, false);
});

t.test('patterns paint tiles; a colour array is one colour', async (t) => {
  const patterns = {
    stripe: { boundingBox: [1, 1, 4, 4], xStep: 3, yStep: 3, pattern: '1 w 0 1 m 4 5 l s' },
  };
  const layout = await layoutOf({ fillColor: ['stripe', 'gray'] }, { patterns });
  t.match(layout.fillColor(0, 1, 0), {
    kind: 'tile',
    widthPt: 3,
    lineWidthPt: 1,
    color: 0x808080,
    path: [0, 0, 1, 1, 4, 5, 3],
  });
  const plain = await layoutOf({ fillColor: [255, 0, 0] });
  t.equal(plain.fillColor(0, 1, 0), 0xff0000);
  const rows = await layoutOf({ fillColor: ['red', null, 'blue'] });
  t.same(
    [0, 1, 2, 3].map((row) => rows.fillColor(row, 4, 0)),
    [0xff0000, null, 0x0000ff, null],
  );
});

t.test('the template’s own layouts are used by name; an unknown name is found', async (t) => {
  const tableLayouts = { mine: { hLineWidth: 3 } };
  const layout = await layoutOf('mine', { tableLayouts });
  t.equal(layout.hLineWidth(1, 2, 0), 3);
  const table = { table: { body: [['a']] } };
  t.match(await findingsOf({ content: { ...table, layout: 'lightHorizontalLine' } }), [
    { path: 'document.content.layout', message: /"lightHorizontalLines"\?/ },
  ]);
  t.match(await findingsOf({ content: { ...table, layout: { hLineWidth: { firts: 1 } } } }), [
    { path: 'document.content.layout.hLineWidth', message: /0 or more/ },
  ]);
  t.match(await findingsOf({ content: { ...table, layout: { hLineWidth: { first: 'x' } } } }), [
    { path: 'document.content.layout.hLineWidth.first', message: /0 or more/ },
  ]);
});
