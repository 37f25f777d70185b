import t from 'tap';
import { linesOf } from '../../fixtures/lines.ts';
import { cell, NO_LINES, row, stack, STYLE, table, template, text } from '../../fixtures/nodes.ts';
import { faultOf, sceneOf } from '../../fixtures/statement-scene.ts';
import type { FieldValues } from '../../../contract/types.ts';
import type {
  Node,
  PageSetup,
  Statement,
  StatementSum,
  TableNode,
  TableRow,
} from '../../../model/nodes.ts';
import { layoutDocument } from '../../layout.ts';
import { PageSums } from './page-sums.ts';

const sum = (kind: StatementSum): Node =>
  text([{ kind: 'sum', sum: kind, format: (decimal) => decimal }]);
const field = (column: number): Node => text([{ kind: 'cell', column, format: null }]);

const HEAD = row([cell(text('head')), cell(text('balance'))]);
const ENTRIES = row([cell(field(0)), cell(sum('balance'))], { each: 0 });

/** A table of names and balances, with the rows `carried`, `brought` and those of `more`. */
function statement(
  more: Partial<TableNode>,
  body = [HEAD, ENTRIES],
  sums: Partial<Statement> = {},
): TableNode {
  return table([{ kind: 'star' }, { kind: 'star' }], body, {
    headerRows: body[0] === HEAD ? 1 : 0,
    statement: {
      field: 0,
      opening: null,
      creditColumn: 1,
      debitColumn: null,
      carriedForward: row([cell(text('carried')), cell(sum('balance'))]),
      broughtForward: row([cell(text('brought')), cell(sum('balance'))]),
      pageTotal: null,
      ...sums,
    },
    ...more,
  });
}

const entries = (...amounts: readonly number[]): FieldValues => [
  { type: 'table', rows: amounts.map((amount, index) => [`e${index}`, String(amount)]) },
];

const filler = (count: number): Node =>
  text(Array.from({ length: count }, (_, index) => `line ${index}`).join('\n'));

function pagesOf(
  nodes: readonly Node[],
  values: FieldValues,
  setup: Partial<PageSetup> = {},
): string[][] {
  const document = layoutDocument(template(nodes, setup), values);
  if (!document.ok) throw new Error(document.message);
  return linesOf(document.value);
}

void t.test('rows that move to the next page with their header are not counted', (t) => {
  const kept: Partial<TableNode>[] = [
    { keepWithHeaderRows: 2 },
    { rowsAtStartMin: 3 },
    { rowsAtStartMin: 3, headerRows: 0 },
    { keepWithHeaderRows: 2, dontBreakRows: true },
  ];
  for (const more of kept) {
    // Ten lines a page: the rows fit below six lines, but the row carried forward does not.
    for (const count of [6, 7, 8, 9, 10]) {
      const pages = pagesOf([filler(count), statement(more)], entries(100, 50, 7));
      const rows = ['head|balance', 'e0|100', 'e1|150', 'e2|157'];
      if (count > 6)
        t.same(pages.slice(1), [rows], `below ${count} lines: ${JSON.stringify(more)}`);
      else t.same(pages[0]?.slice(6), rows);
    }
  }
  t.end();
});

void t.test('a page total counts the rows of its page, those that moved there too', (t) => {
  const pageTotal = row([cell(sum('pageRows')), cell(sum('pageCredits'))]);
  const withTotal = statement({ keepWithHeaderRows: 3 }, [HEAD, ENTRIES], { pageTotal });
  const pages = pagesOf([filler(7), withTotal], entries(1, 2, 3, 4, 5, 6, 7, 8, 9));
  t.same(
    pages[0],
    Array.from({ length: 7 }, (_, index) => `line ${index}`),
  );
  t.same(pages[1]?.slice(-3), ['e6|28', 'carried|28', '7|28']);
  t.same(pages[2], ['head|balance', 'brought|28', 'e7|36', 'e8|45', '2|17']);
  t.end();
});

void t.test('the row carried forward stands below the rows of its page at every height', (t) => {
  // As lightHorizontalLines: a line between rows, none below the last.
  const layout: TableNode['layout'] = {
    ...NO_LINES,
    hLineWidth: (index, count) => (index > 0 && index < count ? 1 : 0),
  };
  // The balance is longest in the middle, where it takes all of its column.
  const amounts = Array.from({ length: 40 }, (): number => 1);
  amounts[12] = 12_345_678_901;
  amounts[30] = -12_345_678_901;
  for (let heightPt = 80; heightPt < 180; heightPt++) {
    for (const body of [[HEAD, ENTRIES], [ENTRIES]]) {
      const setup = { heightPt, widthPt: 110 };
      const pages = pagesOf([statement({ layout }, body)], entries(...amounts), setup);
      const names = pages.map((lines) => lines.map((line) => line.split('|')[0]));
      const closed = names.slice(0, -1).filter((page) => page.includes('carried'));
      t.equal(closed.length, pages.length - 1, `${heightPt} pt: every page but the last`);
      t.ok(
        names.every((page) => page.some((name) => name?.startsWith('e'))),
        `${heightPt} pt: each page holds entries`,
      );
    }
  }
  t.end();
});

void t.test('two rows for each entry count its amount once', (t) => {
  const remarks = row([cell(field(1)), cell(sum('rows'))], { each: 0 });
  const pages = pagesOf([statement({}, [HEAD, ENTRIES, remarks])], entries(5, 6, 7));
  t.same(pages, [['head|balance', 'e0|5', 'e1|11', 'e2|18', '5|3', '6|3', '7|3']]);
  t.end();
});

function totalRow(kind: StatementSum, colSpan: number): TableRow {
  const last = colSpan === 1 ? cell(text('')) : null;
  return row([cell(text('p')), cell(sum(kind), { colSpan }), last]);
}

void t.test('auto columns are as wide as the sums that a page may show', (t) => {
  const auto = { kind: 'auto' } as const;
  const printed = (kind: StatementSum, amounts: readonly number[], colSpan: number): string[] => {
    const body = [row([cell(text('e')), cell(text('')), cell(text(''))], { each: 0 })];
    const rows = { carriedForward: null, broughtForward: null };
    const sums = { ...rows, pageTotal: totalRow(kind, colSpan) };
    const node = statement({ widths: [auto, auto, auto] }, body, sums);
    return pagesOf([node], entries(...amounts)).map((page) => page.at(-1) ?? '');
  };
  const amounts = [9_000_000, ...Array.from({ length: 10 }, () => 1), -9_900_000];
  for (const colSpan of [1, 2]) {
    t.same(printed('balance', amounts, colSpan), ['p|9000008', 'p|-899990']);
    t.same(printed('pageCredits', amounts, colSpan), ['p|9000008', 'p|-9899998']);
    t.same(printed('rows', amounts, colSpan), ['p|9', 'p|12']);
  }
  t.end();
});

void t.test('rows with sums show the row of the each around their table', (t) => {
  const carriedForward = row([cell(field(0)), cell(sum('balance'))]);
  const node = statement({}, [ENTRIES], { carriedForward });
  const values = entries(...Array.from({ length: 12 }, () => 1));
  const accounts: FieldValues[number] = { type: 'table', rows: [['savings']] };
  const pages = pagesOf([stack([stack([node], { each: 1 })])], [...values, accounts]);
  t.equal(pages[0]?.at(-1), 'savings|9');
  t.end();
});

void t.test('a row spanned by a kept row stays with it', (t) => {
  const spanned = [
    HEAD,
    ENTRIES,
    row([cell(text('both'), { rowSpan: 2 }), cell(sum('credits'))]),
    row([null, cell(sum('rows'))]),
  ];
  const node = statement({ dontBreakRows: true, rowsAtEndMin: 1 }, spanned);
  // Eight entries leave one line, in which the first of the two joined rows would fit.
  const pages = pagesOf([node], entries(1, 1, 1, 1, 1, 1, 1, 1));
  t.same(pages[0]?.slice(-2), ['e7|8', 'carried|8']);
  t.same(pages[1], ['head|balance', 'brought|8', 'both|8', '8']);
  t.end();
});

void t.test('measuring the rows of sums leaves marker and place of the table alone', (t) => {
  const list: Node = {
    ...stack([]),
    kind: 'list',
    ordered: true,
    type: 'decimal',
    start: 1,
    reversed: false,
    separator: ['', '.'],
    markerStyle: STYLE,
    items: [{ node: statement({ id: 'here' }), counter: null, listType: null }],
  };
  const document = layoutDocument(template([list], { widthPt: 200 }), entries(1));
  if (!document.ok) throw new Error(document.message);
  t.equal(linesOf(document.value)[0]?.[0], '1.|head|balance');
  t.match(document.value.destinations, [{ name: 'here', pageIndex: 0 }]);
  t.end();
});

void t.test('the columns that content flows through are closed and opened as pages are', (t) => {
  const fixed = { kind: 'fixed', pt: 90 } as const;
  const columns: Node = {
    ...stack([]),
    kind: 'columns',
    columns: [
      { width: fixed, node: statement({}) },
      { width: fixed, node: text('') },
    ],
    gapPt: 0,
    snaking: true,
  };
  const amounts = Array.from({ length: 15 }, () => 1);
  const [first, second] = pagesOf([columns], entries(...amounts), { widthPt: 180 });
  t.same(first?.[0], 'head|balance|head|balance');
  t.same(first?.[1], 'e0|1|brought|8');
  t.same(first?.[9], 'carried|8');
  t.same(first?.[8], 'e7|8|e14|15');
  t.equal(second, undefined);
  t.end();
});

void t.test('a page that cannot hold a row with its sums is refused with the place', (t) => {
  const low = template([statement({})], { heightPt: 35 });
  const failed = layoutDocument(low, entries(1, 2, 3, 4));
  t.match(failed, {
    ok: false,
    code: 'render_failed',
    message: /^document\.content\.table: .*page/,
  });
  const enough = template([statement({})], { heightPt: 40 });
  const document = layoutDocument(enough, entries(1, 2, 3, 4));
  t.same(document.ok && linesOf(document.value).length, 2);
  t.end();
});

const make = (): PageSums => new PageSums(1, 'here');

void t.test('sums that do not agree with the pages are a fault with the place', (t) => {
  const fault = { path: 'here', message: /not printed/ };
  const counted = make();
  counted.addRows(2, 0, 0);
  t.throws(() => counted.addRows(1, 0, 0), fault, 'a row counted twice');
  t.throws(() => counted.addRows(3, 1, 0), fault, 'a row on a page that was not begun');
  t.throws(() => counted.addRows(3, 0, 1), fault, 'or in such a column');
  t.throws(() => counted.finish(4), fault, 'a row that was not placed');
  t.doesNotThrow(() => counted.finish(3));

  const closed = make();
  closed.addRows(2, 0, 0);
  closed.carryForward();
  t.throws(() => closed.finish(3), fault, 'sums carried forward to no page');
  closed.addRows(3, 0, 0);
  closed.beginNextPage(1, 0);
  closed.addRows(4, 1, 0);
  t.throws(() => closed.finish(5), fault, 'a row below the sums that were carried forward');

  const empty = make();
  empty.addRows(0, 0, 0);
  empty.carryForward();
  empty.beginNextPage(1, 0);
  empty.addRows(1, 1, 0);
  t.throws(() => empty.finish(2), fault, 'sums carried forward from a page with a header only');

  const late = make();
  late.addRows(1, 0, 0);
  late.carryForward();
  late.beginNextPage(1, 0);
  late.addRows(2, 1, 0);
  late.bringForward();
  t.throws(() => late.finish(3), fault, 'sums brought forward below the rows of their page');

  const back = make();
  back.addRows(1, 1, 0);
  back.beginNextPage(0, 0);
  back.addRows(2, 0, 0);
  t.throws(() => back.finish(3), fault, 'pages that do not follow one another');
  t.end();
});

void t.test('tables of random geometry and data show the balance of the rows above', (t) => {
  const faults: string[] = [];
  for (let seed = 0; seed < 600; seed++) {
    const fault = faultOf(sceneOf(seed));
    if (fault !== null) faults.push(`seed ${seed}: ${fault}`);
  }
  t.same(faults, []);
  t.end();
});
