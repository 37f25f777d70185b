import type { Page } from 'playwright-core';
import t from 'tap';
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

t.setTimeout(900_000);

const STRAY = { templateId: 'stray', name: 'ฎีกาที่ดิน', fields: [], document: { content: ['x'] } };

/** Pictures of a dialog on a wide and on a narrow screen; what is wider than the narrow one. */
async function lookAtBoth(page: Page, name: string): Promise<number> {
  await picture(page, name);
  await page.setViewportSize({ width: 390, height: 844 });
  await picture(page, `${name}-phone`);
  const excess = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  await page.setViewportSize({ width: 1_280, height: 900 });
  return excess;
}

t.test('drafts are discarded', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { somchai: 'Admin', mali: 'Editor' });
  const { url } = scene;
  const page = await scene.openAs('somchai');
  const hers = await scene.openAs('mali');
  const step = stepsOf(t, scene);
  const dialog = page.getByRole('dialog');
  const save = async (who: Page, templateId: string, draft: object): Promise<void> => {
    const address = `${url}/v1/templates/${templateId}/draft`;
    t.equal((await callAs(who.context(), 'PUT', address, draft)).status, 200);
  };
  const draftOf = async (templateId: string): Promise<unknown> => {
    const { body } = await callAs(page.context(), 'GET', `${url}/v1/templates/${templateId}`);
    return body['draft'];
  };

  await step('a template that was never published leaves the list', async (t) => {
    await save(page, 'stray', STRAY);
    await page.goto(`${url}/studio/templates/stray`);
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await dialog.getByText(/never published: it disappears from the list/).waitFor();
    t.strictSame(await seriousFindings(page), []);
    t.equal(await lookAtBoth(page, 'discard-all'), 0);
    await dialog.getByRole('button', { name: 'Discard the draft' }).click();
    await page.waitForURL('**/studio/templates');
    await page.getByRole('link', { name: 'ใบเสร็จรับเงิน', exact: true }).waitFor();
    t.equal(await page.getByRole('link', { name: STRAY.name }).count(), 0);
  });

  await step('a draft that was saved since stays', async (t) => {
    await save(page, 'stray', STRAY);
    await page.goto(`${url}/studio/templates/stray`);
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await save(hers, 'stray', { ...STRAY, document: { content: ['y'] } });
    await dialog.getByRole('button', { name: 'Discard the draft' }).click();
    await dialog.getByRole('alert').waitFor();
    await picture(page, 'discard-changed');
    t.match(await draftOf('stray'), { savedBy: 'user:mali' });
  });

  await step('the editor discards what was typed, and the version is back', async (t) => {
    await page.goto(`${url}/studio/templates/receipt/edit`);
    await select(page, '"pageSize": "A4"');
    await page.keyboard.type('"pageSize": "A5"');
    await untilDraft(page, url, '"pageSize": "A5"');
    t.equal(await lookAtBoth(page, 'discard-editor'), 0);
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.getByText(/since version 1 are lost, for everybody/).waitFor();
    t.strictSame(await seriousFindings(page), []);
    t.equal(await lookAtBoth(page, 'discard-version'), 0);
    await dialog.getByRole('button', { name: 'Discard the draft' }).click();
    await page.waitForURL('**/templates/receipt');
    await page.getByRole('link', { name: 'Start a draft' }).waitFor();
    t.equal(await draftOf('receipt'), null);
    await page.getByRole('link', { name: 'Start a draft' }).click();
    await page.locator('.cm-content').waitFor();
    await select(page, '"pageSize": "A4"');
    t.match(await page.locator('.cm-content').innerText(), /"pageSize": "A4"/);
    await page.getByRole('link', { name: 'Compare and publish' }).click();
    await page.waitForURL('**/publish');
  });

  const typeHers = async (templateId: string, from: string, to: string): Promise<void> => {
    await hers.goto(`${url}/studio/templates/${templateId}/edit`);
    await select(hers, from);
    await hers.keyboard.type(to);
    await untilDraft(hers, url, to, templateId);
  };
  const discardHis = async (templateId: string): Promise<void> => {
    await page.goto(`${url}/studio/templates/${templateId}`);
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await dialog.getByText(/mali saved the draft last/).waitFor();
    await dialog.getByRole('button', { name: 'Discard the draft' }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  await step('whoever edits a draft that is discarded is told, and loses nothing', async (t) => {
    await typeHers('receipt', '"pageSize": "A4"', '"pageSize": "A5"');
    await discardHis('receipt');
    await hers.keyboard.press('End');
    await hers.keyboard.type(' ');
    await hers.getByText('This draft was discarded meanwhile').waitFor();
    t.equal(await draftOf('receipt'), null, 'nothing is saved unasked');
    t.strictSame(await seriousFindings(hers), []);
    t.equal(await lookAtBoth(hers, 'discard-conflict'), 0);
    t.equal(await hers.getByRole('button', { name: 'Discard', exact: true }).count(), 0);
    await hers.getByRole('button', { name: 'Save my text as a new draft' }).click();
    await eventually(async () => (await draftOf('receipt')) !== null);
    t.match(await draftOf('receipt'), { savedBy: 'user:mali' });
    await untilDraft(hers, url, '"pageSize": "A5"');
  });

  await step('so is whoever edits a template that is gone with its draft', async (t) => {
    await typeHers('stray', '"y"', '"z"');
    await discardHis('stray');
    await page.waitForURL('**/studio/templates');
    await hers.keyboard.press('End');
    await hers.keyboard.type(' ');
    await hers.getByText(/never published, so nothing of it is left/).waitFor();
    t.equal(await lookAtBoth(hers, 'discard-gone'), 0);
    await hers.getByRole('button', { name: 'Discard my text, too' }).click();
    await hers.waitForURL('**/studio/templates');
    await hers.getByRole('link', { name: 'ใบเสร็จรับเงิน', exact: true }).waitFor();
    t.equal(await hers.getByRole('link', { name: STRAY.name }).count(), 0);
  });

  await step('in Thai and in the dark', async (t) => {
    await page.addInitScript(`localStorage.setItem('studio.language', 'th');
      localStorage.setItem('studio.theme', 'dark')`);
    await page.goto(`${url}/studio/templates/receipt`);
    await page.getByRole('button', { name: 'ทิ้งฉบับร่าง' }).click();
    await dialog
      .getByText(/การแก้ไขของ|การแก้ไขทั้งหมด/)
      .first()
      .waitFor();
    t.strictSame(await seriousFindings(page), []);
    t.equal(await lookAtBoth(page, 'discard-th-dark'), 0);
    await page.goto(`${url}/studio/templates/receipt/edit`);
    await page.locator('.pdf-pages canvas').first().waitFor();
    t.equal(await lookAtBoth(page, 'discard-editor-th-dark'), 0);
  });
  t.strictSame(scene.complaints, []);
});
