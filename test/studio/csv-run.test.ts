import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene } from './browser.ts';

t.setTimeout(900_000);

const AMOUNTS: ReadonlySet<string> = new Set(['subtotal', 'discount', 'vat']);

t.test('a CSV as a spreadsheet saves it becomes a run', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {});
  const page = await scene.open();
  await page.goto(scene.link);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Templates' }).waitFor();
  const address = `${scene.url}/v1/templates/receipt/versions/1`;
  const found = await callAs(page.context(), 'GET', address);
  const [sample] = found.body['samples'] as [{ data: Record<string, unknown> }];
  const data = Object.entries(sample.data).map(([name, value]): [string, string] => {
    const cell = typeof value === 'string' ? value : JSON.stringify(value);
    return [name, AMOUNTS.has(name) ? cell.replace('.', ',') : cell];
  });
  const rows = ['1.250,50', '95,00'].map((total, index) => ({
    row: `R-${index}`,
    ...Object.fromEntries(data),
    issued: '31/12/2569',
    total,
  }));
  const names = Object.keys(rows[0] ?? {});
  const cells = [names, ...rows.map((row) => Object.values<string>(row))];
  const text = cells.map((line) => line.map((cell) => `"${cell.replaceAll('"', '""')}"`).join('|'));
  const buffer = Buffer.from(`\uFEFF${text.join('\r\n')}\r\n`);

  const december = { name: 'december.csv', mimeType: 'text/csv', buffer };
  await t.test('the format is suggested, and what it reads is shown', async (t) => {
    await page.goto(`${scene.url}/studio/runs/new?template=receipt`);
    await page.getByLabel('File of rows').setInputFiles(december);
    await page.getByText('The columns fit the template.').waitFor();
    const first = page.getByRole('region', { name: 'First rows of the file' });
    await first.getByText('not an amount in this format').first().waitFor();
    await first.getByText('not a date in this format').first().waitFor();
    await page.getByText('The first rows seem to be written in another format').waitFor();
    await picture(page, 'csv-suggested');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'Use this format' }).click();
    await first.getByText('= 1250.50').waitFor();
    await first.getByText('31 December 2026').first().waitFor();
    await page.locator('summary').filter({ hasText: 'Format of the file: “|”' }).click();
    t.equal(await page.getByLabel('Dates').inputValue(), 'd/m/y');
    t.equal(await page.getByLabel('Years').inputValue(), 'buddhist');
    await page.getByLabel('Amounts').selectOption('.');
    await page.locator('summary').filter({ hasText: 'decimal point (1,250.50)' }).waitFor();
    await page.getByLabel('Amounts').selectOption('');
    await page.locator('summary').filter({ hasText: 'decimal point (1250.50)' }).waitFor();
    await page.getByLabel('Amounts').selectOption(',');
    await page.getByLabel('Years').scrollIntoViewIfNeeded();
    await picture(page, 'csv-format');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('รูปแบบของไฟล์').waitFor();
    await picture(page, 'csv-format-thai');
    await page.getByRole('button', { name: 'English' }).click();
  });

  await t.test('the page says before the upload that short years are refused', async (t) => {
    const year = (new Date().getFullYear() + 543) % 100;
    const dates = `"31/12/${String(year).padStart(2, '0')}"`;
    const short = Buffer.from(buffer.toString().replaceAll('"31/12/2569"', dates));
    await page.goto(`${scene.url}/studio/runs/new?template=receipt`);
    await page.getByLabel('File of rows').setInputFiles({ ...december, buffer: short });
    const told = page.getByText('Years with two digits are refused');
    const example = page.getByText(`such as 31/12/25${year} for 31/12/${year}`);
    const order = page.getByText('day/month/year of the Buddhist Era');
    await page.getByText(/reads more: .*day\/month\/year of the Buddhist Era/).waitFor();
    await told.waitFor();
    await example.scrollIntoViewIfNeeded();
    await picture(page, 'csv-short-year');
    await page.getByRole('button', { name: 'Use this format' }).click();
    await page.getByRole('button', { name: 'Use this format' }).waitFor({ state: 'detached' });
    await order.waitFor();
    await told.waitFor();
    await example.waitFor();
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('ระบบไม่รับปีที่เขียนสองหลัก').scrollIntoViewIfNeeded();
    await picture(page, 'csv-short-year-thai');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByLabel('File of rows').setInputFiles(december);
    await told.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Use this format' }).click();
  });

  await t.test('a run that stopped for a wrong total goes on with the right one', async (t) => {
    await page.getByLabel('Rows', { exact: true }).fill('2');
    await page.getByLabel('Sum of “total”').fill('1,345.05');
    await page.getByRole('button', { name: 'Upload and start' }).click();
    await page.getByText('Sum of “total”: 1345.05 is expected, 1345.50 was found.').waitFor();
    await page.getByText('If rows are missing, add them under “Add rows”').waitFor();
    await picture(page, 'totals-stopped');
    await page.getByRole('button', { name: 'Correct the totals…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Sum of “total”').fill('1,345.50');
    await picture(page, 'totals-dialog');
    t.strictSame(await seriousFindings(page), []);
    await dialog.getByRole('button', { name: 'Start with these totals' }).click();
    await page.getByText('done', { exact: true }).waitFor();
    await page
      .locator('.run-figures')
      .filter({ hasText: /Rows2Stored2Invalid0/ })
      .waitFor();
    await page.getByText('day/month/year of the Buddhist Era (31/12/2569)').waitFor();
    await page.getByText('decimal comma (1.250,50)').waitFor();
  });

  await t.test('the same file, chosen for another run, is known', async (t) => {
    await page.goto(`${scene.url}/studio/runs/new?template=receipt`);
    await page.getByLabel('File of rows').setInputFiles(december);
    const notice = page.getByText('Documents of this file are stored already: 1 of the first 1');
    await notice.waitFor();
    const number = String(sample.data['receiptNo']);
    await page.locator('.notice').getByRole('link', { name: number }).waitFor();
    await picture(page, 'csv-stored-before');
    t.strictSame(await seriousFindings(page), []);
    const others = text.join('\r\n').replaceAll(number, 'RC-NEW');
    const other = { ...december, buffer: Buffer.from(`\uFEFF${others}\r\n`) };
    await page.getByLabel('File of rows').setInputFiles(other);
    await notice.waitFor({ state: 'detached' });
  });
  t.strictSame(scene.complaints, []);
});
