import t from 'tap';
import {
  callAs,
  missing,
  picture,
  select,
  seriousFindings,
  startScene,
  stepsOf,
} from './browser.ts';

t.setTimeout(1_500_000);

t.test('new templates and faulty drafts', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { author: 'Editor' });
  const { url } = scene;
  const page = await scene.openAs('author');
  const step = stepsOf(t, scene);

  await step('an identifier that is taken opens nothing by itself', async (t) => {
    await page.goto(`${url}/studio/templates`);
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByLabel('Identifier', { exact: true }).waitFor();
    await page.keyboard.type('receipt');
    t.equal(await page.getByLabel('Identifier', { exact: true }).inputValue(), 'receipt');
    await page.getByLabel('Name', { exact: true }).fill('Invoice');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('This identifier is taken: ใบเสร็จรับเงิน').waitFor();
    t.match(page.url(), /\/templates$/);
    await picture(page, 'identifier-taken');
    t.strictSame(await seriousFindings(page), []);
    const state = await callAs(page.context(), 'GET', `${url}/v1/templates/receipt`);
    t.equal(state.body['draft'], null, 'the receipt of the bank has no draft');
    await page.getByRole('link', { name: 'Open ใบเสร็จรับเงิน' }).waitFor();
    await page.getByLabel('Identifier', { exact: true }).fill('invoice');
    await page.getByText(/is taken/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/\/templates\/invoice\/edit/);
  });

  await step('its pages know its name at once', async (t) => {
    await page.locator('.pane-facts').waitFor();
    t.equal(await page.title(), 'Invoice · Intaglio Studio');
    await page.getByRole('link', { name: 'Compare and publish' }).click();
    await page.getByRole('link', { name: 'Invoice', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Edit the draft' }).click();
  });

  await step('operators count no refusal for a new template', async (t) => {
    await page.locator('.pane-facts').waitFor();
    const figures = await (await fetch(`${url}/metrics`)).text();
    t.same(figures.match(/^intaglio_refusals_total\{.*\} [1-9].*$/gm) ?? [], []);
  });

  await step('a page from before a fault says so, and is dimmed', async (t) => {
    const note = page.getByText(/^Page of \d\d:\d\d:\d\d, before the fault$/);
    await page.locator('.pane-facts').waitFor();
    t.equal(await note.count(), 0);
    await select(page, '"pageSize": "A4",');
    await page.keyboard.type('"pageSize": "A4"');
    await note.waitFor();
    t.equal(await page.locator('.stale .pdf-pages canvas').first().count(), 1);
    t.equal(await page.locator('.pane-facts').count(), 0, 'no latency of an older page');
    await picture(page, 'stale-page');
    t.strictSame(await seriousFindings(page), []);
    await page.keyboard.type(',');
    await note.waitFor({ state: 'detached' });
    await page.locator('.pane-facts').waitFor();
  });
  await step('the pane drops the fault of an earlier text that is no longer JSON', async (t) => {
    const pane = page.getByRole('region', { name: 'Preview and data' });
    const findings = page.getByRole('region', { name: 'Findings' });
    const notChecked = pane.getByText('Not checked: the text is not JSON yet');
    const faults = [
      { before: '{ "text": "x", ', typed: '"colour": "red"', fault: /colour/ },
      { before: '{ "text": ', typed: '"{{no"', fault: /\}\}/ },
    ];
    for (const { before, typed, fault } of faults) {
      await select(page, '"content": [');
      await page.keyboard.insertText(`"content": [ ${before}${typed} },`);
      await pane.getByText(fault).waitFor();
      t.equal(await notChecked.count(), 0);
      await select(page, typed);
      await page.keyboard.press('Delete');
      await notChecked.waitFor();
      t.equal(await pane.getByText(fault).count(), 0, 'the fault is gone');
      const line = /^Line \d+:/;
      t.equal(
        await pane.getByText(line).textContent(),
        await findings.getByText(line).textContent(),
      );
      await picture(page, 'fault-gone');
      t.strictSame(await seriousFindings(page), []);
      await select(page, ` ${before} },`);
      await page.keyboard.press('Delete');
      await notChecked.waitFor({ state: 'detached' });
      await page.locator('.pane-facts').waitFor();
    }
  });

  await step('going back to a new template that was discarded creates no other one', async (t) => {
    const tab = await scene.openTab(page);
    await tab.goto(`${url}/studio/templates/passing/edit?name=Passing`);
    await tab.waitForURL('**/templates/passing/edit');
    const template = `${url}/v1/templates/passing`;
    t.match((await callAs(page.context(), 'GET', template)).body, { draft: {} });
    await tab.goto(`${url}/studio/templates/passing`);
    await tab.getByRole('button', { name: 'Discard the draft' }).click();
    await tab.getByRole('dialog').getByRole('button', { name: 'Discard the draft' }).click();
    await tab.waitForURL('**/studio/templates');
    await tab.goBack();
    await tab.goBack();
    await tab.waitForURL('**/templates/passing/edit');
    await tab.getByText('No draft yet').waitFor();
    t.equal((await callAs(page.context(), 'GET', template)).status, 404);
    await tab.close();
  });

  await step('nobody is named who changed a draft that nobody has changed', async (t) => {
    const tab = await scene.openTab(page);
    await tab.goto(`${url}/studio/templates/receipt-en/edit`);
    await tab.locator('.pdf-pages canvas').first().waitFor();
    await tab.getByRole('link', { name: 'Compare and publish' }).click();
    await tab.getByText('The template itself has not changed').waitFor();
    t.equal(await tab.getByText('Changed since the last version by').count(), 0);
    await tab.close();
  });

  await step('data that do not fit are told, and nothing else is said to be missing', async (t) => {
    const tab = await scene.openTab(page);
    const draft = {
      templateId: 'unfit',
      name: 'Unfit',
      fields: [{ name: 'sum', type: 'number', required: true }],
      document: { content: ['{{sum}}'] },
      samples: [{ name: 'one', data: { sum: 'x' } }],
    };
    const address = `${url}/v1/templates/unfit/draft`;
    t.equal((await callAs(page.context(), 'PUT', address, draft)).status, 200);
    await tab.goto(`${url}/studio/templates/unfit/edit`);
    await tab.getByText('The data does not fit the template.').waitFor();
    t.equal(await tab.getByText('The preview appears when').count(), 0);
    await picture(tab, 'unfit-data');
    await tab.close();
  });

  await step('a text that nests too deep is named, and the page stays', async (t) => {
    const findings = page.getByRole('region', { name: 'Findings' });
    await select(page, '"samples": [');
    await page.keyboard.insertText(`"samples": [ ${'['.repeat(9_000)}1${']'.repeat(9_000)},`);
    await findings.getByText('The file nests deeper than 500 levels.').waitFor();
    await page.getByText('Not saved yet').waitFor();
    await picture(page, 'too-deep');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('ไฟล์ซ้อนกันลึกเกิน 500 ชั้น').waitFor();
    await page.getByRole('button', { name: 'English' }).click();
    await page.reload();
    await findings.getByText('The file nests deeper than 500 levels.').waitFor();
    await page.getByText('The samples are listed once the template can be read.').waitFor();
  });
  t.strictSame(scene.complaints, []);
});
