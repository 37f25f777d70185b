import t from 'tap';
import { Findings } from '../vocabulary/findings.ts';
import { StyleDictionary } from './cascade.ts';
import { findingsOf, nodeOf, nodesOf } from '../fixtures.ts';

t.test('own properties, then the last style, then the parent, then the default', async (t) => {
  const styles = { a: { fontSize: 10, color: 'red' }, b: { fontSize: 20, bold: true } };
  const more = { styles, defaultStyle: { fontSize: 8, italics: true } };
  const stack = await nodeOf(
    'stack',
    {
      style: 'a',
      stack: ['x', { text: 'y', style: ['a', 'b'] }, { text: 'z', style: 'b', fontSize: 30 }],
    },
    more,
  );
  const styleOf = (index: number): unknown => {
    const node = stack.children[index];
    return node?.kind === 'text' ? node.runs[0]?.style : null;
  };
  t.match(styleOf(0), { sizePt: 10, color: 0xff0000, stack: { bold: false, italics: true } });
  t.match(styleOf(1), { sizePt: 20, color: 0xff0000, stack: { bold: true } });
  t.match(styleOf(2), { sizePt: 30, stack: { bold: true } });
});

t.test('extends takes the last parent first and own properties before it', async (t) => {
  const styles = {
    base: { fontSize: 9, color: 'green' },
    other: { color: 'blue' },
    child: { extends: ['base', 'other'], bold: true },
  };
  const node = await nodeOf('text', { text: 'x', style: 'child' }, { styles });
  t.match(node.runs[0]?.style, { sizePt: 9, color: 0x0000ff, stack: { bold: true } });
});

t.test('inline runs inherit from the run around them', async (t) => {
  const node = await nodeOf('text', {
    text: ['a', { text: ['b', { text: 'c', italics: true }], bold: true, color: 'red' }],
    fontSize: 14,
  });
  t.match(
    node.runs.map(({ style }) => style),
    [
      { sizePt: 14, color: 0, stack: { bold: false } },
      { sizePt: 14, color: 0xff0000, stack: { bold: true, italics: false } },
      { sizePt: 14, color: 0xff0000, stack: { bold: true, italics: true } },
    ],
  );
});

t.test('the first run aligns and indents, as in pdfmake', async (t) => {
  const text = [{ text: 'a', alignment: 'right', leadingIndent: 5 }, 'b'];
  const node = await nodeOf('text', { text, alignment: 'center' });
  t.match(node, { alignment: 'right', leadingIndentPt: 5 });
  t.match(await nodeOf('text', { text: [], alignment: 'center' }), { alignment: 'center' });
});

t.test('null counts as absent', async (t) => {
  const node = await nodeOf('text', { text: 'x', bold: null, fontSize: null }, {});
  t.match(node.runs[0]?.style, { sizePt: 12, stack: { bold: false } });
});

t.test('nodes inherit column gap, alignment and fill', async (t) => {
  const stack = await nodeOf('stack', {
    columnGap: 12,
    alignment: 'center',
    fillColor: '#eee',
    stack: [{ columns: ['a', 'b'] }, { table: { body: [['c']] } }],
  });
  const [columns, table] = stack.children;
  t.match(columns, { gapPt: 12, columns: [{ node: { alignment: 'center' } }, {}] });
  t.match(table, { rows: [{ cells: [{ fill: 0xeeeeee }] }] });
});

t.test('margins: every form, own over styles, never inherited', async (t) => {
  const styles = { wide: { margin: [1, 2, 3, 4] }, left: { marginLeft: 9 } };
  const nodes = await nodesOf(
    [
      { text: '', margin: 5 },
      { text: '', margin: [5, 6] },
      { text: '', margin: [1, 2, 3, 4] },
      { text: '', marginTop: 7 },
      { text: '', style: 'wide' },
      { text: '', style: 'wide', marginRight: 30 },
      { text: '', style: ['wide', 'left'] },
      { text: '', style: 'wide', margin: 0 },
      { stack: [''], margin: 8 },
    ],
    { styles, defaultStyle: { margin: 99 } },
  );
  t.same(
    nodes.map(({ margin }) => margin),
    [
      [5, 5, 5, 5],
      [5, 6, 5, 6],
      [1, 2, 3, 4],
      [0, 7, 0, 0],
      [1, 2, 3, 4],
      [1, 2, 30, 4],
      [9, 2, 3, 4],
      [0, 0, 0, 0],
      [8, 8, 8, 8],
    ],
  );
  const last = nodes.at(-1);
  t.ok(last?.kind === 'stack');
  t.same(last?.kind === 'stack' ? last.children[0]?.margin : null, [0, 0, 0, 0]);
});

t.test('a style with margins extends another one with margins', (t) => {
  const dictionary = new StyleDictionary(
    { a: { margin: [1, 2, 3, 4] }, b: { extends: 'a', marginTop: 20 }, c: { extends: 'a' } },
    'styles',
    new Findings(),
  );
  t.same(dictionary.margin({ style: 'b' }), [1, 20, 3, 4]);
  t.same(dictionary.margin({ style: 'c' }), [1, 2, 3, 4]);
  t.end();
});

t.test('styles that do not exist or extend themselves are findings, not endless loops', (t) => {
  const findings = new Findings();
  const dictionary = new StyleDictionary(
    { a: { extends: 'b' }, b: { extends: 'a', bold: true }, c: { extends: 'nope' } },
    'styles',
    findings,
  );
  t.same(
    findings.list().map(({ path }) => path),
    ['styles.a.extends', 'styles.b.extends', 'styles.c.extends'],
  );
  t.same(dictionary.enter({}, { style: 'a' }, ''), { bold: true });
  t.end();
});

t.test('a font that does not exist is named where it is declared, once', async (t) => {
  const document = {
    defaultStyle: { font: 'Robotto' },
    styles: { title: { font: 'Nosuch' }, unused: { font: 'Neither' } },
    content: [
      'one',
      'two',
      { text: 'three', style: 'title' },
      { text: 'four', style: 'title' },
      { text: 'five', font: 'Own' },
      { text: 'six', font: 'Own' },
    ],
  };
  const found = await findingsOf(document);
  t.strictSame(
    found.map(({ path }) => path),
    [
      'document.defaultStyle.font',
      'document.styles.title.font',
      'document.content[4].text',
      'document.content[5].text',
    ],
  );
  t.match(found[0], { message: 'There is no font "Robotto"; did you mean "Roboto"?' });
});
