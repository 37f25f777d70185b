import { join } from 'node:path';
import t from 'tap';
import { environment } from '../../lab/service/command-line.ts';
import { openStore } from '../../src/store/open.ts';
import {
  callAs,
  eventually,
  missing,
  picture,
  seriousFindings,
  startScene,
  stepsOf,
} from './browser.ts';

t.setTimeout(900_000);

t.test('a tab does nothing in the name of another user', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { somchai: 'Editor', mali: 'Admin' });
  const folder = join(t.testdirName, 'demo');
  const page = await scene.openAs('somchai');
  const his = await page.context().cookies(scene.url);
  const hers = await (await scene.openAs('mali')).context().cookies(scene.url);
  const signIn = (cookies: typeof his): Promise<void> => page.context().addCookies(cookies);
  const step = stepsOf(t, scene);
  const notice = page.locator('.other-user');
  const number = page.getByLabel('Receipt number');

  await step('the service refuses what it sends, however soon', async (t) => {
    await page.goto(`${scene.url}/studio/generate?template=receipt`);
    const samples = page.getByRole('group', { name: 'Fill from a sample:' });
    await samples.getByRole('button').first().click();
    await number.fill('RC-2569-0012345');
    const stored: number[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/v1/generate')) stored.push(response.status());
    });
    await signIn(hers);
    await page.getByRole('button', { name: 'Store', exact: true }).click();
    await page.getByText('Not done: another user is signed in now.').waitFor();
    await notice.getByText('mali (Admin, team demo) is now signed in').waitFor();
    t.strictSame(stored, [409]);
    t.equal(await number.inputValue(), 'RC-2569-0012345', 'what was typed stays');
    await picture(page, 'other-user');
    t.strictSame(await seriousFindings(page), []);
  });

  await step('so it does when a link leads to a file', async (t) => {
    await signIn(his);
    const made = await callAs(page.context(), 'POST', `${scene.url}/v1/runs`, {
      templateId: 'receipt',
      idField: 'receiptNo',
    });
    const { runId } = made.body as { runId: string };
    const part = await page.context().request.put(`${scene.url}/v1/runs/${runId}/parts/1`, {
      data: '{"receiptNo":"R-1"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    t.equal(part.status(), 201);
    const run = `${scene.url}/v1/runs/${runId}`;
    await callAs(page.context(), 'POST', `${run}/start`, { dryRun: true });
    await eventually(
      async () => (await callAs(page.context(), 'GET', run)).body['state'] === 'receiving',
    );
    const other = await scene.openTab(page);
    await other.goto(`${scene.url}/studio/runs/${runId}`);
    const link = other.getByRole('link', { name: 'All rows (CSV)' });
    const file = other.waitForEvent('download');
    await link.click();
    await file;
    const files: string[] = [];
    other.on('download', (download) => files.push(download.url()));
    await signIn(hers);
    await link.click();
    await other.getByText('Not done: another user is signed in now.').waitFor();
    await other.locator('.other-user').waitFor();
    t.strictSame(files, []);
    await other.close();
  });

  await step('a tab says so by itself, and takes it back', async () => {
    await signIn(his);
    const other = await scene.openTab(page);
    await other.goto(`${scene.url}/studio/templates`);
    await other.getByRole('heading', { name: 'Templates' }).waitFor();
    await notice.waitFor({ state: 'detached' });
    await signIn(hers);
    await other.reload();
    await other.getByRole('heading', { name: 'Templates' }).waitFor();
    await notice.waitFor();
    await page.getByRole('button', { name: 'ไทย' }).click();
    await notice.getByRole('button', { name: 'ทำต่อในชื่อ mali' }).waitFor();
    await picture(page, 'other-user-thai');
    await page.getByRole('button', { name: 'English' }).click();
  });

  await step('it goes on as the other user when it is told to', async (t) => {
    await notice.getByRole('button', { name: 'Go on as mali' }).click();
    await number.waitFor();
    await eventually(async () => (await page.locator('.who strong').textContent()) === 'mali');
    t.equal(await notice.count(), 0);
    t.equal(await number.inputValue(), '');
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('heading', { name: 'Documents' }).waitFor();
    await signIn(his);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await notice.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByRole('heading', { name: 'Sign in to the Studio' }).waitFor();
  });

  await step('a tab follows its user into another team', async (t) => {
    await signIn(hers);
    await page.goto(`${scene.url}/studio/documents`);
    const who = page.locator('.who');
    await who.getByText('demo').waitFor();
    const env = environment(folder);
    const store = await openStore({
      databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
      filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
    });
    await store.teams.add({ teamId: 'loans', name: 'Loans' });
    const user = await store.users.find('mali');
    if (user === null) throw new Error('the scene has added mali');
    t.ok(await store.users.moveActive({ ...user, teamId: 'loans' }), 'as a sign-in does');
    await store.close();
    // The session is read again when a page is opened, at most every 15 s.
    await eventually(async () => {
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('link', { name: 'Documents' }).click();
      return (await who.innerText()).includes('loans');
    });
    await page.getByText('No documents here').waitFor();
    t.equal(await notice.count(), 0);
  });
  t.strictSame(scene.complaints, []);
});
