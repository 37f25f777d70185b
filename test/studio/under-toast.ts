import type { Locator, Page } from 'playwright-core';
import { eventually } from './browser.ts';

/** As text: these sources are checked without the types of a browser. What lies under messages. */
const UNDER = `(() => {
  const toasts = document.querySelector('.toasts').getBoundingClientRect();
  const pressed = document.querySelectorAll('main :is(a[href], button, input, select, summary)');
  return [...pressed].filter((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const isBeside = left >= toasts.right || right <= toasts.left;
    return !isBeside && top < toasts.bottom && bottom > toasts.top && one.checkVisibility();
  }).length;
})()`;

/**
 * Scrolls the page until `button` lies where messages stand, and resolves when they cover nothing that
 * can be pressed. Gives how far they moved; null: the button cannot come to lie under them.
 */
export async function scrollUnderToast(page: Page, button: Locator): Promise<number | null> {
  const toasts = page.locator('.toasts:has(.toast)');
  await toasts.waitFor();
  const before = await toasts.boundingBox();
  const box = await button.boundingBox();
  if (before === null || box === null || box.x + box.width <= before.x) return null;
  const byY = box.y + box.height / 2 - (before.y + before.height / 2);
  await page.evaluate(`document.querySelector('main').scrollBy(0, ${byY})`);
  const there = await button.boundingBox();
  if (there === null || there.y > before.y + before.height || there.y + there.height < before.y) {
    return null;
  }
  await eventually(async () => (await page.evaluate<number>(UNDER)) === 0);
  const after = await toasts.boundingBox();
  return after === null ? null : Math.abs(after.y - before.y) + Math.abs(after.x - before.x);
}
