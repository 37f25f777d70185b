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

/** As text: these sources are checked without the types of a browser. */
const KEPT = 'JSON.stringify({ ...localStorage })';

t.test('signing in by a link, and out', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {
    'an-Admin': 'Admin',
    'a-leaver': 'Editor',
    'an-editor': 'Editor',
    'first-editor': 'Editor',
    'second-editor': 'Editor',
    'third-editor': 'Editor',
    'a-viewer': 'Viewer',
  });
  const { url, link } = scene;
  const step = stepsOf(t, scene);

  const edit = `${url}/studio/templates/receipt/edit`;
  /** An editor with a text that is not JSON, so that only the browser has it. */
  const openUnsaved = async (userId: string, words: string): Promise<Page> => {
    const page = await scene.openAs(userId);
    await page.goto(edit);
    await page.locator('.pdf-pages canvas').first().waitFor();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type(words);
    await page.getByText('Not saved yet').waitFor();
    await eventually(async () => (await page.evaluate<string>(KEPT)).includes(words));
    return page;
  };

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
    const name = 'studio.draft.["an-Admin","demo","receipt"]';
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

  await step('signing out in one tab removes the text of an editor in another', async (t) => {
    const page = await openUnsaved('first-editor', 'a secret');
    const tab = await scene.openTab(page);
    await tab.goto(`${url}/studio/templates`);
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await tab.getByRole('heading', { name: 'Sign in to the Studio' }).waitFor();
    const said = page.getByText('You signed out in another tab');
    await said.waitFor();
    t.equal(await page.getByText('This browser keeps the text').count(), 0);
    t.equal(page.url(), `${url}/studio`, 'who signs in next does not start with this page');
    await picture(page, 'signed-out-elsewhere');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('คุณออกจากระบบในแท็บอื่นแล้ว').waitFor();
    await picture(page, 'signed-out-elsewhere-th');
    await page.getByRole('button', { name: 'English' }).click();
    // Leaving the page is the last chance to store it.
    await page.goto('about:blank');
    t.notMatch(await tab.evaluate<string>(KEPT), 'a secret');
  });

  await step('so does signing out in the tab of the editor', async (t) => {
    const page = await openUnsaved('second-editor', 'my secret');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the Studio' }).waitFor();
    t.equal(await page.getByText('in another tab').count(), 0);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to the Studio' }).waitFor();
    t.notMatch(await page.evaluate<string>(KEPT), 'my secret');
  });

  await step('a session that ends keeps the text, for its user only', async (t) => {
    const page = await openUnsaved('an-editor', 'own words');
    const [own = { name: '', value: '' }] = await page.context().cookies();
    await page.context().clearCookies();
    await page.keyboard.type('!');
    await page.getByText('This browser keeps the text of drafts').waitFor();

    const other = await scene.openAs('third-editor');
    const [cookie = { name: '', value: '' }] = await other.context().cookies();
    await page.context().addCookies([{ name: cookie.name, value: cookie.value, url }]);
    await page.goto(edit);
    await page.locator('.pdf-pages canvas').first().waitFor();
    t.notMatch(await page.locator('.cm-content').innerText(), 'own words');
    t.equal(await page.getByText('Restored what this browser had kept').count(), 0);
    // The other user is not asked about a text of somebody else, and does not remove it.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the Studio' }).waitFor();

    await page.context().addCookies([{ name: own.name, value: own.value, url }]);
    await page.goto(edit);
    await page.getByText('Restored what this browser had kept').waitFor();
    await page.locator('.cm-content').filter({ hasText: 'own words' }).waitFor();
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
