import fc from 'fast-check';
import t from 'tap';
import { lonePlaceholder } from './bindings.ts';
import { findingsOf, nodeOf } from '../fixtures.ts';
import type { TextTemplate } from '../../model/nodes.ts';

async function partsOf(text: string, around: object = {}): Promise<TextTemplate | undefined> {
  const node = await nodeOf('text', { text, ...around });
  return node.runs[0]?.text;
}

t.test('placeholders and literals in order', async (t) => {
  t.same(await partsOf('a {{text}}{{ number }} b'), [
    { kind: 'static', text: 'a ' },
    { kind: 'field', field: 0 },
    { kind: 'field', field: 1 },
    { kind: 'static', text: ' b' },
  ]);
  t.same(await partsOf('\\{{text}} {x} }}'), [{ kind: 'static', text: '{{text}} {x} }}' }]);
  t.same(await partsOf('{{3}}', { each: 'table' }), [{ kind: 'cell', column: 3, format: null }]);
});

t.test('line ends become LF; control characters are removed', async (t) => {
  t.same(await partsOf('a\r\nb\rc\u0000\u0007'), [{ kind: 'static', text: 'a\nb\nc' }]);
});

t.test('a text without braces stays one static part', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 30 }), async (text) => {
      fc.pre(!text.includes('{{') && !/[\p{Cc}\p{Cs}]/u.test(text));
      t.same(await partsOf(text), [{ kind: 'static', text }]);
    }),
    { numRuns: 50 },
  );
});

t.test('a lone placeholder binds images, codes and svg', async (t) => {
  t.equal(lonePlaceholder(' {{ a b }} '), 'a b');
  t.equal(lonePlaceholder('x{{a}}'), null);
  t.match(await nodeOf('image', { image: '{{image}}', fit: [10, 20] }), {
    source: { kind: 'field', field: 3 },
    fit: [10, 20],
  });
  t.match(await nodeOf('svg', { svg: '{{svg}}', width: 9 }), {
    source: { kind: 'field', field: 6 },
    widthPt: 9,
  });
  t.match(await nodeOf('svg', { svg: '<svg viewBox="0 0 1 1"><text>x</text></svg>' }), {
    source: { kind: 'static', root: { name: 'svg' } },
  });
});

t.test('runs may repeat and carry the conditions of the runs around them', async (t) => {
  const node = await nodeOf('text', {
    text: [{ if: 'number', text: ['a', { each: 'table', unless: 'date', text: '{{0}}, ' }] }],
  });
  t.match(node.runs, [
    { each: null, conditions: [{ field: 1, present: true }] },
    {
      each: 5,
      conditions: [
        { field: 1, present: true },
        { field: 2, present: false },
      ],
    },
  ]);
});

t.test('a field named like a page number keeps its name in the body', async (t) => {
  const fields = [{ name: 'pages', type: 'number', required: false }];
  const findings = await findingsOf({ content: '{{pages}}', footer: '{{pages}}' }, { fields });
  t.match(findings, [{ severity: 'warning', path: 'fields[0].name' }]);
});

t.test('contents, outlines and anchors', async (t) => {
  const document = {
    content: [
      { toc: { title: 'Contents', textStyle: { bold: true }, numberStyle: 'n', outlines: true } },
      { text: 'One', tocItem: true, id: 'one' },
      { text: 'Two', tocItem: ['_default_'], outline: true, id: 'two', outlineParentId: 'one' },
      {
        text: [
          { text: 'see', linkToDestination: 'two' },
          { text: '', pageReference: 'one' },
        ],
      },
    ],
    styles: { n: { italics: true } },
  };
  t.same(await findingsOf(document), []);
  const toc = await nodeOf('toc', document.content[0], { styles: document.styles });
  t.match(toc, {
    name: '_default_',
    textStyle: { stack: { bold: true } },
    numberStyle: { stack: { bold: false, italics: true } },
    title: { kind: 'text' },
  });
});

t.test('ids are unique; dead links are warnings', async (t) => {
  const content = [
    { text: 'a', id: 'x' },
    { text: 'b', id: 'x' },
    { text: 'c', linkToDestination: 'nowhere' },
  ];
  t.match(await findingsOf({ content }), [
    { severity: 'error', path: 'document.content[1].id' },
    { severity: 'warning', path: 'document.content[2].linkToDestination' },
  ]);
});
