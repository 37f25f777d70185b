import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { guideExamples } from '../scripts/guide.ts';
import { keyReference } from '../scripts/key-reference.ts';
import { loadFonts } from '../src/workers/font/library.ts';
import { checkTemplate } from '../src/workers/template/check-template.ts';

/** docs/templates.md: what it shows must work, and be shown. */

const { library } = loadFonts(null);
const examples = await guideExamples();

t.ok(examples.length >= 18, 'the guide has its examples');

for (const { name, template } of examples) {
  t.test(`the example ${name} compiles without a finding, and has a picture`, async (t) => {
    const source = new TextEncoder().encode(JSON.stringify(template));
    const { findings } = await checkTemplate(source, { hash: name }, library);
    const telling = findings.filter(({ message }) => !message.includes('nothing is bound to it'));
    t.strictSame(telling, []);
    const picture = new URL(`../docs/pictures/${name}.png`, import.meta.url);
    t.ok(existsSync(picture), 'run: node scripts/make-guide.ts');
  });
}

t.test('the key reference is what the code makes (scripts/make-schema.ts)', (t) => {
  const path = new URL('../docs/template-keys.md', import.meta.url);
  t.equal(readFileSync(path, 'utf8'), keyReference());
  t.end();
});
