import sharp from 'sharp';
import { dataUrl, makePng } from '../fixtures/images.ts';

/** Valid requests of 1 MB that are as costly to render as a caller can make them. */

export const TEMPLATE = {
  language: 'th',
  fields: [
    { name: 'text', type: 'text', required: false },
    { name: 'code', type: 'text', required: false, validation: { pattern: '^(([a-z])+.?)+$' } },
    { name: 'image', type: 'image', required: false },
    { name: 'other', type: 'image', required: false },
    { name: 'table', type: 'table', required: false },
    { name: 'svg', type: 'svg', required: false },
  ],
  document: {
    content: [
      { columns: [{ width: 14, text: '{{text}}' }] },
      { image: '{{image}}', width: 200 },
      { image: '{{other}}', width: 200 },
      { svg: '{{svg}}', width: 200 },
      {
        table: {
          widths: Array.from({ length: 10 }, () => '*'),
          body: [
            {
              each: 'table',
              cells: Array.from({ length: 10 }, (_, column) => `{{${column}}}`),
            },
          ],
        },
      },
    ],
  },
};

const TEXT_CHARACTERS = 300_000;

/** 30 million pixels with alpha and the longest permitted side: decoded and re-encoded. */
function longPng(): string {
  const [widthPx, heightPx] = [457, 65_535];
  const rows = Buffer.alloc((1 + 2 * widthPx) * heightPx, 0);
  return dataUrl(makePng({ widthPx, heightPx, colorType: 4, rows }), 'image/png');
}

async function progressiveJpeg(): Promise<string> {
  const create = { width: 5_477, height: 5_477, channels: 3, background: '#456' } as const;
  const bytes = await sharp({ create }).jpeg({ progressive: true, quality: 20 }).toBuffer();
  return dataUrl(bytes, 'image/jpeg');
}

/** An SVG with nearly as many elements as references may expand to. */
function svgChain(): string {
  const shapes = '<path d="M0 0C1 2 3 4 5 6z" fill="red"/>'.repeat(98);
  const uses = '<use href="#a" opacity=".9"/>'.repeat(490);
  const group = `<defs><g id="a">${shapes}</g></defs>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">${group}${uses}</svg>`;
}

export async function bombs(): Promise<Readonly<Record<string, object>>> {
  const cell = 'ยอดคงเหลือ 12';
  const words = 'การทดสอบระบบธนาคาร';
  const png = longPng();
  return {
    'long PNG with alpha': { image: png },
    'two images': { image: png, other: await progressiveJpeg() },
    'SVG of many uses': { svg: svgChain() },
    '20,000 cells': { table: Array.from({ length: 2_000 }, () => Array(10).fill(cell)) },
    'Thai in a narrow column': { text: words.repeat(TEXT_CHARACTERS / words.length) },
    'a word without end': { text: 'x'.repeat(900_000) },
    'a pattern that branches': { code: 'a'.repeat(9_999) },
  };
}
