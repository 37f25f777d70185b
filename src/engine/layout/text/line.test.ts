import t from 'tap';
import { run, text } from '../fixtures/nodes.ts';
import { DataScope } from '../scope.ts';
import { AmountPolicy } from '../amounts/amounts.ts';
import { TextPlan } from '../box/text-plan.ts';
import type { Shape } from '../../font/font.ts';
import { Atom } from './atom.ts';
import { nextLine } from './line.ts';
import type { RunStyle } from './run-style.ts';

const SIZE_PT = 10;
const RUN = { noWrap: false, style: { sizePt: SIZE_PT } } as unknown as RunStyle;

/** Widths of the lines made of words with the given widths and reluctances. */
function linesOf(words: readonly (readonly [number, number])[], widthPt: number): number[] {
  const atoms = words.map(([width, reluctance]) => {
    const shape = { text: 'x', clusterCount: 1 } as unknown as Shape;
    return new Atom(shape, RUN, width, 0, 0, false, false, reluctance);
  });
  const start = { index: 0, rest: null };
  const lines: number[] = [];
  for (let line = nextLine(atoms, start, widthPt); line !== null;) {
    lines.push(line.widthPt);
    line = nextLine(atoms, start, widthPt);
  }
  return lines;
}

t.test(
  'words that belong together are split if a quarter of the line would stay empty',
  async (t) => {
    // prettier-ignore
    t.same(linesOf([[80, 0], [10, 1], [20, 0]], 100), [80, 30]);
    // prettier-ignore
    t.same(linesOf([[70, 0], [10, 1], [30, 0]], 100), [80, 30]);
  },
);

t.test('a phrase is split if half of a wide line or 3/4 of a narrow one is empty', async (t) => {
  // prettier-ignore
  t.same(linesOf([[110, 0], [50, 2], [60, 0]], 200), [110, 110]);
  // prettier-ignore
  t.same(linesOf([[90, 0], [50, 2], [100, 0]], 200), [140, 100]);
  // prettier-ignore
  t.same(linesOf([[40, 0], [40, 2], [50, 0]], 100), [40, 90]);
  // prettier-ignore
  t.same(linesOf([[20, 0], [40, 2], [50, 0]], 100), [60, 50]);
});

t.test('a line that starts with words that belong together takes as many as fit', async (t) => {
  // prettier-ignore
  t.same(linesOf([[40, 1], [40, 1], [40, 0]], 100), [80, 40]);
});

function atomsOf(content: string, wordBreak: 'normal' | 'break-all') {
  const plan = new TextPlan(
    text([run(content, { wordBreak })]),
    () => null,
    new AmountPolicy({ wideAmount: 'shrink', fields: [], amountColumns: [] }),
  );
  const box = plan.box(new DataScope([]));
  if (box.kind !== 'text') throw new Error('a plan of text makes a text');
  return box.atoms.map(({ shape, endsLine }) => ({ text: shape.text, endsLine }));
}

t.test('a line or paragraph separator ends a line and prints nothing', async (t) => {
  for (const wordBreak of ['normal', 'break-all'] as const) {
    const expected = atomsOf('ab cd \nef\n\ngh\n', wordBreak);
    t.equal(expected.filter(({ endsLine }) => endsLine).length, 4, 'newlines end lines');
    t.same(atomsOf('ab cd \u2028ef\u2029\u2029gh\u2028', wordBreak), expected, wordBreak);
  }
});
