import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene, stepsOf } from './browser.ts';

t.setTimeout(900_000);

const SLIP = {
  name: 'Slip',
  language: 'en',
  fields: [
    { name: 'no', type: 'text', required: true, label: 'Number of the slip' },
    { name: 'total', type: 'number', required: true, label: 'Amount' },
  ],
  document: { content: ['{{no}} {{total}}'] },
  samples: [{ name: 'one', data: { no: '1', total: '1' } }],
};
/** Needs a column that the file has not. */
const VOUCHER = {
  ...SLIP,
  name: 'Voucher',
  fields: [...SLIP.fields, { name: 'place', type: 'text', required: true, label: 'Place' }],
  document: { content: ['{{no}} {{total}} {{place}}'] },
  samples: [{ name: 'one', data: { no: '1', total: '1', place: 'x' } }],
};
const ROWS = 'no;total\nA-1;1.250\nA-2;1.25\nA-3;1,250\n';

t.test('forms follow what a clerk does', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { clerk: 'Admin' });
  const page = await scene.openAs('clerk');
  const step = stepsOf(t, scene);
  for (const [templateId, template] of Object.entries({ slip: SLIP, voucher: VOUCHER })) {
    const url = `${scene.url}/v1/templates/${templateId}`;
    await callAs(page.context(), 'PUT', `${url}/draft`, { ...template, templateId });
    const { status } = await callAs(page.context(), 'POST', `${url}/publish`, {});
    t.equal(status, 201);
  }

  await step('a refusal forgets the fields that were filled in since', async (t) => {
    await page.goto(`${scene.url}/studio/generate?template=slip`);
    const number = page.getByLabel('Number of the slip');
    await number.waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const notice = page.locator('.notice.bad');
    await notice.getByText('Number of the slip:').waitFor();
    await notice.getByText('Amount:').waitFor();
    await number.fill('A-1');
    await notice.getByText('Number of the slip:').waitFor({ state: 'detached' });
    await notice.getByText('Amount:').waitFor();
    await picture(page, 'clerk-refusal');
    await page.getByLabel('Amount').fill('2');
    await notice.waitFor({ state: 'detached' });
    t.strictSame(await seriousFindings(page), []);
  });

  await step('another template judges the chosen file anew', async (t) => {
    await page.goto(`${scene.url}/studio/runs/new?template=slip`);
    const input = page.getByLabel('File of rows');
    const buffer = Buffer.from(ROWS);
    await input.setInputFiles({ name: 'slips.csv', mimeType: 'text/csv', buffer });
    await page.getByText('1.250 is read as 1.25', { exact: true }).waitFor();
    t.equal(await page.getByText(/is read as/).count(), 1, 'only where it may be meant otherwise');
    await page.getByText('The columns fit the template.').waitFor();
    await picture(page, 'clerk-read-as');
    t.strictSame(await seriousFindings(page), []);
    const choice = page.getByRole('combobox', { name: 'Template', exact: true });
    await choice.fill('voucher');
    await page.getByRole('option', { name: /\bvoucher$/ }).click();
    await page.locator('.notice.bad').getByText('place', { exact: true }).waitFor();
    t.match(await input.inputValue(), /slips\.csv$/);
    await picture(page, 'clerk-other-template');
    t.strictSame(await seriousFindings(page), []);
  });
  t.strictSame(scene.complaints, []);
});
