import { join } from 'node:path';
import t from 'tap';
import { faultsOf, render, shareTemplate } from '../../../lab/render.ts';
import { seededRandom } from '../../../lab/random.ts';
import { dataUrl, makePng, pngRowBytes } from '../../../test/fixtures/images.ts';
import { findViolations } from '../../../tools/pdfa/rules.ts';
import { createEngine } from '../engine.ts';
import { ownDecodeBudget } from '../image/decode-budget.ts';
import { prepareImage } from '../image/image.ts';
import { compiled } from '../template/fixtures.ts';
import { prepareFile } from './template-file.ts';

/**
 * A picture of the template is in a document only if the document draws it: a stamp that a letter
 * does not show must not be extractable from its file.
 */

const scratch = t.testdir();

/** A picture that deflate cannot shrink, with the bytes that a PDF has of it. */
async function picture(seed: number) {
  const size = { widthPx: 24, heightPx: 24 };
  const rowBytes = pngRowBytes(size);
  const random = seededRandom(seed);
  const rows = Buffer.alloc(rowBytes * size.heightPx);
  // Each row begins with its filter: none.
  for (let at = 0; at < rows.length; at++) rows[at] = at % rowBytes === 0 ? 0 : random.below(256);
  const png = makePng({ ...size, rows });
  const prepared = await prepareImage(png, ownDecodeBudget(), 'best');
  if (!prepared.ok) throw new Error(prepared.fault);
  return { url: dataUrl(png, 'image/png'), bytes: Buffer.from(prepared.value.data) };
}

const stamp = await picture(1);
const logo = await picture(2);
const images = { stamp: stamp.url, logo: logo.url };

const STAMP = { image: 'stamp', width: 40, alt: 'Stamp' };
const LOGO = { image: 'logo', width: 40, alt: 'Logo' };
const TEXT = 'A letter';

const fields = [
  { name: 'approved', type: 'text', required: false },
  { name: 'rows', type: 'table', required: false, columns: ['entry'] },
  {
    name: 'accounts',
    type: 'list',
    required: false,
    fields: [{ name: 'no', type: 'text', required: false }],
  },
];

function source(document: object, more: object = {}): string {
  const info = { title: 'Letter' };
  return JSON.stringify({
    templateId: 'letter',
    name: 'Letter',
    fields,
    document: { images, info, ...document },
    ...more,
  });
}

/** How often a picture is in a file: how many objects hold it. */
function count(pdf: Uint8Array, { bytes }: { readonly bytes: Buffer }): number {
  return Buffer.from(pdf).toString('latin1').split(bytes.toString('latin1')).length - 1;
}

/** The number of images in a file, drawn or not: their dictionaries are never compressed. */
function imageCount(pdf: Uint8Array): number {
  return Buffer.from(pdf).toString('latin1').split('/Subtype/Image').length - 1;
}

/** Documents that do not draw the stamp with some data and draw it with other data. */
const CASES: readonly (readonly [string, object, hidden: object, shown: object])[] = [
  ['an "if"', { content: [TEXT, { ...STAMP, if: 'approved' }] }, {}, { approved: 'yes' }],
  ['an "unless"', { content: [TEXT, { ...STAMP, unless: 'approved' }] }, { approved: 'yes' }, {}],
  [
    'a stack with an "if"',
    { content: [TEXT, { if: 'approved', stack: [[{ columns: [STAMP] }]] }] },
    {},
    { approved: 'yes' },
  ],
  [
    'a column with an "if"',
    { content: [TEXT, { columns: [TEXT, { ...STAMP, if: 'approved' }] }] },
    {},
    { approved: 'yes' },
  ],
  [
    'an item with an "if"',
    { content: [TEXT, { ul: [TEXT, { ...STAMP, if: 'approved' }] }] },
    {},
    { approved: 'yes' },
  ],
  [
    'a cell with an "if"',
    { content: [TEXT, { table: { body: [[TEXT, { ...STAMP, if: 'approved' }]] } }] },
    {},
    { approved: 'yes' },
  ],
  [
    'a row with an "if"',
    { content: [TEXT, { table: { body: [[TEXT], { if: 'approved', cells: [STAMP] }] } }] },
    {},
    { approved: 'yes' },
  ],
  [
    'the rows of a table without rows',
    {
      content: [
        TEXT,
        {
          table: {
            widths: [99, 99],
            body: [[TEXT, TEXT], { each: 'rows', cells: [STAMP, '{{0}}'] }],
          },
        },
      ],
    },
    { rows: [] },
    { rows: [['one'], ['two']] },
  ],
  [
    'an empty list',
    { content: [TEXT, { each: 'accounts', as: 'account', stack: ['{{account.no}}', STAMP] }] },
    { accounts: [] },
    { accounts: [{ no: '1' }, { no: '2' }] },
  ],
  [
    'the header of groups without entries',
    {
      content: [
        TEXT,
        {
          each: 'accounts',
          as: 'account',
          groupBy: 'account.no',
          groupHeader: STAMP,
          text: '{{account.no}}',
        },
      ],
    },
    { accounts: [] },
    { accounts: [{ no: '1' }, { no: '2' }] },
  ],
  [
    'a header with an "if"',
    { header: { ...STAMP, if: 'approved' }, content: [TEXT] },
    {},
    { approved: 'yes' },
  ],
  [
    'a header of the second page',
    {
      header: { first: null, rest: STAMP },
      content: [TEXT, { if: 'approved', text: 'on page 2', pageBreak: 'before' }],
    },
    {},
    { approved: 'yes' },
  ],
  [
    'a background of the last page',
    {
      background: { first: null, rest: null, last: STAMP },
      content: [TEXT, { if: 'approved', text: 'on page 2', pageBreak: 'before' }],
    },
    {},
    { approved: 'yes' },
  ],
  [
    'a footer of a section without content',
    {
      content: [
        { section: [{ if: 'approved', text: 'the first section' }], footer: STAMP },
        { section: [TEXT], footer: null },
      ],
    },
    {},
    { approved: 'yes' },
  ],
  [
    'a row at the foot of pages, in a table without a page break',
    {
      pageSize: { width: 300, height: 200 },
      content: [
        {
          table: {
            widths: [99, 99],
            statement: { each: 'rows', credit: 0, carriedForward: [STAMP, TEXT] },
            body: [{ each: 'rows', cells: [TEXT, '{{0}}'] }],
          },
        },
      ],
    },
    { rows: [['1']] },
    { rows: Array.from({ length: 20 }, () => ['1']) },
  ],
];

for (const [name, document, hidden, shown] of CASES) {
  t.test(`a picture in ${name} is in a document only if it is drawn`, async (t) => {
    const template = shareTemplate(source({ ...document }));
    const without = await render(template, hidden);
    t.equal(count(without.pdf, stamp), 0, 'not drawn');
    t.equal(imageCount(without.pdf), 0);
    const drawn = await render(template, shown);
    t.equal(count(drawn.pdf, stamp), 1, 'drawn');
    t.equal(imageCount(drawn.pdf), 1);
    for (const { pdf } of [without, drawn]) t.equal(faultsOf(join(scratch, 'a.pdf'), pdf), '');
    t.strictSame((await render(template, hidden)).pdf, without.pdf, 'the same bytes again');
    t.strictSame((await render(template, shown)).pdf, drawn.pdf);
  });
}

t.test('a picture of a signature field is only in signed documents', async (t) => {
  const signatureField = { x: 60, y: 300, width: 120, height: 60, content: [STAMP] };
  const template = shareTemplate(source({ content: [TEXT] }, { signatureField }));
  for (const isAsked of [false, true]) {
    const signature = { isAsked, bytesMax: 2_000, signer: 'Bank' };
    const { pdf } = await render(template, {}, { signature });
    t.equal(count(pdf, stamp), isAsked ? 1 : 0);
  }
});

t.test('a conditional picture that is drawn twice is in the document once', async (t) => {
  const twice = [{ ...STAMP, if: 'approved' }, TEXT, { ...STAMP, if: 'approved' }];
  const { pdf } = await render(shareTemplate(source({ content: twice })), { approved: 'yes' });
  t.equal(count(pdf, stamp), 1);
});

t.test('documents of a run in turns have the picture where they draw it', async (t) => {
  const content = [LOGO, TEXT, { ...STAMP, if: 'approved' }];
  const template = shareTemplate(source({ content }));
  const lines = ['{"approved":"yes"}\n', '{}\n', '{"approved":"yes"}\n', '{}\n'];
  const made = await createEngine().renderRows({
    kind: 'render_rows',
    template,
    rows: new Uint8Array(Buffer.from(lines.join(''))),
    ends: lines.map((_, index) => lines.slice(0, index + 1).join('').length),
    header: null,
    atMs: 0,
    watermark: null,
    metadata: null,
  });
  if ('ok' in made) throw new Error(made.message);
  let from = 0;
  const pdfs = made.rows.map(({ bytes }) => made.files.subarray(from, (from += bytes)));
  t.strictSame(
    pdfs.map((pdf) => count(pdf, stamp)),
    [1, 0, 1, 0],
  );
  t.strictSame(
    pdfs.map((pdf) => count(pdf, logo)),
    [1, 1, 1, 1],
  );
  t.ok(Buffer.from(pdfs[0] ?? []).equals(pdfs[2] ?? new Uint8Array()));
  t.ok(Buffer.from(pdfs[1] ?? []).equals(pdfs[3] ?? new Uint8Array()));
});

t.test('archived and tagged documents keep their level with and without it', async (t) => {
  const document = { content: [LOGO, TEXT, { ...STAMP, if: 'approved' }] };
  for (const level of ['2u', '3a'] as const) {
    const template = shareTemplate(source(document, { archive: `PDF/A-${level}` }));
    for (const [data, times] of [
      [{}, 0],
      [{ approved: 'yes' }, 1],
    ] as const) {
      const { pdf } = await render(template, data);
      t.equal(count(pdf, stamp), times);
      t.strictSame(findViolations(Buffer.from(pdf), level), []);
      if (level === '3a') t.strictSame(findViolations(Buffer.from(pdf), 'ua'), []);
    }
  }
});

/** Whether the logo is in the part of a file that all documents of the template share. */
async function isShared(document: object): Promise<boolean> {
  const { prefix } = prepareFile(await compiled({ images, ...document }, { fields }));
  return count(prefix.bytes, logo) === 1;
}

t.test('a picture that every document draws is written once for all of them', async (t) => {
  const header = { first: LOGO, rest: null };
  const section = { section: [TEXT], header: LOGO };
  const cells = [[{ stack: [[LOGO]] }]];
  for (const [name, document] of [
    ['in the content', { content: [TEXT, LOGO] }],
    ['in nodes of all kinds', { content: [{ columns: [{ ul: [{ table: { body: cells } }] }] }] }],
    ['under a condition, too', { content: [{ ...LOGO, if: 'approved' }, LOGO] }],
    ['in a column that flows', { content: [{ columns: [LOGO, TEXT], snakingColumns: true }] }],
    ['in the header of every page', { header: LOGO, content: [TEXT] }],
    ['in the header of the first page', { header, content: [TEXT] }],
    ['in the background of every page', { background: LOGO, content: [TEXT] }],
    ['in the last of two sections', { content: [{ section: [TEXT], header: null }, section] }],
    ['in the first of two sections', { content: [section, { section: [TEXT], header: null }] }],
  ] as const) {
    t.ok(await isShared(document), name);
  }
});

t.test('a picture that a document may lack is not in the part that all share', async (t) => {
  const header = { first: LOGO, rest: null };
  const other = { section: [TEXT], header: null };
  const maybeEmpty = [{ text: TEXT, if: 'approved' }];
  for (const [name, document] of [
    [
      'in the first of two sections, without content',
      { content: [{ section: maybeEmpty, header }, other] },
    ],
    ['on the first page, in the second section', { content: [other, { section: [TEXT], header }] }],
    [
      'on a last page as high as its content',
      {
        pageSize: { width: 300, height: 'auto' },
        content: [other, { section: maybeEmpty, header: LOGO }],
      },
    ],
    [
      'in a column that the first one flows into',
      { content: [TEXT, { columns: [TEXT, LOGO], snakingColumns: true }] },
    ],
    ['above a table of contents', { content: [TEXT, { toc: { title: LOGO, hideEmpty: true } }] }],
  ] as const) {
    t.notOk(await isShared(document), name);
  }
});
