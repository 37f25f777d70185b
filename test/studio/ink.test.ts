import { execFileSync } from 'node:child_process';
import { chromium } from 'playwright-core';
import t from 'tap';
import { missing } from './browser.ts';
import { cutText, References } from './ink.ts';

t.setTimeout(300_000);

const MARK = 'ปู่';

/** A word, and a bar whose upper edge lies so many pixels below the middle of the word. */
function pageWith(edge: number): string {
  return `<main><p style="position:absolute;margin:0;top:100px;font-size:40px;line-height:80px">${MARK}</p>
    <div style="position:fixed;left:0;right:0;top:${140 + edge}px;height:60px;background:#fff">Publish</div>
    </main>`;
}

t.test('a word under a bar that stays in view is not cut', { skip: missing() }, async (t) => {
  const root = process.getuid?.() === 0;
  const browser = await chromium.launch({
    executablePath: execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim(),
    args: root ? ['--no-sandbox'] : [],
  });
  t.teardown(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 600, height: 400 } });
  const drawing = await browser.newPage({ viewport: { width: 1_200, height: 2_400 } });
  await drawing.setContent('<p>.</p>');
  const references = new References(drawing);
  for (const edge of [1, 5, 10, 15, 20, 60]) {
    await page.setContent(pageWith(edge));
    t.strictSame(await cutText(page, references), [], `${edge} px below the middle`);
  }
  await page.setContent(
    `<main><p style="margin:0;height:29px;overflow:hidden;font-size:40px;line-height:48px">${MARK}</p></main>`,
  );
  t.match(await cutText(page, references), [/rows of ปู่ are cut/], 'a box that clips it does');
});
