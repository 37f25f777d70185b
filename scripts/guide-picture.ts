import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { RenderJob } from '../src/workers/job.ts';
import render from '../src/workers/render.ts';
import { GUIDE_DATA } from './guide.ts';

/** Drawing the examples of docs/templates.md, for the guide and for the test that keeps it. */

const GAP_PX = 10;

/** How the pages of a picture lie. */
export interface PageLayout {
  readonly dpi: number;
  /** Beside one another; otherwise below. */
  readonly beside: boolean;
}

const GUIDE: PageLayout = { dpi: 110, beside: false };

/** The example's document, made from the guide's data unless others are given. */
export async function renderExample(
  template: object,
  data: object = GUIDE_DATA,
): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(JSON.stringify(template));
  const source = new SharedArrayBuffer(bytes.length);
  new Uint8Array(source).set(bytes);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const body = new TextEncoder().encode(JSON.stringify(data));
  const job: RenderJob = {
    kind: 'render',
    template: { hash, source, templateId: 'guide', version: 1 },
    body,
    dataStart: 0,
    dataEnd: body.length,
    atMs: 0,
    attachments: [],
    watermark: null,
    metadata: null,
    checkOnly: false,
    digest: false,
  };
  const result = await render(job);
  if (result === undefined || !('ok' in result)) throw new Error('no document');
  if (!result.ok) throw new Error(result.message);
  return result.value.pdf;
}

/** All pages in a light frame, as a small palette PNG. Needs pdftoppm. */
export async function toPicture(
  pdf: Uint8Array,
  { dpi, beside }: PageLayout = GUIDE,
): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'guide-'));
  try {
    writeFileSync(join(folder, 'x.pdf'), pdf);
    const page = join(folder, 'page');
    execFileSync('pdftoppm', ['-r', String(dpi), '-png', join(folder, 'x.pdf'), page]);
    const names = readdirSync(folder).filter((name) => name.endsWith('.png'));
    const pages = names.toSorted().map((name) => readFileSync(join(folder, name)));
    const sizes = await Promise.all(pages.map((picture) => sharp(picture).metadata()));
    const widest = Math.max(...sizes.map((size) => size.width));
    const highest = Math.max(...sizes.map((size) => size.height));
    let offset = 1;
    const layers = pages.map((input, index) => {
      const layer = beside ? { input, left: offset, top: 1 } : { input, left: 1, top: offset };
      offset += (beside ? sizes[index]?.width : sizes[index]?.height) ?? 0;
      offset += GAP_PX;
      return layer;
    });
    const end = offset - GAP_PX + 1;
    const [width, height] = beside ? [end, highest + 2] : [widest + 2, end];
    const canvas = sharp({ create: { width, height, channels: 3, background: '#d5dce6' } });
    return await canvas
      .composite(layers)
      .png({ palette: true, colours: 64, effort: 10 })
      .toBuffer();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
