import { inflateSync } from 'node:zlib';
import type { Sharp } from 'sharp';
import sharp from 'sharp';
import t from 'tap';
import { LIMITS } from '../../limits.ts';
import {
  exifSegment,
  insertSegments,
  jpegSegment,
  makePng,
  PALETTE,
  pngChunk,
  pngRowBytes,
} from '../../../test/fixtures/images.ts';
import type { PreparedImage } from './image.ts';
import { cachedImage, prepareImage } from './image.ts';
import { readJpeg } from './jpeg.ts';
import { ownDecodeBudget } from './decode-budget.ts';

const BUDGET = ownDecodeBudget();

/** A picture whose four quarters distinguish every rotation and mirroring. */
function quarters(widthPx: number, heightPx: number, alpha?: number): Sharp {
  const channels = alpha === undefined ? 3 : 4;
  const data = Buffer.alloc(widthPx * heightPx * channels);
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const isRight = x >= widthPx / 2;
      const isBottom = y >= heightPx / 2;
      const at = (y * widthPx + x) * channels;
      data.set([isRight ? 250 : 5, isBottom ? 250 : 5, isRight && isBottom ? 250 : 5], at);
      if (alpha !== undefined) data[at + 3] = isRight ? alpha : 255;
    }
  }
  return sharp(data, { raw: { width: widthPx, height: heightPx, channels } });
}

async function prepared(bytes: Uint8Array): Promise<PreparedImage> {
  const outcome = await prepareImage(bytes, BUDGET);
  if (!outcome.ok) throw new Error(outcome.fault);
  return outcome.value;
}

async function faultOf(bytes: Uint8Array): Promise<string | null> {
  const outcome = await prepareImage(bytes, BUDGET);
  return outcome.ok ? 'accepted' : outcome.fault;
}

/** RGB of a point, as an independent decoder reads it from the data for the PDF. */
async function colorAt(image: PreparedImage, x: number, y: number): Promise<number[]> {
  const bytes = image.filter === 'DCTDecode' ? image.data : asPng(image);
  const { data, info } = await sharp(bytes)
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

/** A Flate image with PNG predictors is a PNG without its chunks. */
function asPng({ widthPx, heightPx, data, colorSpace, bitsPerComponent }: PreparedImage): Buffer {
  const isIndexed = typeof colorSpace === 'object';
  return makePng({
    widthPx,
    heightPx,
    bitDepth: bitsPerComponent,
    colorType: isIndexed ? 3 : colorSpace === 'DeviceGray' ? 0 : 2,
    idat: data,
    chunks: isIndexed ? [['PLTE', colorSpace.palette]] : [],
  });
}

t.test('passes the data of opaque PNG of every kind through, bit for bit', async (t) => {
  const kinds = [
    { colorType: 0, bitDepth: 1 },
    { colorType: 0, bitDepth: 2 },
    { colorType: 0, bitDepth: 4 },
    { colorType: 0, bitDepth: 8 },
    { colorType: 0, bitDepth: 16 },
    { colorType: 2, bitDepth: 8 },
    { colorType: 2, bitDepth: 16 },
    { colorType: 3, bitDepth: 1 },
    { colorType: 3, bitDepth: 2 },
    { colorType: 3, bitDepth: 4 },
    { colorType: 3, bitDepth: 8 },
  ];
  for (const kind of kinds) {
    for (const parts of [1, 3]) {
      const palette = PALETTE.subarray(0, 3 * 2 ** Math.min(8, kind.bitDepth));
      const options = {
        ...kind,
        widthPx: 13,
        heightPx: 11,
        parts,
        chunks: kind.colorType === 3 ? ([['PLTE', palette]] as const) : [],
      };
      const image = await prepared(makePng(options));
      const name = `colour type ${kind.colorType}, ${kind.bitDepth} bit, ${parts} parts`;
      t.equal(inflateSync(image.data).length, pngRowBytes(options) * 11, name);
      t.match(image, {
        widthPx: 13,
        heightPx: 11,
        filter: 'FlateDecode',
        bitsPerComponent: kind.bitDepth,
        predictor: { colors: kind.colorType === 2 ? 3 : 1, columns: 13 },
        softMask: null,
        invert: false,
      });
      const indexed = { base: 'DeviceRGB', palette: new Uint8Array(palette) };
      const expected = { 0: 'DeviceGray', 2: 'DeviceRGB', 3: indexed }[kind.colorType];
      t.same(image.colorSpace, expected);
    }
  }
});

t.test('streams a large PNG through its check', async (t) => {
  const image = await prepared(makePng({ widthPx: 2000, heightPx: 1500 }));
  t.equal(image.widthPx * image.heightPx, 3_000_000);
});

t.test('decodes images that a PDF cannot embed as they are', async (t) => {
  const rgba = await prepared(await quarters(20, 10, 128).png().toBuffer());
  t.match(rgba, { colorSpace: 'DeviceRGB', bitsPerComponent: 8, widthPx: 20, heightPx: 10 });
  t.match(rgba.softMask, { colorSpace: 'DeviceGray', widthPx: 20, softMask: null });
  t.same(await colorAt(rgba, 2, 2), [5, 5, 5]);
  t.same(await colorAt(rgba, 18, 8), [250, 250, 250]);
  if (rgba.softMask === null) throw new Error('no mask');
  t.same((await colorAt(rgba.softMask, 2, 2))[0], 255);
  t.same((await colorAt(rgba.softMask, 18, 2))[0], 128);

  const opaque = await prepared(await quarters(20, 10, 255).png().toBuffer());
  t.equal(opaque.softMask, null, 'alpha that hides nothing is dropped');

  const grey = await sharp(Buffer.alloc(200, 7), { raw: { width: 10, height: 10, channels: 2 } })
    .toColourspace('b-w')
    .png()
    .toBuffer();
  t.match(await prepared(grey), { colorSpace: 'DeviceGray', softMask: { widthPx: 10 } });

  const interlaced = await prepared(await quarters(20, 10).png({ progressive: true }).toBuffer());
  t.same(await colorAt(interlaced, 18, 8), [250, 250, 250]);

  const transparent = makePng({
    widthPx: 4,
    heightPx: 4,
    colorType: 3,
    chunks: [
      ['PLTE', PALETTE],
      ['tRNS', new Uint8Array([0, 128])],
    ],
    rows: Buffer.from([0, 0, 1, 2, 3, 0, 1, 1, 1, 1, 0, 2, 2, 2, 2, 0, 0, 0, 0, 0]),
  });
  const masked = (await prepared(transparent)).softMask;
  if (masked === null) throw new Error('no mask');
  t.equal((await colorAt(masked, 0, 0))[0], 0);
  t.equal((await colorAt(masked, 0, 1))[0], 128);
  t.equal((await colorAt(masked, 0, 2))[0], 255);

  const deep = await prepared(makePng({ widthPx: 8, heightPx: 8, colorType: 6, bitDepth: 16 }));
  t.match(deep, { bitsPerComponent: 16, softMask: { bitsPerComponent: 16 } });
});

t.test('separates alpha exactly, whatever the row filters', async (t) => {
  const [width, height] = [23, 17];
  for (const [colorType, bitDepth] of [
    [6, 8],
    [6, 16],
    [4, 8],
    [4, 16],
  ] as const) {
    const options = { widthPx: width, heightPx: height, colorType, bitDepth };
    const rowBytes = pngRowBytes(options);
    const rows = Uint8Array.from({ length: rowBytes * height }, (_, at) =>
      at % rowBytes === 0 ? Math.floor(at / rowBytes) % 5 : (at * 73) ^ (at >> 3),
    );
    const file = makePng({ ...options, rows });
    const image = await prepared(file);
    const known = await sharp(file).ensureAlpha().toColourspace('srgb').raw().toBuffer();
    const colors = await sharp(asPng(image)).removeAlpha().toColourspace('srgb').raw().toBuffer();
    if (image.softMask === null) throw new Error('no mask');
    const alphas = await sharp(asPng(image.softMask)).toColourspace('srgb').raw().toBuffer();
    let wrong = 0;
    for (let pixel = 0; pixel < width * height; pixel++) {
      for (let channel = 0; channel < 3; channel++) {
        if (known[pixel * 4 + channel] !== colors[pixel * 3 + channel]) wrong++;
      }
      if (known[pixel * 4 + 3] !== alphas[pixel * 3]) wrong++;
    }
    t.equal(wrong, 0, `colour type ${colorType}, ${bitDepth} bit`);
  }
  for (const filter of ['none', 'adaptive']) {
    const opaque = await quarters(20, 10, 255)
      .png({ adaptiveFiltering: filter === 'adaptive' })
      .toBuffer();
    t.equal((await prepared(opaque)).softMask, null, 'alpha that hides nothing is dropped');
  }
});

t.test('passes JPEG through without its metadata', async (t) => {
  for (const progressive of [false, true]) {
    const plain = await quarters(40, 20).jpeg({ progressive, quality: 95 }).toBuffer();
    const file = insertSegments(
      plain,
      exifSegment(1),
      jpegSegment(0xfe, Buffer.from('a comment about a person')),
    );
    const image = await prepared(file);
    t.match(image, { filter: 'DCTDecode', colorSpace: 'DeviceRGB', widthPx: 40, heightPx: 20 });
    t.notOk(Buffer.from(image.data).includes('person'));
    t.notOk(Buffer.from(image.data).includes('Exif'));
    t.ok(Math.abs(((await colorAt(image, 35, 15))[0] ?? 0) - 250) < 8);
  }
  const grey = await prepared(await quarters(40, 20).toColourspace('b-w').jpeg().toBuffer());
  t.match(grey, { filter: 'DCTDecode', colorSpace: 'DeviceGray' });
  const cmyk = await prepared(await quarters(40, 20).toColourspace('cmyk').jpeg().toBuffer());
  t.match(cmyk, { filter: 'DCTDecode', colorSpace: 'DeviceCMYK', invert: true });
  const tail = Buffer.concat([await quarters(9, 9).jpeg().toBuffer(), Buffer.alloc(500, 1)]);
  t.ok((await prepared(tail)).data.length < tail.length - 499, 'ends with its EOI');
});

t.test('leaves out the metadata between the scans of a progressive JPEG', async (t) => {
  const plain = await quarters(40, 20).jpeg({ progressive: true, quality: 95 }).toBuffer();
  const scans = [...Array(plain.length).keys()].filter(
    (at) => plain.readUInt16BE(Math.min(at, plain.length - 2)) === 0xffda,
  );
  t.ok(scans.length > 2, `${scans.length} scans`);
  const second = scans[1] ?? 0;
  const file = Buffer.concat([
    plain.subarray(0, second),
    jpegSegment(0xe1, Buffer.from('Exif\0\0of a person')),
    jpegSegment(0xfe, Buffer.from('a comment about a person')),
    jpegSegment(0xee, Buffer.from('not Adobe: a person')),
    plain.subarray(second),
  ]);
  const image = await prepared(file);
  t.notOk(Buffer.from(image.data).includes('person'));
  t.strictSame(Buffer.from(image.data), Buffer.from((await prepared(plain)).data));
});

t.test('turns every EXIF orientation upright', async (t) => {
  // Corners of the upright picture, as orientation 1 to 8 shows the stored one.
  const upright = await quarters(40, 20).png().toBuffer();
  // Degrees to turn, then whether to mirror left and right: orientation 1 to 8 undone.
  const turns = [
    [0, false],
    [0, true],
    [180, false],
    [180, true],
    [90, true],
    [-90, false],
    [-90, true],
    [90, false],
  ] as const;
  for (const [index, [angle, isMirrored]] of turns.entries()) {
    const turned = await sharp(await sharp(upright).rotate(angle).png().toBuffer())
      .flop(isMirrored)
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer();
    const image = await prepared(insertSegments(turned, exifSegment(index + 1)));
    t.match(image, { widthPx: 40, heightPx: 20 }, `orientation ${index + 1}`);
    for (const [x, y, red, green] of [
      [4, 4, 5, 5],
      [35, 4, 250, 5],
      [4, 15, 5, 250],
      [35, 15, 250, 250],
    ] as const) {
      const [r = -99, g = -99] = await colorAt(image, x, y);
      t.ok(Math.abs(r - red) < 12 && Math.abs(g - green) < 12, `${x},${y}: ${r} ${g}`);
    }
  }
});

t.test('accepts GIF and WebP; of animated ones, the first frame', async (t) => {
  // Two frames, one above the other: red, then blue.
  const frames = Buffer.from(
    Array.from({ length: 200 }, (_, at) => (at < 100 ? [255, 0, 0] : [0, 0, 255])).flat(),
  );
  const animation = (): Sharp =>
    sharp(frames, { raw: { width: 10, height: 20, channels: 3, pageHeight: 10 } });
  for (const bytes of [
    await animation().gif().toBuffer(),
    await animation().webp({ lossless: true }).toBuffer(),
    await quarters(10, 10).gif().toBuffer(),
    await quarters(10, 10).webp({ lossless: true }).toBuffer(),
    await quarters(10, 10).webp({ quality: 90 }).toBuffer(),
  ]) {
    t.match(await prepared(bytes), { widthPx: 10, heightPx: 10 });
  }
  t.same(await colorAt(await prepared(await animation().gif().toBuffer()), 5, 5), [255, 0, 0]);
  const lossy = await prepared(await quarters(10, 10, 100).webp().toBuffer());
  t.match(lossy, { filter: 'DCTDecode', softMask: { filter: 'FlateDecode' } });
});

t.test('converts other colour spaces to sRGB', async (t) => {
  const wide = await quarters(20, 20).withIccProfile('p3').jpeg({ quality: 100 }).toBuffer();
  const image = await prepared(wide);
  t.equal(image.colorSpace, 'DeviceRGB');
  const srgb = await quarters(20, 20).withIccProfile('srgb').jpeg().toBuffer();
  t.ok((await prepared(srgb)).data.length < srgb.length, 'an sRGB profile is left out');
});

t.test('refuses damaged files of each format', async (t) => {
  const png = makePng({ widthPx: 50, heightPx: 50 });
  const jpeg = await quarters(200, 200).jpeg().toBuffer();
  const gif = await quarters(50, 50).gif().toBuffer();
  const webp = await quarters(200, 200).webp().toBuffer();
  for (const [name, file] of Object.entries({ png, jpeg, gif, webp })) {
    for (const share of [0.1, 0.3, 0.5, 0.9]) {
      const cut = file.subarray(0, Math.floor(file.length * share));
      t.not(await faultOf(cut), 'accepted', `${name} cut at ${share}`);
    }
  }
  const rowBytes = 1 + 3 * 50;
  const damaged: Readonly<Record<string, Uint8Array>> = {
    'wrong CRC': flip(png, png.length - 5),
    'wrong CRC of IHDR': flip(png, 30),
    'broken deflate': makePng({ widthPx: 50, heightPx: 50, idat: Buffer.alloc(100, 0x5a) }),
    'a row too few': makePng({ widthPx: 50, heightPx: 50, rows: Buffer.alloc(rowBytes * 49) }),
    'a byte too many': makePng({
      widthPx: 50,
      heightPx: 50,
      rows: Buffer.alloc(rowBytes * 50 + 1),
    }),
    'much more data than rows': makePng({
      widthPx: 50,
      heightPx: 50,
      rows: Buffer.alloc(20_000_000),
    }),
    'unknown filter type': makePng({
      widthPx: 50,
      heightPx: 50,
      rows: Buffer.alloc(rowBytes * 50, 5),
    }),
    'no palette': makePng({ widthPx: 5, heightPx: 5, colorType: 3 }),
    'palette of 2 bytes': makePng({
      widthPx: 5,
      heightPx: 5,
      colorType: 3,
      chunks: [['PLTE', new Uint8Array(2)]],
    }),
    'impossible bit depth': makePng({ widthPx: 5, heightPx: 5, colorType: 2, bitDepth: 4 }),
    'impossible colour type': makePng({ widthPx: 5, heightPx: 5, colorType: 5 }),
    'unknown critical chunk': makePng({
      widthPx: 5,
      heightPx: 5,
      chunks: [['ABCD', new Uint8Array(3)]],
    }),
    'no IDAT': Buffer.concat([png.subarray(0, 33), pngChunk('IEND', new Uint8Array())]),
    'JPEG of no height': withHeight(jpeg, 0),
    'JPEG of another height': withHeight(jpeg, 400),
    'JPEG without scan': Buffer.concat([
      jpeg.subarray(0, jpeg.indexOf(Buffer.from([0xff, 0xda]))),
      Buffer.from([0xff, 0xd9]),
    ]),
    'GIF header alone': Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00', 'latin1'),
    'RIFF header alone': Buffer.from('RIFF\x04\x00\x00\x00WEBP', 'latin1'),
  };
  for (const [name, file] of Object.entries(damaged)) {
    t.equal(await faultOf(file), 'damaged', name);
  }
});

function flip(bytes: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}

function withHeight(jpeg: Buffer, heightPx: number): Buffer {
  const copy = Buffer.from(jpeg);
  const frame = copy.indexOf(Buffer.from([0xff, 0xc0]));
  copy.writeUInt16BE(heightPx, frame + 5);
  return copy;
}

t.test('refuses all but the four formats, whatever the bytes claim to be', async (t) => {
  for (const bytes of [
    '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    'II*\0',
    'MM\0*',
    '%PDF-1.7',
    'BM',
    '',
    '\0\0\0\x1cftypavif',
  ]) {
    t.equal(await faultOf(Buffer.from(bytes, 'latin1')), 'type', bytes);
  }
});

t.test('limits: exactly 30 million pixels, one more; sides', async (t) => {
  const zeros = Buffer.from(makePng({ widthPx: 1, heightPx: 1 }));
  const sized = (widthPx: number, heightPx: number): Buffer => {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(widthPx, 0);
    header.writeUInt32BE(heightPx, 4);
    header.set([1, 0, 0, 0, 0], 8);
    return Buffer.concat([zeros.subarray(0, 8), pngChunk('IHDR', header), zeros.subarray(33)]);
  };
  t.equal(await faultOf(sized(30_000, 1001)), 'pixels');
  t.equal(await faultOf(sized(30_000_001, 1)), 'pixels');
  t.equal(await faultOf(sized(0xffffffff, 0xffffffff)), 'pixels');
  t.equal(await faultOf(sized(1, 30_000_000)), 'side');
  t.equal(await faultOf(sized(65_536, 1)), 'side');
  t.equal(await faultOf(sized(0, 5)), 'damaged');

  const atLimit = makePng({ widthPx: 6000, heightPx: 5000, bitDepth: 1, colorType: 0 });
  t.match(await prepared(atLimit), { widthPx: 6000, heightPx: 5000 });
  const gif = Buffer.from(await quarters(5, 5).gif().toBuffer());
  gif.writeUInt16LE(65_535, 6);
  gif.writeUInt16LE(65_535, 8);
  t.equal(await faultOf(gif), 'pixels', 'GIF screen');
});

/** The fault of an interlaced PNG of 4,000 rows that holds none of them. */
async function emptyFault(widthPx: number, bitDepth: 8 | 16, colorType = 6): Promise<string> {
  const size = { widthPx, heightPx: 4_000, bitDepth, colorType, interlace: 1 } as const;
  const outcome = await prepareImage(makePng({ ...size, idat: Buffer.alloc(8) }), BUDGET);
  return outcome.ok ? 'none' : outcome.fault;
}

t.test('a PNG is bounded by its pixels, whatever its depth', async (t) => {
  // Within the limit of 30 million pixels the file is decoded and found to hold no rows.
  t.equal(await emptyFault(7_500, 16), 'damaged');
  t.equal(await emptyFault(7_500, 8), 'damaged');
  t.equal(await emptyFault(7_501, 16), 'pixels');
  t.equal(await emptyFault(7_501, 16, 4), 'pixels', 'grey with alpha');
});

t.test('an image that takes too long is given up, and the next one is served', async (t) => {
  // Noise of one bit per pixel, which must be decoded because of tRNS: the best deflation takes 40
  // s.
  const widthPx = 5_400;
  const heightPx = 5_400;
  const rows = Buffer.alloc((1 + widthPx / 8) * heightPx);
  let noise = 1;
  for (let at = 0; at < rows.length; at++) {
    noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) | 0;
    rows[at] = at % (1 + widthPx / 8) === 0 ? 0 : noise >>> 24;
  }
  const chunks = [['tRNS', new Uint8Array([0, 0])]] as const;
  const file = makePng({ widthPx, heightPx, bitDepth: 1, colorType: 0, rows, chunks });
  t.same(await prepareImage(file, BUDGET, 'best'), { ok: false, fault: 'slow' });
  t.ok((await prepareImage(await quarters(9, 9).gif().toBuffer(), BUDGET)).ok);
});

/** Whether a JPEG with such a frame and first scan passes without being held in memory whole. */
function isStreamed(scanParts: number, marker: number): unknown {
  const component = [1, 0x11, 0];
  const frame = [8, 0, 8, 0, 8, 3, ...component, ...component, ...component];
  const scan = [scanParts, ...Array.from({ length: scanParts }, () => [1, 0]).flat(), 0, 63, 0];
  const verdict = readJpeg(
    Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      jpegSegment(marker, Buffer.from(frame)),
      jpegSegment(0xda, Buffer.from(scan)),
      Buffer.from([1, 2, 3, 0xff, 0xd9]),
    ]),
  );
  return verdict.kind === 'pass' && verdict.isStreamed;
}

t.test('distinguishes a JPEG that is decoded row by row from one that is held whole', (t) => {
  t.equal(isStreamed(3, 0xc0), true);
  t.equal(isStreamed(1, 0xc0), false, 'sequential, but a scan for each component');
  t.equal(isStreamed(3, 0xc2), false, 'progressive');
  t.end();
});

t.test('a progressive JPEG with absurdly many scans is refused at once', async (t) => {
  const jpeg = await quarters(40, 20).jpeg({ progressive: true }).toBuffer();
  const lastScan = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = jpeg.subarray(lastScan, jpeg.length - 2);
  const bomb = Buffer.concat([
    jpeg.subarray(0, lastScan),
    ...Array.from({ length: LIMITS.jpegScansMax }, () => scan),
    jpeg.subarray(-2),
  ]);
  t.equal(await faultOf(bomb), 'damaged');
});

t.test('the same bytes are prepared once and have one key', async (t) => {
  const file = makePng({ widthPx: 33, heightPx: 7 });
  t.equal(cachedImage(file), null);
  const first = await prepared(file);
  t.equal(cachedImage(Buffer.from(file)), first);
  t.not((await prepared(makePng({ widthPx: 34, heightPx: 7 }))).key, first.key);
});
