import t from 'tap';
import { missing, picture, seriousFindings, startScene, stepsOf } from './browser.ts';

t.setTimeout(900_000);

t.test('the page beside the form is of what the form holds', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { clerk: 'Editor' });
  const page = await scene.openAs('clerk');
  const step = stepsOf(t, scene);
  const download = page.getByRole('button', { name: 'Download', exact: true });
  const isStale = page.locator('.stale-note');

  await step('a changed value dims it and takes its download away', async (t) => {
    await page.goto(`${scene.url}/studio/generate?template=receipt`);
    await page
      .getByRole('group', { name: 'Fill from a sample:' })
      .getByRole('button')
      .first()
      .click();
    await page.getByRole('button', { name: 'Show' }).click();
    await download.waitFor();
    t.equal(await isStale.count(), 0);
    await page.getByLabel('Receipt number').fill('RC-2569-0099999');
    await isStale.waitFor();
    t.equal(await download.count(), 0);
    await page.locator('.stale .pdf-pages').waitFor();
    await picture(page, 'generate-stale');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'Show' }).click();
    await download.waitFor();
    await page.locator('details.card > summary').first().click();
    await page.getByLabel('Watermark', { exact: true }).fill('COPY');
    await isStale.waitFor();
  });

  await step('options survive another page, and are shown', async (t) => {
    const open = page.getByLabel('Password to open');
    const manage = page.getByLabel('Password to manage');
    const copy = page.getByLabel('may copy');
    await open.fill('sesame');
    t.equal(await copy.isDisabled(), true, 'the password to open lets everybody do everything');
    await manage.fill('sesame');
    t.equal(await copy.isDisabled(), true);
    await manage.fill('other');
    await copy.uncheck();
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('heading', { name: 'Documents' }).waitFor();
    await page.goBack();
    await open.waitFor();
    t.equal(await open.inputValue(), 'sesame');
    t.equal(await manage.inputValue(), 'other');
    t.equal(await copy.isChecked(), false);
    t.equal(await page.getByLabel('Watermark', { exact: true }).inputValue(), 'COPY');
    await picture(page, 'generate-options');
    t.strictSame(await seriousFindings(page), []);
    for (const input of [open, manage]) await input.fill('');
    await page.getByLabel('Watermark', { exact: true }).fill('');
  });

  await step('a stored document is saved under its own name', async (t) => {
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByText('The document is stored').waitFor();
    const waiting = page.waitForEvent('download');
    await download.click();
    t.equal((await waiting).suggestedFilename(), 'receipt-RC-2569-0099999.pdf');
    t.equal(await page.getByText('the same reference').count(), 0);
  });

  await step(
    'a number that a stored document has already is told, and not by its text',
    async (t) => {
      const answers: string[] = [];
      page.on('response', (response) => {
        if (!response.url().includes('sameReferenceAs=')) return;
        void response.text().then((text) => answers.push(text));
      });
      await page.getByRole('button', { name: 'Store' }).click();
      const notice = page.getByText(
        'Other stored documents have the same reference as this one: 1.',
      );
      await notice.waitFor();
      await picture(page, 'generate-same-reference');
      t.strictSame(await seriousFindings(page), []);
      t.equal(answers.length, 1);
      t.notMatch(answers[0], 'reference', 'the service keeps no more than a hash');
      await page.getByRole('link', { name: /^Stored / }).click();
      await page.getByRole('button', { name: 'Open' }).waitFor();
    },
  );
  t.strictSame(scene.complaints, []);
});
