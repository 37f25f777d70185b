import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import t from 'tap';
import { faultyShare, isIdColumnWrong, leavingOut } from '../../studio/src/runs/left-out.ts';
import { shareReasons } from '../../src/runs/verdict.ts';
import type { RunRecord } from '../../src/store/runs/types.ts';
import {
  callAs,
  missing,
  picture,
  type Scene,
  seriousFindings,
  startScene,
  stepsOf,
} from './browser.ts';

t.setTimeout(900_000);

type Counts = Parameters<typeof leavingOut>[0]['counts'];
type Rule = 'stop' | 'skip';

function runOf(counts: Partial<Counts>, onInvalid: Rule = 'stop', invalidShareMax = 0.05) {
  const none = { received: 24, identical: 0, withdrawn: 0, invalid: 0, failed: 0 };
  return { counts: { ...none, ...counts }, onInvalid, invalidShareMax };
}

t.test('leaving rows out is offered where the service does not stop the run for it', async (t) => {
  t.equal(leavingOut(runOf({})), 'none');
  t.equal(leavingOut(runOf({ invalid: 1 })), 'offered');
  t.equal(leavingOut(runOf({ invalid: 2 })), 'too many');
  t.equal(leavingOut(runOf({ invalid: 1 }, 'skip')), 'by rule');
  t.equal(leavingOut(runOf({ invalid: 2 }, 'skip')), 'too many', 'whatever its rule');
  const cases = [
    { invalid: 1 },
    { invalid: 2 },
    { invalid: 1, failed: 1 },
    { received: 20, invalid: 1 },
    { received: 21, identical: 2, invalid: 1 },
    { received: 21, withdrawn: 1, invalid: 1 },
  ];
  for (const counts of cases) {
    const run = runOf(counts);
    const { invalidShareMax } = run;
    // Only these members are read.
    const record = { counts: run.counts, spec: { invalidShareMax } } as RunRecord;
    const isStopped = shareReasons(record).length > 0;
    t.equal(leavingOut(run), isStopped ? 'too many' : 'offered', JSON.stringify(counts));
  }
  t.equal(faultyShare(runOf({ received: 0 })), 0);
});

t.test('a column is wrong where nearly all rows fail by their id alone', async (t) => {
  const noId = { fields: [{ field: 'customer', reason: 'row id expected: 1 to 128 characters' }] };
  const taken = { fields: [{ field: 'customer', reason: 'this row id belongs to another row' }] };
  const other = { fields: [...noId.fields, { field: 'total', reason: 'number expected' }] };
  const run = { ...runOf({ invalid: 24 }), idField: 'customer' };
  t.ok(isIdColumnWrong(run, [noId, noId, taken]));
  t.ok(isIdColumnWrong(run, [...Array.from({ length: 19 }, () => noId), other]), '19 of 20');
  t.notOk(isIdColumnWrong(run, [noId, other]), 'a row of two has another fault, too');
  t.notOk(isIdColumnWrong(run, [{ fields: [{ field: 'customer', reason: 'required' }] }]));
  t.notOk(isIdColumnWrong(run, []), 'no row is loaded');
  const few = { ...runOf({ invalid: 12 }), idField: 'customer' };
  t.notOk(isIdColumnWrong(few, [noId]), 'the other half of the rows has ids');
});

const ROWS = 24;

/** Rows of receipts as NDJSON: the first `faulty` have a total that is no number. */
function rowsOf(sample: object, faulty: number, first = 1, count = ROWS): Buffer {
  const lines = Array.from({ length: count }, (_, index) => ({
    ...sample,
    row: `RC-${first + index}`,
    total: index < faulty ? 'one hundred' : '100.25',
  }));
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function fileOf(buffer: Buffer) {
  return { name: 'november.ndjson', mimeType: 'application/x-ndjson', buffer };
}

/** Makes a run in the Studio, and waits until it has stopped. */
async function makeRun({ url }: Scene, page: Page, rows: Buffer, total = ''): Promise<void> {
  await page.goto(`${url}/studio/runs/new?template=receipt`);
  await page.getByLabel('File of rows').setInputFiles(fileOf(rows));
  await page.getByLabel('Column that identifies a row').selectOption('row');
  await page.getByLabel('Rows', { exact: true }).fill(total);
  await page.getByRole('button', { name: 'Upload and start' }).click();
  await page.getByText('The run has stopped').waitFor();
}

const DARK = `document.documentElement.dataset['theme'] = 'dark'`;
const LIGHT = `document.documentElement.dataset['theme'] = 'light'`;

/** Pictures of the page, light and dark. */
async function lookAt(page: Page, name: string): Promise<void> {
  await picture(page, name);
  await page.evaluate(DARK);
  await picture(page, `${name}-dark`);
  await page.evaluate(LIGHT);
}

t.test('a clerk knows which rows a start leaves out', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { clerk: 'Editor' });
  const { url } = scene;
  const page = await scene.openAs('clerk');
  const step = stepsOf(t, scene);
  const found = await callAs(page.context(), 'GET', `${url}/v1/templates/receipt/versions/1`);
  const [{ data: sample }] = found.body['samples'] as [{ data: object }];
  const figures = page.locator('.run-figures');
  const withoutThem = page.getByRole('button', { name: 'Start without them' });
  const start = page.getByRole('button', { name: 'Start', exact: true });
  const byRule = page.getByRole('button', { name: 'Start without the invalid rows' });

  await step('a start without too many rows is not offered, and the page says why', async (t) => {
    await makeRun(scene, page, rowsOf(sample, 3));
    await page.getByRole('heading', { name: 'Rows to correct: 3' }).waitFor();
    const why = page.getByText('12.5 % of all, and it may leave out at most 5 %');
    await why.waitFor();
    await start.waitFor();
    t.equal(await withoutThem.count(), 0);
    await page.locator('.facts').getByText('make no document').waitFor();
    await why.scrollIntoViewIfNeeded();
    await lookAt(page, 'left-out-too-many');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('มี 12.5 % ของทั้งหมด').waitFor();
    await lookAt(page, 'left-out-too-many-thai');
    await page.getByRole('button', { name: 'English' }).click();
    // A withdrawn row leaves the page at once, however long the list takes to load again.
    await page.route('**/exceptions?*', async (route) => {
      await setTimeout(2_000);
      await route.continue();
    });
    for (const left of [2, 1]) {
      await page.getByRole('button', { name: 'Withdraw' }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
      await page.getByRole('heading', { name: `Rows to correct: ${left}` }).waitFor();
      t.equal(await page.getByRole('button', { name: 'Withdraw' }).count(), left);
    }
    await page.unrouteAll({ behavior: 'wait' });
    // 1 of 22 is less than 5 %.
    await withoutThem.click();
    await page.getByText('done', { exact: true }).waitFor();
    await figures.filter({ hasText: /Rows24Stored21Invalid1Withdrawn2/ }).waitFor();
  });

  await step('a column that identifies no row is not proposed, and is warned of', async (t) => {
    const rows = Buffer.from(
      rowsOf(sample, 0).toString().replaceAll('{"', '{"party":{"name":"Somchai"},"'),
    );
    await page.goto(`${url}/studio/runs/new?template=receipt`);
    await page.getByLabel('File of rows').setInputFiles(fileOf(rows));
    const column = page.getByLabel('Column that identifies a row');
    await column.waitFor();
    t.equal(await column.inputValue(), 'row');
    await column.selectOption('party');
    const warning = page.getByText('“party” does not identify 24 of the first 24 rows');
    await warning.waitFor();
    await page.getByText('Choose another column, such as “row”.').waitFor();
    await warning.scrollIntoViewIfNeeded();
    await lookAt(page, 'wrong-id-warned');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('คอลัมน์ “party” ระบุตัวแถวไม่ได้').waitFor();
    await lookAt(page, 'wrong-id-warned-thai');
    await page.getByRole('button', { name: 'English' }).click();
    await column.selectOption('row');
    await warning.waitFor({ state: 'detached' });
    await column.selectOption('party');
    await page.getByRole('button', { name: 'Upload and start' }).click();
    const advice = page.getByText('The column “party” does not identify the rows');
    await advice.waitFor();
    t.equal(await page.getByText('Correct or withdraw some of them').count(), 0);
    await lookAt(page, 'wrong-id-advice');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('ให้สร้างงานใหม่จากไฟล์เดิม').waitFor();
    await lookAt(page, 'wrong-id-advice-thai');
    await page.getByRole('button', { name: 'English' }).click();
    await advice.getByRole('link', { name: 'New run' }).click();
    await page.waitForURL('**/studio/runs/new?template=receipt');
  });

  await step('a refused start without rows stays the rule, and the button says so', async (t) => {
    await makeRun(scene, page, rowsOf(sample, 1), '25');
    await withoutThem.click();
    await byRule.waitFor();
    await page.getByText('The run has stopped').waitFor();
    t.equal(await start.count(), 0);
    t.equal(await withoutThem.count(), 0);
    await page.locator('.facts').getByText('make the documents of all others').waitFor();
    await lookAt(page, 'left-out-by-rule');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByRole('button', { name: 'เริ่มโดยเว้นแถวที่ไม่ถูกต้อง' }).waitFor();
    await lookAt(page, 'left-out-by-rule-thai');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByLabel('File of rows').setInputFiles(fileOf(rowsOf(sample, 0, 100, 1)));
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const unchecked = page.getByRole('status').filter({ hasText: 'Rows have come that are not' });
    await unchecked.getByRole('button', { name: 'Start without the invalid rows' }).click();
    await figures.filter({ hasText: /Rows25Stored24Invalid1/ }).waitFor();
  });

  await step('a start asks first while corrections are typed and not checked', async (t) => {
    await makeRun(scene, page, rowsOf(sample, 1));
    const cell = page.getByLabel('Line 1 Total total', { exact: true });
    const ask = page.getByRole('dialog', { name: 'Corrections not checked yet: 1' });
    await cell.fill('100.25');
    for (const button of [start, withoutThem]) {
      await button.click();
      await ask.waitFor();
      await lookAt(page, 'left-out-ask');
      t.strictSame(await seriousFindings(page), []);
      await ask.getByRole('button', { name: 'Cancel' }).click();
      await ask.waitFor({ state: 'detached' });
      await page.getByText('The run has stopped').waitFor();
    }
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByRole('button', { name: 'เริ่มโดยเว้นแถวเหล่านี้' }).click();
    const thai = page.getByRole('dialog', { name: 'มีแถวที่แก้ไขแล้วแต่ยังไม่ได้ตรวจ 1 แถว' });
    await thai.waitFor();
    await picture(page, 'left-out-ask-thai');
    await thai.getByRole('button', { name: 'ยกเลิก' }).click();
    await page.getByRole('button', { name: 'English' }).click();
    await withoutThem.click();
    await ask.getByRole('button', { name: 'Check the corrections (1)' }).click();
    await page.getByRole('heading', { name: /Rows to correct/ }).waitFor({ state: 'detached' });
    await start.click();
    await figures.filter({ hasText: /Rows24Stored24Invalid0/ }).waitFor();
  });

  await step('a start without the corrections stays possible, and keeps them', async () => {
    await makeRun(scene, page, rowsOf(sample, 1));
    await page.getByLabel('Line 1 Total total', { exact: true }).fill('100.25');
    await withoutThem.click();
    await page.getByRole('button', { name: 'Start without the corrections' }).click();
    await figures.filter({ hasText: /Rows24Stored23Invalid1/ }).waitFor();
    await page.getByText('Rows corrected and not checked yet: 1.').waitFor();
  });
  t.strictSame(scene.complaints, []);
});
