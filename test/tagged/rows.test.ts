import t from 'tap';
import { pageTexts } from '../../lab/render.ts';
import { join } from 'node:path';
import { renderTagged } from './tree.ts';

/** Rows and cells of tables as screen readers hear them. */

const FIELDS = [
  { name: 'opening', type: 'number' },
  { name: 'entries', type: 'table' },
];

const sum = (name: string): unknown[] => [name, { text: '{{statement.balance}}' }];

function statement(rows: number) {
  const table = {
    headerRows: 1,
    widths: ['*', 80],
    statement: {
      each: 'entries',
      opening: 'opening',
      credit: 1,
      carriedForward: sum('Carried'),
      broughtForward: sum('Brought'),
      pageTotal: sum('Page total'),
    },
    body: [['Entry', 'Amount'], { each: 'entries', cells: ['{{0}}', '{{1}}'] }],
  };
  const entries = Array.from({ length: rows }, (_, index) => [`Entry ${index + 1}`, '1.00']);
  return renderTagged({ table }, { fields: FIELDS }, { opening: '5.00', entries });
}

for (const rows of [90, 600]) {
  t.test(`rows that exist because of page breaks are artifacts, ${rows} rows`, async (t) => {
    const { lines, violations, pdf } = await statement(rows);
    t.strictSame(violations, []);
    t.equal(lines.filter((line) => line.trim() === 'TR').length, rows + 1);
    t.notMatch(lines.join('\n'), /Carried|Brought|Page total/);
    t.match(lines.join('\n'), new RegExp(`"Entry ${rows}"`));
    const printed = pageTexts(join(t.testdir(), 'rows.pdf'), pdf);
    t.match(printed[1], /Brought[^]*Page total/, 'they are printed');
  });
}

t.test('the total of a table on one page is read', async (t) => {
  const { lines, violations } = await statement(3);
  t.strictSame(violations, []);
  t.match(lines.join('\n'), /TD "Page total"\n *TD "8.00"/);
});

t.test('a cell may be the header of its row', async (t) => {
  const label = { text: 'Total', role: 'rowHeader', colSpan: 2 };
  const body = [
    ['Entry', 'Day', 'Amount'],
    ['a', 'b', '1'],
    [label, {}, '2'],
  ];
  const { lines, violations } = await renderTagged({ table: { headerRows: 1, body } });
  t.strictSame(violations, []);
  t.match(lines.join('\n'), /TR\n *TH scope=Row "Total"\n *TD "2"/);
  t.match(lines.join('\n'), /TR\n *TD "a"/);
  const facts = [
    [{ text: 'Name', role: 'rowHeader' }, 'x'],
    [{ text: 'City', role: 'rowHeader' }, 'y'],
  ];
  const bare = await renderTagged({ table: { body: facts } });
  t.strictSame(bare.violations, []);
  t.match(bare.lines.join('\n'), /Table\n *TR\n *TH scope=Row "Name"\n *TD "x"/);
});

t.test('rows of a table field may have a row header in any column', async (t) => {
  const fields = [{ name: 'rows', type: 'table' }];
  const cells = ['{{0}}', { text: '{{1}}', role: 'rowHeader' }];
  const table = { headerRows: 1, body: [['A', 'B'], { each: 'rows', cells }] };
  const { lines } = await renderTagged({ table }, { fields }, { rows: [['c', 'd']] });
  t.match(lines.join('\n'), /TR\n *TD "c"\n *TH scope=Row "d"/);
});
