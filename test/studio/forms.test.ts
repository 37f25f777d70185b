import type { Page } from 'playwright-core';
import t from 'tap';
import {
  callAs,
  eventually,
  missing,
  picture,
  seriousFindings,
  startScene,
  stepsOf,
} from './browser.ts';

t.setTimeout(1_500_000);

/** A draft whose fields use all that a form can show. */
const DRAFT = {
  templateId: 'clerk',
  name: 'Clerk',
  language: 'en',
  fields: [
    {
      name: 'chn',
      type: 'text',
      required: true,
      label: { th: 'ช่องทาง', en: 'Channel' },
      group: { th: 'การชำระเงิน', en: 'Payment' },
      choices: ['APP', { value: 'BR', label: { th: 'สาขา', en: 'Branch' } }],
    },
    { name: 'term', type: 'number', label: 'Term in years', choices: [1, 2, 3, 5, 10] },
    {
      name: 'ref',
      type: 'text',
      label: 'Loan number',
      group: { th: 'การชำระเงิน', en: 'Payment' },
      validation: { pattern: '^LN-[0-9]{4}$' },
    },
    {
      name: 'taxId',
      type: 'text',
      help: 'On the card.',
      validation: { pattern: '^(\\d{10}|\\d{13})$' },
    },
  ],
  document: { content: ['{{chn}} {{term}} {{ref}} {{taxId}}'] },
  samples: [{ name: 'short', data: { chn: 'POST', term: '2.0', ref: 'LN-4' } }],
};

async function bodyText(page: Page): Promise<string> {
  return (await page.locator('.pane-form, .split').first().textContent()) ?? '';
}

t.test('forms speak the language of clerks', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { clerk: 'Editor' });
  const { url } = scene;
  const page = await scene.openAs('clerk');
  const step = stepsOf(t, scene);

  await step('fields are called by their labels, in groups, with examples', async (t) => {
    await page.goto(`${url}/studio/generate?template=receipt`);
    const number = page.getByLabel('Receipt number');
    await number.waitFor();
    t.equal(await number.getAttribute('placeholder'), 'e.g. RC-2569-0011872');
    await page.getByRole('group', { name: 'Document', exact: true }).getByLabel('Branch').waitFor();
    await page.getByRole('columnheader', { name: 'Amount (THB)' }).waitFor();
    await page.getByText('Capital letters, digits and hyphens').waitFor();
    t.notMatch(await bodyText(page), /\^|receiptNo|taxId/);
    t.strictSame(await seriousFindings(page), []);
  });

  await step('errors name the label and say what is expected', async (t) => {
    await page.getByLabel('Receipt number').fill('rc 1');
    await page.getByRole('button', { name: 'Show' }).click();
    const notice = page.locator('.notice.bad');
    await notice.waitFor();
    t.match(await notice.textContent(), /Receipt number: .*such as RC-2569-0011872/);
    t.match(await notice.textContent(), /Date of issue: This is needed/);
    t.notMatch(await bodyText(page), /pattern|receiptNo/);
    await picture(page, 'form-errors');
    t.strictSame(await seriousFindings(page), []);
    const reason = page.locator('[data-field="branch"] .reason');
    await reason.waitFor();
    await page.getByLabel('Branch').fill('Mae Phim');
    await reason.waitFor({ state: 'detached' });
    await page.locator('[data-field="receiptNo"] .reason').waitFor();
  });

  await step('what was typed survives another page, but no reload', async (t) => {
    await page.getByLabel('Address', { exact: true }).fill('12 Test Road');
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('heading', { name: 'Documents' }).waitFor();
    await page.goBack();
    await page.getByLabel('Receipt number').waitFor();
    t.equal(await page.getByLabel('Receipt number').inputValue(), 'rc 1');
    t.equal(await page.getByLabel('Address', { exact: true }).inputValue(), '12 Test Road');
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
    );
    t.notMatch(stored, /Test Road/, 'the data of customers is not in the browser’s storage');
    await page.reload();
    await page.getByLabel('Receipt number').waitFor();
    t.equal(await page.getByLabel('Receipt number').inputValue(), '');
    const branch = page.getByLabel('Branch');
    await page.getByRole('button', { name: 'Examples' }).click();
    await eventually(async () => (await branch.inputValue()) === 'Mae Phim Road');
    await page.getByRole('button', { name: 'Empty the form' }).click();
    await eventually(async () => (await branch.inputValue()) === '');
  });

  await step('a record has an input for each of its fields', async (t) => {
    await page.goto(`${url}/studio/generate?template=consolidated-en`);
    const customer = page.getByRole('group', { name: 'Customer', exact: true });
    const name = customer.getByLabel(/^name /);
    await name.waitFor();
    t.equal(await customer.locator('textarea').count(), 0, 'no JSON');
    await picture(page, 'form-record-empty');
    t.strictSame(await seriousFindings(page), []);
    const samples = page.getByRole('group', { name: 'Fill from a sample:' });
    await samples.getByRole('button').first().click();
    await eventually(async () => (await name.inputValue()) !== '');
    await name.fill('');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const notice = page.getByRole('alert');
    await notice.getByText('Customer – name:').waitFor();
    await page.locator('[data-field="customer.name"] .reason').waitFor();
    const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.id');
    await eventually(async () => (await focused()) === 'field-customer.name');
    await picture(page, 'form-record-reason');
    t.strictSame(await seriousFindings(page), []);
    await name.fill('Ada Example of the form');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('button', { name: 'Download', exact: true }).waitFor();
    await picture(page, 'form-record');
  });

  await step('the template that was chosen is there again after another page', async (t) => {
    const choice = page.getByRole('combobox', { name: 'Template', exact: true });
    await choice.fill('statement');
    await page.getByRole('option', { name: /\bstatement$/ }).click();
    await eventually(async () => (await choice.inputValue()).endsWith('(statement)'));
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('heading', { name: 'Documents' }).waitFor();
    await page.goBack();
    await choice.waitFor();
    t.match(await choice.inputValue(), /\(statement\)$/);
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('heading', { name: 'Documents' }).waitFor();
    await page.getByRole('link', { name: 'Generate' }).click();
    await choice.waitFor();
    t.match(await choice.inputValue(), /\(statement\)$/, 'by the menu, too');
  });

  await step('choices are offered, and a pattern is told in words', async (t) => {
    const address = `${url}/v1/templates/clerk/draft`;
    const saved = await callAs(page.context(), 'PUT', address, DRAFT);
    t.match(saved.status, 200, JSON.stringify(saved.body));
    await page.goto(`${url}/studio/templates/clerk/edit`);
    await page.getByRole('button', { name: /^Data/ }).click();
    const payment = page.getByRole('group', { name: 'Payment' });
    const channel = payment.getByRole('radiogroup', { name: 'Channel' });
    t.equal(await channel.getByRole('radio', { checked: true }).count(), 0, 'POST is no choice');
    const refusal = page.locator('#field-chn-hint').getByText('Choose one of the values');
    await refusal.waitFor();
    await channel.getByLabel('Branch').check();
    await refusal.waitFor({ state: 'detached' });
    t.equal(await page.getByLabel('Term in years').inputValue(), '2', '2.0 is the choice 2');
    await payment.getByText('“LN-”, then 4 digits', { exact: true }).waitFor();
    t.notMatch(await bodyText(page), /\\d|\[0-9/);
    await page.locator('[data-field="ref"] .reason').waitFor();
    await picture(page, 'form-choices');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByRole('radiogroup', { name: 'ช่องทาง' }).getByLabel('สาขา').waitFor();
    t.equal(await page.getByRole('radio', { checked: true }).count(), 1);
  });
  t.strictSame(scene.complaints, []);
});
