import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import t from 'tap';
import { HOME } from '../../lab/home.ts';
import {
  callAs,
  eventually,
  missing,
  picture,
  select,
  seriousFindings,
  startScene,
  stepsOf,
  untilDraft,
} from './browser.ts';
import { walkByKeyboard } from './keyboard.ts';
import {
  leaveAndReturn,
  openTwice,
  openWithoutScript,
  previewWithSave,
  saveBesidePreview,
  saveOnceTooLarge,
  signOutLate,
} from './leaving.ts';
import { lookAtAll } from './looks.ts';
import { keepPlace } from './places.ts';
import { openProtected } from './protected.ts';

t.setTimeout(1_500_000);

/** Pages that are checked in both languages and themes; tests add the pages they create. */
const pages = [
  '/studio/templates',
  '/studio/templates/receipt',
  '/studio/templates/receipt/edit',
  '/studio/templates/receipt/publish',
  '/studio/generate?template=receipt',
  '/studio/runs',
  '/studio/runs/new',
  '/studio/documents',
  '/studio/verify',
  '/studio/audit',
  '/studio/keys',
  '/studio/operations',
  '/studio/nowhere',
  '/docs',
];
const FIRST_PAGE_BYTES_MAX = 150 * 1_024;

// Kept as text, because these sources are type-checked without the types of a browser.
const PASTE = `(() => {
  const data = new DataTransfer();
  data.setData('text/plain', 'A\\tfirst pasted\\nB\\tsecond pasted\\n');
  const paste = { clipboardData: data, bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new ClipboardEvent('paste', paste));
})()`;

const PASTED = `(() => {
  const cell = document.querySelector('[aria-label="Items, row 2, Item"]');
  return cell?.value === 'second pasted';
})()`;

/** Makes files fail as if they had been removed after they were chosen. */
const UNREADABLE = `File.prototype.arrayBuffer = async () => {
  throw new DOMException('', 'NotFoundError');
}`;

/** A file of rows, in the form that `setInputFiles` takes. */
function rowFile(
  name: string,
  rows: readonly object[],
): { name: string; mimeType: string; buffer: Buffer } {
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return { name, mimeType: 'application/x-ndjson', buffer: Buffer.from(lines) };
}

/** Types a template id into the combobox and clicks the option that is found. */
async function chooseTemplate(page: Page, templateId: string): Promise<void> {
  const choice = page.getByRole('combobox', { name: 'Template', exact: true });
  await choice.fill(templateId);
  const options = page.getByRole('option');
  // Until the response to the search arrives, the list shows other templates, too.
  await eventually(async () => {
    const texts = await options.allTextContents();
    return texts.length > 0 && texts.every((text) => text.toLowerCase().includes(templateId));
  });
  await options.filter({ hasText: new RegExp(`${templateId}$`) }).click();
  await eventually(async () => (await choice.inputValue()).endsWith(`(${templateId})`));
}

/** Resolves with the latency when `action` has made the preview show another document. */
async function redrawn(page: Page, action: () => Promise<void>): Promise<number> {
  const marks = (): Promise<number> =>
    page.evaluate(() => performance.getEntriesByName('studio.preview').length);
  const before = await marks();
  await action();
  await page.waitForFunction(
    (count) => performance.getEntriesByName('studio.preview').length > count,
    before,
  );
  const facts = page.locator('.pane-facts');
  return Number(await facts.getAttribute('data-latency-ms'));
}

t.test('the Studio in a browser', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {
    'second-editor': 'Editor',
    'a-Viewer': 'Viewer',
    'an-Editor': 'Editor',
  });
  const { url, link } = scene;
  const page = await scene.open();
  const step = stepsOf(t, scene);
  const go = (path: string): Promise<unknown> => page.goto(`${url}/studio${path}`);

  await step('the link signs in once, and disappears from the address bar', async (t) => {
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    // The page is shown a moment before its address.
    await page.waitForURL(`${url}/studio/templates`);
    await page.getByRole('cell', { name: /receipt-en/ }).waitFor();
    await picture(page, 'templates');
    await page.getByRole('searchbox').fill('RECEIPT-e');
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Receipt', exact: true }).click();
    await page.getByRole('heading', { name: 'Receipt' }).waitFor();
    await page.goBack();
    await page.getByRole('row').nth(1).waitFor();
    t.equal(await page.getByRole('searchbox').inputValue(), 'RECEIPT-e', 'the search is kept');
    await page.getByRole('searchbox').fill('no such template');
    await page.getByText('Nothing found').waitFor();
    const late = await scene.open();
    await late.goto(link);
    await late.getByText('This link does not work any more').waitFor();
    await picture(late, 'sign-in');
    t.strictSame(await seriousFindings(late), []);
  });

  await step('a change appears; a mistake is found and corrected', async (t) => {
    await go('/templates/receipt/edit');
    await page.locator('.pdf-pages canvas').first().waitFor();
    for (const thread of page.workers()) {
      const reach = `fetch('${url}/v1/session').then(String, String)`;
      t.match(await thread.evaluate(reach), 'TypeError', `${thread.url()} reaches no address`);
    }
    await select(page, '"fontSize": 21');
    const latencyMs = await redrawn(page, () => page.keyboard.type('"fontSize": 27'));
    t.comment(`preview ${latencyMs} ms after the last key`);
    await page.getByText('Saved', { exact: true }).waitFor();
    await picture(page, 'editor');
    await select(page, '"fontSize": 27');
    await page.keyboard.type('"fontSise": 27');
    // A text that is half typed may be reported as invalid JSON first.
    const finding = page.locator('.finding').filter({ hasText: 'fontSise' }).first();
    await finding.waitFor();
    await picture(page, 'editor-finding');
    await finding.click();
    await select(page, '"fontSise": 27');
    await page.keyboard.type('"fontSize": 27');
    await page.getByText('The check found no faults.').waitFor();
    await select(page, '"pageSize": "A4",');
    await page.keyboard.type('"pageSize": "A4"');
    await page.getByRole('button', { name: /A comma is missing here/ }).click();
    await page.keyboard.type(',');
    await page.getByText('The check found no faults.').waitFor();
  });

  await step('data is changed in the form, and errors are shown at their fields', async () => {
    await page.getByRole('button', { name: /^Data/ }).click();
    const total = page.locator('[data-field="total"]');
    await total.getByRole('textbox').fill('much');
    await total.locator('.reason').waitFor();
    await picture(page, 'editor-data');
    await total.getByRole('textbox').fill('23540.00');
    await total.locator('.reason').waitFor({ state: 'detached' });
    const cell = page.getByLabel('Items, row 1, No.', { exact: true });
    await cell.focus();
    await page.evaluate(PASTE);
    await eventually(async () => (await page.evaluate(PASTED)) === true);
  });

  await step('typing is undone after a reload, and nothing typed offline is lost', async (t) => {
    const text = page.locator('.cm-content');
    const saved = page.getByText('Saved', { exact: true });
    await select(page, '"fontSize": 27');
    await page.keyboard.type('"fontSize": 28');
    await untilDraft(page, url, '"fontSize": 28');
    await page.reload();
    await text.filter({ hasText: '"fontSize": 28' }).waitFor();
    await text.click();
    for (let keys = 0; keys < 20; keys += 1) {
      await page.keyboard.press('Control+z');
      // With the comma: keys typed slowly are undone one by one, and the first one, a quotation mark,
      // put the selected text between two of them.
      if ((await text.textContent())?.includes('"fontSize": 27,') === true) break;
    }
    await untilDraft(page, url, '"fontSize": 27');
    await page.context().setOffline(true);
    await page.getByText('offline').waitFor();
    t.strictSame(await seriousFindings(page), []);
    await select(page, '"fontSize": 27');
    await page.keyboard.type('"fontSize": 29');
    await page.getByText('Not saved').waitFor();
    await picture(page, 'offline');
    await page.context().setOffline(false);
    await untilDraft(page, url, '"fontSize": 29');
    await saved.waitFor();
    await select(page, '"fontSize": 29');
    await page.keyboard.type('"fontSize": 27');
    await untilDraft(page, url, '"fontSize": 27');
    await saved.waitFor();
  });

  await step('a second editor is warned, and nothing is overwritten', async () => {
    const other = await scene.openAs('second-editor');
    await other.goto(`${url}/studio/templates/receipt/edit`);
    await other.locator('.pdf-pages canvas').first().waitFor();
    await select(other, '"fontSize": 27');
    await other.keyboard.type('"fontSize": 26');
    await untilDraft(other, url, '"fontSize": 26');
    await select(page, '"fontSize": 27');
    await page.keyboard.type('"fontSize": 25');
    await page.getByText('Somebody else changed this draft').waitFor();
    await picture(page, 'conflict');
    await untilDraft(page, url, '"fontSize": 26');
    await page.reload();
    await page.getByText('Somebody else changed this draft').waitFor();
    // The reload keeps the text that was typed.
    await page.locator('.cm-content').filter({ hasText: '"fontSize": 25' }).waitFor();
    await page.getByRole('button', { name: 'Take theirs, discard mine' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await other.context().close();
  });

  await step('an editor may be left and opened again at any time', async (t) => {
    await leaveAndReturn(t, scene);
  });

  await step('two tabs with one draft lose no text', async (t) => {
    await openTwice(t, scene);
  });

  await step('a save does not wait for a preview', async () => {
    await saveBesidePreview(scene);
  });

  await step('a quick preview comes with the save', async (t) => {
    await previewWithSave(t, scene);
  });

  await step('a draft that is refused as too large is not sent again', async (t) => {
    await saveOnceTooLarge(t, scene);
  });

  await step('the preview stays at its page', async (t) => {
    await keepPlace(t, scene);
  });

  await step('a page whose script cannot be fetched offers a reload', async () => {
    await openWithoutScript(scene);
  });

  await step('after a look at the comparison, the draft is published', async (t) => {
    await page.getByRole('link', { name: 'Compare and publish' }).click();
    await page.getByText('Systems that send data to this template are not affected.').waitFor();
    const publish = page.getByRole('button', { name: 'Publish version 2' });
    t.ok(await publish.isDisabled());
    await page.getByText('1 of 1 pages differ').first().waitFor();
    await page.getByText(/(change has|changes have) to be confirmed/).waitFor();
    // Every change of the template that no words of a sample show, then the comparison.
    for (const box of await page.getByRole('checkbox').all()) {
      t.ok(await publish.isDisabled());
      await box.check();
    }
    await picture(page, 'publish');
    t.strictSame(await seriousFindings(page), []);
    await Promise.all([page.getByText('Version 2 is published.').waitFor(), publish.click()]);
    await picture(page, 'template');
  });

  await step('a document is generated, found and verified', async (t) => {
    await go('/generate?template=receipt');
    await page.getByRole('button', { name: 'Store' }).click();
    // Every required field shows an error.
    await page.locator('.reason').nth(5).waitFor();
    const fill = page.getByRole('group', { name: 'Fill from a sample:' });
    await fill.getByRole('button').first().click();
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByText('The document is stored.').waitFor();
    const documentId = (await page.locator('.notice code').textContent()) ?? '';
    t.match(documentId, /^[0-9a-f-]{36}$/);
    await picture(page, 'generate');
    await page.getByRole('link', { name: 'Find it in Documents' }).click();
    await page.getByRole('cell', { name: documentId }).waitFor();
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('dialog .pdf-pages canvas').first().waitFor();
    await picture(page, 'document');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const file = await (await download).path();
    await go('/verify');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    await page.locator('input[type=file]').setInputFiles({
      name: 'receipt.pdf',
      mimeType: 'application/pdf',
      buffer: readFileSync(file),
    });
    await page.getByText('This file was issued here.').waitFor();
    await page.getByText(documentId).waitFor();
    t.ok(
      sent.every((body) => body.length < 200),
      'the file stays in the browser',
    );
    await picture(page, 'verify');
    const csv = { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b') };
    await page.locator('input[type=file]').setInputFiles(csv);
    await page.getByText('This is not a PDF.').waitFor();
    await page.evaluate(UNREADABLE);
    const other = { ...csv, name: 'gone.pdf', buffer: Buffer.from('%PDF-1.7') };
    await page.locator('input[type=file]').setInputFiles(other);
    await page.getByText('The browser cannot read this file.').waitFor();
  });

  await step('a protected document is found by its id and opened by its password', async () => {
    await openProtected(scene, page);
  });

  await step('a run names its invalid row, accepts the corrected one, and ends', async (t) => {
    const version = await callAs(page.context(), 'GET', `${url}/v1/templates/receipt/versions/1`);
    const [sample] = version.body['samples'] as [{ data: object }];
    const rows: object[] = Array.from({ length: 6 }, (_, n) => ({
      ...sample.data,
      row: `R-${n}`,
    }));
    await go('/runs');
    await page.getByRole('link', { name: 'New run' }).click();
    await chooseTemplate(page, 'receipt');
    const broken = rows.with(3, { ...sample.data, row: 'R-3', total: 'much' });
    await page.getByLabel('File of rows').setInputFiles(rowFile('october.ndjson', broken));
    await page.getByLabel('Column that identifies a row').selectOption('row');
    await page.getByText('The columns fit the template.').waitFor();
    await page.getByLabel('Name').pressSequentially('Receipts of October');
    t.equal(await page.getByLabel('Name').inputValue(), 'Receipts of October');
    await page.getByLabel('Rows', { exact: true }).fill('6');
    await picture(page, 'run-new');
    await page.getByRole('button', { name: 'Upload and start' }).click();
    await page.getByText('The run has stopped').waitFor();
    await page.getByRole('link', { name: 'Invalid rows (CSV)' }).waitFor();
    const csv = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Invalid rows (CSV)' }).click();
    t.match(readFileSync(await (await csv).path(), 'utf8'), /^1,4,total: number expected,.*,R-3$/m);
    await picture(page, 'run-stopped');
    const mended = rows.slice(3, 4);
    await page.getByLabel('File of rows').setInputFiles(rowFile('mended.ndjson', mended));
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('status').getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('done', { exact: true }).waitFor();
    const figures = page.locator('.run-figures');
    await figures.filter({ hasText: /Rows6Stored6Invalid0/ }).waitFor();
    await picture(page, 'run');
    pages.push(new URL(page.url()).pathname);
    const zip = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Documents (ZIP)' }).click();
    t.equal(readFileSync(await (await zip).path()).toString('latin1', 0, 2), 'PK');
  });

  await step('the API reference makes a call as the user who is signed in', async () => {
    await page.goto(`${url}/docs#listDocuments`);
    const operation = page.locator('#listDocuments');
    await operation.locator('pre').filter({ hasText: 'YOUR_SESSION' }).waitFor();
    await operation.getByRole('button', { name: 'Try it' }).click();
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.locator('.try .badge').filter({ hasText: /^200$/ }).waitFor();
    await operation.locator('.try pre').filter({ hasText: '"documents"' }).waitFor();
    await picture(page, 'reference');
  });

  await step('a key is shown once and revoked', async (t) => {
    await go('/keys');
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Name').fill('core banking');
    await page.getByRole('button', { name: 'Create the key' }).dblclick();
    const key = (await page.locator('.secret code').textContent()) ?? '';
    t.match(key, /^ik_/);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.locator('.secret').waitFor({ state: 'detached' });
    t.notMatch(await page.locator('main').textContent(), key);
    const row = page.getByRole('row', { name: /core banking/ });
    // The list is loaded again.
    await row.waitFor();
    const listed = await callAs(page.context(), 'GET', `${url}/v1/keys`);
    const names = (listed.body['keys'] as { name: string }[]).map(({ name }) => name);
    const created = names.filter((name) => name === 'core banking');
    t.equal(created.length, 1, 'a double click creates one key');
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('button:focus').filter({ hasText: 'Revoke' }).waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    await page.locator('tr:focus').filter({ hasText: 'core banking' }).waitFor();
    await picture(page, 'keys');
  });

  await step('filters that change one right after the other are all applied', async (t) => {
    await go('/audit');
    const principal = page.getByLabel('User or key');
    await principal.fill('demo-admin');
    await page.getByLabel('Action').selectOption('keys.create');
    const actions = page.locator('tbody tr td:nth-child(3)');
    await actions.filter({ hasText: 'keys.create' }).first().waitFor();
    await actions.filter({ hasNotText: 'keys.create' }).first().waitFor({ state: 'detached' });
    t.equal(await principal.inputValue(), 'demo-admin');
    await page.waitForURL(/principal=demo-admin/);
    await page.reload();
    await actions.filter({ hasText: 'keys.create' }).first().waitFor();
    t.equal(await principal.inputValue(), 'demo-admin', 'the address keeps the filters');
    await page.getByRole('link', { name: 'Audit' }).click();
    await actions.filter({ hasNotText: 'keys.create' }).first().waitFor();
    t.equal(await principal.inputValue(), '', 'the navigation shows everything');
  });

  await step('Viewers and Editors see and do only what their role allows', async (t) => {
    const roles = [
      {
        role: 'Viewer',
        userId: 'a-Viewer',
        seen: ['Templates', 'Runs', 'Documents', 'Verify'],
        denied: 403,
      },
      {
        role: 'Editor',
        userId: 'an-Editor',
        seen: ['Templates', 'Approvals', 'Generate', 'Runs', 'Documents', 'Verify'],
        denied: 403,
      },
    ] as const;
    for (const { role, userId, seen, denied } of roles) {
      const theirs = await scene.openAs(userId);
      await theirs.goto(`${url}/studio/templates`);
      await theirs.getByRole('heading', { name: 'Templates' }).waitFor();
      await theirs.getByRole('link', { name: 'API reference' }).waitFor();
      const links = await theirs.locator('.side nav a').allTextContents();
      t.same(links, [...seen, 'API reference'], role);
      for (const path of ['/keys', '/audit', '/operations']) {
        await theirs.goto(`${url}/studio${path}`);
        await theirs.getByText('This page needs the role').waitFor();
      }
      const context = theirs.context();
      const publish = `${url}/v1/templates/receipt/publish`;
      t.equal((await callAs(context, 'POST', publish, {})).status, denied);
      t.equal((await callAs(context, 'GET', `${url}/v1/keys`)).status, denied);
      t.equal((await callAs(context, 'GET', `${url}/v1/audit`)).status, denied);
      const draft = await callAs(context, 'GET', `${url}/v1/templates/statement/draft`);
      t.equal(draft.status, role === 'Viewer' ? 403 : 404);
      await context.close();
    }
  });

  await step(
    'no page has a serious finding, in both languages and themes, at any width',
    async (t) => {
      // A draft that differs, so that the page of the comparison has something to show.
      const receipt = `${url}/v1/templates/receipt`;
      const { body } = await callAs(page.context(), 'GET', `${receipt}/versions/1`);
      await callAs(page.context(), 'PUT', `${receipt}/draft`, { ...body, name: 'Receipt, mended' });
      await lookAtAll(t, scene, page, pages);
    },
  );

  await step('the main path can be walked with the keyboard alone', async () => {
    await walkByKeyboard(page, url);
  });

  await step('signing out works; the browser reported no errors', async (t) => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the Studio' }).waitFor();
    t.equal((await callAs(page.context(), 'GET', `${url}/v1/session`)).status, 401);
    await signOutLate(scene);
    t.strictSame(scene.complaints, []);
  });

  await step('the first page is small', async (t) => {
    const html = await (await fetch(`${url}/studio`)).text();
    const names = [...html.matchAll(/\/studio\/assets\/([\w.-]+\.(?:js|css))/g)].map((m) => m[1]);
    t.ok(names.length >= 2);
    let bytes = gzipSync(html).byteLength;
    for (const name of names) {
      bytes += gzipSync(readFileSync(join(HOME, 'studio/dist/assets', name ?? ''))).byteLength;
    }
    t.comment(`first page: ${bytes} bytes gzip`);
    t.ok(bytes <= FIRST_PAGE_BYTES_MAX);
  });
});
