import { mkdirSync, writeFileSync } from 'node:fs';
import { guideExamples } from './guide.ts';
import { renderExample, toPicture } from './guide-picture.ts';

/**
 * Draws the pictures of docs/templates.md with the engine itself: `node scripts/make-guide.ts`.
 * Needs pdftoppm (poppler-utils).
 */

const pictures = new URL('../docs/pictures/', import.meta.url);

mkdirSync(pictures, { recursive: true });
for (const { name, template } of await guideExamples()) {
  const picture = await toPicture(await renderExample(template));
  writeFileSync(new URL(`${name}.png`, pictures), picture);
  process.stdout.write(`${name}.png ${picture.length} bytes\n`);
}
