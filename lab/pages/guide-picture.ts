import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { render, shareTemplate } from '../render.ts';
import { GUIDE_DATA } from './guide.ts';

/** Draws the examples of docs/templates.md, for the guide and for the test that compares them. */

/** Width of the frame around the pages, and of the space between them. */
const FRAME_PX = 1;
const GAP_PX = 10;

/** The arrangement of a document's pages in one picture. */
export interface PageLayout {
  readonly dpi: number;
  /** Side by side; otherwise one below the other. */
  readonly sideBySide: boolean;
}

const GUIDE: PageLayout = { dpi: 110, sideBySide: false };

/** The document of an example, made from the guide's data unless others are given. */
export async function renderExample(
  template: object,
  data: object = GUIDE_DATA,
): Promise<Uint8Array> {
  const { pdf } = await render(shareTemplate(JSON.stringify(template)), data, { atMs: 0 });
  return pdf;
}

/** All pages in a light frame, as a small palette PNG. Needs pdftoppm. */
export async function toPicture(pdf: Uint8Array, layout: PageLayout = GUIDE): Promise<Buffer> {
  const pages = drawPages(pdf, layout.dpi);
  const sizes = await Promise.all(pages.map((page) => sharp(page).metadata()));
  const { sideBySide } = layout;
  let offset = FRAME_PX;
  const layers = pages.map((input, index) => {
    const layer = sideBySide
      ? { input, left: offset, top: FRAME_PX }
      : { input, left: FRAME_PX, top: offset };
    offset += GAP_PX + ((sideBySide ? sizes[index]?.width : sizes[index]?.height) ?? 0);
    return layer;
  });
  const end = offset - GAP_PX + FRAME_PX;
  const widest = 2 * FRAME_PX + Math.max(...sizes.map((size) => size.width));
  const highest = 2 * FRAME_PX + Math.max(...sizes.map((size) => size.height));
  const [width, height] = sideBySide ? [end, highest] : [widest, end];
  return sharp({ create: { width, height, channels: 3, background: '#d5dce6' } })
    .composite(layers)
    .png({ palette: true, colours: 64, effort: 10 })
    .toBuffer();
}

/** The pages as PNG files. */
function drawPages(pdf: Uint8Array, dpi: number): readonly Buffer[] {
  const folder = mkdtempSync(join(tmpdir(), 'guide-'));
  try {
    const file = join(folder, 'guide.pdf');
    writeFileSync(file, pdf);
    execFileSync('pdftoppm', ['-r', String(dpi), '-png', file, join(folder, 'page')]);
    const names = readdirSync(folder).filter((name) => name.endsWith('.png'));
    return names.toSorted().map((name) => readFileSync(join(folder, name)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
