import { loadavg } from 'node:os';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { missing, picture, seriousFindings, startScene } from './browser.ts';
import { startRun } from './month-end.ts';
import { scrollUnderToast } from './under-toast.ts';
import { isWithin } from '../hostile/machine.ts';
import { shareOfCores } from '../../tools/dev/test/time-limit.ts';

t.setTimeout(1_500_000);

/** Corrections stay while the user looks at other pages, and can be discarded. */
async function keepsCorrections(t: Test, page: Page, cell: Locator): Promise<void> {
  const other = page.getByLabel('Line 151 Total total', { exact: true });
  const before = await other.inputValue();
  const kept = page.getByText('Rows corrected and not checked yet: 1.');
  await kept.waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Documents' }).click();
  await page.getByRole('heading', { name: 'Documents' }).waitFor();
  await page.goBack();
  await kept.waitFor();
  t.equal(await cell.inputValue(), '100.25');
  await page.getByRole('button', { name: 'Discard my corrections' }).click();
  await kept.waitFor({ state: 'detached' });
  t.not(await cell.inputValue(), '100.25');
  t.equal(await other.inputValue(), before);
  await cell.fill('100.25');
}

/** A further row. */
const MORE = Buffer.from('row,total\r\nRC-900,1.00\r\n');

t.test('a clerk finishes a run with faulty rows in the Studio', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {});
  const page = await scene.open();
  await page.goto(scene.link);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Templates' }).waitFor();
  const startMs = performance.now();
  await startRun(scene, page);
  const figures = page.locator('.run-figures');
  await figures.filter({ hasText: /Rows200Stored0Waiting197Invalid3/ }).waitFor();
  await page.getByRole('heading', { name: 'Rows to correct: 3' }).scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: /Check the corrections/ }).scrollIntoViewIfNeeded();
  await picture(page, 'faulty');
  t.strictSame(await seriousFindings(page), []);

  // One on the page, one withdrawn, one in the file.
  await page.getByLabel('Line 94 Total total', { exact: true }).fill('100.25');
  const headings = page.locator('.faulty-rows > li').nth(1).locator('.field-label');
  // The column that identifies a row is no field of the template.
  t.strictSame((await headings.allInnerTexts()).slice(0, 3), [
    'row',
    'Total total',
    'Receipt number receiptNo',
  ]);
  const total = page.getByLabel('Line 94 Total total', { exact: true });
  await keepsCorrections(t, page, total);
  await page.getByRole('button', { name: 'Check the corrections (1)' }).click();
  await page.getByRole('heading', { name: 'Rows to correct: 2' }).waitFor();
  t.equal(
    await page.getByText('Rows corrected and not checked yet').count(),
    0,
    'what was sent is not kept',
  );
  const reasons = page.getByRole('alert');
  await reasons.filter({ hasText: /^The check has found faults.*Invalid rows: 2\./ }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Invalid rows (CSV)' }).click();
  const file = await download;
  t.match(file.suggestedFilename(), /-invalid\.csv$/);
  const csv = readFileSync(await file.path(), 'utf8');
  t.match(csv, /^\uFEFF#part,#line,#reasons,row,/);
  const line = csv.split('\n').find((one) => one.startsWith('1,18,')) ?? '';
  const mended =
    csv.slice(0, csv.indexOf('\n') + 1) + line.replace(/(required|characters)",,/, '$1",RC-18,');
  const buffer = Buffer.from(mended);
  const input = page.getByLabel('File of rows');
  await input.setInputFiles({ name: 'faulty.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  // Corrections in a file are checked by themselves, too, and the input is ready for another one.
  await page.getByRole('heading', { name: 'Rows to correct: 1' }).waitFor();
  await reasons.filter({ hasText: /Invalid rows: 1\./ }).waitFor();
  t.equal(await input.inputValue(), '', 'the file is not sent twice');
  await page.getByLabel('Line 151 Total total', { exact: true }).fill('100.25');
  await page.getByRole('button', { name: 'Check the corrections (1)' }).click();
  await page.getByRole('heading', { name: /Rows to correct/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('done', { exact: true }).waitFor();
  await figures.filter({ hasText: /Rows200Stored200Invalid0/ }).waitFor();
  const totals = page.getByRole('region', { name: 'Control totals' });
  const sums = /Rows200200200total20050\.0020050\.0020050\.00/;
  await totals.filter({ hasText: sums }).waitFor();
  const seconds = (performance.now() - startMs) / 1000;
  t.comment(`the walk took ${seconds.toFixed(1)} s`);
  // Without the time in which the cores had other programs to run.
  const quietSeconds = seconds * shareOfCores(loadavg()[0] ?? 0);
  const isQuick = isWithin(quietSeconds * 1_000, 180_000);
  t.ok(isQuick, `under three minutes: ${quietSeconds.toFixed(1)} s`);
  await picture(page, 'faulty-done');

  await t.test('a run that is done says that rows were added to it', async (t) => {
    const more = { name: 'more.csv', mimeType: 'text/csv', buffer: MORE };
    await page.getByLabel('File of rows').setInputFiles(more);
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const unchecked = page.getByRole('status').filter({ hasText: 'Rows have come that are not' });
    await unchecked.getByRole('button', { name: 'Start', exact: true }).waitFor();
    await page.getByText('rows added', { exact: true }).waitFor();
    await page.reload();
    await unchecked.waitFor();
    await picture(page, 'faulty-done-more');
    t.strictSame(await seriousFindings(page), []);
  });

  await t.test('rows can be withdrawn, and a Thai clerk reads why', async (t) => {
    await startRun(scene, page);
    const row = page
      .getByRole('listitem')
      .filter({ has: page.getByText('Line 18', { exact: true }) });
    await row.getByRole('button', { name: 'Withdraw' }).click();
    await picture(page, 'faulty-withdraw');
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('heading', { name: 'Rows to correct: 2' }).waitFor();
    await figures.filter({ hasText: /Rows200Stored0Waiting197Invalid2Withdrawn1/ }).waitFor();
    await page.getByText('Invalid rows: 2.').waitFor();
    // Further rows wait for the start; the page says so, and the buttons stand beside it.
    await page.getByLabel('File of rows').setInputFiles({
      name: 'more.csv',
      mimeType: 'text/csv',
      buffer: MORE,
    });
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const unchecked = page.getByRole('status').filter({ hasText: 'Rows have come that are not' });
    await unchecked.getByRole('button', { name: 'Start', exact: true }).waitFor();
    const withdraw = page.getByRole('button', { name: 'Withdraw' }).first();
    t.ok(await scrollUnderToast(page, withdraw), 'the message made way for the button');
    await picture(page, 'faulty-toast');
    t.equal(await page.getByRole('button', { name: 'Start', exact: true }).count(), 1);
    await unchecked.scrollIntoViewIfNeeded();
    await picture(page, 'faulty-unchecked');
    t.strictSame(await seriousFindings(page), []);
    await unchecked.getByRole('button', { name: 'Check only' }).click();
    await page.getByText('Invalid rows: 3.').waitFor();
    await page
      .getByRole('listitem')
      .filter({ has: page.getByText('Line 2 of part 2', { exact: true }) })
      .getByRole('button', { name: 'Withdraw' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Invalid rows: 2.').waitFor();
    await page.getByRole('button', { name: 'Start without them' }).waitFor();
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByRole('heading', { name: 'แถวที่ต้องแก้ไข: 2' }).scrollIntoViewIfNeeded();
    await page.getByText('ต้องเป็นตัวเลข เช่น 1250.50').first().scrollIntoViewIfNeeded();
    await page.getByText('เขียน 1250.50').waitFor();
    await page.getByLabel('บรรทัด 94 ยอดรวมทั้งสิ้น total', { exact: true }).waitFor();
    await picture(page, 'faulty-thai');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText('เขียน 1250.50').scrollIntoViewIfNeeded();
    await picture(page, 'faulty-phone');
    t.strictSame(await seriousFindings(page), []);
  });
  t.strictSame(scene.complaints, []);
});
