import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene, stepsOf } from './browser.ts';

t.test('signing in by a link, and out', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {
    'an-Admin': 'Admin',
    'a-leaver': 'Editor',
    'an-editor': 'Editor',
    'a-viewer': 'Viewer',
  });
  const { url, link } = scene;
  const step = stepsOf(t, scene);

  await step('a link asks before it replaces the session of somebody else', async (t) => {
    const page = await scene.openAs('an-Admin');
    await page.goto(`${url}/studio`);
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    // Another site can lead here with a link of an account of its own.
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('You are signed in as an-Admin of team demo.').waitFor();
    t.notOk(page.url().includes('sign-in='), 'the token has left the address');
    await picture(page, 'sign-in-link');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'Do not sign in' }).click();
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    const session = await callAs(page.context(), 'GET', `${url}/v1/session`);
    t.match(session.body, { userId: 'an-Admin' });
  });

  await step('a leaver is out with three clicks, and within 5 s', async (t) => {
    const leaver = await scene.openAs('a-leaver');
    await leaver.goto(`${url}/studio/templates`);
    await leaver.getByRole('heading', { name: 'Templates' }).waitFor();
    const page = await scene.openAs('an-Admin');
    await page.goto(`${url}/studio`);
    await page.getByRole('link', { name: 'Users' }).click();
    const row = page.getByRole('row').filter({ hasText: 'a-leaver' });
    await row.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await row.getByText('not active').waitFor();
    const refused = await callAs(leaver.context(), 'GET', `${url}/v1/session`);
    t.equal(refused.status, 401);
    const own = page.getByRole('row').filter({ hasText: 'an-Admin' });
    t.strictSame(
      await own.getByRole('button').allTextContents(),
      ['End all sessions'],
      'nobody changes the own user',
    );
    await picture(page, 'users');
    t.strictSame(await seriousFindings(page), []);
    await row.getByRole('button', { name: 'Reactivate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reactivate' }).click();
    await row.getByText('active', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Change the role' }).click();
    await page.getByRole('radio', { name: /^Viewer/ }).check();
    await picture(page, 'users-role');
    await page.getByRole('button', { name: 'Set the role' }).click();
    await row.getByText('Viewer', { exact: true }).waitFor();
  });

  await step('signing out removes the drafts of this browser, after a question', async (t) => {
    const page = await scene.openAs('an-Admin');
    await page.goto(`${url}/studio`);
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    const name = 'studio.draft.["demo","receipt"]';
    const unsaved = JSON.stringify({ text: 'secret', tag: null, isSaved: false, stamp: '1' });
    await page.evaluate(
      ([key = '', value = '']) => localStorage.setItem(key, value),
      [name, unsaved],
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('has text of drafts that is not saved').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the Studio' }).waitFor();
    const left = await page.evaluate(() =>
      Object.keys(localStorage).filter((key) => key.includes('draft')),
    );
    t.strictSame(left, []);
    t.equal(page.url(), `${url}/studio`, 'who signs in next does not start with this page');
  });

  await step('people start with the page of their work', async () => {
    const start = `${url}/studio`;
    const viewer = await scene.openAs('a-viewer');
    await viewer.goto(start);
    await viewer.waitForURL(`${start}/documents`);
    const editor = await scene.openAs('an-editor');
    await editor.goto(start);
    await editor.waitForURL(`${start}/generate`);
    // Who writes templates comes back to them.
    await editor.goto(`${start}/templates/receipt-en`);
    await editor.getByRole('heading', { name: 'Receipt' }).waitFor();
    await editor.goto(start);
    await editor.waitForURL(`${start}/templates`);
  });

  await step('a link leads to the page that was asked for before', async (t) => {
    const page = await scene.open();
    await page.goto(`${url}/studio/documents?template=receipt-en`);
    await page.getByRole('heading', { name: 'Sign in to the Studio' }).waitFor();
    const tab = await scene.openTab(page);
    await tab.goto(link);
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.waitForURL(`${url}/studio/documents?template=receipt-en`);
    await tab.getByRole('status').filter({ hasText: 'Found:' }).waitFor();
    // It is asked for once; an Admin starts with the templates.
    await tab.goto(`${url}/studio`);
    await tab.waitForURL(`${url}/studio/templates`);
    t.strictSame(scene.complaints, []);
  });
  t.strictSame(scene.complaints, []);
});
