import { dataUrl, makePng } from '../fixtures/images.ts';

/** Each row of the spec's field tables: a value at the limit, and one just beyond it. */
export interface FieldCase {
  readonly field: string;
  readonly rule: string;
  readonly good: unknown;
  readonly bad: unknown;
  readonly reason: string;
}

export const FIELDS = [
  { name: 'must', type: 'text', required: true },
  { name: 'text', type: 'text', required: false },
  { name: 'number', type: 'number', required: false, validation: { min: 10 } },
  { name: 'date', type: 'date', required: false, format: { calendar: 'buddhist' } },
  { name: 'image', type: 'image', required: false },
  { name: 'qrcode', type: 'qrcode', required: false },
  { name: 'table', type: 'table', required: false },
  { name: 'svg', type: 'svg', required: false },
];

const PNG = makePng({ widthPx: 2, heightPx: 2 });

function bits(widthPx: number, heightPx: number): string {
  const data = Buffer.alloc((1 + Math.ceil(widthPx / 8)) * heightPx);
  const file = makePng({ widthPx, heightPx, bitDepth: 1, colorType: 0, rows: data });
  return dataUrl(file, 'image/png');
}

function rows(count: number, columns: number): string[][] {
  return Array.from({ length: count }, () => Array.from({ length: columns }, () => 'a'));
}

const svg = (inside: string): string => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`;
const RECT = svg('<rect id="r" width="9" height="9"/>');

function rule(field: string, name: string, good: unknown, bad: unknown, reason: string): FieldCase {
  return { field, rule: name, good, bad, reason };
}

export const CASES: readonly FieldCase[] = [
  rule('must', 'required', 'x', '', 'required'),
  rule('must', 'required, after cleaning', 'x\u0000', '\u0000', 'required'),
  rule('text', 'a string', 'x\u0007y', 1, 'text expected'),
  rule('number', 'a number', 12.5, 'twelve', 'number expected'),
  rule('number', 'a numeric string', '12.50', '12.50 ', 'number expected'),
  rule('number', 'the minimum', 10, '9.99', 'number of at least 10 expected'),
  rule('number', '40 digits', '9'.repeat(40), '9'.repeat(41), 'number has more than 40 digits'),
  rule('date', 'a day that exists', '2024-02-29', '2026-02-29', 'date expected as YYYY-MM-DD'),
  rule('date', 'ISO', '2026-01-02', '2/1/2026', 'date expected as YYYY-MM-DD'),
  rule(
    'image',
    'data URL only',
    dataUrl(PNG, 'image/png'),
    'https://example.com/a.png',
    'image expected as a data URL',
  ),
  rule(
    'image',
    'PNG, JPEG, GIF, WebP',
    dataUrl(PNG, 'image/png'),
    dataUrl(PNG, 'image/tiff'),
    'image must be PNG, JPEG, GIF or WebP',
  ),
  rule(
    'image',
    '30 million pixels',
    bits(6_000, 5_000),
    bits(6_000, 5_001),
    'image has more than 30000000 pixels',
  ),
  rule(
    'image',
    'whole',
    dataUrl(PNG, 'image/png'),
    dataUrl(PNG.subarray(0, PNG.length - 20), 'image/png'),
    'image cannot be decoded',
  ),
  rule('qrcode', 'a string', 'x', 1, 'text expected'),
  rule(
    'qrcode',
    'its capacity',
    'a'.repeat(2_953),
    'a'.repeat(2_954),
    'text is longer than a QR code can hold',
  ),
  rule('table', '2,000 rows', rows(2_000, 1), rows(2_001, 1), 'table has more than 2000 rows'),
  rule(
    'table',
    '20,000 cells',
    rows(2_000, 10),
    [...rows(1_999, 10), ...rows(1, 11)],
    'table has more than 20000 cells',
  ),
  rule('table', 'cells are strings', [['1']], [[1]], 'table cells must be strings'),
  rule(
    'table',
    'as a JSON string',
    '[["a"]]',
    'plain text',
    'table expected as an array of rows of strings',
  ),
  rule('svg', 'markup', RECT, 'plain text', 'svg expected as markup with <svg and </svg>'),
  rule(
    'svg',
    'no data URL',
    RECT,
    'data:image/svg+xml,%3Csvg/%3E',
    'svg expected as markup with <svg and </svg>',
  ),
  rule(
    'svg',
    'no script',
    RECT,
    svg('<script>1</script>'),
    'svg holds an element that is not allowed',
  ),
  rule('svg', 'no handler', RECT, svg('<rect onload="1"/>'), 'svg holds an event handler'),
  ...['<!DOCTYPE svg>', '<!DOCTYPE svg [<!ENTITY a "b">]>', '<?xml-stylesheet href="a"?>'].map(
    (head) =>
      rule(
        'svg',
        `no ${head}`,
        RECT,
        head + RECT,
        'svg holds a DOCTYPE, an entity or a processing instruction',
      ),
  ),
  ...['href', 'xlink:href', 'src'].map((name) =>
    rule(
      'svg',
      `no external ${name}`,
      RECT,
      `<svg xmlns:xlink="http://www.w3.org/1999/xlink"><use ${name}="https://example.com/a"/></svg>`,
      'svg refers to an external resource',
    ),
  ),
];
