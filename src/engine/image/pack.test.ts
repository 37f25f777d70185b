import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import t from 'tap';
import { render, shareTemplate } from '../../../lab/render.ts';
import { cpuMsOf, dataUrl, makePng, PALETTE } from '../../../test/fixtures/images.ts';
import { packImage } from './pack.ts';
import type { PreparedImage } from './image.ts';
import { prepareImage } from './image.ts';
import { isWithin } from '../../../test/hostile/machine.ts';
import { ownDecodeBudget } from './decode-budget.ts';

const BUDGET = ownDecodeBudget();

const SIDE_PX = 61;

/** An image as sharp makes it from pixels: a formula for each channel of each pixel. */
async function drawn(
  channels: 1 | 3 | 4,
  valueAt: (x: number, y: number, channel: number) => number,
): Promise<Buffer> {
  const data = Buffer.alloc(SIDE_PX * SIDE_PX * channels);
  for (let i = 0; i < data.length; i++) {
    const pixel = Math.floor(i / channels);
    data[i] = valueAt(pixel % SIDE_PX, Math.floor(pixel / SIDE_PX), i % channels);
  }
  const raw = { width: SIDE_PX, height: SIDE_PX, channels };
  const image = sharp(data, { raw });
  return (channels === 1 ? image.toColourspace('b-w') : image).png().toBuffer();
}

/** One of four colours without a pattern that deflate could find. */
function few(x: number, y: number, channel: number): number {
  const mixed = Math.imul(Math.imul(x + 1, 0x9e3779b1) ^ (y * 0x85ebca6b), 0xc2b2ae35) >>> 30;
  return [10, 200, 90, 255][(mixed + channel) & 3] ?? 0;
}

const many = (x: number, y: number, channel: number): number => (x * 4 + y * (channel + 1)) & 0xff;

/** A PDF with the image alone, compiled into a template. */
async function pdfOf(image: Uint8Array, type: string): Promise<Uint8Array> {
  const template = {
    templateId: 'image',
    name: 'Image',
    fields: [],
    document: { content: [{ image: dataUrl(image, type), width: 100 }] },
  };
  const { pdf } = await render(shareTemplate(JSON.stringify(template)), {});
  return pdf;
}

/** The images of a PDF as poppler extracts them, by number: the image, then its soft mask. */
function extract(pdf: Uint8Array, format: '-png' | '-all'): readonly Buffer[] {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-images-'));
  try {
    writeFileSync(join(folder, 'a.pdf'), pdf);
    execFileSync('pdfimages', [format, join(folder, 'a.pdf'), join(folder, 'x')]);
    const names = readdirSync(folder).filter((name) => name.startsWith('x'));
    return names.toSorted().map((name) => readFileSync(join(folder, name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function rgb(image: Buffer): Promise<Buffer> {
  return sharp(image).removeAlpha().toColourspace('srgb').raw().toBuffer();
}

async function alpha(image: Buffer): Promise<Buffer> {
  return sharp(image).ensureAlpha().extractChannel(3).raw().toBuffer();
}

function samples16(image: Buffer): Promise<Buffer> {
  return sharp(image).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
}

const size = { widthPx: SIDE_PX, heightPx: SIDE_PX };
const palette = [['PLTE', PALETTE]] as const;
const cases: readonly (readonly [string, Buffer, space: string | object, bits: number])[] = [
  ['RGB of four colours', await drawn(3, few), { base: 'DeviceRGB' }, 2],
  ['RGB of many colours', await drawn(3, many), 'DeviceRGB', 8],
  ['RGB that is grey', await drawn(3, (x, y) => (x * 3 + y) & 0xff), 'DeviceGray', 8],
  ['black and white as RGB', await drawn(3, (x, y) => 255 * ((x + y) & 1)), 'DeviceGray', 1],
  ['grey of 16 levels', await drawn(1, (x) => 17 * (x & 15)), 'DeviceGray', 4],
  [
    'palette',
    makePng({ ...size, colorType: 3, bitDepth: 8, chunks: palette }),
    { base: 'DeviceRGB' },
    8,
  ],
  ['RGBA', await drawn(4, (x, y, c) => (c === 3 ? 17 * (x & 15) : many(x, y, c))), 'DeviceRGB', 8],
  [
    'RGBA of few colours',
    await drawn(4, (x, y, c) => (c === 3 ? x * 4 : few(x, y, c))),
    { base: 'DeviceRGB' },
    2,
  ],
  [
    'interlaced',
    await sharp(await drawn(3, few))
      .png({ progressive: true })
      .toBuffer(),
    { base: 'DeviceRGB' },
    2,
  ],
];

for (const [name, png, colorSpace, bitsPerComponent] of cases) {
  t.test(`${name}: a template's image keeps each pixel in the fewest bytes`, async (t) => {
    const plain = await prepareImage(png, BUDGET);
    const packed = await prepareImage(png, BUDGET, 'best');
    if (!plain.ok || !packed.ok) throw new Error('the image is sound');
    t.match(packed.value, { colorSpace, bitsPerComponent });
    t.ok(packed.value.data.length <= plain.value.data.length, 'never more bytes');
    const [image, mask] = extract(await pdfOf(png, 'image/png'), '-png');
    if (image === undefined) throw new Error('the PDF holds an image');
    t.ok((await rgb(image)).equals(await rgb(png)), 'the same colours');
    t.equal(mask !== undefined, packed.value.softMask !== null);
    if (mask === undefined) return;
    const values = await sharp(mask).toColourspace('b-w').extractChannel(0).raw().toBuffer();
    t.ok(values.equals(await alpha(png)), 'the same alpha');
  });
}

t.test('16-bit images keep their 16 bits and every sample', async (t) => {
  const options = { ...size, colorType: 2, bitDepth: 16 };
  const png = makePng(options);
  const outcome = await prepareImage(png, BUDGET, 'best');
  if (!outcome.ok) throw new Error('the image is sound');
  t.match(outcome.value, { colorSpace: 'DeviceRGB', bitsPerComponent: 16 });
  const packed = makePng({ ...options, idat: outcome.value.data });
  t.ok((await samples16(packed)).equals(await samples16(png)));
  t.ok(outcome.value.data.length < png.length - 57, 'filters make a gradient smaller');
});

t.test('JPEG data is embedded byte for byte', async (t) => {
  const jpeg = await sharp(await drawn(3, many))
    .jpeg()
    .toBuffer();
  const [image] = extract(await pdfOf(jpeg, 'image/jpeg'), '-all');
  t.ok(image?.equals(jpeg));
});

t.test('an image as small as it can be stays as it is', async (t) => {
  const outcome = await prepareImage(await drawn(3, few), BUDGET, 'best');
  if (!outcome.ok) throw new Error('the image is sound');
  const again = packImage(outcome.value);
  t.equal(again.data, outcome.value.data);
});

t.test('the effort for a large image is bounded', async (t) => {
  const random = Buffer.alloc(2000 * 2001 * 3, 0);
  for (let i = 0, state = 1; i < random.length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    random[i] = state >>> 16;
  }
  const noise = async (height: number): Promise<PreparedImage> => {
    const raw = { width: 2000, height, channels: 3 } as const;
    const png = sharp(random.subarray(0, 2000 * height * 3), { raw }).png({ compressionLevel: 1 });
    const outcome = await prepareImage(await png.toBuffer(), BUDGET);
    if (!outcome.ok) throw new Error('the image is sound');
    return outcome.value;
  };
  const large = await noise(2000);
  let packed: Omit<PreparedImage, 'key'> = large;
  const cpuMs = cpuMsOf(() => {
    packed = packImage(large);
  });
  t.equal(packed.data, large.data, 'no form of 4 million colours is tried');
  t.ok(isWithin(cpuMs, 2_000), `${cpuMs} ms`);
  const larger = await noise(2001);
  t.equal(packImage(larger).data, larger.data);
  // The garbage collector may run beside it: the best of ten counts.
  const beyondMs = Math.min(...Array.from({ length: 10 }, () => cpuMsOf(() => packImage(larger))));
  t.ok(beyondMs < cpuMs / 10, `${beyondMs} ms of ${cpuMs}: beyond the bound nothing is read`);
});

t.test('the sample receipt takes at most 50 KB with its logo', async (t) => {
  const source = readFileSync(new URL('../../../templates/receipt.json', import.meta.url));
  // A file of this repository: its samples have data.
  const { samples } = JSON.parse(source.toString()) as { samples: readonly { data: object }[] };
  for (const { data } of samples) {
    const { pdf } = await render(shareTemplate(source), data);
    t.ok(pdf.length <= 50_000, `${pdf.length} bytes`);
  }
});
