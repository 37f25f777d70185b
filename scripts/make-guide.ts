import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { guideExamples } from '../lab/pages/guide.ts';
import { renderExample, toPicture } from '../lab/pages/guide-picture.ts';

/**
 * Draws the pictures of docs/templates.md and the loan offer of README.md with the engine itself:
 * `node scripts/make-guide.ts`. Needs pdftoppm (poppler-utils).
 */

const pictures = new URL('../docs/pictures/', import.meta.url);

interface Sample {
  readonly document: object;
  readonly samples: readonly { readonly data: object }[];
}

/** Draws the first sample of a template of templates/, its pages side by side. */
async function drawSample(name: string): Promise<void> {
  const source = new URL(`../templates/${name}.json`, import.meta.url);
  // A file of this repository, whose samples a test renders.
  const template = JSON.parse(readFileSync(source, 'utf8')) as Sample;
  const [sample] = template.samples;
  if (sample === undefined) throw new Error(`${name}.json has no sample`);
  const pdf = await renderExample(template, sample.data);
  const picture = await toPicture(pdf, { dpi: 75, sideBySide: true });
  writeFileSync(new URL(`../docs/${name}.png`, import.meta.url), picture);
  process.stdout.write(`${name}.png ${picture.length} bytes\n`);
}

async function drawExamples(): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  for (const { name, template } of await guideExamples()) {
    const picture = await toPicture(await renderExample(template));
    writeFileSync(new URL(`${name}.png`, pictures), picture);
    process.stdout.write(`${name}.png ${picture.length} bytes\n`);
  }
}

await drawExamples();
await drawSample('loan-offer');
await drawSample('consolidated-en');
