import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene } from './browser.ts';

t.setTimeout(1_500_000);

const ROWS = 6;

t.test('the page of a run tells what its ZIP is without', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {});
  const page = await scene.open();
  await page.goto(scene.link);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Templates' }).waitFor();
  const found = await callAs(page.context(), 'GET', `${scene.url}/v1/templates/receipt/versions/1`);
  const [sample] = found.body['samples'] as [{ data: Record<string, unknown> }];
  const lines = Array.from({ length: ROWS }, (_, index) =>
    JSON.stringify({ ...sample.data, row: `R-${index + 1}` }),
  );
  await page.goto(`${scene.url}/studio/runs/new?template=receipt`);
  await page.getByLabel('File of rows').setInputFiles({
    name: 'rows.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(`${lines.join('\n')}\n`),
  });
  await page.getByLabel('Column that identifies a row').selectOption('row');
  await page.getByRole('button', { name: 'Upload and start' }).click();
  await page.getByText('done', { exact: true }).waitFor();
  await page.getByText('A document that cannot be read is left out of the ZIP').waitFor();

  // The only pack of the demo holds all documents of the run, one after the other.
  const files = join(t.testdirName, 'demo', 'files');
  const pack = readdirSync(files, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .find((path) => readFileSync(path, 'latin1').split('%%EOF').length > ROWS);
  const bytes = readFileSync(pack ?? 'none');
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(pack ?? 'none', bytes);

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Documents (ZIP)' }).click();
  const zip = readFileSync(await (await download).path(), 'latin1');
  t.match(zip, 'missing-documents.txt');
  await page.getByText('Documents missing from the ZIP: 1').waitFor();
  await page.getByText('Documents missing from the ZIP: 1').scrollIntoViewIfNeeded();
  await picture(page, 'archive-lacks');
  t.strictSame(await seriousFindings(page), []);
  await page.reload();
  await page.getByText('Documents missing from the ZIP: 1').waitFor();
  await page.getByRole('button', { name: 'ไทย' }).click();
  await page.getByText('เอกสารที่ไม่อยู่ใน ZIP: 1 ฉบับ').scrollIntoViewIfNeeded();
  await picture(page, 'archive-lacks-thai');
  t.strictSame(scene.complaints, []);
});
