import t from 'tap';
import { outcomeOf } from '../../../../test/amounts/lay-out.ts';

const PAGE = { pageSize: { width: 300, height: 100 }, pageMargins: 10 };
const DATA = { n: '-1234567.50' };
const cut = ['invalid_data', { field: 'n', reason: 'amount would be cut by the edge of the page' }];
const wide = ['invalid_data', { field: 'n', reason: 'amount is wider than its place on the page' }];

async function of(content: unknown, more: object = {}): Promise<unknown> {
  return outcomeOf({ ...PAGE, content, ...more }, DATA);
}

/** Puts the node into a table cell, which the check of widths does not look into. */
const inCell = (node: object): object => ({ table: { widths: ['*'], body: [[node]] } });

t.test(
  'an amount that is moved beyond the right edge is refused as one placed there',
  async (t) => {
    for (const x of [250, 255, 270, 280, 320, 1000]) {
      const moved = ['x', { relativePosition: { x, y: 0 }, text: '{{n}}' }];
      const placed = [{ absolutePosition: { x: x + 10, y: 30 }, text: '{{n}}' }];
      t.same(await of(placed), wide, `placed at ${x + 10}`);
      t.same(await of(moved), wide, `moved by ${x}`);
    }
    const inside = ['x', { relativePosition: { x: 200, y: 0 }, text: '{{n}}' }];
    t.equal(await of(inside), 'printed');
    const unmoved = [{ relativePosition: { x: 290, y: 0 }, text: 'a word' }];
    t.equal(await of(unmoved), 'printed', 'text of the template may lie anywhere');
  },
);

t.test('an amount that lies beyond another edge is refused', async (t) => {
  const text = '{{n}}';
  const cases: Record<string, unknown> = {
    'moved left': { relativePosition: { x: -20, y: 0 }, text },
    'moved up': { relativePosition: { x: 0, y: -22 }, text },
    'moved down': { relativePosition: { x: 0, y: 80 }, text },
    'moved in a block': { unbreakable: true, stack: [{ relativePosition: { x: 0, y: 80 }, text }] },
    'in a moved stack': { relativePosition: { x: 0, y: 80 }, stack: ['a', { text }] },
    'in a moved table': { relativePosition: { x: -80, y: 0 }, table: { body: [[text]] } },
    'in a moved row': {
      relativePosition: { x: -80, y: 0 },
      table: { body: [{ each: 'rows', cells: [text] }] },
    },
    'placed left': { absolutePosition: { x: -5, y: 10 }, text },
    'turned, beyond the left edge': { absolutePosition: { x: 5, y: 10, rotate: 90 }, text },
    'a negative margin': { margin: [-50, 0, 0, 0], text },
    'a negative margin above': { margin: [0, -20, 0, 0], text },
    'a negative indent': { leadingIndent: -50, text },
    'columns beyond the paper': inCell({
      columns: [
        { width: 270, text: 'a' },
        { width: 90, text },
      ],
    }),
    'a table beyond the paper': inCell({ table: { widths: [270, 90], body: [['a', text]] } }),
  };
  for (const [about, node] of Object.entries(cases)) {
    const found = await outcomeOf({ ...PAGE, content: [node] }, { ...DATA, rows: [['1']] });
    t.same(found, cut, about);
  }
});

t.test('an amount of an unbroken line that is wider than its place is refused', async (t) => {
  const text = '{{n}}';
  const cases: Record<string, unknown> = {
    'an unbroken line': { noWrap: true, text: `${'word '.repeat(60)}${text}` },
    'an unbroken line to the right': {
      noWrap: true,
      alignment: 'right',
      text: `${text} ${'word '.repeat(60)}`,
    },
    'a turned line': { absolutePosition: { x: 50, y: 60, rotate: 90 }, text },
  };
  for (const [about, node] of Object.entries(cases)) t.same(await of([node]), wide, about);
});

t.test('rows beyond the paper are refused at their field', async (t) => {
  const table = { widths: [270, 90], body: [{ each: 'rows', cells: ['{{0}}', '{{1}}'] }] };
  const rows = [['a', '-1,234,567.50']];
  const [, defect] = cut as [string, object];
  t.same(await outcomeOf({ ...PAGE, content: [inCell({ table })] }, { rows }), [
    'invalid_data',
    { ...defect, field: 'rows' },
  ]);
});

t.test('amounts beside an edge are printed', async (t) => {
  const text = '{{n}}';
  const cases: Record<string, unknown> = {
    'moved to the edge': { relativePosition: { x: -10, y: -9 }, text },
    'turned on the page': { absolutePosition: { x: 50, y: 5, rotate: 90 }, text },
    'at the right edge': { margin: [0, 0, -10, 0], alignment: 'right', text },
    'an indent into the margin': { leadingIndent: -9, text },
    'the rest of an unbroken line': { noWrap: true, text: `${text} ${'word '.repeat(60)}` },
  };
  for (const [about, node] of Object.entries(cases)) t.equal(await of([node]), 'printed', about);
  const high = { ...PAGE, pageSize: { width: 300, height: 'auto' } };
  const below = ['a', { relativePosition: { x: 0, y: 40 }, text }];
  t.same(await outcomeOf({ ...high, content: below }, DATA), cut, 'below a page of its content');
  const within = [...below, 'b', 'c', 'd', 'e', 'f'];
  t.equal(await outcomeOf({ ...high, content: within }, DATA), 'printed');
});
