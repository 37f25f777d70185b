import { readFileSync } from 'node:fs';
import t from 'tap';
import { withAttempts } from './attempts-page.ts';
import { ATTEMPTS } from './attempts.ts';
import { startScene } from './scene.ts';

/** Every attempt of docs/security.md, made at one service with approvals and a signer. */

t.setTimeout(1_500_000);
const scene = await startScene(t);

for (const { who, tries, ends, run } of ATTEMPTS) {
  t.test(`${who}: ${tries}`, async (t) => {
    t.equal(await run(scene), ends);
  });
}

t.test('afterwards no contributor has published and no draft is signed', async (t) => {
  const records = await scene.store.audit.list({ countMax: 5_000 });
  const done = records.filter(({ outcome }) => outcome === 'succeeded');
  const publications = done.filter(({ action }) => action === 'templates.publish');
  t.ok(publications.length > 10);
  for (const { principal, contributors, templateId } of publications) {
    t.notOk(contributors.includes(principal), `${templateId} by ${principal}`);
    t.ok(contributors.length > 0, `${templateId} names who wrote it`);
  }
  const signed = done.filter(({ signer }) => signer !== '');
  t.ok(signed.length > 3);
  for (const { draft, templateId } of signed) t.equal(draft, false, templateId);
});

t.test('docs/security.md is up to date (npm run generate)', async (t) => {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  t.equal(page, withAttempts(page));
});
