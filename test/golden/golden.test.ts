import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import t from 'tap';
import type { Test } from 'tap';
import { expectSamePicture } from './picture.ts';
import { faultsOf, pageTexts, render, shareTemplate } from '../../lab/render.ts';

/**
 * Text and pictures of the sample templates are compared with those that a person found correct.
 * `INTAGLIO_UPDATE_GOLDEN=1 ./intaglio test test/golden` replaces them: look at each one.
 */
const FOLDER = import.meta.dirname;
const TEMPLATES = join(FOLDER, '..', '..', 'templates');
const UPDATE = process.env['INTAGLIO_UPDATE_GOLDEN'] === '1';
/** Resolution at which pictures are compared, in grey. */
const DPI = '40';
/** Pages of a sample whose pictures are kept. */
const PICTURES_MAX = 3;

interface TemplateFile {
  readonly samples: readonly { readonly name: string; readonly data: unknown }[];
}

const scratch = mkdtempSync(join(tmpdir(), 'intaglio-golden-'));
t.teardown(() => rmSync(scratch, { recursive: true }));

const names = readdirSync(TEMPLATES).filter((name) => /^[a-z-]+\.json$/.test(name));

for (const name of names) {
  const source = readFileSync(join(TEMPLATES, name));
  // The folder belongs to this repository; the compiler checks the rest.
  const { samples } = JSON.parse(source.toString()) as TemplateFile;
  const template = shareTemplate(source);
  for (const [index, sample] of samples.entries()) {
    const stem = `${name.replace('.json', '')}-${index + 1}`;
    t.test(`${stem}: ${sample.name}`, async (t) => {
      const { pdf, pages } = await render(template, sample.data);
      const file = join(scratch, `${stem}.pdf`);
      t.equal(faultsOf(file, pdf), '');
      t.strictSame((await render(template, sample.data)).pdf, pdf, 'the same job gives the same bytes');
      const text = pageTexts(file, pdf).join('\f\n');
      expectGolden(t, `${stem}.txt`, Buffer.from(text), (golden) =>
        t.equal(text, golden.toString()),
      );
      for (let page = 1; page <= Math.min(pages, PICTURES_MAX); page++) {
        await comparePicture(t, file, page, `${stem}-${page}.png`);
      }
    });
  }
}

/** Compares with the kept file; a missing one fails unless files are being updated. */
function expectGolden(
  t: Test,
  name: string,
  actual: Uint8Array,
  compare: (golden: Buffer) => void,
): void {
  const path = join(FOLDER, name);
  if (UPDATE) writeFileSync(path, actual);
  if (!t.ok(existsSync(path), `${name} is kept`)) return;
  compare(readFileSync(path));
}

async function comparePicture(
  t: Test,
  file: string,
  page: number,
  name: string,
): Promise<void> {
  const number = String(page);
  const output = join(scratch, 'page');
  const selection = ['-f', number, '-l', number, '-singlefile'];
  execFileSync('pdftoppm', ['-r', DPI, '-gray', ...selection, '-png', file, output]);
  const picture = readFileSync(`${output}.png`);
  const path = join(FOLDER, name);
  if (UPDATE) writeFileSync(path, await sharp(picture).png({ palette: true }).toBuffer());
  if (!t.ok(existsSync(path), `${name} is kept`)) return;
  await expectSamePicture(t, picture, readFileSync(path), `page ${page}`);
}
