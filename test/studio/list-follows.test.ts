import t from 'tap';
import { callAs, missing, startScene } from './browser.ts';

t.setTimeout(900_000);

const TEMPLATE = {
  templateId: 'slip',
  name: 'Slip of the branch',
  language: 'en',
  fields: [{ name: 'no', type: 'text', required: true }],
  document: { content: ['{{no}}'] },
  samples: [{ name: 'one', data: { no: '1' } }],
};

t.test('an open list of templates follows what others do', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { somchai: 'Editor', mali: 'Admin' });
  const page = await scene.openAs('somchai');
  const admin = (await scene.openAs('mali')).context();
  await page.goto(`${scene.url}/studio/templates`);
  await page.getByRole('heading', { name: 'Templates' }).waitFor();
  const row = page.getByRole('row').filter({ hasText: TEMPLATE.name });
  t.equal(await row.count(), 0);
  const url = `${scene.url}/v1/templates/slip`;
  await callAs(admin, 'PUT', `${url}/draft`, TEMPLATE);
  await row.getByText('not published').waitFor();
  await callAs(admin, 'POST', `${url}/publish`, {});
  await row.getByText('not published').waitFor({ state: 'detached' });
  t.equal(await row.count(), 1);
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  await page.getByText('No runs yet').waitFor();
  const call = { templateId: 'slip', idField: 'no', name: 'October' };
  const made = await callAs(admin, 'POST', `${scene.url}/v1/runs`, call);
  const run = page.getByRole('row').filter({ hasText: 'October' });
  await run.waitFor();
  t.equal(await run.getByText('cancelled').count(), 0);
  await callAs(admin, 'POST', `${scene.url}/v1/runs/${String(made.body['runId'])}/cancel`, {});
  await run.getByText('cancelled').waitFor();
  t.strictSame(scene.complaints, []);
});
