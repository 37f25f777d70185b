import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene } from './browser.ts';

t.setTimeout(900_000);

const TEMPLATE = {
  templateId: 'slip',
  name: 'Slip',
  language: 'en',
  fields: [
    { name: 'no', type: 'text', required: true },
    { name: 'total', type: 'number', required: true },
  ],
  document: { content: ['{{no}} {{total}}'] },
  samples: [{ name: 'one', data: { no: '1', total: '1' } }],
};
const ROWS = 'no,total\nA-1,5.00\nA-2,five\n';

t.test('a run whose invalid rows were withdrawn can be started', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { clerk: 'Admin' });
  const page = await scene.openAs('clerk');
  const url = `${scene.url}/v1/templates/slip`;
  await callAs(page.context(), 'PUT', `${url}/draft`, TEMPLATE);
  await callAs(page.context(), 'POST', `${url}/publish`, {});
  await page.goto(`${scene.url}/studio/runs/new?template=slip`);
  const buffer = Buffer.from(ROWS);
  const file = { name: 'slips.csv', mimeType: 'text/csv', buffer };
  await page.getByLabel('File of rows').setInputFiles(file);
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await page.getByText('The check has found faults').waitFor();
  await page.getByText('Invalid rows: 1.').waitFor();
  await page.getByRole('button', { name: 'Withdraw', exact: true }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  const notice = page.getByText('All rows are in order now. The run can be started.');
  await notice.waitFor();
  t.equal(await page.getByText('The check has found faults').count(), 0);
  t.equal(await page.locator('.notice.bad').count(), 0);
  await picture(page, 'in-order');
  t.strictSame(await seriousFindings(page), []);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('done', { exact: true }).waitFor();
  t.strictSame(scene.complaints, []);
});
