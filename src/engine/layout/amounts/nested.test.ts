import t from 'tap';
import type { Test } from 'tap';
import { layOutFile, outcomeOf } from '../../../../test/amounts/lay-out.ts';
import { textsOf } from '../fixtures/lines.ts';

const PAGE_PT = 338;
const MARGIN_PT = 20;
const PAGE = { pageSize: { width: PAGE_PT, height: 200 }, pageMargins: MARGIN_PT };
const FORMAT = { decimals: 2, thousandsSeparator: true };
const amount = (column: number): object => ({ text: `{{${column}}}`, format: FORMAT });
const ROWS = [['A', '595618.76', '4283259.08']];
const DATA = { n: '1234567.50', rows: ROWS };

/** The texts of all pages, after a check that each with a digit lies between the margins. */
async function printed(t: Test, node: unknown, about: string, more: object = {}) {
  const data = { ...DATA, ...more };
  const laid = await layOutFile({ ...PAGE, content: [node] }, data);
  t.ok(laid.ok, `${about}: ${laid.ok ? 'printed' : JSON.stringify(laid.fields)}`);
  if (!laid.ok) return [];
  const texts = laid.value.pages.flatMap(({ body }) => textsOf(body));
  for (const { text, x, width } of texts.filter((one) => /\d/u.test(one.text))) {
    const isInside = x >= MARGIN_PT - 0.01 && x + width <= PAGE_PT - MARGIN_PT + 0.01;
    t.ok(isInside, `${about}: ${text} stands from ${x} to ${x + width}`);
  }
  return texts.map(({ text }) => text.trim());
}

const THREE = { table: { body: [{ each: 'rows', cells: ['{{0}}', amount(1), amount(2)] }] } };
const FIVE_CELLS = ['Longerword', 'Anotherword', amount(1), amount(2), amount(2)];
const FIVE = { table: { body: [{ each: 'rows', cells: FIVE_CELLS }] } };
const LARGE = { width: 'auto', text: '{{n}}', fontSize: 30 };

t.test('amounts in a nested table are printed smaller in the room of their place', async (t) => {
  const cases: Record<string, unknown> = {
    'in a column': { columns: ['side', { table: { ...THREE.table, widths: '*' } }] },
    'in a cell beside another': { table: { widths: ['*', '*'], body: [['side', THREE]] } },
    'in a list in a column': { columns: ['side', { ul: [THREE] }] },
    'in a stack in a column': { columns: ['side', { stack: [THREE] }] },
    'in an auto column': { columns: ['side', { width: 'auto', stack: [THREE] }, THREE] },
    'in a percent column': { columns: [{ width: '40%', stack: [THREE] }, 'side'] },
    'in a column of columns': { columns: [{ columns: ['side', THREE] }, 'side'] },
    'in a cell of a cell': {
      table: { widths: ['*', '*'], body: [['side', { table: { body: [['a', THREE]] } }]] },
    },
    'in a spanning cell': {
      table: {
        widths: ['*', '*', 60],
        body: [
          [{ ...FIVE, colSpan: 2 }, {}, 'a'],
          ['a', 'b', 'c'],
        ],
      },
    },
  };
  for (const [about, node] of Object.entries(cases)) {
    const texts = await printed(t, node, about);
    t.ok(
      texts.includes('595,618.76') && texts.includes('4,283,259.08'),
      `${about}: ${texts.join()}`,
    );
  }
  for (const [about, node] of Object.entries({
    'in one column': { columns: [FIVE] },
    'in one cell': { table: { body: [[FIVE]] } },
    'in one star cell': { table: { widths: ['*'], body: [[FIVE]] } },
  })) {
    const texts = await printed(t, node, about);
    t.equal(texts.filter((text) => text === '4,283,259.08').length, 2, about);
  }
});

t.test('amounts of nested columns are printed smaller', async (t) => {
  const cases: Record<string, unknown> = {
    columns: { columns: [{ columnGap: 6, columns: [LARGE, LARGE] }] },
    'columns in columns': { columns: [{ columnGap: 6, columns: [{ columns: [LARGE] }, LARGE] }] },
    'columns in a cell': { table: { body: [[{ columnGap: 6, columns: [LARGE, LARGE] }]] } },
    'columns in a list': { columns: [{ ol: [{ columnGap: 6, columns: [LARGE, LARGE] }] }] },
  };
  for (const [about, node] of Object.entries(cases)) {
    const texts = await printed(t, node, about);
    t.equal(texts.filter((text) => text === '฿1,234,567.50').length, 2, about);
  }
});

t.test('a statement table in a column keeps its rows and balances inside', async (t) => {
  const balance = '{{statement.balance}}';
  const sums = ['Sum', balance, balance];
  const statement = { each: 'rows', credit: 1, carriedForward: sums, broughtForward: sums };
  const rows = Array.from({ length: 30 }, () => ['A', '595618.76', '4283259.08']);
  const body = [{ each: 'rows', cells: ['{{0}}', amount(1), { ...amount(2), bold: true }] }];
  for (const widths of ['auto', '*']) {
    const table = { widths, statement, body };
    for (const node of [
      { columns: ['side', { table }] },
      { columns: ['a', { ul: [{ table }] }] },
    ]) {
      const texts = await printed(t, node, `widths ${widths}`, { rows });
      t.equal(texts.filter((text) => text === '595,618.76').length, rows.length, widths);
    }
  }
});

t.test('words beside amounts are split where nothing else fits', async (t) => {
  const word = 'W'.repeat(40);
  const cases: Record<string, unknown> = {
    'a stack of both': { columns: ['side', { alignment: 'right', stack: [word, '{{n}}'] }] },
    'a table of words beside': { columns: [{ table: { body: [[word, word]] } }, LARGE] },
    'a list of words beside': { columns: [{ ul: [word] }, { stack: [LARGE] }] },
  };
  for (const [about, node] of Object.entries(cases)) {
    const texts = await printed(t, node, about);
    t.ok(texts.includes('฿1,234,567.50'), about);
  }
});

t.test('snaking columns are as wide as each other, and amounts fit them', async (t) => {
  const rows = Array.from({ length: 40 }, () => ['A', '595618.76', '4283259.08']);
  const columns = [THREE, ''];
  const node = { columns, columnGap: 10, snakingColumns: true };
  const texts = await printed(t, node, 'rows', { rows });
  t.equal(texts.filter((text) => text === '4,283,259.08').length, rows.length);
});

t.test('an amount that fits in no size is refused in nested places, too', async (t) => {
  const reason = 'amount is wider than its place on the page';
  const huge = { width: 'auto', text: '{{n}}', fontSize: 90 };
  const nodes = [
    { columns: [{ columns: [huge, 'side'] }] },
    { table: { body: [[{ table: { body: [[huge, huge]] } }]] } },
  ];
  for (const node of nodes) {
    const found = await outcomeOf({ ...PAGE, content: [node] }, DATA);
    t.same(found, ['invalid_data', { field: 'n', reason }]);
  }
});
