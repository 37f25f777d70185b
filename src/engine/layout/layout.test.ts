import t from 'tap';
import { linesOf, textsOf } from './fixtures/lines.ts';
import { cell, row, run, stack, STYLE, table, template, text } from './fixtures/nodes.ts';
import type { FontStack } from '../font/font.ts';
import type { FieldValues } from '../contract/types.ts';
import type { CompiledTemplate, Node, StatementSum, TextNode } from '../model/nodes.ts';
import type { LaidOutDocument } from '../model/frame.ts';
import { layoutDocument } from './layout.ts';

function lay(source: CompiledTemplate, values: FieldValues = []): LaidOutDocument {
  const document = layoutDocument(source, values);
  if (!document.ok) throw new Error(document.message);
  return document.value;
}

function rowsOf(...rows: readonly (readonly string[])[]): FieldValues {
  return [{ type: 'table', rows }];
}

const filler = (lines: number): Node =>
  text(Array.from({ length: lines }, (_, index) => `line ${index}`).join('\n'));

const prose = (lines: number): Node =>
  text(Array.from({ length: lines }, (_, index) => `p${index}`).join('\n'), {
    orphans: 2,
    widows: 2,
  });

const sum = (kind: StatementSum): TextNode =>
  text([{ kind: 'sum', sum: kind, format: (decimal) => decimal }]);

/** Words of the first line of a justified text, each with its left edge in points. */
function justifiedLine(content: Parameters<typeof text>[0]): string[] {
  const document = lay(template([text(content, { alignment: 'justify' })]));
  const items = document.pages[0]?.body.filter((item) => item.kind === 'text') ?? [];
  return items
    .filter(({ y }) => y === items[0]?.y)
    .flatMap(({ x, shapes, gaps }) =>
      shapes.map((shape, index) => {
        const left = x;
        x += shape.text.length * 5 + (gaps?.[index] ?? 0);
        return `${shape.text.trim()} ${left.toFixed(1)}`;
      }),
    );
}

void t.test('a text breaks at the edge of its box; trailing spaces overhang', async (t) => {
  // 100 pt hold 20 characters of 5 pt.
  const document = lay(template([text('aaaa bbbb cccc dddd eeee')]));
  t.same(linesOf(document), [['aaaa bbbb cccc dddd', 'eeee']]);
  const [first, second] = textsOf(document.pages[0]?.body ?? []);
  t.same([first?.x, first?.y], [0, 8]);
  t.same([second?.x, second?.y], [0, 18]);
});

void t.test('alignment ignores trailing spaces', async (t) => {
  const right = lay(template([text('abc ', { alignment: 'right' })]));
  t.equal(textsOf(right.pages[0]?.body ?? [])[0]?.x, 85);
  const center = lay(template([text('abcd', { alignment: 'center' })]));
  t.equal(textsOf(center.pages[0]?.body ?? [])[0]?.x, 40);
});

void t.test('justified lines end at the right edge, the last one does not', async (t) => {
  const node = text('aaaa bbbb cccc dddd eeee ffff', { alignment: 'justify' });
  const document = lay(template([node]));
  const [first, last] = textsOf(document.pages[0]?.body ?? []);
  t.equal((first?.x ?? 0) + (first?.width ?? 0) - 5, 100, 'without the hanging space');
  t.equal(last?.width, 45);
});

void t.test('a justified line grows at its spaces, not inside its words', async (t) => {
  t.same(
    justifiedLine('by e-mail to me there'),
    ['by 0.0', 'e- 23.3', 'mail 33.3', 'to 66.7', 'me 90.0'],
    'a hyphen is no gap',
  );
  t.same(
    justifiedLine([run('to ('), run('abc'), run(')'), run(' or there-fore')]),
    ['to 0.0', '( 18.3', 'abc 23.3', ') 38.3', ' 43.3', 'or 51.7', 'there- 70.0'],
    'nor is the border of two runs, unless there is a space',
  );
  const long = 'https://some/page/of/a/site';
  t.same(justifiedLine(long), ['https:// 0.0', 'some/ 40.0', 'page/ 65.0'], 'nothing may grow');
  t.same(
    justifiedLine(`${'字'.repeat(20)}。字字`),
    Array.from({ length: 19 }, (_, index) => `字 ${(index * (5 + 5 / 18)).toFixed(1)}`),
    'ideographs stand apart',
  );
});

void t.test('a word longer than the line is broken by characters', async (t) => {
  const document = lay(template([text('x'.repeat(45))]));
  t.same(linesOf(document), [['x'.repeat(20), 'x'.repeat(20), 'x'.repeat(5)]]);
});

void t.test('a very long word fills every line, whatever runs it has', async (t) => {
  const full = 'x'.repeat(20);
  const long = lay(template([text('x'.repeat(20_003))]));
  t.same(
    linesOf(long)
      .flat()
      .map((line) => line.replaceAll('|', '')),
    [...Array<string>(1000).fill(full), 'xxx'],
  );
  const runs = lay(template([text([run(full), run('y'), run('z'.repeat(21))])]));
  t.same(linesOf(runs), [[full, `y|${'z'.repeat(19)}`, 'zz']]);
});

/** Number of letters that are shaped while a word of `length` letters is laid out. */
function lettersShaped(length: number): number {
  let letters = 0;
  const stack: FontStack = {
    ...STYLE.stack,
    shape: (word) => {
      letters += word.length;
      return STYLE.stack.shape(word);
    },
  };
  lay(template([text([run('x'.repeat(length), { style: { ...STYLE, stack } })])]));
  return letters;
}

void t.test('breaking a long word takes time linear in its length', async (t) => {
  t.ok(lettersShaped(80_000) < lettersShaped(10_000) * 9, 'for eight times the letters');
});

void t.test('runs of one word stay on one line', async (t) => {
  const document = lay(template([text([run('aaaa bbbb cccc dd'), run('eeee')])]));
  t.same(linesOf(document), [['aaaa bbbb cccc', 'dd|eeee']]);
});

void t.test('lines that do not fit go to the next page', async (t) => {
  const document = lay(template([filler(25)]));
  t.equal(document.pages.length, 3);
  t.same(
    linesOf(document).map((lines) => lines.length),
    [10, 10, 5],
  );
});

void t.test('header rows are repeated and no row is lost', async (t) => {
  const node = table(
    [{ kind: 'star' }, { kind: 'star' }],
    [
      row([cell(text('H1')), cell(text('H2'))]),
      row(
        [
          cell(text([{ kind: 'cell', column: 0, format: null }])),
          cell(text([{ kind: 'cell', column: 1, format: null }])),
        ],
        { each: 0 },
      ),
    ],
    { headerRows: 1 },
  );
  const data = Array.from({ length: 30 }, (_, index) => [`a${index}`, `b${index}`]);
  const document = lay(template([node]), rowsOf(...data));
  const pages = linesOf(document);
  t.equal(pages.length, 4);
  for (const lines of pages) t.equal(lines[0], 'H1|H2');
  t.same(
    pages.flatMap((lines) => lines.slice(1)),
    data.map(([one, other]) => `${one}|${other}`),
  );
});

void t.test('a row that needs wrapping is placed like its neighbours', async (t) => {
  const node = table(
    [{ kind: 'star' }, { kind: 'fixed', pt: 50 }],
    [
      row(
        [
          cell(text([{ kind: 'cell', column: 0, format: null }])),
          cell(text([{ kind: 'cell', column: 1, format: null }], { alignment: 'right' })),
        ],
        { each: 0 },
      ),
    ],
  );
  const document = lay(
    template([node]),
    rowsOf(['one', '1'], ['two words here', '2'], ['three', '3']),
  );
  t.same(linesOf(document), [['one|1', 'two words|2', 'here', 'three|3']]);
});

void t.test('keepWithNext moves a heading to the page of the text that follows it', async (t) => {
  const document = lay(
    template([filler(9), text('heading', { keepWithNext: true }), text('body\nbody')]),
  );
  t.same(linesOf(document)[1], ['heading', 'body', 'body']);
  const fits = lay(template([filler(8), text('heading', { keepWithNext: true }), text('body')]));
  t.equal(fits.pages.length, 1);
});

void t.test('a headline with too little after it begins the next page', async (t) => {
  const breakBefore = { headlineLevel: 1, minFollowing: 2 };
  const parts = [filler(8), text('headline', { headlineLevel: 1 }), text('a\nb\nc'), text('d')];
  const document = lay(template(parts, {}, { breakBefore }));
  t.same(linesOf(document)[1], ['headline', 'a', 'b', 'c', 'd']);
  const enough = [filler(7), text('headline', { headlineLevel: 1 }), text('a\nb\nc'), text('d')];
  const kept = lay(template(enough, {}, { breakBefore }));
  t.same(linesOf(kept)[1], ['c', 'd']);
});

void t.test('orphans and widows move lines to the next page', async (t) => {
  t.same(linesOf(lay(template([filler(9), prose(4)])))[1], ['p0', 'p1', 'p2', 'p3'], 'orphan');
  t.same(linesOf(lay(template([filler(7), prose(4)])))[1], ['p2', 'p3'], 'widow');
});

void t.test('a paragraph is placed even if no page has room for its orphans', async (t) => {
  const head = row([cell(text('h\nh\nh\nh\nh\nh\nh\nh\nh'))]);
  const body = row([cell(text('a\nb\nc', { orphans: 2, widows: 2 }))]);
  const document = lay(template([table([{ kind: 'star' }], [head, body], { headerRows: 1 })]));
  t.same(
    linesOf(document).flatMap((lines) => lines.filter((line) => line !== 'h')),
    ['a', 'b', 'c'],
  );
});

void t.test('an unbreakable block moves as a whole', async (t) => {
  const document = lay(
    template([filler(7), stack([text('a\nb'), text('c\nd')], { unbreakable: true })]),
  );
  t.same(linesOf(document)[1], ['a', 'b', 'c', 'd']);
});

void t.test('a block taller than a page is a fault that names its path', async (t) => {
  const document = layoutDocument(
    template([stack([filler(11)], { unbreakable: true, path: 'document.content[0]' })]),
    [],
  );
  t.equal(document.ok, false);
  if (!document.ok) {
    t.equal(document.code, 'render_failed');
    t.match(document.message, /^document\.content\[0\]: /u);
    t.notMatch(document.message, /line 3/u, 'no data in it');
  }
});

void t.test('an unbreakable row taller than a page is split', async (t) => {
  const tall = Array.from({ length: 13 }, (_, index) => `t${index}`).join('\n');
  const node = table(
    [{ kind: 'star' }],
    ['a', tall, 'z'].map((content) => row([cell(text(content))])),
    { dontBreakRows: true },
  );
  const pages = linesOf(lay(template([node])));
  t.equal(pages.flat().length, 15);
  t.equal(pages.length, 2);
});

void t.test('a static node is measured once', async (t) => {
  const source = template([text('static text')]);
  const [first] = lay(source).pages[0]?.body ?? [];
  const [second] = lay(source).pages[0]?.body ?? [];
  t.ok(first?.kind === 'text' && second?.kind === 'text' && first.shapes === second.shapes);
});

void t.test('running elements: first, rest, last, and the merged total', async (t) => {
  const element = {
    first: text('first'),
    rest: text([{ kind: 'page' }, { kind: 'static', text: '/' }, { kind: 'pages' }]),
    last: text('last'),
  };
  const document = lay(template([filler(25)], { footer: element, margins: [0, 0, 0, 20] }));
  const footer = (pageIndex: number, attached = false) =>
    document
      .overlay({ pageIndex, pageCount: 6, widthPt: 100, heightPt: 100, attached })
      .map((part) => textsOf(part.items).map((one) => one.text));
  t.same(footer(0), [['first']]);
  t.same(footer(1), [['2/6']]);
  t.same(footer(4, true), [['5/6']]);
  t.same(footer(5, true), [['last']]);
  const [part] = document.overlay({
    pageIndex: 0,
    pageCount: 6,
    widthPt: 100,
    heightPt: 100,
    attached: false,
  });
  t.equal(textsOf(part?.items ?? [])[0]?.y, 88, 'below the lower margin');
});

void t.test('documents share a static footer on pages of up to 64 heights', async (t) => {
  const node = text('thank you');
  const source = template([text('body')], { footer: { first: node, rest: node, last: node } });
  const document = () => {
    const laid = lay(source, []);
    return (heightPt: number) => {
      const page = { pageIndex: 0, pageCount: 1, widthPt: 100, attached: false };
      return laid.overlay({ ...page, heightPt })[0]?.items;
    };
  };
  const first = document();
  for (let heightPt = 100; heightPt < 300; heightPt++) first(heightPt);
  const second = document();
  t.equal(second(163), first(163), 'of a height among the first 64');
  t.not(second(164), first(164), 'not of a later one');
  t.equal(second(164), second(164), 'which each document draws once');
  t.equal(textsOf(second(299) ?? [])[0]?.text, 'thank you');
});

void t.test(
  'rows of a table stand in the column of snaking columns that they flow into',
  async (t) => {
    const fixed = { kind: 'fixed', pt: 40 } as const;
    const rows = [row([cell(text([{ kind: 'cell', column: 0, format: null }]))], { each: 0 })];
    const columns: Node = {
      ...stack([]),
      kind: 'columns',
      columns: [
        { width: fixed, node: table([fixed], rows) },
        { width: fixed, node: text('') },
      ],
      gapPt: 10,
      snaking: true,
    };
    const data = Array.from({ length: 14 }, (_, index) => [`e${index}`]);
    const document = lay(template([columns]), rowsOf(...data));
    const lefts = textsOf(document.pages[0]?.body ?? []).map(({ x }) => x);
    t.same(lefts, [...Array<number>(10).fill(0), ...Array<number>(4).fill(50)]);
  },
);

void t.test('each of snaking columns repeats the header rows of the table in it', async (t) => {
  const fixed = { kind: 'fixed', pt: 40 } as const;
  const head = row([cell(text('head'))]);
  const rows = [head, row([cell(text([{ kind: 'cell', column: 0, format: null }]))], { each: 0 })];
  const content = stack([filler(12), table([fixed], rows, { headerRows: 1 })]);
  const columns: Node = {
    ...stack([]),
    kind: 'columns',
    columns: [
      { width: fixed, node: content },
      { width: fixed, node: text('') },
    ],
    gapPt: 10,
    snaking: true,
  };
  const around = table([{ kind: 'star' }], [row([cell(text('page head'))]), row([cell(columns)])], {
    headerRows: 1,
  });
  const data = rowsOf(...Array.from({ length: 40 }, (_, index) => [`e${index}`]));
  const heads = (node: Node): string[][] =>
    lay(template([node]), data).pages.map((page) =>
      textsOf(page.body)
        .filter(({ text: shown }) => shown.endsWith('head'))
        .map(({ text: shown, x, y }) => `${shown} ${x} ${y}`),
    );
  t.same(heads(columns), [['head 50 28'], ['head 0 8', 'head 50 8'], ['head 0 8', 'head 50 8']]);
  const last = ['page head 0 8', 'head 0 18', 'head 50 18'];
  const first = ['page head 0 8', 'head 50 48'];
  t.same(heads(around), [first, last, last, last.slice(0, 2)]);
});

void t.test('a statement carries its sums over every page and adds up', async (t) => {
  const node = table(
    [{ kind: 'star' }, { kind: 'star' }],
    [
      row([cell(text('head')), cell(text('balance'))]),
      row([cell(text([{ kind: 'cell', column: 0, format: null }])), cell(sum('balance'))], {
        each: 0,
      }),
    ],
    {
      headerRows: 1,
      statement: {
        field: 0,
        opening: { field: 1 },
        creditColumn: 0,
        debitColumn: 1,
        carriedForward: row([cell(text('carried')), cell(sum('balance'))]),
        broughtForward: row([cell(text('brought')), cell(sum('balance'))]),
        pageTotal: row([cell(text('page')), cell(sum('pageCredits'))]),
      },
    },
  );
  const data = Array.from({ length: 20 }, () => ['1,000.10', '0.1']);
  const values: FieldValues = [
    { type: 'table', rows: data },
    { type: 'number', raw: '99999999999999999999.00', display: '' },
  ];
  const pages = linesOf(lay(template([node], { widthPt: 200 }), values));
  // Ten lines a page: head, carried and page total leave seven rows, six after a brought row, and
  // seven again on the last page.
  t.same(
    pages.map((lines) => lines.length),
    [10, 10, 10],
  );
  t.same(pages[0]?.slice(-2), ['carried|100000000000000006999.00', 'page|7000.70']);
  t.same(pages[1]?.slice(0, 2), ['head|balance', 'brought|100000000000000006999.00']);
  t.same(pages[1]?.slice(-2), ['carried|100000000000000012999.00', 'page|6000.60']);
  t.same(pages[2]?.slice(-2), ['1,000.10|100000000000000019999.00', 'page|7000.70']);
});

void t.test('rows joined by a row span stay together in a statement', async (t) => {
  const node = table(
    [{ kind: 'star' }, { kind: 'star' }],
    [
      row([cell(text([{ kind: 'cell', column: 0, format: null }])), cell(sum('balance'))], {
        each: 0,
      }),
      row([cell(text('totals'), { rowSpan: 3 }), cell(sum('credits'))]),
      row([null, cell(sum('debits'))]),
      row([null, cell(sum('rows'))]),
    ],
    {
      statement: {
        field: 0,
        opening: null,
        creditColumn: 0,
        debitColumn: null,
        carriedForward: row([cell(text('carried')), cell(sum('balance'))]),
        broughtForward: row([cell(text('brought')), cell(sum('balance'))]),
        pageTotal: row([cell(text('page')), cell(sum('pageRows'))]),
      },
    },
  );
  // Ten lines a page: seven rows, and the first of the joined rows would fit below them.
  const data = Array.from({ length: 7 }, () => ['2', '']);
  const pages = linesOf(lay(template([node]), [{ type: 'table', rows: data }]));
  t.same(pages[0]?.slice(-3), ['2|14', 'carried|14', 'page|7']);
  t.same(pages[1], ['brought|14', 'totals|14', '0', '7', 'page|0']);
});

const tall = (name: string, lines: number): Node =>
  text(Array.from({ length: lines }, (_, index) => `${name}${index}`).join('\n'));

const rowsOfOne = (...nodes: readonly Node[]) => nodes.map((node) => row([cell(node)]));

const lines = (node: Node): string[][] => linesOf(lay(template([node])));

void t.test('rows kept together but taller than a page are split without loss', async (t) => {
  const star = [{ kind: 'star' }] as const;
  const header = table(star, rowsOfOne(tall('h', 12), text('a')), { headerRows: 1 });
  t.same(
    lines(header).map((page) => page.length),
    [10, 3],
    'a header taller than the page is not repeated',
  );

  const kept = table(star, rowsOfOne(text('head'), tall('k', 12), text('a')), {
    headerRows: 1,
    keepWithHeaderRows: 1,
  });
  const keptPages = lines(kept);
  t.same(
    keptPages.map((page) => page[0]),
    ['head', 'head'],
    'a header that fits is repeated',
  );
  t.equal(keptPages.flat().length, 2 + 12 + 1);

  const last = table(star, rowsOfOne(text('a'), tall('x', 8), tall('y', 8)), { rowsAtEndMin: 2 });
  t.same(lines(last).flat().length, 17);

  const all = table(star, rowsOfOne(tall('x', 8), tall('y', 8)), {
    rowsAtEndMin: 2,
    dontBreakRows: true,
  });
  t.same(lines(all).flat().length, 16);
});

void t.test('a row span is not split between a block of rows and the rows beside it', async (t) => {
  const twoColumns = [{ kind: 'star' }, { kind: 'star' }] as const;
  const spanned = [
    row([cell(text('span'), { rowSpan: 2 }), cell(text('a'))]),
    row([null, cell(text('b'))]),
    row([cell(text('c')), cell(text('d'))]),
  ];
  // Ten lines a page: the row with the span is the tenth line, and the rows after it are kept.
  const atEnd = stack([filler(9), table(twoColumns, spanned, { rowsAtEndMin: 2 })]);
  t.same(lines(atEnd)[1], ['span|a', 'b', 'c|d']);
  const atStart = stack([filler(9), table(twoColumns, spanned, { headerRows: 1 })]);
  t.same(lines(atStart)[1], ['span|a', 'b', 'c|d']);
});
