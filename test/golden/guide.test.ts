import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { guideExamples } from '../../lab/pages/guide.ts';
import { renderExample, toPicture } from '../../lab/pages/guide-picture.ts';
import { faultsOf, pageTexts } from '../../lab/render.ts';
import { expectSamePicture } from './picture.ts';

/**
 * One document for each example of the guide: its text is compared with the one kept here, its
 * picture with the one in the guide. After a change that you have looked at, run `node
 * scripts/make-guide.ts`, and `INTAGLIO_UPDATE_GOLDEN=1 ./intaglio test test/golden`.
 */
const TEXTS = join(import.meta.dirname, 'guide.txt');
const PICTURES = join(import.meta.dirname, '..', '..', 'docs', 'pictures');

const folder = mkdtempSync(join(tmpdir(), 'intaglio-guide-'));
t.teardown(() => rmSync(folder, { recursive: true }));

/** Text of an element below its name. */
const texts: string[] = [];

for (const { name, template } of await guideExamples()) {
  t.test(`the element ${name} looks and reads as before`, async (t) => {
    const pdf = await renderExample(template);
    const file = join(folder, `${name}.pdf`);
    t.equal(faultsOf(file, pdf), '');
    t.strictSame(await renderExample(template), pdf, 'the same job gives the same bytes');
    texts.push(`=== ${name}\n${pageTexts(file, pdf).join('\n---\n')}`);
    const expected = readFileSync(join(PICTURES, `${name}.png`));
    await expectSamePicture(t, await toPicture(pdf), expected, name);
  });
}

t.test('the texts equal the kept ones', async (t) => {
  const all = texts.join('\n');
  if (process.env['INTAGLIO_UPDATE_GOLDEN'] === '1') writeFileSync(TEXTS, all);
  t.equal(all, readFileSync(TEXTS, 'utf8'));
});
