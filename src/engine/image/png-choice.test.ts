import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import t from 'tap';
import { PICTURES } from '../../../test/cost/images.ts';
import { makePng } from '../../../test/fixtures/images.ts';
import { prepareImage } from './image.ts';
import { choosePng, sampleOf, type RawPixels } from './png-choice.ts';
import { ownDecodeBudget } from './decode-budget.ts';

const BUDGET = ownDecodeBudget();

const PHOTOGRAPH = 1;
const SMALL_FILE = 0.03;

/** A sample of 1,000 grey pixels. */
const sample = (plain: number, filtered: number) => ({
  pixels: 1_000,
  raw: 1_000,
  plain,
  filtered,
});

t.test('flat art is written without filters, a photograph with them', async (t) => {
  t.equal(choosePng(sample(10, 20), SMALL_FILE).adaptiveFiltering, false);
  for (const filtered of [300, 700]) {
    const photograph = choosePng(sample(800, filtered), PHOTOGRAPH);
    t.equal(photograph.adaptiveFiltering, true, `${filtered}`);
  }
});

t.test('noise from a small file is neither filtered nor deflated', async (t) => {
  const stored = { compressionLevel: 0, adaptiveFiltering: false };
  t.strictSame(choosePng(sample(800, 700), SMALL_FILE), stored);
  t.strictSame(choosePng(sample(800, 300), SMALL_FILE), stored, 'some of it can be predicted');
});

t.test('pixels that take far more bytes than their file are not filtered', async (t) => {
  const hasty = { compressionLevel: 1, adaptiveFiltering: false };
  t.strictSame(choosePng(sample(450, 440), SMALL_FILE), hasty);
  const gradient = choosePng(sample(450, 440), 0.2);
  t.equal(gradient.adaptiveFiltering, true, 'a file of half the bytes can be a picture');
  const tile = choosePng(sample(400, 450), SMALL_FILE);
  t.equal(tile.compressionLevel, 2, 'a repeated tile deflates best without filters');
  const flat = choosePng(sample(240, 200), SMALL_FILE);
  t.equal(flat.adaptiveFiltering, true, 'few bytes can be a picture');
});

t.test('a sample takes whole rows from the top to the bottom, and is bounded', async (t) => {
  for (const [width, height] of [
    [5_000, 5_000],
    [65_000, 400],
    [400, 65_000],
  ] as const) {
    const data = new Uint8Array(width * height * 4);
    data.fill(1, 0, width * 4);
    data.fill(2, (height - 1) * width * 4);
    const sample: RawPixels = sampleOf({ data, width, height, channels: 4 });
    t.equal(sample.data.length, sample.width * sample.height * 4);
    t.ok(sample.data.length <= 65_535 * 8 * 4, `${sample.height} rows of ${sample.width}`);
    t.equal(sample.data[0], 1);
    t.equal(sample.data.at(-1), 2);
  }
});

const LARGE_SIDE = 2_100;

/** A file whose rows are all the same bytes with the same filter. */
function repeatedRow(filter: number): Buffer {
  const samples = Array.from({ length: LARGE_SIDE * 4 }, (_, at) => (at * 7) & 63);
  const row = Buffer.from([filter, ...samples]);
  const rows = Buffer.concat(Array.from({ length: LARGE_SIDE }, () => row));
  const idat = deflateSync(rows, { level: 1 });
  return makePng({ widthPx: LARGE_SIDE, heightPx: LARGE_SIDE, colorType: 6, idat });
}

/** A small file whose pixels look like noise. */
async function makeNoise(): Promise<Buffer> {
  const make = PICTURES['interlaced RGBA PNG, 16 bits, Paeth'];
  if (make === undefined) throw new Error('no such picture');
  return make(LARGE_SIDE ** 2);
}

const LARGE_PICTURES = {
  'no filter': () => repeatedRow(0),
  Paeth: () => repeatedRow(4),
  'interlaced, 16 bits, Paeth': makeNoise,
};

for (const [name, make] of Object.entries(LARGE_PICTURES)) {
  t.test(`a large picture is embedded pixel for pixel: ${name}`, async (t) => {
    const file = await make();
    const outcome = await prepareImage(file, BUDGET);
    if (!outcome.ok) return t.fail(outcome.fault);
    const { data, softMask, widthPx, heightPx } = outcome.value;
    const back = (idat: Uint8Array, colorType: number) =>
      sharp(makePng({ widthPx, heightPx, colorType, idat })).raw();
    const wanted = sharp(file).raw();
    const color = await wanted.clone().removeAlpha().toBuffer();
    const alpha = await wanted.clone().extractChannel(3).toBuffer();
    const mask = softMask?.data ?? new Uint8Array();
    t.ok(color.equals(await back(data, 2).toBuffer()), 'colour');
    t.ok(alpha.equals(await back(mask, 0).extractChannel(0).toBuffer()), 'alpha');
    return undefined;
  });
}

t.test('noise that the filters of a small file hide costs a copy, not a deflation', async (t) => {
  const file = await makeNoise();
  const outcome = await prepareImage(file, BUDGET);
  if (!outcome.ok) return t.fail(outcome.fault);
  const { data, widthPx, heightPx } = outcome.value;
  const rowsBytes = (1 + 3 * widthPx) * heightPx;
  t.ok(data.length >= rowsBytes, `${data.length} bytes for rows of ${rowsBytes}`);
  return undefined;
});
