import t from 'tap';
import { readPages } from '../../../../test/money/pdf-text.ts';
import { render, shareTemplate } from '../../../../lab/render.ts';
import { findingsOf } from '../../template/fixtures.ts';

const FIELDS = [
  { name: 'n', type: 'number', format: { decimals: 2, thousandsSeparator: true } },
  { name: 'rows', type: 'table' },
];
const DATA = { n: '-1234567.50', rows: [['9,876,543.21']] };

/** How far the characters of each line lie apart at least, in shares of the size. */
async function leastAdvance(content: unknown): Promise<number> {
  const file = { templateId: 'x', name: 'x', fields: FIELDS, document: { content } };
  const { pdf } = await render(shareTemplate(JSON.stringify(file)), DATA);
  let least = Infinity;
  for (const { glyphs } of readPages(pdf)) {
    for (const [index, glyph] of glyphs.entries()) {
      const next = glyphs[index + 1];
      if (next === undefined || next.baseline !== glyph.baseline) continue;
      least = Math.min(least, (next.left - glyph.left) / glyph.size);
    }
  }
  return least;
}

const inRow = (more: object): object => ({
  table: { body: [{ each: 'rows', cells: [{ text: '{{0}}', ...more }] }] },
});

const findingsOfNode = (node: object) => findingsOf({ content: [node] });

t.test('no spacing prints the characters of an amount over each other', async (t) => {
  const cases: Record<string, unknown> = {
    'a spacing wider than a digit': { text: '{{n}}', characterSpacing: -20 },
    'a spacing that hides a comma': { text: '{{n}}', characterSpacing: -3 },
    'a cell': inRow({ characterSpacing: -8 }),
    'text around it': { text: ['Total ', { text: ' {{n}}', characterSpacing: -8 }] },
    'inherited by a large text': {
      characterSpacing: -2,
      stack: [
        { text: '{{n}}', fontSize: 8 },
        { text: '{{n}}', fontSize: 30 },
      ],
    },
    'raised digits': { text: [{ text: '{{n}}', sup: true }], characterSpacing: -1.2 },
    'a text that shrinks': { text: '{{n}}', shrink: 6, noWrap: true, characterSpacing: -9 },
  };
  for (const [about, node] of Object.entries(cases)) {
    const least = await leastAdvance([node]);
    t.ok(least > 0.14 && least < 1, `${about}: ${least} em`);
  }
});

t.test(
  'a spacing that values cannot have is a finding, and text of the template has any',
  async (t) => {
    t.match(await findingsOfNode({ text: '{{number}}', fontSize: 10, characterSpacing: -0.8 }), [
      {
        severity: 'warning',
        path: 'document.content[0].text',
        message: /10 pt are printed with -0\.5,/,
      },
    ]);
    t.same(await findingsOfNode({ text: '{{number}}', fontSize: 10, characterSpacing: -0.5 }), []);
    t.same(await findingsOfNode({ text: 'ACME', characterSpacing: -5 }), []);
  },
);
