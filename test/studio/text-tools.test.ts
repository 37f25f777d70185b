import type { Page } from 'playwright-core';
import t from 'tap';
import {
  callAs,
  missing,
  picture,
  select,
  seriousFindings,
  startScene,
  stepsOf,
  untilDraft,
} from './browser.ts';

t.setTimeout(900_000);

const LINES = {
  templateId: 'lines',
  name: 'ฎีกาที่ดิน',
  fields: [],
  document: { content: [{ text: 'first line' }, { text: 'second line' }] },
};
const TABLE = {
  ...LINES,
  templateId: 'rows',
  document: {
    content: [
      {
        table: {
          body: [
            ['first cell', 'B'],
            ['second', 'D'],
          ],
        },
      },
    ],
  },
};
const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1_280, height: 900 };

/** What is wider than a phone, after pictures of both sizes. */
async function lookAtBoth(page: Page, name: string): Promise<number> {
  await picture(page, name);
  await page.setViewportSize(PHONE);
  await picture(page, `${name}-phone`);
  const excess = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  await page.setViewportSize(WIDE);
  return excess;
}

t.test('the text of a template is edited without knowing JSON', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { somchai: 'Editor', mali: 'Editor' });
  const { url } = scene;
  const page = await scene.openAs('somchai');
  await page.setViewportSize(WIDE);
  const step = stepsOf(t, scene);
  const save = async (who: Page, draft: typeof LINES | typeof TABLE): Promise<void> => {
    const address = `${url}/v1/templates/${draft.templateId}/draft`;
    t.equal((await callAs(who.context(), 'PUT', address, draft)).status, 200);
  };
  const contentOf = async (templateId: string): Promise<unknown> => {
    const address = `${url}/v1/templates/${templateId}/draft`;
    const { body } = await callAs(page.context(), 'GET', address);
    return (body['document'] as { content: unknown }).content;
  };
  await save(page, LINES);
  await save(page, TABLE);

  await step('a search says how many there are, and which one is selected', async (t) => {
    await page.goto(`${url}/studio/templates/receipt/edit`);
    await page.locator('.cm-content').waitFor();
    const count = page.locator('.find-count');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.keyboard.type('"bold": true');
    await page.getByText(/^\d+ found$/).waitFor();
    const [, all = ''] = /^(\d+) found$/.exec(await count.innerText()) ?? [];
    t.ok(Number(all) > 3, all);
    await page.keyboard.press('Enter');
    await page.getByText(`1 of ${all}`, { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(`2 of ${all}`, { exact: true }).waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.getByText(`1 of ${all}`, { exact: true }).waitFor();
    t.strictSame(await seriousFindings(page), []);
    t.equal(await lookAtBoth(page, 'find-count'), 0);
    await page.getByLabel('Find', { exact: true }).selectText();
    await page.keyboard.type('no such words');
    await page.getByText('Nothing found', { exact: true }).waitFor();
    // As a mouse pastes: no key is pressed, and the input keeps the focus.
    await page.evaluate(
      `const input = document.querySelector('.cm-search [name="search"]');
       input.value = '"bold": true';
       input.dispatchEvent(new Event('input', { bubbles: true }))`,
    );
    await page.getByText(new RegExp(`^(?:${all} found|\\d+ of ${all})$`)).waitFor();
    await page.getByLabel('regular expression').check();
    await page.getByLabel('Find', { exact: true }).selectText();
    await page.keyboard.type('(');
    await page.getByText('Not a regular expression', { exact: true }).waitFor();
    t.strictSame(await seriousFindings(page), []);
    await picture(page, 'find-none');
  });

  await step('what is found is replaced', async (t) => {
    await page.goto(`${url}/studio/templates/lines/edit`);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('second');
    await page.getByText('1 found', { exact: true }).waitFor();
    await page.getByLabel('Replace with').click();
    await page.keyboard.type('third');
    await page.getByRole('button', { name: 'Replace all' }).click();
    await page.getByText('1 replaced', { exact: true }).waitFor();
    t.equal(await page.locator('.find-count.none').count(), 0, 'it is no fault');
    await untilDraft(page, url, 'third line', 'lines');
    t.match(await contentOf('lines'), [{ text: 'first line' }, { text: 'third line' }]);
    await page.keyboard.press('Escape');
  });

  await step('a line is inserted below and above, and the insertion undone', async (t) => {
    await select(page, 'first line');
    await page.getByRole('button', { name: 'Line below' }).click();
    await page.keyboard.type('กิ๊ฟ below');
    await page.keyboard.press('Control+Shift+Enter');
    await page.keyboard.type('above');
    await untilDraft(page, url, '"above"', 'lines');
    const made = ['first line', 'above', 'กิ๊ฟ below', 'third line'].map((text) => ({ text }));
    t.strictSame(await contentOf('lines'), made);
    await page.getByText('The check found no faults.').waitFor();
    t.equal(await lookAtBoth(page, 'line-inserted'), 0);
    // What was typed, then the line.
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.locator('.cm-content', { hasText: 'above' }).waitFor({ state: 'detached' });
    await select(page, '"templateId"');
    await page.getByRole('button', { name: 'Line above' }).click();
    await page.getByText(/^Put the cursor into a line/).waitFor();
    t.strictSame(await seriousFindings(page), []);
  });

  await step('a row of a table has as many cells as its neighbour', async (t) => {
    await page.goto(`${url}/studio/templates/rows/edit`);
    await select(page, 'first cell');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.type('new');
    await untilDraft(page, url, '"new"', 'rows');
    const [{ table }] = (await contentOf('rows')) as [{ table: { body: unknown } }];
    t.strictSame(table.body, [
      ['first cell', 'B'],
      ['new', ''],
      ['second', 'D'],
    ]);
  });

  await step('a conflict shows what differs', async (t) => {
    const other = await scene.openAs('mali');
    await save(other, { ...TABLE, name: 'ของมะลิ' });
    await page.keyboard.type(' mine');
    await page.getByText('Somebody else changed this draft').waitFor();
    await page.getByText(/^Page of .*: choose one of the two texts first$/).waitFor();
    t.equal(await page.getByText('The check found no faults.').count(), 0);
    await page.getByRole('button', { name: 'Show what differs' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/− "name": "ของมะลิ"/).waitFor();
    await dialog.getByText(/\+ .*"new mine"/).waitFor();
    t.strictSame(await seriousFindings(page), []);
    t.equal(await lookAtBoth(page, 'conflict-differs'), 0);
    await page.keyboard.press('Escape');
    t.equal(await lookAtBoth(page, 'conflict-notice'), 0);
    await page.getByRole('button', { name: 'Take theirs, discard mine' }).click();
    await page.locator('.work-notice').waitFor({ state: 'detached' });
    await other.context().close();
  });

  await step('a guide that was left open does not cover the editor of a phone', async (t) => {
    await page.getByRole('button', { name: 'Guide', exact: true }).click();
    await page.locator('.pane-guide .guide-body').waitFor();
    await page.setViewportSize(PHONE);
    await page.reload();
    await page.locator('.pdf-pages canvas').first().waitFor();
    t.equal(await page.locator('.pane-guide').isVisible(), false);
    await picture(page, 'guide-phone-folded');
    await page.getByRole('button', { name: 'Guide', exact: true }).click();
    await page.locator('.pane-guide .guide-body').waitFor();
    await picture(page, 'guide-phone');
    await page.getByRole('button', { name: 'Close the guide' }).click();
    await page.setViewportSize(WIDE);
  });

  await step('in Thai and in the dark', async (t) => {
    await page.addInitScript(`localStorage.setItem('studio.language', 'th');
      localStorage.setItem('studio.theme', 'dark')`);
    await page.goto(`${url}/studio/templates/receipt/edit`);
    await page.locator('.cm-content').waitFor();
    await page.getByRole('button', { name: 'ค้นหา', exact: true }).click();
    await page.keyboard.type('bold');
    await page.getByText(/^พบ \d+ แห่ง$/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/^1 จาก \d+$/).waitFor();
    t.strictSame(await seriousFindings(page), []);
    t.equal(await lookAtBoth(page, 'text-tools-th-dark'), 0);
  });
  t.strictSame(scene.complaints, []);
});
