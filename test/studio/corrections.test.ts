import type { Page } from 'playwright-core';
import t from 'tap';
import { missing, picture, seriousFindings, startScene } from './browser.ts';
import { startRun } from './month-end.ts';

t.setTimeout(900_000);

const START = '**/v1/runs/*/start';

function cellOf(page: Page, line: number) {
  return page.getByLabel(`Line ${line} Total total`, { exact: true });
}

t.test('corrections of a run are neither sent twice nor lost', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {});
  const page = await scene.open();
  await page.goto(scene.link);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Templates' }).waitFor();
  await startRun(scene, page);
  const uploads: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') uploads.push(request.url());
  });
  const unchecked = page.getByRole('status').filter({ hasText: 'Rows have come that are not' });
  const check = page.getByRole('button', { name: 'Check the corrections (1)' });

  await t.test('a check that cannot be started can be started again', async (t) => {
    await page.route(START, (route) => route.abort());
    await cellOf(page, 94).fill('100.25');
    await check.click();
    await page.getByText('The corrections have arrived, but their check').waitFor();
    await unchecked.waitFor();
    await page.getByRole('button', { name: 'Check the corrections (0)' }).waitFor();
    await picture(page, 'corrections-not-started');
    t.strictSame(await seriousFindings(page), []);
    await page.reload();
    await unchecked.waitFor();
    await page.unroute(START);
    await unchecked.getByRole('button', { name: 'Check only' }).click();
    await page.getByRole('heading', { name: 'Rows to correct: 2' }).waitFor();
    t.equal(uploads.length, 1, 'the rows are sent once');
  });

  await t.test('a second tab notices what was corrected in the first one', async (t) => {
    const other = await scene.openTab(page);
    await other.goto(page.url());
    await cellOf(other, 151).fill('100.25');
    await cellOf(page, 151).fill('1.00');
    await page.bringToFront();
    await other.getByRole('button', { name: 'Check the corrections (1)' }).click();
    await other.getByRole('heading', { name: 'Rows to correct: 1' }).waitFor();
    await page.getByRole('heading', { name: 'Rows to correct: 1' }).waitFor({ timeout: 30_000 });
    const gone = page.locator('.notice').filter({ hasText: 'Corrections that are not needed' });
    await gone.getByText('Line 151: total = 1.00').waitFor();
    await page.getByText('a valid row, which is not listed here, cannot.').waitFor();
    await gone.scrollIntoViewIfNeeded();
    await picture(page, 'corrections-gone');
    t.strictSame(await seriousFindings(page), []);
    await gone.getByRole('button', { name: 'Discard my corrections' }).click();
    await gone.waitFor({ state: 'detached' });
  });

  await t.test('a run that was cancelled meanwhile shows the corrections to copy', async (t) => {
    const other = await scene.openTab(page);
    await other.goto(page.url());
    await page.getByLabel('Line 18 row', { exact: true }).fill('RC-18');
    await other.getByRole('button', { name: 'Cancel the run' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
    const ended = page.locator('.notice').filter({ hasText: 'The run was cancelled' });
    await ended.getByText('Line 18: row = RC-18').waitFor({ timeout: 30_000 });
    await ended.scrollIntoViewIfNeeded();
    await picture(page, 'corrections-ended');
    t.strictSame(await seriousFindings(page), []);
    const figures = page.locator('.run-figures');
    t.match(await figures.innerText(), 'Not made');
    t.notMatch(await figures.innerText(), 'Waiting', 'a cancelled run makes nothing more');
    await page.getByRole('button', { name: 'ไทย' }).click();
    await figures.getByText('ไม่ได้สร้าง', { exact: true }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const thai = page.getByText('การแก้ไขที่ส่งไม่ได้อีก: 1 แถว');
    await thai.scrollIntoViewIfNeeded();
    await picture(page, 'corrections-ended-thai');
    t.strictSame(await seriousFindings(page), []);
  });
  t.strictSame(scene.complaints, []);
});
