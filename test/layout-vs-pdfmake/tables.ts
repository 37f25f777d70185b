import type { Definition } from './engines.ts';
import { prose, rows, wholeWords } from './prose.ts';

/** Tables: widths, spans, page breaks, layouts, nesting. */
export const TABLES: Readonly<Record<string, Definition>> = {
  'auto widths': { content: [{ table: { body: rows(6, 4, (_row, column) => column + 1) } }] },
  'auto widths too wide': {
    content: [{ table: { body: rows(4, 4, (_row, column) => 4 + column * 5) } }],
  },
  'star widths': {
    content: [{ table: { widths: ['*', '*', '*'], body: rows(8, 3, (row) => 2 + (row % 5) * 3) } }],
  },
  'mixed widths': {
    content: [
      {
        table: {
          widths: [60, 'auto', '*', '15%'],
          body: rows(8, 4, (row, column) => 1 + ((row + column) % 4)),
        },
      },
      {
        table: { widths: ['auto', '*', 100], body: rows(5, 3, (row, column) => 2 + column * row) },
      },
    ],
  },
  'percent widths': {
    content: [{ table: { widths: ['20%', '50%', '30%'], body: rows(5, 3, (row) => 2 + row) } }],
  },
  'rows over pages': {
    content: [
      {
        table: {
          widths: ['*', 80, 80],
          body: rows(90, 3, (row, column) => 1 + ((row + column) % 6)),
        },
      },
    ],
  },
  'header rows': {
    content: [
      prose(100),
      {
        table: {
          headerRows: 1,
          widths: ['auto', '*', 90],
          body: [
            ['Date', 'Description', 'Amount'],
            ...rows(120, 3, (row, column) => (column === 1 ? 3 + (row % 12) : 1)),
          ],
        },
      },
      prose(10),
    ],
  },
  'two header rows': {
    content: [
      {
        table: {
          headerRows: 2,
          keepWithHeaderRows: 1,
          widths: ['*', '*'],
          body: [
            [{ text: 'Title of all', colSpan: 2, bold: true }, {}],
            ['left', 'right'],
            ...rows(80, 2, (row) => 1 + (row % 9)),
          ],
        },
        layout: 'lightHorizontalLines',
      },
    ],
  },
  'header at page end': {
    content: [
      prose(690),
      {
        table: {
          headerRows: 1,
          keepWithHeaderRows: 2,
          body: [['A', 'B'], ...rows(30, 2, () => 3)],
        },
      },
    ],
  },
  'rows not broken': {
    content: [
      prose(150),
      {
        table: {
          dontBreakRows: true,
          widths: ['*', '*'],
          body: rows(24, 2, (row) => 20 + (row % 5) * 12),
        },
      },
    ],
  },
  'rows not broken with header': {
    content: [
      prose(150),
      {
        table: {
          dontBreakRows: true,
          headerRows: 1,
          widths: ['*', '*'],
          body: [['left', 'right'], ...rows(24, 2, (row) => 20 + (row % 5) * 12)],
        },
      },
    ],
  },
  'rows broken': {
    content: [
      {
        table: {
          widths: ['*', '*'],
          body: rows(12, 2, (row, column) => (column === 0 ? 150 : 60 + row * 5)),
        },
      },
    ],
  },
  'rows broken with header': {
    content: [
      {
        table: {
          headerRows: 1,
          widths: ['*', 100],
          body: [
            ['head', 'head'],
            ...rows(12, 2, (row, column) => (column === 0 ? 150 : 40 + row)),
          ],
        },
      },
    ],
  },
  'column spans': {
    content: [
      {
        table: {
          widths: ['auto', 'auto', '*', 60],
          body: [
            [{ text: prose(9), colSpan: 3 }, {}, {}, 'd'],
            ['a', { text: prose(12), colSpan: 2, alignment: 'center' }, {}, 'd'],
            ['a', 'b', { text: prose(8), colSpan: 2 }, {}],
            [{ text: prose(30), colSpan: 4 }, {}, {}, {}],
            ...rows(3, 4, () => 2),
          ],
        },
      },
    ],
  },
  'row spans': {
    content: [
      {
        table: {
          widths: [100, '*', 80],
          body: [
            [{ text: prose(20), rowSpan: 3 }, prose(10), 'c'],
            ['', prose(5), 'c'],
            ['', prose(3), { text: prose(9), rowSpan: 2 }],
            ['a', 'b', ''],
            [{ text: 'both', rowSpan: 2, colSpan: 2 }, '', 'c'],
            ['', '', prose(7)],
          ],
        },
      },
      prose(10),
    ],
  },
  'row spans taller than rows': {
    content: [
      {
        table: {
          body: [
            [{ text: prose(60), rowSpan: 2 }, 'short'],
            ['', 'short'],
            ['next', 'row'],
          ],
          widths: [120, 100],
        },
      },
      'after',
    ],
  },
  'row spans over pages': {
    content: [
      prose(560),
      {
        table: {
          widths: ['*', '*'],
          body: [
            [{ text: prose(80), rowSpan: 4 }, prose(20)],
            ['', prose(25)],
            ['', prose(40)],
            ['', prose(30)],
            ...rows(4, 2, () => 8),
          ],
        },
      },
    ],
  },
  'named layouts': {
    content: ['noBorders', 'headerLineOnly', 'lightHorizontalLines'].map((layout) => ({
      table: { headerRows: 1, widths: ['*', 'auto', 100], body: rows(5, 3, (row) => 1 + row) },
      layout,
      margin: [0, 5, 0, 15],
    })),
  },
  'layouts as data': {
    content: [
      {
        table: { headerRows: 1, widths: ['*', '*', 70], body: rows(8, 3, (row) => 1 + (row % 4)) },
        layout: {
          hLineWidth: { outer: 2, inner: 0.5 },
          vLineWidth: { outer: 2, inner: 0 },
          paddingLeft: 10,
          paddingRight: { first: 2, last: 12, inner: 6 },
          paddingTop: { even: 6, odd: 2 },
          paddingBottom: 4,
          fillColor: { even: '#eeeeee', odd: null },
        },
      },
    ],
  },
  heights: {
    content: [
      { table: { heights: 40, widths: ['*', 90], body: rows(4, 2, (row) => 2 + row * 6) } },
      { table: { heights: [20, 60, 'auto', 30], body: rows(4, 2, (row) => 2 + row) } },
    ],
  },
  'heights over pages': {
    content: [{ table: { heights: 90, widths: ['*', 90], body: rows(14, 2, (row) => 2 + row) } }],
  },
  'nested tables': {
    content: [
      {
        table: {
          widths: ['*', 'auto'],
          body: [
            [{ table: { body: rows(3, 2, () => 2) } }, 'right'],
            [
              [
                prose(9),
                { table: { widths: ['*', 50], body: rows(4, 2, () => 3) }, layout: 'noBorders' },
              ],
              prose(3),
            ],
          ],
        },
      },
    ],
  },
  'nested table over pages': {
    content: [
      prose(380),
      {
        table: {
          headerRows: 1,
          widths: ['*', 80],
          body: [
            ['outer', 'head'],
            [
              { table: { headerRows: 1, widths: ['*', '*'], body: rows(30, 2, () => 6) } },
              prose(30),
            ],
          ],
        },
      },
    ],
  },
  'cells of blocks': {
    content: [
      {
        table: {
          widths: ['*', '*', 120],
          body: [
            [
              { stack: [prose(5), prose(9)] },
              { ul: ['a', prose(12), 'c'] },
              { columns: [prose(4), prose(4)] },
            ],
            [
              { qr: 'abc', fit: 50 },
              { text: prose(8), margin: [10, 5, 10, 15] },
              { ol: ['x', 'y'] },
            ],
          ],
        },
      },
    ],
  },
  'cell alignment': {
    content: [
      {
        table: {
          widths: ['*', '*', '*', '*'],
          body: [
            ['left', 'center', 'right', 'justify'].map((alignment) => ({
              text: alignment === 'justify' ? wholeWords(24) : prose(20),
              alignment,
            })),
            [
              { text: prose(30) },
              { text: 'middle', verticalAlignment: 'middle' },
              { text: 'bottom of', verticalAlignment: 'bottom' },
              { text: 'top', verticalAlignment: 'top' },
            ],
          ],
        },
      },
    ],
  },
  'vertical alignment in spans': {
    content: [
      {
        table: {
          widths: ['*', '*'],
          body: [
            [{ text: 'middle of three', rowSpan: 3, verticalAlignment: 'middle' }, prose(30)],
            ['', prose(10)],
            ['', prose(20)],
            [{ text: 'bottom', verticalAlignment: 'bottom' }, { stack: [prose(8), prose(30)] }],
          ],
        },
      },
    ],
  },
  borders: {
    content: [
      {
        table: {
          body: [
            [
              { text: 'a', border: [false, true, false, false] },
              { text: 'b', borderColor: ['red', 'red', 'red', 'red'] },
              'c',
            ],
            [
              { text: 'a', border: [true, true, true, true] },
              { text: 'wide', colSpan: 2, border: [false, false, false, true] },
              '',
            ],
          ],
        },
        layout: { defaultBorder: false },
      },
    ],
  },
  fills: {
    content: [
      {
        table: {
          widths: ['*', '*'],
          body: [
            [
              { text: 'a', fillColor: '#ff0000' },
              { text: 'b', fillColor: 'blue', fillOpacity: 0.3 },
            ],
            [{ text: 'wide', colSpan: 2, fillColor: '#cccccc' }, ''],
          ],
        },
      },
    ],
  },
  'table in columns': {
    content: [
      {
        columns: [
          { width: 'auto', table: { body: rows(3, 2, () => 2) } },
          { width: '*', text: prose(40) },
        ],
        columnGap: 10,
      },
    ],
  },
  'table in list': { content: [{ ul: ['a', { table: { body: rows(3, 2, () => 2) } }, 'c'] }] },
  'table with margins': {
    content: [
      { table: { widths: ['*', '*'], body: rows(40, 2, () => 9) }, margin: [30, 20, 60, 10] },
      prose(20),
    ],
  },
  'unbreakable table': {
    content: [
      prose(560),
      { unbreakable: true, table: { widths: ['*', 60], body: rows(9, 2, () => 6) } },
    ],
  },
  'page break in a cell': {
    content: [
      {
        table: {
          body: [
            ['a', 'b'],
            [{ text: 'c', pageBreak: 'after' }, 'd'],
            ['e', 'f'],
          ],
        },
      },
    ],
  },
  'no wrap cells': {
    content: [
      {
        table: {
          body: [
            [{ text: prose(3), noWrap: true }, prose(60)],
            [{ text: prose(2), noWrap: true }, prose(9)],
          ],
        },
      },
    ],
  },
  'statement like': {
    pageMargins: [40, 60, 40, 50],
    defaultStyle: { fontSize: 9 },
    header: { text: 'Account 123-4-56789-0', margin: [40, 20] },
    footer: { text: 'Page {{page}} of {{pages}}', alignment: 'center', margin: [0, 15] },
    content: [
      { text: 'Statement of account', fontSize: 16, bold: true, margin: [0, 0, 0, 10] },
      {
        table: {
          headerRows: 1,
          widths: [60, '*', 70, 70, 80],
          body: [
            ['Date', 'Details', 'Withdrawal', 'Deposit', 'Balance'],
            ...Array.from({ length: 200 }, (_, index) => [
              `2026-11-${String((index % 28) + 1).padStart(2, '0')}`,
              prose(2 + (index % 9), index),
              { text: (index * 17.35).toFixed(2), alignment: 'right' },
              { text: '', alignment: 'right' },
              { text: (100000 - index * 17.35).toFixed(2), alignment: 'right' },
            ]),
          ],
        },
        layout: 'lightHorizontalLines',
      },
    ],
  },
};
