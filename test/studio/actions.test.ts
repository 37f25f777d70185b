import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import { idFault } from '../../studio/src/template-actions/id-fault.ts';
import { callAs, missing, picture, seriousFindings, startScene, stepsOf } from './browser.ts';

t.setTimeout(900_000);

t.test('a new identifier is refused with its reason', async (t) => {
  for (const id of ['a', 'Fees-2026', 'fee_receipt.v2', 'a'.repeat(64)]) t.equal(idFault(id), null);
  t.match(idFault('a b'), { key: 'actions.id_blank' });
  t.match(idFault('ab\u00a0c'), { key: 'actions.id_blank' });
  t.match(idFault('receipt-กู้'), { key: 'actions.id_character', values: { character: 'กู้' } });
  t.match(idFault('a/b'), { key: 'actions.id_character', values: { character: '/' } });
  t.match(idFault('a'.repeat(65)), { key: 'actions.id_long', values: { count: 65 } });
  for (const id of ['-a', 'a.', '_']) t.match(idFault(id), { key: 'actions.id_end' });
  t.match(idFault(''), { key: 'templates.id_hint' });
});

/** Messages stay until they are closed, however busy the machine is. */
const KEEP_MESSAGES = `const later = setTimeout;
  window.setTimeout = (act, ms, ...rest) => later(act, ms === 6_000 ? 3_600_000 : ms, ...rest);`;

/** What is wider than a phone, after a picture of the page there. */
async function phone(page: Page, name: string): Promise<number> {
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(page, `${name}-phone`);
  const excess = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  await page.setViewportSize({ width: 1_440, height: 900 });
  return excess;
}

t.test('templates as a whole, and their versions', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { somchai: 'Admin' });
  const { url } = scene;
  const page = await scene.openAs('somchai');
  const step = stepsOf(t, scene);
  const dialog = page.getByRole('dialog');

  await step('a copy has its own identifier and name', async (t) => {
    await page.goto(`${url}/studio/templates/receipt`);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    const id = dialog.getByLabel('Identifier', { exact: true });
    for (const [wrong, why] of [
      ['fee receipt', 'An identifier has no blanks. Put a hyphen there.'],
      ['ใบเสร็จ', '“ใ” cannot stand in an identifier'],
      ['receipt-', 'An identifier begins and ends with a letter or a digit.'],
    ] as const) {
      await id.fill(wrong);
      await dialog.getByText(why).waitFor();
      t.ok(await dialog.getByRole('button', { name: 'Duplicate' }).isDisabled(), wrong);
    }
    await picture(page, 'action-duplicate-wrong');
    t.strictSame(await seriousFindings(page), []);
    await id.fill('receipt');
    await dialog.getByLabel('Name', { exact: true }).fill('ใบแจ้งหนี้');
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await dialog.getByText(/This identifier is taken/).waitFor();
    await dialog.getByLabel('Identifier', { exact: true }).fill('invoice');
    await picture(page, 'action-duplicate');
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'ใบแจ้งหนี้' }).waitFor();
    const copy = await callAs(page.context(), 'GET', `${url}/v1/templates/invoice/draft`);
    t.match(copy.body, { templateId: 'invoice', name: 'ใบแจ้งหนี้', language: 'th' });
  });

  await step('a new name is saved in the draft', async (t) => {
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('ฎีกาที่ดิน');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'ฎีกาที่ดิน' }).waitFor();
    const draft = await callAs(page.context(), 'GET', `${url}/v1/templates/invoice/draft`);
    t.match(draft.body, { templateId: 'invoice', name: 'ฎีกาที่ดิน' });
  });

  await step('a published template has its name until the draft is published', async (t) => {
    const name = dialog.getByLabel('Name', { exact: true });
    await page.goto(`${url}/studio/templates/receipt`);
    await page.getByRole('button', { name: 'Rename' }).click();
    t.equal(await name.inputValue(), 'ใบเสร็จรับเงิน');
    await name.fill('ใบเสร็จรับเงินค่าธรรมเนียม');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Name in the draft').waitFor();
    await page.getByText('ใบเสร็จรับเงินค่าธรรมเนียม', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'ใบเสร็จรับเงิน', exact: true }).waitFor();
    await picture(page, 'action-renamed');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'Rename' }).click();
    t.equal(await name.inputValue(), 'ใบเสร็จรับเงินค่าธรรมเนียม', 'the name of the draft');
    t.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), 'nothing to change');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Duplicate' }).click();
    t.equal(await name.inputValue(), 'Copy of ใบเสร็จรับเงินค่าธรรมเนียม');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Name in the draft').waitFor({ state: 'detached' });
    await page.goto(`${url}/studio/templates/invoice`);
  });

  await step('an archived template is in the archive alone', async (t) => {
    await page.getByRole('button', { name: 'Archive' }).click();
    await picture(page, 'action-archive');
    await dialog.getByRole('button', { name: 'Archive' }).click();
    await page.getByText(/^Archived since/).waitFor();
    t.equal(await page.getByRole('link', { name: 'Edit the draft' }).count(), 0);
    await picture(page, 'action-archived');
    t.strictSame(await seriousFindings(page), []);
    t.equal(await phone(page, 'action-archived'), 0);
    await page.goto(`${url}/studio/templates`);
    await page.getByRole('link', { name: 'ใบเสร็จรับเงิน', exact: true }).waitFor();
    t.equal(await page.getByRole('link', { name: 'ฎีกาที่ดิน' }).count(), 0);
    await page.locator('.filters select').selectOption('true');
    await page.getByRole('link', { name: 'ฎีกาที่ดิน' }).waitFor();
    await picture(page, 'action-archive-list');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('link', { name: 'ฎีกาที่ดิน' }).click();
    await page.getByRole('button', { name: 'Take out of the archive' }).click();
    await dialog.getByRole('button', { name: 'Take out of the archive' }).click();
    await page.getByRole('link', { name: 'Edit the draft' }).waitFor();
  });

  await step('a version is looked at, downloaded and compared', async (t) => {
    await page.goto(`${url}/studio/templates/receipt`);
    await page.getByRole('link', { name: /Look at version 1/ }).click();
    await page.locator('.version-pdf canvas').first().waitFor();
    await picture(page, 'action-version');
    t.strictSame(await seriousFindings(page), []);
    t.equal(await phone(page, 'action-version'), 0);
    for (const [button, kind, start] of [
      ['Download PDF', /^receipt-v1\.pdf$/, '%PDF-'],
      ['Download the template', /^receipt-v1\.json$/, '{'],
    ] as const) {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: button }).click();
      const saved = await saving;
      t.match(saved.suggestedFilename(), kind);
      t.ok(readFileSync(await saved.path(), 'latin1').startsWith(start), button);
    }
    const file = await callAs(page.context(), 'GET', `${url}/v1/templates/receipt/versions/1`);
    const [sample, ...others] = file.body['samples'] as [{ data: object }, ...object[]];
    const own = { ...sample, data: { ...sample.data, customer: 'สมหญิง ใจงาม' } };
    const changed = { ...file.body, name: 'ใบเสร็จ', samples: [own, ...others] };
    const address = `${url}/v1/templates/receipt/draft`;
    t.equal((await callAs(page.context(), 'PUT', address, changed)).status, 200);
    await page.reload();
    await page.getByLabel('Compare with').selectOption('draft');
    await page.locator('.sheet canvas').first().waitFor();
    await page.getByText('v1', { exact: true }).first().waitFor();
    t.equal(await page.getByText('no difference').count(), 0);
    // Each is drawn with its own sample.
    const lines = page.getByRole('region', { name: 'Changed lines of text' });
    await lines.filter({ hasText: '+ สมหญิง ใจงาม' }).waitFor();
    const parts = page.getByRole('region', { name: 'Parts that differ' });
    t.strictSame(await parts.getByRole('heading', { level: 3 }).allInnerTexts(), [
      'name',
      'samples',
    ]);
    await parts.getByRole('region', { name: 'samples' }).getByText('สมหญิง ใจงาม').waitFor();
    await picture(page, 'action-version-compare');
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByLabel('เปรียบเทียบกับ').waitFor();
    await picture(page, 'action-version-compare-th');
    t.equal(await phone(page, 'action-version-compare-th'), 0);
    await page.getByRole('button', { name: 'English' }).click();
    await page.goto(`${url}/studio/templates/receipt/edit`);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download this page as PDF' }).click();
    t.equal((await saving).suggestedFilename(), 'receipt-draft.pdf');
  });

  await step('a publication leads to what it changed', async (t) => {
    await page.goto(`${url}/studio/templates/receipt/publish`);
    const publish = page.getByRole('button', { name: 'Publish version 2' });
    await page
      .getByText(/(has|have) to be confirmed/)
      .first()
      .waitFor();
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await publish.click();
    const notice = page.locator('.notice', { hasText: 'Version 2 is published.' });
    await notice.getByRole('link', { name: 'Compare with version 1' }).waitFor();
    await picture(page, 'action-published');
    t.strictSame(await seriousFindings(page), []);
    t.equal(await phone(page, 'action-published'), 0);
    await notice.getByRole('link', { name: 'Compare with version 1' }).click();
    await page.locator('.sheet canvas').first().waitFor();
    t.match(page.url(), /version-2\?with=1$/);
    await page.getByRole('link', { name: 'ใบเสร็จ' }).first().click();
    await page.getByRole('link', { name: 'Compare with version 1' }).waitFor();
    t.equal(await notice.count(), 0, 'it is said once');
    await page.goto(`${url}/studio/audit?action=templates.publish&template=receipt`);
    await page.getByRole('link', { name: 'Compare with version 1' }).waitFor();
    await picture(page, 'action-published-audit');
    t.strictSame(await seriousFindings(page), []);
  });

  await step('a roll-back after a publication says which version is current again', async (t) => {
    const version = `${url}/v1/templates/receipt/versions/1`;
    const { body: first } = await callAs(page.context(), 'GET', version);
    const draft = { ...first, name: 'ใบรับเงิน' };
    const address = `${url}/v1/templates/receipt/draft`;
    t.equal((await callAs(page.context(), 'PUT', address, draft)).status, 200);
    await page.goto(`${url}/studio/templates/receipt/publish`);
    const publish = page.getByRole('button', { name: 'Publish version 3' });
    await publish.waitFor();
    await page.getByText('to be confirmed').first().waitFor();
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await publish.click();
    const notice = page.locator('.notice.good');
    await notice.filter({ hasText: 'Version 3 is published.' }).waitFor();
    const second = page.getByRole('row').filter({ hasText: 'Look at version 2' });
    await second.getByRole('button', { name: 'Roll back to it' }).click();
    await page.evaluate(KEEP_MESSAGES);
    await dialog.getByRole('button', { name: 'Roll back to it' }).click();
    const message = page.locator('.toast');
    await message.filter({ hasText: 'Version 2 is current again' }).waitFor();
    await page.getByRole('button', { name: 'ไทย' }).click();
    await message.filter({ hasText: 'กลับมาใช้เนื้อหาของเวอร์ชัน 2' }).waitFor();
    t.equal(await message.count(), 1, 'a message speaks the language of the page');
    await picture(page, 'action-message-th');
    await message.getByRole('button').click();
    await page.getByRole('button', { name: 'English' }).click();
    await notice.filter({ hasText: 'Version 2 is current again, as version 4.' }).waitFor();
    t.equal(await notice.count(), 1);
    await page.getByRole('row').filter({ hasText: 'as version 2' }).waitFor();
    await notice.getByRole('link', { name: 'Compare with version 3' }).waitFor();
    await picture(page, 'action-rolled-back');
    t.strictSame(await seriousFindings(page), []);
    t.equal(await phone(page, 'action-rolled-back'), 0);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await notice.filter({ hasText: 'เป็นเวอร์ชัน 4' }).waitFor();
    await picture(page, 'action-rolled-back-th');
  });
  t.strictSame(scene.complaints, []);
});
