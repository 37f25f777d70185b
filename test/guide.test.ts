import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { guideExamples } from '../lab/pages/guide.ts';
import { keyReference } from '../lab/pages/key-reference.ts';
import { countFindings, describeFindings } from '../src/commands/engine.ts';
import { createEngine, type Finding } from '#engine';
import { shareTemplate } from '../lab/render.ts';

/** The examples of docs/templates.md compile and have pictures. */

const engine = createEngine();

async function findingsOf(source: string): Promise<readonly Finding[]> {
  const template = shareTemplate(source);
  const { findings } = await engine.check({
    kind: 'check',
    template,
    renderSamples: false,
    atMs: 0,
  });
  return findings;
}

const examples = await guideExamples();

t.ok(examples.length >= 18, 'the guide has at least 18 examples');

for (const { name, template } of examples) {
  t.test(`the example ${name} compiles without a finding, and has a picture`, async (t) => {
    const findings = await findingsOf(JSON.stringify(template));
    const telling = findings.filter(({ message }) => !message.includes('nothing is bound to it'));
    t.strictSame(telling, []);
    const picture = new URL(`../docs/pictures/${name}.png`, import.meta.url);
    t.ok(existsSync(picture), 'run: node scripts/make-guide.ts');
  });
}

t.test('the key reference is up to date (npm run generate)', (t) => {
  const path = new URL('../docs/template-keys.md', import.meta.url);
  t.equal(readFileSync(path, 'utf8'), keyReference());
  t.end();
});

const FAULTY = `{
  "templateId": "letter",
  "fields": [{ "name": "branch", "type": "text" }, { "name": "customer", "type": "text" }],
  "document": {
    "content": [
      { "text": "Dear {{custommer}}," },
      { "table": { "body": [["a", "b", "c"],
      [{ "text": "sum", "colSpan": 2 }, "x"]] } }
    ]
  }
}
`;

t.test('the guide shows the findings that a check prints', async (t) => {
  const located = await findingsOf(FAULTY);
  const printed = `${describeFindings(located, 'letter.json')}\n${countFindings(located)}`;
  const guide = readFileSync(new URL('../docs/templates.md', import.meta.url), 'utf8');
  t.ok(guide.includes(`\`\`\`text\n${printed}\n\`\`\`\n`), printed);
});
