import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { LANGUAGES } from '../../studio/src/reference/samples.ts';
import { installNode, withoutJava, withoutPython } from '../clients/programs.ts';
import { FILES, runSamples } from '../clients/samples.ts';
import { callAs, missing, picture, seriousFindings, startScene } from './browser.ts';

t.setTimeout(900_000);

const skip = missing() || withoutPython() || withoutJava();
const built = join(t.testdirName, 'built');

t.test('samples that are copied from /docs make documents', { skip }, async (t) => {
  const scene = await startScene(t, { mali: 'Admin' });
  const { url } = scene;
  const page = await scene.openAs('mali');
  const access = ['clipboard-read', 'clipboard-write'];
  await page.context().grantPermissions(access, { origin: url });
  const made = await callAs(page.context(), 'POST', `${url}/v1/keys`, {
    name: 'samples',
    scopes: ['generate', 'documents:read'],
  });
  await page.goto(`${url}/docs#generateDocument`);
  const operation = page.locator('#generateDocument');
  await operation.getByRole('button', { name: 'Java', exact: true }).click();
  await page.getByText('There is no package for C#').waitFor();
  await picture(page, 'reference-java');
  t.strictSame(await seriousFindings(page), []);
  // The demo's own folder stands in that of the test.
  const root = t.testdirName;
  await installNode(root);
  for (const language of LANGUAGES) {
    await operation.getByRole('button', { name: language, exact: true }).click();
    await operation.getByRole('button', { name: 'Copy', exact: true }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    t.match(copied, url, `${language}: the address is that of the page`);
    const text = copied.replaceAll('ik_YOUR_KEY', String(made.body['apiKey']));
    writeFileSync(join(root, FILES[language]), text);
    const { code, out } = await runSamples(language, [root], root, built);
    t.equal(code, 0, `${language}: ${out}`);
    t.match(out, /documentId\W+[0-9a-f-]{36}/, language);
  }
});
