import t from 'tap';
import { breakInBody } from './broken-answer.ts';
import { missing, picture, seriousFindings, startScene, stepsOf } from './browser.ts';

t.setTimeout(900_000);

t.test('the page beside the form is of what the form holds', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { clerk: 'Editor' });
  const page = await scene.openAs('clerk');
  const step = stepsOf(t, scene);
  const download = page.getByRole('button', { name: 'Download', exact: true });
  const isStale = page.locator('.stale-note');

  await step('a connection that breaks in the body of an answer is told', async (t) => {
    const unreachable = page.getByRole('alert').filter({ hasText: 'cannot be reached' });
    await page.route('**/versions/1', (route) => breakInBody(t, route));
    await page.goto(`${scene.url}/studio/generate?template=receipt`);
    await unreachable.waitFor();
    await page.unroute('**/versions/1');
    await unreachable.getByRole('button', { name: 'Try again' }).click();
    const show = page.getByRole('button', { name: 'Show', exact: true });
    await page
      .getByRole('group', { name: 'Fill from a sample:' })
      .getByRole('button')
      .first()
      .click();
    await page.route('**/v1/generate', (route) => breakInBody(t, route));
    await show.click();
    await unreachable.waitFor();
    await picture(page, 'generate-broken-answer');
    await page.unroute('**/v1/generate');
    await show.click();
    await download.waitFor();
    t.equal(await unreachable.count(), 0);
  });

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

  await step('what will apply is said beside the buttons, and goes with the form', async (t) => {
    const applied = page.locator('.applied');
    const open = page.getByLabel('Password to open');
    const watermark = page.getByLabel('Watermark', { exact: true });
    const cleared = page.getByText('were for the document before');
    t.equal(await applied.count(), 0);
    await open.fill('sesame');
    await watermark.fill('COPY');
    await applied.waitFor();
    t.match(await applied.textContent(), /Protected by a password to open · watermark “COPY”/);
    await picture(page, 'generate-applied');
    t.strictSame(await seriousFindings(page), []);
    const fill = page.getByRole('group', { name: 'Fill from a sample:' });
    await fill.getByRole('button').first().click();
    await cleared.waitFor();
    t.equal(await open.inputValue(), '', 'another customer gets no password of this one');
    t.match(await applied.textContent(), /^\s*Watermark “COPY”$/);
    await open.fill('sesame');
    await cleared.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Empty the form' }).click();
    await applied.waitFor({ state: 'detached' });
    t.equal(await open.inputValue(), '');
    t.equal(await watermark.inputValue(), '');
    await page.getByRole('button', { name: 'Empty the form' }).waitFor({ state: 'detached' });
  });

  await step('a stored document takes its password with it', async (t) => {
    const open = page.getByLabel('Password to open');
    const fill = page.getByRole('group', { name: 'Fill from a sample:' });
    await fill.getByRole('button').first().click();
    await open.fill('sesame');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await download.waitFor();
    t.equal(await open.inputValue(), 'sesame', 'a document that is shown may be stored next');
    await page.getByRole('button', { name: 'Store', exact: true }).click();
    const stored = page.locator('.notice.good');
    await stored.getByText('Protected by a password to open.').waitFor();
    await page.getByText('were for the document before').waitFor();
    t.equal(await open.inputValue(), '');
    t.equal(await page.locator('.applied').count(), 0);
    t.equal(await isStale.count(), 0, 'the page is still of what was stored');
    await page.locator('.pdf-pages').waitFor();
    await picture(page, 'generate-protected-stored');
    t.strictSame(await seriousFindings(page), []);
    await page.getByLabel('Receipt number').fill('RC-2569-0099999');
  });

  const before = page.locator('[data-field="receiptNo"] .known');

  await step('a stored document is saved under its own name', async (t) => {
    const asked = page.waitForResponse(
      (response) => response.url().includes('&reference=') && response.url().endsWith('limit=2'),
    );
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByText('The document is stored').waitFor();
    t.match(await (await asked).text(), 'documentId', 'it is found by its number');
    const waiting = page.waitForEvent('download');
    await download.click();
    t.equal((await waiting).suggestedFilename(), 'receipt-RC-2569-0099999.pdf');
    t.equal(await page.getByText('the same reference').count(), 0);
    t.equal(await before.count(), 0, 'the form does not warn of what it has just stored');
  });

  await step('a number that is stored already is told below it, before Store', async (t) => {
    await page.getByLabel('Receipt number').fill('rc-2569-0099999');
    await before.waitFor();
    t.match(await before.textContent(), /with this reference is stored already, since /);
    await page.getByLabel('Receipt number').fill('RC-2569-0099998');
    await before.waitFor({ state: 'detached' });
    await page.getByLabel('Receipt number').fill('rc-2569-0099999');
    await before.waitFor();
    await picture(page, 'generate-stored-before');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('link', { name: 'Show that document' }).click();
    await page.getByRole('button', { name: 'Open' }).waitFor();
    await page.goBack();
    await page.getByLabel('Receipt number').fill('RC-2569-0099999');
    await before.waitFor();
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
      t.equal(await before.count(), 1);
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
