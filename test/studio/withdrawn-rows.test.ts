import type { Page } from 'playwright-core';
import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene, stepsOf } from './browser.ts';

t.setTimeout(900_000);

const TEMPLATE = {
  templateId: 'slip',
  name: 'Slip',
  language: 'en',
  fields: [
    { name: 'no', type: 'text', required: true },
    { name: 'total', type: 'number', required: true },
    { name: 'issued', type: 'date' },
  ],
  document: { content: ['{{no}} {{total}}'] },
  samples: [{ name: 'one', data: { no: '1', total: '1' } }],
};

/** 30 slips of 10.00 on lines 2 to 31; `cells` has those of other lines. */
function slips(cells: Readonly<Record<number, string>>) {
  const rows = Array.from(
    { length: 30 },
    (_, index) => `S-${index},${cells[index + 2] ?? '10.00,2026-11-30'}\n`,
  );
  const buffer = Buffer.from(`no,total,issued\n${rows.join('')}`);
  return { name: 'slips.csv', mimeType: 'text/csv', buffer };
}

async function startRun(page: Page, url: string, file: ReturnType<typeof slips>): Promise<void> {
  await page.goto(`${url}/studio/runs/new?template=slip`);
  await page.getByLabel('File of rows').setInputFiles(file);
  await page.getByLabel('Rows', { exact: true }).fill('30');
  await page.getByLabel('Sum of “total”').fill('300.00');
  await page.getByRole('button', { name: 'Upload and start' }).click();
  await page.getByText('The run has stopped').waitFor();
}

/** Withdraws the first row of the list, and returns what the dialog said. */
async function withdrawFirst(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Withdraw', exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  const text = (await dialog.textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Withdraw' }).click();
  await dialog.waitFor({ state: 'detached' });
  return text;
}

t.test('a clerk is told what a withdrawal does to the totals', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { clerk: 'Admin' });
  const { url } = scene;
  const page = await scene.openAs('clerk');
  const step = stepsOf(t, scene);
  await callAs(page.context(), 'PUT', `${url}/v1/templates/slip/draft`, TEMPLATE);
  await callAs(page.context(), 'POST', `${url}/v1/templates/slip/publish`, {});
  const notice = page.locator('.notice.bad');
  const done = page.getByText('done', { exact: true });
  const start = page.getByRole('button', { name: 'Start', exact: true });

  await step('an amount that cannot be read counts as 0, and its sum is lowered', async (t) => {
    await startRun(page, url, slips({ 8: '10.00,2026-11-31', 20: '1O.00,2026-11-30' }));
    await notice.getByText('Invalid rows (1) have an amount that cannot be read').waitFor();
    t.notMatch(await withdrawFirst(page), 'cannot be read', 'the amount of line 8 can');
    await page.getByRole('heading', { name: 'Rows to correct: 1' }).waitFor();
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByRole('button', { name: 'ถอนแถว', exact: true }).click();
    await page.getByRole('dialog').getByText('อ่านไม่ได้: total').waitFor();
    await picture(page, 'withdraw-unread-thai');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'English' }).click();
    const asked = await withdrawFirst(page);
    t.match(
      asked,
      /cannot be read: total\..* its amount as 0\..* correct the row instead, or lower/,
    );
    await notice.getByText('Withdrawn rows (1) have an amount that cannot be read').waitFor();
    const said = (await notice.textContent()) ?? '';
    t.match(said, 'Sum of “total”: 300.00 is expected, 290.00 was found.');
    t.notMatch(said, /Rows: |If rows are missing|If the file is right|Invalid rows/);
    await page.getByText('Rows withdrawn: 2.').waitFor();
    await page.getByText('Where they stand: Line 8, Line 20').waitFor();
    await picture(page, 'withdrawn-unread');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('มีแถวที่ถอนแล้ว 1 แถวที่อ่านจำนวนเงินไม่ได้').waitFor();
    await picture(page, 'withdrawn-unread-thai');
    await page.getByRole('button', { name: 'แก้ยอดควบคุม…' }).click();
    await page.getByRole('dialog').getByText('ผลรวมที่พบคือ 290.00').waitFor();
    await picture(page, 'withdrawn-unread-totals-thai');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('button', { name: 'Correct the totals…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('so take them off. The run has found 290.00.').waitFor();
    await picture(page, 'withdrawn-unread-totals');
    await dialog.getByLabel('Sum of “total”').fill('290.00');
    await dialog.getByRole('button', { name: 'Start with these totals' }).click();
    await done.waitFor();
    await page.getByText('Where they stand: Line 8, Line 20').waitFor();
    await picture(page, 'withdrawn-done');
  });

  await step('a run that stopped at its end needs only a start', async (t) => {
    await startRun(page, url, slips({ 8: '10.00,2026-11-31' }));
    await page.getByRole('button', { name: 'Start without them' }).click();
    await notice.getByText('Rows without a document count as missing').waitFor();
    await withdrawFirst(page);
    const end = page.getByText('Press “Start” to end the run: no further document is made.');
    await end.waitFor();
    t.equal(await notice.count(), 0);
    await page.reload();
    await end.waitFor();
    t.equal(await notice.count(), 0, 'the service says it');
    await picture(page, 'withdrawn-at-end');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('กด “เริ่ม” เพื่อจบงาน').waitFor();
    await picture(page, 'withdrawn-at-end-thai');
    await page.getByRole('button', { name: 'English' }).click();
    await start.click();
    await done.waitFor();
  });

  await step('after a correction the page says what a start makes', async (t) => {
    await startRun(page, url, slips({ 8: '10.00,2026-11-31' }));
    await page.getByRole('button', { name: 'Start without them' }).click();
    await notice.getByText('Rows without a document count as missing').waitFor();
    await page.getByLabel('Line 8 issued', { exact: true }).fill('2026-11-30');
    await page.getByRole('button', { name: 'Check the corrections (1)' }).click();
    const rest = page.getByText('the run makes the documents that are missing (1), and ends.');
    await rest.waitFor();
    t.equal(await notice.count(), 0);
    await picture(page, 'corrected-at-end');
    await start.click();
    await done.waitFor();
    t.equal(await rest.count(), 0);
  });
  t.strictSame(scene.complaints, []);
});
