import t from 'tap';
import { flamePage } from './page.ts';
import { flameTree, type SampledNode } from './tree.ts';

function sampled(id: number, selfMs: number, children: readonly number[]): SampledNode {
  return { id, name: `f${id}`, place: `src/engine/f${id}.ts:1`, selfMs, children };
}

t.test('a function has the time of what it calls, the longest call first', async (t) => {
  const tree = flameTree([
    sampled(1, 1, [2, 3]),
    sampled(2, 2, []),
    sampled(3, 3, [4]),
    sampled(4, 4, []),
  ]);
  t.equal(tree.totalMs, 10);
  t.strictSame(
    tree.children.map(({ name, totalMs, selfMs }) => [name, totalMs, selfMs]),
    [
      ['f3', 7, 3],
      ['f2', 2, 2],
    ],
  );
});

t.test('calls that are too short to be seen are one', async (t) => {
  const short = Array.from({ length: 20 }, (_, index) => sampled(index + 2, 0.001, []));
  const tree = flameTree([
    sampled(
      1,
      1_000,
      short.map(({ id }) => id),
    ),
    ...short,
  ]);
  t.equal(tree.children.length, 1);
  t.equal(tree.children[0]?.name, '… more');
  t.ok(Math.abs((tree.children[0]?.totalMs ?? 0) - 0.02) < 1e-9);
});

t.test('a very deep stack is cut, and its time kept', async (t) => {
  const deep = Array.from({ length: 5_000 }, (_, index) => sampled(index + 1, 1, [index + 2]));
  let depth = 0;
  for (let node = flameTree([...deep, sampled(5_001, 1, [])]); ; depth++) {
    const [child] = node.children;
    if (child === undefined) break;
    node = child;
  }
  t.ok(depth < 200, `${depth} levels`);
});

t.test('the page is one file, and no name ends its script', async (t) => {
  const tree = flameTree([{ ...sampled(1, 1, []), name: '</script><b>' }]);
  const rows = [{ name: 'f', place: 'src/f.ts:1', selfMs: 1, share: 1 }];
  const graphs = [{ title: 'A: receipt', tree, rows }];
  const page = flamePage('commit <x>', graphs, null);
  t.notMatch(page, 'BUSY');
  t.match(flamePage('commit <x>', graphs, 'the machine is busy'), /BUSY: the machine is busy\./);
  t.notMatch(page, /<\/script><b>/);
  t.match(page, 'commit &lt;x&gt;');
  t.notMatch(page, /https?:|<link|src=|@import/, 'no network');
  const data = /<script type="application\/json" id="data">(.*)<\/script>\n<script>/s.exec(
    page,
  )?.[1];
  t.match(JSON.parse(data ?? ''), [{ title: 'A: receipt', tree: ['</script><b>'] }]);
});
