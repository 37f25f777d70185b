import type { Definition } from './engines.ts';
import { prose } from './prose.ts';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAFCAIAAADzBuo/AAAAEUlEQVR42mM4ISeHBzEMoDQAgjwyyTXANdIAAAAASUVORK5CYII=';

/** Columns, graphics, sections. */
export const BLOCKS: Readonly<Record<string, Definition>> = {
  'columns star': { content: [{ columns: [prose(40), prose(30, 2), prose(20, 5)] }, prose(10)] },
  'columns with gap': {
    content: [
      { columns: [prose(40), prose(30, 2)], columnGap: 25 },
      { columns: [prose(9), prose(9)], columnGap: 60 },
    ],
  },
  'columns fixed and auto': {
    content: [
      {
        columns: [
          { width: 90, text: prose(20) },
          { width: 'auto', text: prose(4, 3) },
          { width: '*', text: prose(40, 1) },
          { width: '20%', text: prose(12, 6) },
        ],
        columnGap: 8,
      },
    ],
  },
  'columns auto too wide': {
    content: [
      {
        columns: [
          { width: 'auto', text: prose(60) },
          { width: 'auto', text: prose(90, 4) },
        ],
      },
    ],
  },
  'columns percent': {
    content: [
      {
        columns: [
          { width: '25%', text: prose(20) },
          { width: '75%', text: prose(60) },
        ],
      },
    ],
  },
  'columns over pages': {
    content: [
      prose(300),
      { columns: [prose(500), prose(300, 5), { width: 80, text: prose(90, 2) }], columnGap: 10 },
      prose(40),
    ],
  },
  'nested columns': {
    content: [
      {
        columns: [
          { stack: [prose(10), { columns: [prose(15), prose(9)] }, prose(12)] },
          [prose(10), { text: prose(8), margin: [10, 5, 10, 5] }],
        ],
        margin: [20, 10],
      },
    ],
  },
  'stack margins': {
    content: [
      {
        stack: [
          { text: prose(5), margin: [0, 4] },
          { stack: [prose(9)], margin: 10 },
        ],
        margin: [30, 0],
      },
      prose(5),
    ],
  },
  images: {
    content: [
      { image: PIXEL, width: 100 },
      { image: PIXEL, height: 40, alignment: 'right' },
      { image: PIXEL, fit: [80, 80], alignment: 'center', margin: [10, 5] },
      { image: PIXEL, cover: { width: 60, height: 60 } },
      { columns: [{ image: PIXEL, width: 150 }, prose(30)] },
      prose(10),
    ],
  },
  'images over pages': {
    content: Array.from({ length: 9 }, (_, index) => ({
      stack: [prose(9, index), { image: PIXEL, width: 240 }],
    })),
  },
  'qr codes': {
    content: [
      { qr: 'https://example.com/verify/12345' },
      prose(5),
      { qr: 'https://example.com/verify/12345', fit: 100, alignment: 'right' },
      prose(5),
      { columns: [{ qr: '0123456789', fit: 60, eccLevel: 'H' }, prose(20)] },
    ],
  },
  canvas: {
    content: [
      prose(5),
      {
        canvas: [
          { type: 'rect', x: 10, y: 5, w: 100, h: 30 },
          { type: 'ellipse', x: 60, y: 60, r1: 40, r2: 20 },
          { type: 'line', x1: 0, y1: 100, x2: 200, y2: 100 },
          {
            type: 'polyline',
            points: [
              { x: 0, y: 0 },
              { x: 20, y: 90 },
            ],
          },
        ],
      },
      prose(5),
    ],
  },
  svg: {
    content: [
      prose(5),
      {
        svg: '<svg width="100" height="40" viewBox="0 0 100 40"><rect width="100" height="40"/></svg>',
      },
      prose(5),
      { svg: '<svg viewBox="0 0 100 40"><circle r="20"/></svg>', width: 200 },
      prose(5),
      { svg: '<svg width="100" height="40"><path d="M0 0h9"/></svg>', fit: [50, 50] },
      prose(5),
    ],
  },
  sections: {
    content: [
      { section: [prose(100)], pageOrientation: 'landscape', pageMargins: 20 },
      { section: [prose(300)], pageSize: 'A5' },
      { section: prose(50) },
    ],
  },
  'repeated background': {
    background: { text: 'confidential copy', margin: [200, 20] },
    content: [prose(900)],
  },
  'vertical alignment in columns': {
    content: [
      {
        columns: [
          { text: prose(40) },
          { text: 'middle', verticalAlignment: 'middle' },
          { text: 'bottom', verticalAlignment: 'bottom' },
        ],
      },
    ],
  },
  'snaking columns': {
    content: [
      { columns: [{ text: prose(700) }, { text: '' }], snakingColumns: true, columnGap: 20 },
    ],
  },
  watermark: { watermark: { text: 'DRAFT', opacity: 0.2 }, content: [prose(100)] },
};
