import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { callAs, eventually, missing, picture, seriousFindings, startScene } from './browser.ts';

t.setTimeout(900_000);

/** Follows a link or presses a button; gives the name of the file that is saved, and its first line. */
async function saved(page: Page, link: Locator): Promise<{ name: string; header: string }> {
  const waiting = page.waitForEvent('download');
  await link.click();
  const file = await waiting;
  const [header = ''] = readFileSync(await file.path(), 'utf8').split(/\r?\n/);
  return { name: file.suggestedFilename(), header };
}

t.test('downloads say what they hold, in names and titles', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {});
  const { url } = scene;
  const page = await scene.open();
  await page.goto(scene.link);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Templates' }).waitFor();

  await t.test('of a run', async (t) => {
    const spec = { templateId: 'receipt-en', version: 1, name: 'ใบเสร็จ พ.ย.', idField: 'row' };
    const made = await callAs(page.context(), 'POST', `${url}/v1/runs`, spec);
    const runId = String(made.body['runId']);
    const run = `${url}/v1/runs/${runId}`;
    // The row lacks its fields, so it is invalid.
    const sent = await page.context().request.put(`${run}/parts/1`, {
      headers: { 'content-type': 'text/csv' },
      data: 'row\nR1\n',
    });
    t.ok(sent.ok(), await sent.text());
    await callAs(page.context(), 'POST', `${run}/start`, {});
    await eventually(async () => {
      const { body } = await callAs(page.context(), 'GET', run);
      return body['state'] === 'stopped';
    });
    await page.goto(`${url}/studio/runs/${runId}`);
    await page.getByText('For a spreadsheet: one line for each row').waitFor();
    await page.getByText('The same for programs').waitFor();
    await page.getByText('The rows to correct, with their data and what is wrong.').waitFor();
    await picture(page, 'downloads-run');
    t.strictSame(await seriousFindings(page), []);
    const rows = await saved(page, page.getByRole('link', { name: 'All rows (CSV)' }));
    t.match(rows.name, /^ใบเสร็จ พ\.ย\.-receipt-en-\d{4}-\d\d-\d\d-rows\.csv$/);
    t.match(rows.header, /^\uFEFFRow,Outcome,Document,SHA-256 of the PDF,Pages,/);
    const faulty = await saved(page, page.getByRole('link', { name: 'Invalid rows (CSV)' }));
    t.match(faulty.name, /-receipt-en-\d{4}-\d\d-\d\d-invalid\.csv$/);
  });

  await t.test('of the audit', async (t) => {
    await page.goto(`${url}/studio/audit?template=receipt-en&from=2026-01-01`);
    await page.getByText('The CSV file holds the records that the filters select').waitFor();
    const button = page.getByRole('button', { name: 'Save as CSV' });
    const english = await saved(page, button);
    t.match(english.name, /^audit-receipt-en-2026-01-01-to-\d{4}-\d\d-\d\d\.csv$/);
    t.match(english.header, /^\uFEFFTime,Name,User or key,Action,Outcome,Error code,Template/);
    await page.locator('button:has(> span > span[lang])').first().click();
    await page.locator('html[lang="th"]').waitFor();
    const thai = await saved(page, page.getByRole('button', { name: 'บันทึกเป็น CSV' }));
    t.match(thai.header, /^\uFEFFเวลา,ชื่อ,ผู้ใช้หรือคีย์,/);
  });
  t.strictSame(scene.complaints, []);
});
