import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';
import { PICTURES } from './svg-pictures.ts';

/** Compares our drawings, rasterised by poppler, with librsvg's of the same markup. */

const SIDE_PX = 200;
/** Two rasterisers differ along edges only. */
const CHANNEL_DIFFERENCE_MAX = 48;
const DIFFERENT_SHARE_MAX = 0.02;
const MEAN_DIFFERENCE_MAX = 3;

const names = Object.keys(PICTURES);

function markupOf(name: string): string {
  const inside = PICTURES[name] ?? '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">${inside}</svg>`;
}

/** One page for each picture, at its size. */
async function drawAll(): Promise<Uint8Array> {
  const template = {
    templateId: 'pictures',
    name: 'Pictures',
    fields: names.map((_, index) => ({ name: `p${index}`, type: 'svg', required: true })),
    document: {
      pageSize: { width: 100, height: 100 },
      pageMargins: 0,
      content: names.map((_, index) => ({
        svg: `{{p${index}}}`,
        ...(index === 0 ? {} : { pageBreak: 'before' }),
      })),
    },
  };
  const data = Object.fromEntries(names.map((name, index) => [`p${index}`, markupOf(name)]));
  return (await render(shareTemplate(JSON.stringify(template)), data)).pdf;
}

async function pixelsOf(picture: string | Buffer): Promise<Buffer> {
  const image = typeof picture === 'string' ? sharp(picture) : sharp(picture, { density: 144 });
  return image
    .flatten({ background: 'white' })
    .resize(SIDE_PX, SIDE_PX)
    .toColourspace('srgb')
    .raw()
    .toBuffer();
}

function compare(ours: Buffer, reference: Buffer): { mean: number; share: number } {
  let sum = 0;
  let different = 0;
  for (let at = 0; at < reference.length; at += 3) {
    let most = 0;
    for (let channel = at; channel < at + 3; channel += 1) {
      most = Math.max(most, Math.abs((ours[channel] ?? 0) - (reference[channel] ?? 0)));
    }
    sum += most;
    if (most > CHANNEL_DIFFERENCE_MAX) different += 1;
  }
  const pixels = SIDE_PX * SIDE_PX;
  return { mean: sum / pixels, share: different / pixels };
}

t.test('harmless SVGs look as librsvg draws them', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'pictures.pdf');
  writeFileSync(file, await drawAll());
  execFileSync('pdftoppm', ['-r', '144', '-png', file, join(folder, 'page')]);
  t.ok(names.length >= 30);
  for (const [index, name] of names.entries()) {
    const page = String(index + 1).padStart(String(names.length).length, '0');
    const ours = await pixelsOf(join(folder, `page-${page}.png`));
    const reference = await pixelsOf(Buffer.from(markupOf(name)));
    const { mean, share } = compare(ours, reference);
    const figures = `${name}: mean ${mean.toFixed(2)}, ${(100 * share).toFixed(2)} % differ`;
    t.ok(mean <= MEAN_DIFFERENCE_MAX && share <= DIFFERENT_SHARE_MAX, figures);
  }
});

t.test('the comparison sees a wrong picture', async (t) => {
  const right = await pixelsOf(Buffer.from(markupOf('rotate')));
  const wrong = await pixelsOf(Buffer.from(markupOf('rotate').replace('30 50 50', '50 50 50')));
  t.ok(compare(wrong, right).share > DIFFERENT_SHARE_MAX);
});
