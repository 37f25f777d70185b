import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import t from 'tap';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

import { render, shareTemplate, tryRender } from '../lab/render.ts';

/** Barcodes as a scanner sees them: pages are rasterised and read by an independent decoder. */

const wasm = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
const ready = prepareZXingModule({
  overrides: { wasmBinary: readFileSync(wasm).buffer },
  fireImmediately: true,
});

const FIELDS = [
  { name: 'a', type: 'text' },
  { name: 'total', type: 'number', format: { thousandsSeparator: true, prefix: '฿' } },
  { name: 'items', type: 'table' },
];
const BILLER = '099400016550100';

function templateOf(content: readonly unknown[]): ReturnType<typeof shareTemplate> {
  return shareTemplate(JSON.stringify({ templateId: 'b', fields: FIELDS, document: { content } }));
}

/** Scans the first page; returns `format: text` of every code, in the order of the decoder. */
async function scan(
  folder: string,
  pdf: Uint8Array,
  dpi = 200,
  tryDownscale = false,
): Promise<string[]> {
  const options = ['-r', String(dpi), '-png', '-singlefile'];
  execFileSync('pdftoppm', [...options, '-', join(folder, 'page')], { input: pdf });
  await ready;
  const found = await readBarcodes(readFileSync(join(folder, 'page.png')), {
    maxNumberOfSymbols: 10,
    formats: ['Code128', 'EAN13', 'ITF', 'DataMatrix', 'PDF417', 'QRCode'],
    tryRotate: false,
    tryInvert: false,
    tryDownscale,
  });
  return found.map(({ format, text }) => `${format}: ${text}`);
}

const spaced = (node: object): object => ({ margin: [0, 0, 0, 12], ...node });

t.test('each kind is read back from a rasterised page', async (t) => {
  const bill = { biller: BILLER, reference1: '{{a}}', reference2: '670048', amount: '{{total}}' };
  const content = [
    { barcode: 'code128', data: 'No. {{a}}' },
    { barcode: 'ean13', data: '885123456789' },
    { barcode: 'itf', data: '01234567890123' },
    { barcode: 'datamatrix', data: 'ใบเสร็จ {{a}} ^1 ^^' },
    { barcode: 'pdf417', data: 'ใบเสร็จ {{a}}' },
    { barcode: 'billPayment', ...bill },
    { barcode: 'billPaymentQr', ...bill },
    { barcode: 'promptPay', payee: '0801234567', fit: [70, 70] },
  ].map(spaced);
  const { pdf } = await render(templateOf(content), { a: 'A17', total: '1250.5' });
  const line = `|${BILLER}\rA17\r670048\r125050`;
  t.same((await scan(t.testdir(), pdf)).toSorted(), [
    'Code128: No. A17',
    `Code128: ${line}`,
    'DataMatrix: ใบเสร็จ A17 ^1 ^^',
    'EAN13: 8851234567898',
    'ITF: 01234567890123',
    'PDF417: ใบเสร็จ A17',
    'QRCode: 00020101021129370016A000000677010111011300668012345675802TH530376463046197',
    `QRCode: ${line}`,
  ]);
  t.notOk(Buffer.from(pdf).includes('/Subtype/Image'), 'drawn as vectors');
});

const latin = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' });
const digits = fc.string({
  minLength: 1,
  maxLength: 15,
  unit: fc.constantFrom('0', '1', '2', '5', '7', '9'),
});
const anything = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }).filter(
  // Without blank texts, and without characters that the contract removes.
  (text) => text.trim() !== '' && text.isWellFormed() && !/\p{Cc}/u.test(text),
);

t.test('every encoded text is read back', async (t) => {
  const symbols = fc.record({
    code128: latin.filter((text) => text.trim() !== ''),
    // Decoders take an ITF code of fewer than six digits for a part of a longer code.
    itf: digits.map((text) => text.repeat(2).padEnd(6, '0')),
    datamatrix: anything,
    pdf417: anything,
  });
  const names = Object.entries({
    code128: 'Code128',
    itf: 'ITF',
    datamatrix: 'DataMatrix',
    pdf417: 'PDF417',
  });
  const fields = names.map(([name]) => ({ name, type: 'text' }));
  // The decoder needs space between two different codes.
  const content = names.map(([name]) =>
    spaced({ barcode: name, data: `{{${name}}}`, margin: [0, 0, 0, 40] }),
  );
  const template = shareTemplate(
    JSON.stringify({ templateId: 'b', fields, document: { pageSize: 'A5', content } }),
  );
  await fc.assert(
    fc.asyncProperty(symbols, async (data) => {
      const { pdf } = await render(template, data);
      const found = new Set(await scan(t.testdir(), pdf));
      for (const [name, format] of names) {
        const text = data[name as keyof typeof data];
        t.ok(found.has(`${format}: ${text}`), `${format} ${JSON.stringify(text)}`);
      }
    }),
    { numRuns: 8, seed: 20_261_122 },
  );
});

t.test('a QR code of any options is read back, in whatever place', async (t) => {
  const options = fc.record(
    {
      eccLevel: fc.constantFrom('L', 'M', 'Q', 'H'),
      padding: fc.nat(6),
      fit: fc.integer({ min: 120, max: 600 }),
      mask: fc.nat(7),
      foreground: fc.constantFrom('#12305c', '#c00', 'darkgreen', '#333'),
      background: fc.constantFrom('#f0ead9', 'lightyellow', 'lightblue'),
    },
    { requiredKeys: [] },
  );
  const place = fc.constantFrom<(qr: object) => object>(
    (qr) => qr,
    (qr) => ({ columns: [{ width: 120, ...qr }, 'beside it'], columnGap: 20 }),
    (qr) => ({ table: { widths: [120], body: [[qr]] }, layout: 'noBorders' }),
    (qr) => ({ ...qr, absolutePosition: { x: 20, y: 20 } }),
  );
  const page = { pageSize: { width: 260, height: 260 }, pageMargins: 20 };
  const fields = [{ name: 'q', type: 'qrcode' }];
  const text = fc.oneof(anything, fc.constant('é}}😀é'), digits, latin, fc.webUrl());
  await fc.assert(
    fc.asyncProperty(options, place, text, async (qr, placed, q) => {
      const document = { ...page, content: [placed({ qr: '{{q}}', ...qr })] };
      const template = shareTemplate(JSON.stringify({ templateId: 'b', fields, document }));
      const { pdf } = await render(template, { q });
      // Without scaling, the decoder misses modules of 50 pixels on a coloured ground.
      t.same(await scan(t.testdir(), pdf, 400, true), [`QRCode: ${q}`], JSON.stringify({ qr, q }));
    }),
    { numRuns: 40, seed: 20_261_130 },
  );
});

t.test('a value that its barcode cannot hold is reported as invalid', async (t) => {
  const cases: readonly (readonly [object, object, object])[] = [
    [
      { barcode: 'ean13', data: '{{a}}' },
      { a: '8851234567890' },
      { field: 'a', reason: /check digit/ },
    ],
    [{ barcode: 'code128', data: 'x{{a}}' }, { a: 'เลขที่' }, { field: 'a', reason: /cannot hold/ }],
    [
      { barcode: 'code128', data: '{{a}}' },
      { a: 'x'.repeat(81) },
      { field: 'a', reason: /too long/ },
    ],
    [
      { barcode: 'pdf417', data: '{{a}}' },
      { a: 'x'.repeat(501) },
      { field: 'a', reason: /too long/ },
    ],
    [{ barcode: 'itf', data: '{{a}}' }, { a: '123' }, { field: 'a', reason: /even number/ }],
    [{ barcode: 'promptPay', payee: '{{a}}' }, { a: '12' }, { field: 'a', reason: /phone number/ }],
    [
      { barcode: 'promptPay', payee: '0801234567', amount: '{{total}}' },
      { total: '-5' },
      { field: 'total', reason: /amount/ },
    ],
    [
      { ul: [{ each: 'items', stack: [{ barcode: 'ean13', data: '{{1}}' }] }] },
      {
        items: [
          ['a', '885123456789'],
          ['b', '88512'],
        ],
      },
      { field: 'items', reason: /12 digits/ },
    ],
    [
      { each: 'items', barcode: 'code128', data: '{{0}}' },
      { items: Array.from({ length: 400 }, (_, row) => [`${row}`.padStart(40, 'x')]) },
      { field: 'items', reason: /more than 15000/ },
    ],
  ];
  for (const [node, data, defect] of cases) {
    const result = await tryRender(templateOf([node]), data);
    t.match(result, { ok: false, code: 'invalid_data', fields: [defect] }, JSON.stringify(node));
  }
});

t.test('a barcode without a value, or whose condition does not hold, draws nothing', async (t) => {
  const content = ['page', { barcode: 'ean13', data: '{{a}}' }];
  t.ok(await render(templateOf(content), {}));
  const guarded = ['page', { if: 'total', stack: [{ barcode: 'ean13', data: '{{a}}' }] }];
  t.ok(await render(templateOf(guarded), { a: 'no number' }));
});

t.test('a barcode without bindings is checked with its template', async (t) => {
  const faults: readonly (readonly [object, RegExp])[] = [
    [{ barcode: 'ean13', data: '123' }, /barcode\.data|content\[0\]\.data/],
    [{ barcode: 'promptPay', amount: '5' }, /either "payee" or "biller"/],
    [{ barcode: 'billPayment', biller: BILLER }, /needs "reference1"/],
    [{ barcode: 'code128' }, /needs "data"/],
    [{ barcode: 'code128', data: 'x', payee: '1' }, /takes "data" only/],
  ];
  for (const [node, message] of faults) {
    const result = await tryRender(templateOf([node]), {});
    t.match(result, { ok: false, code: 'render_failed', message }, JSON.stringify(node));
  }
});

t.test('bars have the width and height that the template sets', async (t) => {
  const content = [{ barcode: 'code128', data: '123456', width: 90, height: 20, padding: 0 }];
  const document = { compress: false, content };
  const source = JSON.stringify({ templateId: 'b', fields: [], document });
  const { pdf } = await render(shareTemplate(source), {});
  const text = Buffer.from(pdf).toString('latin1');
  const rectangles = [...text.matchAll(/([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re\b/g)];
  const [white, ...bars] = rectangles.map((match) => match.slice(1).map(Number));
  t.same(white?.slice(2), [90, 20]);
  const end = Math.max(...bars.map(([x = 0, , width = 0]) => x + width));
  t.ok(Math.abs(end - 130) < 0.05, `${end}`);
  t.ok(bars.every(([, , , height]) => height === 20));
});
