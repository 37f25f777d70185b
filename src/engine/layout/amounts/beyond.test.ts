import t from 'tap';
import { layOutFile, outcomeOf } from '../../../../test/amounts/lay-out.ts';
import { linesOf, textsOf } from '../fixtures/lines.ts';
import type { GroupItem } from '../../model/frame.ts';

const PAGE = { pageSize: { width: 338, height: 200 }, pageMargins: 20 };
const LONG = 'long name here '.repeat(5).trim();
const SHORT = 'a long name of more than half of';
const wide = ['invalid_data', { field: 'n', reason: 'amount is wider than its place on the page' }];
const lost = (field: string): unknown => [
  'invalid_data',
  { field, reason: 'text is longer than its place on the page' },
];

const of = async (node: object, s: string, n = '1234567.50'): Promise<unknown> =>
  outcomeOf({ ...PAGE, content: [node] }, { n, s, rows: [] });

t.test('a line with an amount that must not wrap fits its place or is refused', async (t) => {
  for (const alignment of ['left', 'center', 'right', 'justify']) {
    const node = { text: '{{s}} {{n}}', noWrap: true, alignment };
    t.same(await of(node, LONG.repeat(2)), wide, alignment);
    t.same(await of({ ul: [node] }, LONG.repeat(2)), wide, `${alignment} in a list`);
    t.equal(await of(node, 'a name'), 'printed', alignment);
    const s = 'long name here '.repeat(4).trim();
    const laid = await layOutFile({ ...PAGE, content: [node] }, { n: '1234567.50', s });
    t.ok(laid.ok, `${alignment}: printed smaller`);
    const [text] = laid.ok ? textsOf(laid.value.pages[0]?.body ?? []) : [];
    t.equal(text?.text, `${s} ฿1,234,567.50`);
    const right = (text?.x ?? 0) + (text?.width ?? 0);
    t.ok((text?.x ?? 0) > 19.9 && right < 318.1, `${alignment}: ${text?.x} to ${right}`);
  }
  const runs = { text: ['{{s}}', '{{n}}'], noWrap: true };
  t.equal(await of(runs, SHORT), 'printed', 'runs of one word');
  t.same(await of(runs, LONG.repeat(2)), lost('s'));
});

t.test('a value that must not wrap is not printed over its neighbour', async (t) => {
  const name = { text: '{{s}}', noWrap: true };
  const nodes: Record<string, object> = {
    columns: { columns: [{ ...name, width: 60 }, '{{n}}'] },
    'auto columns': {
      columns: [
        { ...name, width: 'auto' },
        { width: 'auto', text: '{{n}}' },
      ],
    },
    'a table': { table: { widths: [60, '*'], body: [[name, '{{n}}']] } },
    'a cell to the right': {
      table: { widths: ['*', 60], body: [['{{n}}', { ...name, alignment: 'right' }]] },
    },
    'beside a text of the template': { columns: [{ ...name, width: 60 }, 'a text'] },
    'in a nested table': {
      columns: [{ width: 60, table: { body: [[name]] }, layout: 'noBorders' }, '{{n}}'],
    },
    'in a block': { unbreakable: true, stack: [{ columns: [{ ...name, width: 60 }, '{{n}}'] }] },
  };
  for (const [about, node] of Object.entries(nodes)) {
    t.same(await of(node, LONG), lost('s'), about);
    t.equal(await of(node, 'a name'), 'printed', about);
  }
  const empty = {
    columns: [
      { ...name, width: 60 },
      { text: 'far', alignment: 'right' },
    ],
  };
  t.equal(await of(empty, SHORT), 'printed', 'over nothing');
  const fixed = { columns: [{ width: 60, text: LONG, noWrap: true }, 'a text'] };
  t.equal(await of(fixed, ''), 'printed', 'text of the template alone');
});

t.test('columns wider than their place do not print over their neighbour', async (t) => {
  const column = { width: 100, text: '{{n}}', alignment: 'right' };
  const inner = { width: 120, columns: [{ width: 80, text: 'label' }, column] };
  t.same(await of({ columns: [inner, 'a text beside it'] }, ''), lost('n'));
  t.equal(await of({ columns: [inner, { text: 'far', alignment: 'right' }] }, ''), 'printed');
  const table = {
    widths: [80, 100],
    body: [
      ['label', '{{n}}'],
      ['label', column],
    ],
  };
  t.same(await of({ columns: [{ width: 120, table }, 'a text beside it'] }, ''), lost('n'));
});

t.test('a value that the paper would cut is refused', async (t) => {
  const name = { text: '{{s}}', noWrap: true };
  for (const alignment of ['left', 'center', 'right']) {
    t.same(await of({ ...name, alignment }, LONG.repeat(2)), lost('s'), alignment);
  }
  t.same(await of({ relativePosition: { x: 310, y: 0 }, ...name }, 'a name'), lost('s'));
  t.same(await of({ margin: [-40, 0, 0, 0], text: '{{s}}' }, 'a name'), lost('s'));
  t.equal(await of({ text: LONG.repeat(2), noWrap: true }, ''), 'printed', 'of the template');
  const background = { absolutePosition: { x: -5, y: 190, rotate: -30 }, text: '{{s}} COPY' };
  t.equal(
    await outcomeOf({ ...PAGE, content: ['a'], background }, { s: 'a name', n: '1' }),
    'printed',
    'a background',
  );
});

/** The lines of a text that begins at (x, y) and is turned. */
async function turned(x: number, y: number, rotate: number): Promise<readonly string[]> {
  const node = { absolutePosition: { x, y, rotate }, text: '{{s}} {{n}}' };
  const laid = await layOutFile({ ...PAGE, content: [node] }, { s: LONG, n: '1234567.50' });
  if (!laid.ok) return [laid.code];
  const [page] = laid.value.pages;
  if (page === undefined) return [];
  const groups = page.body.filter((item): item is GroupItem => item.kind === 'group');
  const body = groups.flatMap(({ items }) => items);
  const [lines = []] = linesOf({ ...laid.value, pages: [{ ...page, body }] });
  return lines.map((line) => line.replaceAll('|', ''));
}

t.test('a turned text ends at the margin that it runs to', async (t) => {
  t.equal((await turned(100, 20, 90)).length, 4, 'down: 160 points');
  t.equal((await turned(200, 180, -90)).length, 4, 'up');
  t.equal((await turned(318, 180, 180)).length, 2, 'to the left: 298 points');
  t.equal((await turned(200, 10, -90)).join(), 'invalid_data', 'nowhere to go');
  const lines = await turned(100, 20, 90);
  t.ok(lines.join(' ').includes('฿1,234,567.50'), lines.join('/'));
});
