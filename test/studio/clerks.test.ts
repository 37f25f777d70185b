import { readFileSync } from 'node:fs';
import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene, stepsOf } from './browser.ts';

t.setTimeout(1_500_000);

t.test('what helps who fills, reads and publishes', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { author: 'Editor' });
  const { url } = scene;
  const page = await scene.openAs('author');
  const step = stepsOf(t, scene);

  await step('a new run offers an empty file and shows the first rows of a full one', async (t) => {
    await page.goto(`${url}/studio/runs/new?template=receipt-en`);
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download an empty CSV' }).click();
    const file = await waiting;
    t.equal(file.suggestedFilename(), 'receipt-en-rows.csv');
    const text = readFileSync(await file.path(), 'utf8');
    t.match(text, /^\uFEFFrow,[\w,]*receiptNo[\w,]*\r\n$/);
    await page.getByLabel('File of rows').setInputFiles({
      name: 'rows.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('row;receiptNo\nR1;RC-0001\nR2;RC-0002\nR3;RC-0003\nR4;RC-0004\n'),
    });
    const first = page.getByRole('region', { name: 'First rows of the file' });
    await first.getByText('RC-0003').waitFor();
    t.equal(await first.getByRole('row').count(), 4, 'the header and three rows');
    await picture(page, 'first-rows');
    t.strictSame(await seriousFindings(page), []);
  });

  await step('a page is found by its number', async (t) => {
    await page.goto(`${url}/studio/templates/contract/edit`);
    await page.locator('.pdf-pages canvas').first().waitFor();
    const number = page.getByLabel('Page', { exact: false }).and(page.locator('.page-number'));
    const next = page.getByRole('button', { name: 'Next page' });
    const isLast = page.locator('button[aria-label="Next page"][disabled]');
    t.ok(await next.isEnabled());
    await number.fill('99');
    await number.press('Enter');
    await isLast.waitFor();
    const last = await number.inputValue();
    t.ok(Number(last) > 1, `page ${last}`);
    await number.fill('two');
    await number.press('Enter');
    t.equal(await number.inputValue(), last, 'what is no number changes nothing');
    await number.fill('1');
    await number.press('Enter');
    await isLast.waitFor({ state: 'detached' });
    await picture(page, 'page-number');
    t.strictSame(await seriousFindings(page), []);
    t.notMatch(await page.locator('.pane-facts').textContent(), /last key/);
  });

  await step('what could not be loaded is loaded when the network is back', async () => {
    await page.goto(`${url}/studio/documents`);
    await page.getByRole('heading', { name: 'Documents' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'New template' }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' });
  });

  await step('a draft that changes nothing says so before it is published', async () => {
    const { body } = await callAs(
      page.context(),
      'GET',
      `${url}/v1/templates/receipt-en/versions/1`,
    );
    await callAs(page.context(), 'PUT', `${url}/v1/templates/receipt-en/draft`, body);
    await page.goto(`${url}/studio/templates/receipt-en/publish`);
    await page.getByText('A new version would print the same as the one in use.').waitFor();
    await picture(page, 'nothing-changed');
  });
  t.strictSame(scene.complaints, []);
});
