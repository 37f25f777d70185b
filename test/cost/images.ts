import { deflateSync } from 'node:zlib';
import { insertSegments, exifSegment, makePng, PALETTE } from '../fixtures/images.ts';
import type { PngOptions } from '../fixtures/images.ts';

/** Small files of pictures with many pixels: a body of 1 MB can hold 30 million. */
export type MakePicture = (pixels: number) => Promise<Buffer>;

const NOISE_SIDE = 64;

function side(pixels: number): number {
  return Math.max(8, Math.floor(Math.sqrt(pixels) / 8) * 8);
}

type PngKind = Omit<PngOptions, 'widthPx' | 'heightPx' | 'idat'>;

/** Repeats one row with `filter` before each: what takes time is the number of rows inflated. */
function png(kind: PngKind, filter = 0): MakePicture {
  return async (pixels) => {
    const sidePx = side(pixels);
    const options = { widthPx: sidePx, heightPx: sidePx, ...kind };
    return makePng({ ...options, idat: deflateSync(samplesOf(options, filter), { level: 1 }) });
  };
}

/** The filtered rows of all passes (PNG, ISO/IEC 15948 §8 and §9). */
function samplesOf(options: PngOptions, filter: number): Buffer {
  const { widthPx, heightPx, bitDepth = 8, colorType = 2, interlace = 0 } = options;
  const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colorType] ?? 1;
  const passes = interlace === 0 ? [[0, 0, 1, 1] as const] : ADAM7;
  const rows: Buffer[] = [];
  for (const [left, top, acrossPx, downPx] of passes) {
    const width = Math.ceil((widthPx - left) / acrossPx);
    const height = Math.ceil((heightPx - top) / downPx);
    const row = Buffer.alloc(1 + Math.ceil((width * channels * bitDepth) / 8));
    for (let at = 1; at < row.length; at += 1) row[at] = (at * 7) & 0x3f;
    row[0] = filter;
    for (let y = 0; y < height; y += 1) rows.push(row);
  }
  return Buffer.concat(rows);
}

/** Left, top, and the steps of each pass. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

type Sharp = import('sharp').Sharp;

/** Repeats a small patch of noise; libvips writes the file. */
function encoded(write: (picture: Sharp) => Sharp, channels: 1 | 3 | 4 = 3): MakePicture {
  return async (pixels) => {
    const { default: sharp } = await import('sharp');
    const sidePx = side(pixels);
    const patch = Buffer.alloc(NOISE_SIDE * NOISE_SIDE * channels);
    for (let at = 0; at < patch.length; at += 1) patch[at] = (at * at * 31 + at * 7) & 0xff;
    const raw = { width: sidePx, height: sidePx, channels };
    const rows = Buffer.alloc(sidePx * sidePx * channels);
    for (let y = 0; y < sidePx; y += 1) {
      for (let x = 0; x < sidePx; x += NOISE_SIDE) {
        const from = (y % NOISE_SIDE) * NOISE_SIDE * channels;
        const length = Math.min(NOISE_SIDE, sidePx - x) * channels;
        patch.copy(rows, (y * sidePx + x) * channels, from, from + length);
      }
    }
    return write(sharp(rows, { raw, limitInputPixels: false })).toBuffer();
  };
}

const rotated =
  (make: MakePicture): MakePicture =>
  async (pixels) =>
    insertSegments(await make(pixels), exifSegment(6));

const jpeg = encoded((picture) => picture.jpeg({ quality: 1 }));

export const PICTURES: Readonly<Record<string, MakePicture>> = {
  ...Object.fromEntries(
    [1, 2, 4, 8, 16].map((bitDepth) => [
      `grey PNG, ${bitDepth} bits`,
      png({ colorType: 0, bitDepth }),
    ]),
  ),
  'RGB PNG': png({ colorType: 2 }),
  'RGB PNG, 16 bits': png({ colorType: 2, bitDepth: 16 }),
  'RGB PNG, Paeth': png({ colorType: 2 }, 4),
  'RGB PNG with a colour key': png({ colorType: 2, chunks: [['tRNS', new Uint8Array(6)]] }),
  'palette PNG': png({ colorType: 3, chunks: [['PLTE', PALETTE]] }),
  'palette PNG, 1 bit': png({ colorType: 3, bitDepth: 1, chunks: [['PLTE', PALETTE.slice(0, 6)]] }),
  'palette PNG with alpha': png({
    colorType: 3,
    chunks: [
      ['PLTE', PALETTE],
      ['tRNS', new Uint8Array(128).fill(100)],
    ],
  }),
  'grey PNG with alpha': png({ colorType: 4 }),
  'grey PNG with alpha, 16 bits': png({ colorType: 4, bitDepth: 16 }),
  'RGBA PNG': png({ colorType: 6 }),
  'RGBA PNG, Paeth': png({ colorType: 6 }, 4),
  'RGBA PNG, average': png({ colorType: 6 }, 3),
  'RGBA PNG, 16 bits': png({ colorType: 6, bitDepth: 16 }),
  'interlaced grey PNG': png({ colorType: 0, interlace: 1 }),
  'interlaced RGB PNG': png({ colorType: 2, interlace: 1 }),
  'interlaced palette PNG': png({ colorType: 3, interlace: 1, chunks: [['PLTE', PALETTE]] }),
  'interlaced RGBA PNG': png({ colorType: 6, interlace: 1 }),
  'interlaced RGBA PNG, Paeth': png({ colorType: 6, interlace: 1 }, 4),
  'interlaced RGB PNG, Paeth': png({ colorType: 2, interlace: 1 }, 4),
  'interlaced RGB PNG, 16 bits, Paeth': png({ colorType: 2, bitDepth: 16, interlace: 1 }, 4),
  'RGBA PNG, 16 bits, Paeth': png({ colorType: 6, bitDepth: 16 }, 4),
  'interlaced RGBA PNG, 16 bits': png({ colorType: 6, bitDepth: 16, interlace: 1 }),
  'interlaced RGBA PNG, 16 bits, Paeth': png({ colorType: 6, bitDepth: 16, interlace: 1 }, 4),
  JPEG: jpeg,
  'JPEG, not subsampled': encoded((picture) =>
    picture.jpeg({ quality: 1, chromaSubsampling: '4:4:4' }),
  ),
  'grey JPEG': encoded((picture) => picture.toColourspace('b-w').jpeg({ quality: 1 }), 1),
  'CMYK JPEG': encoded((picture) => picture.toColourspace('cmyk').jpeg({ quality: 1 })),
  'progressive JPEG': encoded((picture) => picture.jpeg({ quality: 1, progressive: true })),
  'turned JPEG': rotated(jpeg),
  'turned progressive JPEG': rotated(
    encoded((picture) => picture.jpeg({ quality: 1, progressive: true })),
  ),
  GIF: encoded((picture) => picture.gif({ effort: 1 })),
  WebP: encoded((picture) => picture.webp({ quality: 1, effort: 0 })),
  'WebP with alpha': encoded((picture) => picture.webp({ quality: 1, effort: 0 }), 4),
  'lossless WebP': encoded((picture) => picture.webp({ lossless: true, effort: 0 })),
  'lossless WebP with alpha': encoded((picture) => picture.webp({ lossless: true, effort: 0 }), 4),
};
