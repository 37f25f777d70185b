import { deflateSync } from 'node:zlib';
import t from 'tap';
import { makePng } from '../contract/fixtures.ts';
import { prepareImage } from './image.ts';
import { choosePng, sampleOf, type RawPixels } from './png-choice.ts';

const PHOTOGRAPH = 1;
const SMALL_FILE = 0.03;

t.test('flat art is written without filters, a photograph with them', async (t) => {
  const flat = choosePng({ raw: 1_000, plain: 10, filtered: 20 }, SMALL_FILE);
  t.equal(flat.adaptiveFiltering, false);
  for (const filtered of [300, 700]) {
    const photograph = choosePng({ raw: 1_000, plain: 800, filtered }, PHOTOGRAPH);
    t.equal(photograph.adaptiveFiltering, true, `${filtered}`);
  }
});

t.test('noise from a small file is neither filtered nor deflated for long', async (t) => {
  const noise = choosePng({ raw: 1_000, plain: 800, filtered: 700 }, SMALL_FILE);
  t.strictSame(noise, { compressionLevel: 1, adaptiveFiltering: false });
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

t.test('a large picture is the same, pixel for pixel, whichever way it is written', async (t) => {
  const { default: sharp } = await import('sharp');
  const side = 2_100;
  for (const filter of [0, 4]) {
    const row = Buffer.from([
      filter,
      ...Array.from({ length: side * 4 }, (_, at) => (at * 7) & 63),
    ]);
    const rows = Buffer.concat(Array.from({ length: side }, () => row));
    const idat = deflateSync(rows, { level: 1 });
    const file = makePng({ widthPx: side, heightPx: side, colorType: 6, idat });
    const outcome = await prepareImage(file);
    if (!outcome.ok) return t.fail(outcome.fault);
    const { data, softMask } = outcome.value;
    const back = (idat: Uint8Array, colorType: number) =>
      sharp(makePng({ widthPx: side, heightPx: side, colorType, idat })).raw();
    const wanted = sharp(file).raw();
    const color = await wanted.clone().removeAlpha().toBuffer();
    const alpha = await wanted.clone().extractChannel(3).toBuffer();
    const mask = softMask?.data ?? new Uint8Array();
    t.ok(color.equals(await back(data, 2).toBuffer()), `colour, filter ${filter}`);
    const sameAlpha = alpha.equals(await back(mask, 0).extractChannel(0).toBuffer());
    t.ok(sameAlpha, `alpha, filter ${filter}`);
  }
  return undefined;
});
