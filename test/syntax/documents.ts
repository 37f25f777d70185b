import { loadFonts } from '../../src/engine/font/library.ts';
import type { PreparedImage } from '../../src/engine/image/image.ts';
import {
  FillItem,
  GridItem,
  type Item,
  type LaidOutDocument,
  LineItem,
  type Page,
  TextItem,
} from '../../src/engine/model/frame.ts';
import type { FontUse } from '../../src/engine/model/font-use.ts';
import type { Fill, GradientStop, Stroke, TextStyle } from '../../src/engine/model/style.ts';
import { writeDocument } from '../../src/engine/pdf/document.ts';
import { prepareFile } from '../../src/engine/pdf/template-file.ts';
import { template } from '../../src/engine/layout/fixtures/nodes.ts';
import { render, shareTemplate } from '../../lab/render.ts';

/**
 * Small documents, each with one group of PDF constructs that the writer makes of layout's items.
 */

interface Drawing {
  readonly items?: readonly Item[];
  readonly document?: Partial<LaidOutDocument>;
  readonly fontUses?: readonly FontUse[];
  readonly images?: readonly PreparedImage[];
}

function pageOf(items: readonly Item[], more: Partial<Page> = {}): Page {
  return { widthPt: 200, heightPt: 100, body: [...items], links: [], ...more };
}

function write({ items = [], document = {}, fontUses = [], images = [] }: Drawing): Uint8Array {
  const compiled = template([], {}, { compress: false, fontUses, images });
  const whole: LaidOutDocument = {
    pages: [pageOf(items)],
    destinations: [],
    outline: [],
    language: 'en',
    info: null,
    files: [],
    signature: null,
    overlay: () => [],
    ...document,
  };
  const rest = {
    attached: null,
    watermark: null,
    metadata: null,
    signatureBytes: null,
    atMs: Date.UTC(2026, 0, 1),
  };
  return writeDocument({
    template: compiled,
    file: prepareFile(compiled),
    document: whole,
    ...rest,
  }).pdf.slice();
}

const BLACK_FILL: Fill = { paint: 0x000000, opacity: 1, rule: 'nonzero' };
const STROKE: Stroke = {
  paint: 0x336699,
  widthPt: 2,
  opacity: 1,
  cap: 0,
  join: 0,
  miterLimit: 10,
  dash: null,
};
const TRIANGLE = [0, 0, 0, 1, 20, 0, 1, 10, 15, 3];
const CURVE = [0, 0, 0, 2, 5, 10, 15, 10, 20, 0];

function path(x: number, fill: Fill | null, stroke: Stroke | null, data = TRIANGLE): Item {
  return { kind: 'path', x, y: 30, path: data, fill, stroke };
}

function paths(): Uint8Array {
  const half = { ...BLACK_FILL, opacity: 0.5 };
  const round = { ...STROKE, cap: 1, join: 1, dash: { lengths: [4, 2], phase: 1 } } as const;
  return write({
    items: [
      path(0, BLACK_FILL, null),
      path(30, { ...BLACK_FILL, paint: 0xff0000, rule: 'evenodd' }, null),
      path(60, null, STROKE),
      path(90, half, { ...STROKE, opacity: 0.25 }),
      path(120, null, round, CURVE),
      path(150, BLACK_FILL, STROKE, [4, 0, 0, 20, 15]),
    ],
  });
}

function groups(): Uint8Array {
  const inner = path(0, BLACK_FILL, null);
  const group = { kind: 'group', x: 10, y: 10, matrix: null, clip: null, opacity: 1 } as const;
  const clip = { path: [4, 0, 0, 20, 20], rule: 'nonzero' } as const;
  return write({
    items: [
      { ...group, matrix: [0, 1, -1, 0, 0, 0], items: [inner] },
      { ...group, clip, items: [inner] },
      { ...group, clip: { ...clip, rule: 'evenodd' }, opacity: 0.5, items: [inner, inner] },
    ],
  });
}

const STOPS: readonly GradientStop[] = [
  { offset: 0, color: 0xff0000, opacity: 1 },
  { offset: 0.5, color: 0x00ff00, opacity: 1 },
  { offset: 1, color: 0x0000ff, opacity: 1 },
];

function paints(): Uint8Array {
  const linear = { kind: 'linear', x1: 0, y1: 0, x2: 20, y2: 0, stops: STOPS } as const;
  const faded = [STOPS[0], { offset: 1, color: 0x0000ff, opacity: 0 }].filter(
    (x) => x !== undefined,
  );
  const radial = {
    kind: 'radial',
    cx: 10,
    cy: 8,
    r: 10,
    fx: 8,
    fy: 6,
    matrix: [1, 0, 0, 0.5, 0, 0],
    stops: STOPS.slice(0, 2),
  } as const;
  const tile = {
    kind: 'tile',
    widthPt: 4,
    heightPt: 4,
    path: [0, 0, 0, 1, 4, 4],
    color: 0x777777,
    lineWidthPt: 0.5,
  } as const;
  return write({
    items: [
      path(0, { ...BLACK_FILL, paint: linear }, null),
      path(30, { ...BLACK_FILL, paint: { ...linear, stops: faded } }, null),
      path(60, { ...BLACK_FILL, paint: radial }, null),
      path(90, { ...BLACK_FILL, paint: tile }, null),
      path(120, null, { ...STROKE, paint: linear }),
      new FillItem(150, 10, 20, 20, tile, 0.5),
    ],
  });
}

function image(more: Partial<PreparedImage>): PreparedImage {
  return {
    widthPx: 2,
    heightPx: 1,
    filter: 'FlateDecode',
    colorSpace: 'DeviceRGB',
    bitsPerComponent: 8,
    predictor: null,
    invert: false,
    data: new Uint8Array([1, 2, 3]),
    softMask: null,
    key: '',
    ...more,
  };
}

/**
 * A grey pixel as JPEG. The Flate data of the other images need not be pixels: nothing decodes it.
 */
const JPEG = Buffer.from(
  '/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////' +
    '////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAI' +
    'AQEAAD8AP//Z',
  'base64',
);

function pictures(): Uint8Array {
  const mask = image({ colorSpace: 'DeviceGray', predictor: { colors: 1, columns: 2 }, key: 'm' });
  const palette = new Uint8Array([0, 0, 0, 255, 255, 255]);
  const indexed = { base: 'DeviceRGB', palette } as const;
  const all = [
    image({ key: 'rgb', predictor: { colors: 3, columns: 2 } }),
    image({ key: 'masked', softMask: mask }),
    image({ key: 'indexed', colorSpace: indexed, bitsPerComponent: 1 }),
    image({ key: 'jpeg', filter: 'DCTDecode', colorSpace: 'DeviceGray', widthPx: 1, data: JPEG }),
    image({ key: 'inverted', colorSpace: 'DeviceCMYK', invert: true }),
  ];
  const place = {
    kind: 'image',
    y: 10,
    widthPt: 20,
    heightPt: 10,
    opacity: 1,
    clip: null,
  } as const;
  const items: Item[] = all.map((one, index) => ({ ...place, x: index * 30, image: one }));
  const clip = { x: 150, y: 10, widthPt: 10, heightPt: 10 };
  const [first] = all;
  if (first !== undefined) items.push({ ...place, x: 150, image: first, opacity: 0.5, clip });
  // The first two images belong to the template, the others come with the data.
  return write({ items, images: all.slice(0, 2) });
}

function qr(): Uint8Array {
  const bits = new Uint8Array([0b110_00000, 0b010_00000, 0b101_00000]);
  const symbol = { kind: 'qr', y: 10, sizePt: 30, count: 3, bits, foreground: 0 } as const;
  return write({
    items: [
      { ...symbol, x: 10, background: 0xffffff },
      { ...symbol, x: 50, foreground: 0x003366, background: null },
    ],
  });
}

function linesAndFills(): Uint8Array {
  const dash = { lengths: [1, 2], phase: 0 };
  return write({
    items: [
      new LineItem(0, 10, 100, 10, 0.5, 0x000000, null),
      new LineItem(0, 20, 100, 20, 0.5, 0x000000, null),
      new LineItem(0, 30, 100, 30, 2, 0xff0000, dash),
      new FillItem(0, 40, 50, 10, 0xeeeeee, 1),
      new FillItem(50, 40, 50, 10, 0xeeeeee, 0.3),
    ],
  });
}

const { library } = loadFonts(null);
const stack = library.stack('Sarabun', false, false);
const STYLE: TextStyle = { stack, sizePt: 10, color: 0, opacity: 1, characterSpacingPt: 0 };
const USE: FontUse = { stack, texts: ['AV To 12.50 น้ำที่'], freeText: false };

function line(y: number, text: string, style: Partial<TextStyle> = {}, gaps?: number[]): TextItem {
  return new TextItem({ ...STYLE, ...style }, 10, y, [stack.shape(text)], gaps ?? null);
}

function texts(): Uint8Array {
  const [a, b] = [stack.shape('To'), stack.shape('12.50')];
  return write({
    fontUses: [USE],
    items: [
      line(10, 'AV To'),
      line(20, 'น้ำที่'),
      line(30, 'To', { color: 0x990000, sizePt: 14 }),
      line(40, 'To', { characterSpacingPt: 1.5 }),
      line(50, 'To', { opacity: 0.5 }),
      new TextItem(STYLE, 10, 60, [a, b], [3, 0]),
    ],
  });
}

function grid(): Uint8Array {
  const cells = ['12.50', '12', stack.shape('To'), '', '1', '50'];
  const xs = Float64Array.of(0, 60, 0, 60, 0, 60);
  const bold: TextStyle = { ...STYLE, sizePt: 8 };
  return write({
    fontUses: [USE],
    items: [new GridItem(10, 10, [STYLE, bold], [8, 7], cells, 0, [0, 12, 24], xs)],
  });
}

/**
 * Characters that the template did not announce: they need a composite font made for the document.
 */
function beyondTheSubset(): Uint8Array {
  return write({ fontUses: [USE], items: [line(10, 'To Ω'), line(20, 'กู้')] });
}

function navigation(): Uint8Array {
  const area = { x: 10, widthPt: 50, heightPt: 10 };
  const links: Page['links'] = [
    { ...area, y: 10, target: { kind: 'uri', uri: 'https://example.test/a(b) ก' } },
    { ...area, y: 30, target: { kind: 'page', pageIndex: 1 } },
    { ...area, y: 50, target: { kind: 'destination', name: 'end' } },
  ];
  const leaf = { pageIndex: 1, y: 20, expanded: false, children: [] };
  return write({
    document: {
      pages: [pageOf([], { links }), pageOf([])],
      destinations: [
        { name: 'end', pageIndex: 1, x: 0, y: 40 },
        { name: 'จบ', pageIndex: 1, x: 0, y: 50 },
      ],
      outline: [
        {
          title: 'First',
          pageIndex: 0,
          y: 0,
          expanded: true,
          children: [{ ...leaf, title: 'Inner (1)' }],
        },
        { ...leaf, title: 'ที่สอง' },
      ],
    },
  });
}

function share(content: readonly unknown[], more: Record<string, unknown> = {}) {
  return shareTemplate(
    JSON.stringify({
      templateId: 'syntax',
      name: 'Syntax',
      language: 'en',
      fields: [],
      document: { compress: false, pageSize: { width: 200, height: 100 }, content, ...more },
    }),
  );
}

const LETTER = share(
  [
    { text: 'A', id: 'a', outline: true },
    { text: 'To', linkToDestination: 'a' },
  ],
  {
    header: 'V',
    footer: '{{page}} / {{pages}}',
  },
);

/** Body, watermark, header and footer are separate streams; equal ones are written once. */
async function layers(): Promise<Uint8Array> {
  const two = share([{ text: 'A' }, { text: 'V', pageBreak: 'before' }], { header: 'To' });
  return (await render(two, {}, { watermark: { text: 'COPY', opacity: 0.2 } })).pdf;
}

async function metadata(): Promise<Uint8Array> {
  const described = share([], { info: { author: 'ผู้เขียน', keywords: 'a, b' } });
  const given = { title: 'Title (1)', subject: 'A & B' };
  return (await render(described, {}, { metadata: given })).pdf;
}

/** An attached page keeps its body and its link; its footer is dropped, and a new one is drawn. */
async function merged(): Promise<Uint8Array> {
  const attached = await render(LETTER, {});
  return (await render(LETTER, {}, { attachments: [attached.pdf] })).pdf;
}

/** By the name of the file that the syntax is compared with. */
export const DOCUMENTS: Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>> = {
  'empty-page': () => write({}),
  'lines-and-fills': linesAndFills,
  paths,
  groups,
  paints,
  images: pictures,
  qr,
  texts,
  grid,
  'beyond-the-subset': beyondTheSubset,
  navigation,
  layers,
  metadata,
  merged,
};
