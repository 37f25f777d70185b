import type { Page } from 'playwright-core';
import t from 'tap';
import type { Scene } from './browser.ts';
import {
  eventually,
  missing,
  picture,
  select,
  seriousFindings,
  startScene,
  stepsOf,
  untilDraft,
} from './browser.ts';

t.setTimeout(1_500_000);

/**
 * Takes an option by the keyboard. The editor ignores keys for 75 ms after its list has appeared, so
 * that nobody takes an option unseen.
 */
async function take(page: Page, label: string | RegExp): Promise<void> {
  const option = page.getByRole('option', { name: label }).first();
  await option.waitFor();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
  for (let count = 0; count < 40; count += 1) {
    if ((await option.getAttribute('aria-selected')) === 'true') break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
}

/** Puts the cursor behind a text of the editor. */
async function behind(page: Page, text: string): Promise<void> {
  await select(page, text);
  await page.keyboard.press('ArrowRight');
}

async function openEditor({ url }: Scene, page: Page, address: string): Promise<void> {
  await page.goto(`${url}/studio/templates/${address}`);
  await page.locator('.cm-content').waitFor();
  await page.locator('.pdf-pages canvas').first().waitFor();
}

const noFaults = 'The check found no faults.';

t.test('an author', { skip: missing() }, async (all) => {
  const scene = await startScene(all, { nok: 'Editor' });
  const step = stepsOf(all, scene);
  const page = await scene.openAs('nok');
  const guides: string[] = [];
  page.on('request', (request) => {
    if (/\/guide-[^/]*\.js/.test(request.url())) guides.push(request.url());
  });

  await step('makes a receipt from an empty template by completion', async (t) => {
    await openEditor(scene, page, 'mini/edit?name=Receipt');
    await behind(page, '"fields": [');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Space');
    await picture(page, 'author-fields');
    await take(page, /"type": "table"/);
    await page.keyboard.type('items');
    await behind(page, '"data": {');
    await page.keyboard.type(' "');
    await take(page, 'items');
    await page.keyboard.type('["Coffee", "45.00"], ["Cake", "80.50"');
    await untilDraft(page, scene.url, '"Cake"', 'mini');
    await select(page, 'Dear {{customer}}');
    await page.keyboard.press('End');
    await page.keyboard.type(',');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Space');
    await take(page, /Table of items/);
    await untilDraft(page, scene.url, '"each":"items"', 'mini');
    await behind(page, '"layout": "lightHorizontalLines"');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.type(',');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Space');
    await take(page, /"text"/);
    await page.keyboard.type('Total {{sum');
    await take(page, /sum items\.1/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type(', "form');
    await take(page, /^format/);
    await page.keyboard.type('"deci');
    await take(page, /^decimals/);
    await page.keyboard.type('2');
    await untilDraft(page, scene.url, '"decimals":2', 'mini');
    await page.getByText(noFaults).waitFor();
    await page.getByText('Saved', { exact: true }).waitFor();
    await picture(page, 'author-receipt');
    t.strictSame(await seriousFindings(page), []);
    t.strictSame(guides, [], 'the guide is not loaded before it is opened');
  });

  const found = page.locator('.guide .found');
  await step('reads the guide at the key under the cursor', async (t) => {
    await select(page, '"decimals"');
    await page.keyboard.press('F1');
    await found.filter({ hasText: /^decimals/ }).waitFor();
    t.equal(guides.length, 1);
    t.equal(await page.evaluate('document.activeElement.id'), 'guide-format--decimals');
    await picture(page, 'author-guide');
    await page.keyboard.press('Escape');
    t.match(await page.evaluate('document.activeElement.className'), /cm-content/);
    const size = page.viewportSize() ?? { width: 1280, height: 900 };
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press('F1');
    const inGuide = "document.activeElement.id === 'guide-format--decimals'";
    await eventually(async () => (await page.evaluate(inGuide)) === true);
    await page.keyboard.press('Escape');
    await page.locator('.guide').waitFor({ state: 'hidden' });
    t.match(await page.evaluate('document.activeElement.className'), /cm-content/);
    await page.setViewportSize(size);
    const more = page.getByRole('button', { name: 'More in the guide' });
    // The text may still move after the change of size, and a mouse that rests hovers over nothing.
    await eventually(async () => {
      await page.mouse.move(0, 0);
      await page.getByText('"pageSize"').hover();
      return more.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
    });
    await more.click();
    await found.filter({ hasText: /^pageSize/ }).waitFor();
    t.equal(await page.evaluate('document.activeElement.id'), 'guide-document--pageSize');
    // Only its text is in English, and it says so.
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('เนื้อหาของคู่มือเป็นภาษาอังกฤษ').waitFor();
    await page.getByLabel('ค้นหาในคู่มือ').fill('ตาราง');
    await page.getByText('ไม่พบคำเหล่านี้ในคู่มือ').waitFor();
    await picture(page, 'author-guide-thai');
    t.strictSame(await seriousFindings(page), []);
    await page.getByLabel('ค้นหาในคู่มือ').fill('');
    await page.getByRole('button', { name: 'English' }).click();
    const search = page.getByLabel('Search the guide');
    await search.fill('keepWithNext');
    await page.locator('.guide-results button').first().click();
    await found.filter({ hasText: /^keepWithNext/ }).waitFor();
    await page.getByRole('button', { name: 'Writing templates' }).click();
    await page.locator('.guide').getByRole('link', { name: 'Margins' }).click();
    await found.filter({ hasText: /^Margins$/ }).waitFor();
    const drawn = `document.querySelector('.guide img[alt="margins"]')?.naturalWidth > 0`;
    // waitForFunction would poll a text by eval, which the page forbids.
    await eventually(async () => (await page.evaluate(drawn)) === true);
    await page.locator('.guide').getByRole('link', { name: 'contract.md' }).first().click();
    await page.locator('.guide').getByRole('heading', { level: 2 }).waitFor();
    t.strictSame(await seriousFindings(page), []);
  });

  await step('divides the window, and finds it so again', async (t) => {
    const bar = page.getByRole('separator', { name: 'Width of Text and Page' });
    const shareOf = async (): Promise<number> => Number(await bar.getAttribute('aria-valuenow'));
    const before = await shareOf();
    const box = await bar.boundingBox();
    if (box === null) throw new Error('the bar is not shown');
    await page.mouse.move(box.x, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 80, box.y + 200, { steps: 4 });
    await page.mouse.up();
    await eventually(async () => (await shareOf()) > before);
    const dragged = await shareOf();
    await bar.focus();
    await page.keyboard.press('ArrowLeft');
    await eventually(async () => (await shareOf()) === dragged - 4);
    const panes = page.getByRole('group', { name: 'Panes' });
    await panes.getByRole('button', { name: 'Page' }).click();
    await page.locator('.pane-page').waitFor({ state: 'hidden' });
    await page.reload();
    await page.locator('.guide h2').waitFor();
    t.notOk(await page.locator('.pane-page').isVisible());
    await panes.getByRole('button', { name: 'Page' }).click();
    await page.locator('.pdf-pages canvas').first().waitFor();
    t.equal(await shareOf(), dragged - 4);
    const wrap = 'getComputedStyle(document.querySelector(".cm-content")).whiteSpace';
    t.match(await page.evaluate(wrap), /break-spaces|pre-wrap/, 'lines wrap');
  });

  await step('does so in Thai, in the dark and on a phone', async (t) => {
    await page.evaluate("localStorage.setItem('studio.theme', 'dark')");
    await page.evaluate("localStorage.setItem('studio.language', 'th')");
    await page.reload();
    await page.locator('.guide h2').waitFor();
    await select(page, '{{customer}}');
    await page.keyboard.type('{{');
    await page.getByRole('option', { name: /issued.*วันที่/ }).waitFor();
    await picture(page, 'author-thai');
    t.strictSame(await seriousFindings(page), []);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    await picture(page, 'author-phone');
    t.strictSame(await seriousFindings(page), []);
    const guide = await page.locator('.guide').boundingBox();
    t.match(guide, { width: 390, height: 844 }, 'the guide has the whole of it');
    await page.getByRole('button', { name: 'ปิดคู่มือ' }).click();
    await page.locator('.guide').waitFor({ state: 'hidden' });
    await picture(page, 'author-phone-text');
  });
  all.strictSame(scene.complaints, []);
});
