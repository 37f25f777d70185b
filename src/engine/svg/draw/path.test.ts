import t from 'tap';
import { rounded } from './fixtures.ts';
import { parsePath } from './path.ts';

function read(d: string): number[] {
  return rounded(parsePath(d));
}

t.test('path data: every command, absolute and relative', async (t) => {
  const expected = [0, 1, 2, 1, 3, 4, 1, 4, 5, 1, 9, 5, 1, 10, 5, 1, 10, 0, 1, 10, -1, 3];
  t.same(read('M1 2L3 4l1 1H9h1V0v-1z'), expected);
  t.same(read('m1,1 2,2 M5 5 6 6'), [0, 1, 1, 1, 3, 3, 0, 5, 5, 1, 6, 6]);
  t.same(read('M0 0C1 1 2 1 3 0S5-1 6 0'), [0, 0, 0, 2, 1, 1, 2, 1, 3, 0, 2, 4, -1, 5, -1, 6, 0]);
  t.same(read('M0 0s1 1 2 0'), [0, 0, 0, 2, 0, 0, 1, 1, 2, 0]);
  t.same(read('M0 0Q3 3 6 0T12 0').slice(3), [2, 2, 2, 4, 2, 6, 0, 2, 8, -2, 10, -2, 12, 0]);
  t.same(read('M1 1h2zl5 5'), [0, 1, 1, 1, 3, 1, 3, 1, 6, 6], 'z goes back to the start');
  t.same(read('M.5.5-1-1e1'), [0, 0.5, 0.5, 1, -1, -10], 'numbers need no separator');
});

t.test('path data ends where it is broken', async (t) => {
  t.same(parsePath('L1 1'), []);
  t.same(parsePath('M0 0L1 1X2 2L3 3'), [0, 0, 0, 1, 1, 1]);
  t.same(parsePath('M0 0L1 1 2'), [0, 0, 0, 1, 1, 1]);
  t.same(parsePath('M0 0z 5 5'), [0, 0, 0, 3]);
  t.same(parsePath('M1e999 NaN'), []);
  t.same(parsePath('M1e30 -1e30'), [0, 1e6, -1e6]);
});

t.test('arcs run along their ellipse', async (t) => {
  for (const flags of ['0 0', '0 1', '1 0', '1 1']) {
    const out = parsePath(`M10 0A10 10 0 ${flags} 0 10`);
    t.same(rounded(out.slice(-2)), [0, 10], flags);
    // All ends of the pieces lie on one of the two circles through both points.
    const ends: number[][] = [];
    for (let at = 3; at < out.length; at += 7) ends.push(out.slice(at + 5, at + 7));
    const centre = flags === '0 1' || flags === '1 0' ? [0, 0] : [10, 10];
    for (const [x = 0, y = 0] of ends) {
      t.ok(Math.abs(Math.hypot(x - centre[0]!, y - centre[1]!) - 10) < 1e-6, `${flags} ${x},${y}`);
    }
    t.equal(ends.length, flags.startsWith('1') ? 3 : 1, 'a quarter turn per piece');
  }
  t.same(parsePath('M0 0a5 5 0 01.5.5').slice(-2), [0.5, 0.5], 'flags without separators');
  t.same(parsePath('M0 0A0 5 0 0 1 9 9'), [0, 0, 0, 1, 9, 9], 'no radius: a line');
  t.same(parsePath('M3 3A5 5 0 0 1 3 3'), [0, 3, 3], 'no distance: nothing');
  const mended = parsePath('M0 0A1 1 0 0 1 10 0');
  t.same(rounded(mended.slice(8, 10)), [5, -5], 'too small radii grow');
});
