import type { Page } from 'playwright-core';
import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene, type Scene } from './browser.ts';

t.setTimeout(900_000);

/** A run of three rows: a receipt number in small letters, a Buddhist date, a day that is none. */
async function makeFaultyRun({ url }: Scene, page: Page): Promise<void> {
  const found = await callAs(page.context(), 'GET', `${url}/v1/templates/receipt/versions/1`);
  const [sample] = found.body['samples'] as [{ data: Record<string, unknown> }];
  const faults = [{ receiptNo: 'rc 1' }, { issued: '28/11/2569' }, { issued: '2026-02-30' }];
  const rows = faults.map((fault, index) =>
    JSON.stringify({ row: `R-${index + 1}`, ...sample.data, ...fault }),
  );
  await page.goto(`${url}/studio/runs/new?template=receipt`);
  await page.getByLabel('File of rows').setInputFiles({
    name: 'rows.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(`${rows.join('\n')}\n`),
  });
  await page.getByLabel('Column that identifies a row').selectOption('row');
  await page.getByRole('button', { name: 'Upload and start' }).click();
  await page.getByRole('heading', { name: 'Rows to correct: 3' }).waitFor();
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${text.replaceAll('"', '""')}"`;
}

/** A run whose CSV has decimal commas and years of the Buddhist Era, and faults in three cells. */
async function makeThaiRun({ url }: Scene, page: Page): Promise<void> {
  const context = page.context();
  const found = await callAs(context, 'GET', `${url}/v1/templates/receipt/versions/1`);
  const [sample] = found.body['samples'] as [{ data: Record<string, unknown> }];
  const csv = { delimiter: ';', decimal: ',', date: 'd/m/y', calendar: 'buddhist' };
  const run = { templateId: 'receipt', idField: 'row', csv };
  const { body } = await callAs(context, 'POST', `${url}/v1/runs`, run);
  const address = `/v1/runs/${String(body['runId'])}`;
  const written = Object.entries(sample.data).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace(/^(\d+)\.(\d\d)$/, '$1,$2') : value,
  ]);
  const faults = [{ subtotal: '1092.74' }, { issued: '29/11/2026' }, { accountNo: '12345' }];
  const rows = faults.map((fault, index) => ({
    row: `R-${index + 1}`,
    ...Object.fromEntries(written),
    issued: '28/11/2569',
    ...fault,
  }));
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => Object.values(row))].map((cells) =>
    cells.map(quoted).join(';'),
  );
  await context.request.put(`${url}${address}/parts/1`, {
    headers: { 'content-type': 'text/csv' },
    data: `${lines.join('\n')}\n`,
  });
  await callAs(context, 'POST', `${url}${address}/start`, { dryRun: true });
  await page.goto(`${url}/studio${address.slice('/v1'.length)}`);
  await page.getByRole('heading', { name: 'Rows to correct: 3' }).waitFor();
}

t.test('cells to correct say what the form to fill in says', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {});
  const page = await scene.open();
  await page.goto(scene.link);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Templates' }).waitFor();
  await makeFaultyRun(scene, page);
  const row = (line: number) => page.locator('.faulty-rows > li').nth(line - 1);
  const cell = (line: number, name: string) =>
    page.getByLabel(`Line ${line} ${name}`, { exact: true });

  await t.test('the reason has the example, and help and bounds stand below', async (t) => {
    await row(1).getByText('the expected form, such as RC-2569-0011872.').waitFor();
    await row(1).getByText('Capital letters, digits and hyphens').waitFor();
    await row(1).getByText('at most 24 characters').waitFor();
    const input = cell(1, 'Receipt number receiptNo');
    t.equal(await input.getAttribute('placeholder'), 'e.g. RC-2569-0011872');
    const others = await row(1).getByText('As it is to be printed on the receipt').count();
    t.equal(others, 0, 'cells that are right have no help');
    await input.fill('RC-1');
    await row(1).getByText('Capital letters, digits and hyphens').waitFor();
    await row(1).scrollIntoViewIfNeeded();
    await picture(page, 'faulty-cells');
    t.strictSame(await seriousFindings(page), []);
  });

  await t.test('a day of the Buddhist Era may be typed as in the form', async (t) => {
    const input = cell(2, 'Date of issue issued');
    await row(2).getByText('The year seems to be of the Buddhist Era').waitFor();
    await input.focus();
    await input.blur();
    t.equal(
      await input.inputValue(),
      '28/11/2569',
      'what was sent is not changed by looking at it',
    );
    await input.fill('๒๙/11/2569');
    await input.blur();
    t.equal(await input.inputValue(), '2026-11-29');
    await input.fill('28/11/2569 ');
    await input.blur();
    t.equal(await input.inputValue(), '2026-11-28');
  });

  await t.test('a day that the calendar does not have is told once', async (t) => {
    const text = await row(3).innerText();
    t.match(text, /A date is expected, such as 2026-12-31\.\s+The calendar has no such day\./);
    t.equal(text.split('2026-12-31').length, 2);
    await cell(3, 'Date of issue issued').fill('2026-02-28');
    await page.getByRole('button', { name: 'Check the corrections (3)' }).click();
    await page.getByRole('heading', { name: /Rows to correct/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('done', { exact: true }).waitFor();
  });

  await t.test('a run with a format of its own asks for cells in that format', async (t) => {
    await makeThaiRun(scene, page);
    const facts = page.locator('.facts');
    await facts
      .filter({
        hasText:
          'CSV format“;” between cells · decimal comma (1.250,50) · dates as day/month/year' +
          ' of the Buddhist Era (31/12/2569)',
      })
      .waitFor();
    await row(3).getByText('the expected form, such as 0012345678.').waitFor();
    const account = await row(3).innerText();
    t.match(account, '10 digits, with or without hyphens');
    t.notMatch(account, 'letters or digits', 'the mask says nothing that the author has said');
    const subtotal = cell(2, 'Subtotal subtotal');
    await row(1).getByText('A number is expected, such as 1250,50.').waitFor();
    await row(1).getByText('Write 1250,50 or 1.250,50: this run was created for').waitFor();
    await row(1).getByText('Such as 1250,50, without thousands separators').waitFor();
    await row(2).getByText('A date is expected, such as 31/12/2569.').waitFor();
    await row(2).getByText('Write 31/12/2569, with the full year of the Buddhist Era').waitFor();
    const issued = cell(3, 'Date of issue issued');
    await row(2).scrollIntoViewIfNeeded();
    await picture(page, 'faulty-format');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await row(1).getByText('ต้องเป็นตัวเลข เช่น 1250,50').waitFor();
    await row(2).getByText('เขียน 31/12/2569 ใช้ปี พ.ศ.').waitFor();
    await facts.filter({ hasText: 'จุลภาคก่อนทศนิยม (1.250,50)' }).waitFor();
    await picture(page, 'faulty-format-thai');
    await page.getByRole('button', { name: 'English' }).click();
    await subtotal.fill('1092,74');
    await issued.fill('๒๙/11/2569');
    await issued.blur();
    t.equal(await issued.inputValue(), '29/11/2569', 'as the other rows');
    await cell(4, 'Account number accountNo').fill('0012345678');
    await page.getByRole('button', { name: 'Check the corrections (3)' }).click();
    await page.getByRole('heading', { name: /Rows to correct/ }).waitFor({ state: 'detached' });
  });
  t.strictSame(scene.complaints, []);
});
