import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { openLetterhead } from '../../src/engine/letterhead/letterhead.ts';
import { render, shareTemplate } from '../../lab/render.ts';

/** A document that shows each page of a cleaned file on a page of its size. */
export async function placeEachPage(clean: Uint8Array): Promise<Uint8Array> {
  const url = `data:application/pdf;base64,${Buffer.from(clean).toString('base64')}`;
  const content = (openLetterhead(clean) ?? []).map(({ widthPx, heightPx }, index) => ({
    section: { text: '\u00a0', fontSize: 4 },
    pageSize: { width: widthPx, height: heightPx },
    background: { pdf: 'p', page: index + 1 },
  }));
  const document = { pdfs: { p: url }, pageMargins: 0, content };
  const source = JSON.stringify({ templateId: 'p', fields: [], document });
  const { pdf } = await render(shareTemplate(source), {});
  return pdf;
}

/** Grey values differ when they are further apart than this: edges may be smoothed differently. */
const GREY_DIFFERENCE = 64;

interface Picture {
  readonly data: Buffer;
  readonly width: number;
}

/**
 * An area of a page that is not compared, in points from its top left corner; pages count from 1.
 */
export interface Area {
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
  readonly heightPt: number;
}

/**
 * For each page, the share of pixels that differ as poppler draws them, 0 to 1; 1 when the page
 * sizes differ. At most 50 pages; a pixel is a point.
 */
export async function comparePages(
  folder: string,
  original: Uint8Array,
  made: Uint8Array,
  ignored: readonly Area[] = [],
): Promise<readonly number[]> {
  const expected = await picturesOf(join(folder, 'original'), original);
  const actual = await picturesOf(join(folder, 'made'), made);
  return expected.map((picture, index) => {
    const areas = ignored.filter(({ page }) => page === index + 1);
    return differenceOf(picture, actual[index], areas);
  });
}

/** Borders of fields are drawn around their areas. */
const BORDER_PT = 2;

function differenceOf(
  expected: Picture,
  actual: Picture | undefined,
  ignored: readonly Area[],
): number {
  if (actual?.width !== expected.width || actual.data.length !== expected.data.length) return 1;
  let different = 0;
  for (const [at, value] of actual.data.entries()) {
    if (Math.abs(value - (expected.data[at] ?? 0)) <= GREY_DIFFERENCE) continue;
    const x = at % actual.width;
    const y = Math.floor(at / actual.width);
    if (!ignored.some((area) => covers(area, x, y))) different++;
  }
  return different / expected.data.length;
}

function covers({ x: left, y: top, widthPt, heightPt }: Area, x: number, y: number): boolean {
  return (
    x >= left - BORDER_PT &&
    x <= left + widthPt + BORDER_PT &&
    y >= top - BORDER_PT &&
    y <= top + heightPt + BORDER_PT
  );
}

async function picturesOf(folder: string, pdf: Uint8Array): Promise<readonly Picture[]> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'x.pdf'), pdf);
  const options = ['-r', '72', '-l', '50', '-cropbox', '-png', '-gray'];
  execFileSync('pdftoppm', [...options, 'x.pdf', 'x'], { cwd: folder });
  const files = readdirSync(folder).filter((file) => file.endsWith('.png'));
  return Promise.all(
    files.toSorted().map(async (file) => {
      const image = sharp(join(folder, file)).greyscale().raw();
      const { data, info } = await image.toBuffer({ resolveWithObject: true });
      return { data, width: info.width };
    }),
  );
}
