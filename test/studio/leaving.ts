import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { callAs, eventually, picture, select, untilDraft, type Scene } from './browser.ts';

/** As text: these sources are checked without the types of a browser. */
const TYPE_AND_LEAVE = `(() => {
  document.execCommand('insertText', false, 'Hello');
  document.querySelector('.work-head a.button').click();
})()`;

/** The form of the data follows the sample in the text, until somebody types in the form. */
async function changeSample(t: Test, page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Data/ }).click();
  await select(page, '2026-01-31');
  await page.keyboard.type('2027-02-28');
  const issued = page.locator('[data-field="issued"] input').first();
  await eventually(async () => (await issued.inputValue()) === '2027-02-28');
  await page.getByLabel('customer').fill('Bob Example');
  await select(page, '2027-02-28');
  await page.keyboard.type('2027-02-27');
  await page.getByText('Saved', { exact: true }).waitFor();
  t.equal(await page.getByLabel('customer').inputValue(), 'Bob Example', 'what was typed stays');
  await page.getByRole('button', { name: 'Save as sample' }).click();
  await page.getByLabel('Name of the sample').fill('Bob');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('.pane-bar option').nth(1).waitFor({ state: 'attached' });
  t.equal(await page.locator('.pane-bar select').inputValue(), '1', 'the new sample is chosen');
}

/** The editor offers what this browser saved last, and shows the draft. */
async function forgetOwnText(page: Page): Promise<void> {
  const own = page.getByText('Somebody else saved this draft after you');
  await own.waitFor();
  await page.getByRole('button', { name: 'Take theirs, discard mine' }).click();
  await own.waitFor({ state: 'detached' });
}

/** The service saves a text on one line, and the page is reloaded before the response arrives. */
async function reloadDuringSave(page: Page, oneLine: string): Promise<void> {
  const draft = '**/v1/templates/letter/draft*';
  await page.route(draft, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.evaluate(`document.execCommand('insertText', false, ${JSON.stringify(oneLine)})`);
  await page.getByText('Not saved').waitFor();
  await page.unroute(draft);
  await page.reload();
  await page.locator('.cm-content').filter({ hasText: 'Fair morning' }).waitFor();
}

/** Leaves the editor of a draft, and opens it again after somebody else has saved. */
export async function leaveAndReturn(t: Test, scene: Scene): Promise<void> {
  const page = await scene.openAs('an-Editor');
  const other = await scene.openAs('second-editor');
  const address = `${scene.url}/v1/templates/letter/draft`;
  const read = async (): Promise<string> =>
    JSON.stringify((await callAs(page.context(), 'GET', address)).body);
  const saveByOther = async (from: string, to: string): Promise<void> => {
    const body: unknown = JSON.parse((await read()).replace(from, to));
    t.equal((await callAs(other.context(), 'PUT', address, body)).status, 200);
  };
  const edit = `${scene.url}/studio/templates/letter/edit?name=Letter`;
  const unsaved = page.getByText('This browser keeps text of this draft');
  const text = page.locator('.cm-content');

  await page.goto(edit);
  await page.locator('.pdf-pages canvas').first().waitFor();
  await changeSample(t, page);
  await select(page, 'Dear');
  await page.evaluate(TYPE_AND_LEAVE);
  await page.getByText('Nothing was published before').waitFor();
  t.match(await read(), 'Hello {{customer}}', 'the comparison has what was typed last');
  t.equal(await unsaved.count(), 0);

  await saveByOther('Hello', 'Good morning');
  await page.goto(edit);
  await text.filter({ hasText: 'Good morning' }).waitFor();
  await page.locator('.pdf-pages canvas').first().waitFor();
  const conflict = page.getByText('Somebody else changed this draft');
  t.equal(await conflict.count(), 0, 'who has nothing unsaved can go on at once');
  await forgetOwnText(page);
  t.match(await text.innerText(), /Good morning/);
  t.ok((await page.locator('.cm-line').count()) > 10, 'a draft saved on one line is laid out');

  await saveByOther('"fontSize":20', '"fontSise":20');
  await page.reload();
  await page.locator('.finding').filter({ hasText: 'fontSise' }).waitFor();
  await picture(page, 'editor-opened-finding');

  const oneLine = JSON.stringify(JSON.parse((await read()).replace('Good', 'Fair')));
  await reloadDuringSave(page, oneLine);
  t.ok((await page.locator('.cm-line').count()) > 10, 'it is laid out');
  t.equal(await conflict.count(), 0, 'a reload during a save is no conflict');

  await select(page, 'Fair morning');
  await page.keyboard.type('Good "morning');
  await page.getByText('Not saved yet').waitFor();
  for (let keys = 0; keys < 20; keys += 1) {
    await page.keyboard.press('Control+z');
    if ((await text.textContent())?.includes('"Fair morning') === true) break;
  }
  await page.getByText('Saved', { exact: true }).waitFor();
  await select(page, 'Fair morning');
  await page.keyboard.type('Good "morning');
  await page.getByText('Not saved yet').waitFor();
  await page.getByRole('link', { name: 'Compare and publish' }).click();
  await unsaved.waitFor();
  await picture(page, 'publish-unsaved');
  await Promise.all([page.context().close(), other.context().close()]);
}

/** As text, like the above. */
const FILL_STORAGE = `(() => {
  for (let text = 'x'.repeat(2 ** 22), number = 0; text !== ''; number += 1) {
    try {
      localStorage.setItem(\`filling \${number}\`, text);
    } catch {
      text = text.slice(text.length / 2 + 1);
    }
  }
})()`;
const TYPE_MUCH = `document.execCommand('insertText', false, 'Third ' + 'x'.repeat(4_000))`;

/** Two tabs with one draft share a storage, which may be full; neither loses its text. */
export async function openTwice(t: Test, scene: Scene): Promise<void> {
  const page = await scene.openAs('an-Editor');
  const tab = await scene.openTab(page);
  const conflict = tab.getByText('You changed this draft in another window');
  const draft = '**/v1/templates/twice/draft*';
  for (const one of [page, tab]) {
    await one.goto(`${scene.url}/studio/templates/twice/edit?name=Twice`);
    await one.locator('.pdf-pages canvas').first().waitFor();
    await one.getByText('Saved', { exact: true }).waitFor();
  }
  // The service saves the text of the first tab, whose response waits until the second tab has
  // stored its text.
  const stored = Promise.withResolvers<void>();
  await page.route(draft, async (route) => {
    const response = await route.fetch();
    await stored.promise;
    await route.fulfill({ response });
  });
  await page.bringToFront();
  await select(page, 'Dear');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.keyboard.type('First');
  await sent;
  await tab.bringToFront();
  await select(tab, 'Dear');
  await tab.keyboard.type('Second');
  await conflict.waitFor();
  stored.resolve();
  await page.getByText('Saved', { exact: true }).waitFor();
  await tab.reload();
  await conflict.waitFor();
  await tab.locator('.cm-content').filter({ hasText: 'Second' }).waitFor();
  await tab.close();

  await page.unroute(draft);
  await page.evaluate(FILL_STORAGE);
  await page.bringToFront();
  await select(page, 'First');
  await page.evaluate(TYPE_MUCH);
  await untilDraft(page, scene.url, 'Third', 'twice');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  await page.locator('.cm-content').filter({ hasText: 'Third' }).waitFor();
  t.equal(await page.getByText('You changed this draft in another window').count(), 0);
  await page.context().close();
}

/** A preview that takes long does not delay the save of what is typed meanwhile. */
export async function saveBesidePreview(scene: Scene): Promise<void> {
  const page = await scene.openAs('an-Editor');
  const address = `${scene.url}/v1/templates/slow/draft`;
  const saved = (text: string): Promise<void> =>
    eventually(async () => {
      const { body } = await callAs(page.context(), 'GET', address);
      return JSON.stringify(body).includes(text);
    });
  // The first preview says that it took long, so the next ones are requested apart from the saves.
  await page.route('**/v1/previews', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), 'server-timing': 'layout;dur=500' };
    await route.fulfill({ response, headers });
  });
  await page.goto(`${scene.url}/studio/templates/slow/edit?name=Slow`);
  await page.locator('.pdf-pages canvas').first().waitFor();
  await page.unroute('**/v1/previews');
  const released = Promise.withResolvers<void>();
  await page.route('**/v1/previews', async (route) => {
    await released.promise;
    await route.continue();
  });
  await select(page, 'Dear');
  const asked = page.waitForRequest('**/v1/previews');
  await page.keyboard.type('First');
  await asked;
  await page.keyboard.type(' second');
  await saved('First second');
  const shown = page.waitForResponse('**/v1/previews');
  released.resolve();
  await shown;
  await page.context().close();
}

/**
 * A quick preview comes with the save, and one that was requested before and arrives after it is not
 * shown.
 */
export async function previewWithSave(t: Test, scene: Scene): Promise<void> {
  const page = await scene.openAs('an-Editor');
  const samples = ['one', 'two'].map((name) => ({ name, data: { who: name } }));
  await callAs(page.context(), 'PUT', `${scene.url}/v1/templates/quick/draft`, {
    templateId: 'quick',
    name: 'Quick',
    fields: [{ name: 'who', type: 'text', required: true }],
    document: { content: 'Dear {{who}}' },
    samples,
  });
  await page.goto(`${scene.url}/studio/templates/quick/edit`);
  await page.locator('.pdf-pages canvas').first().waitFor();
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() !== 'GET') asked.push(`${request.method()} ${pathname}${search}`);
  });
  const shown = async (): Promise<number> =>
    await page.evaluate(() => performance.getEntriesByName('studio.preview').length);
  const before = await shown();
  await select(page, 'Dear');
  // In one go: typed slowly, it would be saved twice, each time with a preview.
  await page.keyboard.insertText('Hello');
  await eventually(async () => (await shown()) > before);
  await page.getByText('Saved', { exact: true }).waitFor();
  t.ok(asked.length > 0);
  t.same([...new Set(asked)], ['PUT /v1/templates/quick/draft?preview=0']);

  const released = Promise.withResolvers<void>();
  await page.route('**/v1/previews', async (route) => {
    await released.promise;
    await route.continue();
  });
  const late = page.waitForRequest('**/v1/previews');
  await page.getByLabel('Sample').selectOption({ index: 1 });
  await late;
  const drawn = await shown();
  await select(page, 'Hello');
  await page.keyboard.insertText('Goodbye');
  await eventually(async () => (await shown()) > drawn);
  const last = await shown();
  const arrived = page.waitForResponse('**/v1/previews');
  released.resolve();
  await (await arrived).finished();
  await page.waitForTimeout(300);
  t.equal(await shown(), last, 'the older preview is left out');
  await page.context().close();
}

/** A text that the service would refuse again is not sent again. */
export async function saveOnceTooLarge(t: Test, scene: Scene): Promise<void> {
  const page = await scene.openAs('an-Editor');
  let saves = 0;
  await page.route('**/v1/templates/large/draft*', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    saves += 1;
    const status = saves === 1 ? 413 : 404;
    return route.fulfill({ status, json: { error: 'No.', code: 'refused_by_a_proxy' } });
  });
  await page.clock.install();
  await page.goto(`${scene.url}/studio/templates/large/edit?name=Large`);
  await page.getByText('a proxy in front of it').waitFor();
  await page.clock.runFor(60_000);
  await page.getByRole('button', { name: /^Data/ }).click();
  await page.getByLabel('customer').fill('Bob Example');
  await page.clock.runFor(60_000);
  t.equal(saves, 1);
  await picture(page, 'editor-too-large');
  await select(page, 'Dear');
  await page.keyboard.type('Hello');
  await page.clock.runFor(60_000);
  await eventually(async () => saves > 1);
  await page.locator('.finding').filter({ hasText: 'No.' }).waitFor();
  await page.clock.runFor(60_000);
  // One save for each pause in the typing at most; one every 4 s would be 30.
  t.ok(saves <= 6, `${saves} saves`);
  await page.context().close();
}

/** A page whose script fails says so, and a reload brings it. */
export async function openWithoutScript(scene: Scene): Promise<void> {
  const signedIn = (await scene.openAs('an-Editor')).context();
  // Not watched for errors, because the failing script is one.
  const page = await scene.open({ storageState: await signedIn.storageState() }, 'expected');
  await signedIn.close();
  await page.goto(`${scene.url}/studio/templates`);
  const scripts = '**/assets/verify-*.js';
  await page.route(scripts, (route) => route.abort());
  await page.getByRole('link', { name: 'Verify' }).click();
  await page.getByText('This page could not be loaded.').waitFor();
  await page.unroute(scripts);
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { name: 'Verify' }).waitFor();
  const painter = '**/assets/painter-*.js';
  const receipt = `${scene.url}/studio/templates/receipt`;
  const tryViews = async (): Promise<void> => {
    for (const view of ['edit', 'publish', 'edit']) {
      await page.goto(`${receipt}/${view}`);
      await page.getByText('The viewer of PDFs could not be loaded.').first().waitFor();
    }
  };
  await page.route(painter, (route) => route.abort());
  await tryViews();
  await page.unroute(painter);
  // The parser that the painter starts: the browser fetches it where a route does not see it.
  let isGone = true;
  await page.route(painter, async (route) => {
    if (!isGone) return route.continue();
    const response = await route.fetch();
    const script = await response.text();
    const body = script.replaceAll(/pdf\.worker[\w.-]+\.mjs/g, 'gone.mjs');
    if (body === script) throw new Error('the painter does not name its parser');
    await route.fulfill({ response, body });
  });
  await tryViews();
  // Until the page is loaded again: it may try by itself, and the button would go.
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isGone = false;
  });
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.locator('.pdf-pages canvas').first().waitFor();
  await page.context().close();
}

/** Signing out succeeds although the session has ended. */
export async function signOutLate(scene: Scene): Promise<void> {
  const page = await scene.openAs('a-Viewer');
  await page.goto(`${scene.url}/studio/verify`);
  await page.getByRole('heading', { name: 'Verify' }).waitFor();
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to the Studio' }).waitFor();
}
