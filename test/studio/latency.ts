/**
 * Times the Studio in headless Chromium: `node test/studio/latency.ts [tries, default 40]`. Prints
 * milliseconds as least / median / p95 / greatest; a busy machine multiplies them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { percentile } from '../../lab/stats.ts';
import { HOME } from '../../lab/home.ts';
import { callAs, startScene } from './browser.ts';

const TRIES = Number(process.argv[2] ?? 40);
/** The size of a template in which keys must appear at once. */
const LARGE_CHARACTERS = 200_000;
/**
 * Fast and steady typing, and pauses after which the draft is saved: the next key comes while it is
 * rendered, and while it is drawn.
 */
const KEY_PAUSES_MS = [50, 150, 400, 600];

// As text: these sources are checked without the types of a browser.
const NOW = 'performance.now()';
/** Keeps the time from each key to the frame that is painted after it. */
const WATCH_KEYS = `(() => {
  const isWatching = 'keyTimes' in window;
  window.keyTimes = [];
  if (!isWatching) addEventListener('keydown', ({ timeStamp }) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.keyTimes.push(performance.now() - timeStamp);
      port2.postMessage(null);
    });
  }, true);
})()`;

function sayTimes(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const figures = [0, 0.5, 0.95, 1].map((share) => percentile(sorted, share).toFixed(1));
  t.comment(`${what}: ${figures.join(' / ')} ms (${times.length})`);
}

/** The times of all previews since the page was opened, each to the drawn page. */
function previewTimes(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    performance.getEntriesByName('studio.preview').map(({ duration }) => duration),
  );
}

async function selectText(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+f');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
}

/** The receipt with further lines of text up to LARGE_CHARACTERS, under another name. */
function largeTemplate(templateId: string): Record<string, unknown> {
  const source = readFileSync(join(HOME, 'templates/receipt.json'), 'utf8');
  // A template of the product, which its own tests check.
  const { document, ...rest } = JSON.parse(source) as { document: { content: unknown[] } };
  const content = [...document.content];
  let characters = JSON.stringify(JSON.parse(source)).length;
  while (characters < LARGE_CHARACTERS) {
    const line = { text: `บรรทัดที่ ${content.length}: line ${content.length} of a long template` };
    characters += JSON.stringify(line).length + 1;
    content.push(line);
  }
  return { ...rest, templateId, document: { ...document, content } };
}

t.setTimeout(1_500_000);

await t.test('latencies of the Studio', async (all) => {
  const scene = await startScene(all, { editor: 'Editor' });

  await all.test('list of templates, from the start of its loading to its first row', async () => {
    const page = await scene.openAs('editor');
    const times: number[] = [];
    for (let tries = 0; tries < Math.min(TRIES, 10); tries += 1) {
      await page.goto(`${scene.url}/studio/templates`, { waitUntil: 'commit' });
      await page.locator('td').first().waitFor();
      times.push(await page.evaluate<number>(NOW));
    }
    sayTimes('list of templates', times);
  });

  await all.test('preview of the receipt, from the last key to the drawn page', async (part) => {
    const page = await scene.openAs('editor');
    await page.goto(`${scene.url}/studio/templates/receipt/edit`);
    await page.locator('.pdf-pages canvas').first().waitFor();
    await selectText(page, '"fontSize": 21');
    await page.keyboard.press('ArrowRight');
    const times: number[] = [];
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = (await previewTimes(page)).length;
      await page.keyboard.press('Backspace');
      await page.keyboard.type(String(2 + (tries % 5)));
      await page.waitForFunction(
        (count) => performance.getEntriesByName('studio.preview').length > count,
        before,
      );
      // A second drawing, of the state between the two keys, may be under way.
      await page.waitForTimeout(600);
      times.push((await previewTimes(page)).at(-1) ?? Number.NaN);
    }
    sayTimes('preview', times);
    part.equal(times.length, TRIES);
  });

  await all.test('a key in a large template, to the painted frame', async (part) => {
    const page = await scene.openAs('editor');
    const template = largeTemplate('large');
    const address = `${scene.url}/v1/templates/large/draft`;
    const { status, body } = await callAs(page.context(), 'PUT', address, template);
    part.equal(status, 200, JSON.stringify(body).slice(0, 300));
    await page.goto(`${scene.url}/studio/templates/large/edit`);
    await page.locator('.pdf-pages canvas').first().waitFor();
    part.comment(`a template of ${JSON.stringify(template).length} characters`);
    for (const [index, everyMs] of KEY_PAUSES_MS.entries()) {
      // Each rate types in another line: in one that is wider than the view, each key would scroll.
      await selectText(page, `line ${60 + index} of`);
      await page.keyboard.press('ArrowRight');
      // Meanwhile the last preview is drawn, and the keys of the search do not count any more.
      await page.waitForTimeout(2_000);
      await page.evaluate(WATCH_KEYS);
      for (let tries = 0; tries < TRIES; tries += 1) {
        await page.keyboard.type('x');
        await page.waitForTimeout(everyMs);
      }
      const times = await page.evaluate<number[]>('window.keyTimes');
      sayTimes(`key, ${everyMs} ms after the last`, times);
      part.equal(times.length, TRIES);
    }
  });
  all.strictSame(scene.complaints, []);
});
