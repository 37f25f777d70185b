import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import t from 'tap';
import { render, shareTemplate, tryRender } from '../lab/render.ts';

/** The sample template for documents of scanned pages. */

const template = shareTemplate(readFileSync(new URL('../templates/scans.json', import.meta.url)));

async function scan(width: number, height: number): Promise<Buffer> {
  const background = { r: width % 255, g: height % 255, b: 90 };
  return sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

const asData = (scans: readonly Buffer[]): Record<string, string> =>
  Object.fromEntries(
    scans.map((jpeg, index) => [
      `page${index + 1}`,
      `data:image/jpeg;base64,${jpeg.toString('base64')}`,
    ]),
  );

t.test('each scan is a page of its own proportions, its JPEG data unchanged', async (t) => {
  const scans = await Promise.all([scan(620, 877), scan(877, 620), scan(600, 300)]);
  const { pdf, pages } = await render(template, asData(scans));
  t.equal(pages, 3);
  for (const jpeg of scans) t.ok(Buffer.from(pdf).includes(jpeg), 'passed through');
  const info = execFileSync('pdfinfo', ['-l', '9', '-'], { input: pdf }).toString();
  const sizes = [...info.matchAll(/Page +\d+ size: +([\d.]+) x ([\d.]+)/g)];
  const heights = sizes.map(([, , height]) => Math.round(Number(height)));
  t.strictSame(heights, [842, 421, 298]);
});

t.test('the template takes one to twenty pages, and its documents can be attached', async (t) => {
  const scans = await Promise.all(Array.from({ length: 20 }, (_, index) => scan(40 + index, 60)));
  const { pdf, pages } = await render(template, asData(scans));
  t.equal(pages, 20);
  const merged = await render(template, asData(scans.slice(0, 1)), { attachments: [pdf] });
  t.equal(merged.pages, 21);
  t.match(await tryRender(template, {}), { code: 'invalid_data', fields: [{ field: 'page1' }] });
});
