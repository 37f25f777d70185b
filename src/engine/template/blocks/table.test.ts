import t from 'tap';
import { findingsOf, nodeOf } from '../fixtures.ts';

t.test('spans leave covered cells empty', async (t) => {
  const table = await nodeOf('table', {
    table: {
      body: [
        [{ text: 'a', colSpan: 2, rowSpan: 2 }, {}, 'b'],
        [{}, {}, 'c'],
        ['d', 'e', { text: 'f', border: [true, false, true, false], verticalAlignment: 'middle' }],
      ],
    },
  });
  const shape = table.rows.map(({ cells }) => cells.map((cell) => cell !== null));
  t.same(shape, [
    [true, false, true],
    [false, false, true],
    [true, true, true],
  ]);
  t.match(table.rows[0]?.cells[0], { colSpan: 2, rowSpan: 2 });
  t.match(table.rows[2]?.cells[2], {
    border: [true, false, true, false],
    verticalAlignment: 'middle',
  });
});

t.test('a span may leave out the cells it covers at the end of a row', async (t) => {
  const table = await nodeOf('table', {
    table: { widths: ['*', '*'], body: [[{ text: 'a', colSpan: 2 }], ['b', 'c']] },
  });
  t.equal(table.rows[0]?.cells[1], null);
});

t.test('content that a span covers is not drawn, with a warning', async (t) => {
  const content = { table: { body: [[{ text: 'a', colSpan: 2 }, 'lost']] } };
  t.match(await findingsOf({ content }), [
    { severity: 'warning', path: 'document.content.table.body[0][1]' },
  ]);
});

t.test('widths and heights in every form', async (t) => {
  const body = [['a', 'b', 'c', 'd']];
  const table = await nodeOf('table', {
    table: { body, widths: [10, '*', 'auto', '25%'], heights: [20, 'auto'] },
  });
  t.same(table.widths, [
    { kind: 'fixed', pt: 10 },
    { kind: 'star' },
    { kind: 'auto' },
    { kind: 'percent', percent: 25 },
  ]);
  t.same([0, 1, 2].map(table.heightPt), [20, 'auto', 'auto']);
  const auto = await nodeOf('table', { table: { body } });
  t.same(auto.widths[0], { kind: 'auto' });
  const star = await nodeOf('table', { table: { body, widths: '*', heights: 9 } });
  t.same([star.widths[3], star.heightPt(7)], [{ kind: 'star' }, 9]);
});

t.test('repeated and conditional rows; cells format what they print', async (t) => {
  const table = await nodeOf('table', {
    table: {
      body: [
        ['h', 'i'],
        {
          each: 'table',
          cells: ['{{0}}', { text: '{{1}}', format: { decimals: 2, thousandsSeparator: true } }],
        },
        { if: 'number', unless: 'text', cells: ['a', 'b'] },
      ],
    },
  });
  const [, each, conditional] = table.rows;
  t.equal(each?.each, 5);
  const cell = each?.cells[1]?.node;
  const part = cell?.kind === 'text' ? cell.runs[0]?.text[0] : undefined;
  t.ok(part?.kind === 'cell' && part.column === 1);
  t.equal(part?.kind === 'cell' ? part.format?.('1234.5') : '', '1,234.50');
  t.same(conditional?.conditions, [
    { field: 1, present: true },
    { field: 0, present: false },
  ]);
});

/** How a statement with this format prints 1234 as each of four sums. */
async function printed(format: object): Promise<(string | undefined)[]> {
  const names = ['balance', 'pageCredits', 'rows', 'pageRows'];
  const { statement } = await nodeOf('table', {
    table: {
      body: [{ each: 'table', cells: names.map(() => '') }],
      statement: {
        each: 'table',
        credit: 1,
        ...format,
        pageTotal: names.map((name) => `{{statement.${name}}}`),
      },
    },
  });
  return (statement?.pageTotal?.cells ?? []).map((cell) => {
    const part = cell?.node.kind === 'text' ? cell.node.runs[0]?.text[0] : undefined;
    return part?.kind === 'sum' ? part.format('1234') : undefined;
  });
}

t.test('a statement binds its sums in its rows only', async (t) => {
  const sum = ['', '{{statement.balance}}'];
  const table = await nodeOf('table', {
    table: {
      body: [['h', 'i'], { each: 'table', cells: ['{{0}}', '{{statement.balance}}'] }],
      statement: { each: 'table', opening: 'number', credit: 1, carriedForward: sum },
    },
  });
  t.match(table.statement, {
    field: 5,
    opening: { field: 1 },
    creditColumn: 1,
    debitColumn: null,
    broughtForward: null,
    carriedForward: { cells: [{}, { node: { runs: [{ text: [{ kind: 'sum' }] }] } }] },
  });
  t.same(
    await printed({}),
    ['1,234.00', '1,234.00', '1,234', '1,234'],
    'rows are not printed as money',
  );
  const baht = { format: { decimals: 2, prefix: '฿', digits: 'thai' } };
  t.same(await printed(baht), ['฿๑๒๓๔.๐๐', '฿๑๒๓๔.๐๐', '๑,๒๓๔', '๑,๒๓๔']);
  t.match(await findingsOf({ content: '{{statement.balance}}' }), [
    { message: /in a statement table only/ },
  ]);
  const early = {
    table: {
      body: [{ each: 'table', cells: ['{{0}}', '{{statement.pageRows}}'] }],
      statement: { each: 'table', credit: 1, pageTotal: ['', '{{statement.pageRows}}'] },
    },
  };
  t.match(await findingsOf({ content: early }), [
    { path: 'document.content.table.body[0].cells[1]', message: /carriedForward and pageTotal/ },
  ]);
  const without = { table: { body: [['a']], statement: { opening: 'number' } } };
  t.match(await findingsOf({ content: without }), [
    { message: /needs "each"/ },
    { message: /"credit" or "debit"/ },
  ]);
});

/** The paths of the errors of a statement table with a row of sums. */
async function statementWith(row: unknown, key: string): Promise<readonly string[]> {
  const body = [{ each: 'table', cells: ['{{0}}', '{{statement.balance}}'] }];
  const table = { body, statement: { each: 'table', credit: 1, [key]: row } };
  const findings = await findingsOf({ content: { table } });
  return findings.filter(({ severity }) => severity === 'error').map(({ path }) => path);
}

t.test('a row of sums repeats nothing', async (t) => {
  const cells = ['{{0}}', '{{statement.balance}}'];
  const inner = { table: { body: [{ each: 'table', cells: ['{{0}}'] }] } };
  const repeated: readonly unknown[] = [
    { each: 'table', cells },
    [{ stack: [{ each: 'table', text: '{{0}}' }] }, ''],
    [{ text: [{ each: 'table', text: '{{0}}' }] }, ''],
    [{ ul: [{ each: 'table', text: '{{0}}' }] }, ''],
    [inner, ''],
  ];
  for (const key of ['carriedForward', 'broughtForward', 'pageTotal']) {
    for (const row of repeated) {
      const [path, ...others] = await statementWith(row, key);
      t.match(path, `document.content.table.statement.${key}`, JSON.stringify(row));
      t.same(others, []);
    }
    t.same(await statementWith(['', '{{statement.balance}}'], key), []);
  }
});
