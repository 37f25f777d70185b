import t from 'tap';
import type { Shape } from '../../font/font.ts';
import { Atom } from './atom.ts';
import { bestLineEnds } from './best.ts';
import type { RunStyle } from './run-style.ts';

const RUN = { noWrap: false, style: { sizePt: 10 } } as unknown as RunStyle;

/** Atoms of the given widths, a space of 1 pt at the end of each. */
function atomsOf(widths: readonly number[], soft: readonly number[] = []): Atom[] {
  return widths.map((width, index) => {
    const shape = { text: 'x ', clusterCount: 2 } as unknown as Shape;
    return new Atom(shape, RUN, width + 1, 0, 1, false, false, soft.includes(index) ? 1 : 0);
  });
}

t.test('one line stays one line', async (t) => {
  t.same(bestLineEnds(atomsOf([3, 3, 3]), 0, 20), [3]);
});

t.test('a line passes a word to the next if that makes both more even', async (t) => {
  // Filled one by one: 6 6 5 | 12 | 9 9: the second line would be little more than half full.
  t.same(bestLineEnds(atomsOf([6, 6, 5, 12, 9, 9]), 0, 20), [2, 4, 6]);
});

t.test('a reluctant break is used only if it saves much', async (t) => {
  t.same(bestLineEnds(atomsOf([9, 5, 4, 9, 9], [1]), 0, 20), [3, 5]);
});

t.test('lines may begin in the middle of a paragraph', async (t) => {
  t.same(bestLineEnds(atomsOf([9, 9, 9, 9]), 2, 20), [4]);
});

t.test('a paragraph with a word wider than the line is left to line-by-line filling', async (t) => {
  t.equal(bestLineEnds(atomsOf([9, 30, 9]), 0, 20), null);
});
