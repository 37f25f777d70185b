import type { Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import { eventually, picture, seriousFindings, type Scene } from './browser.ts';

const WIDE = { width: 1_440, height: 844 };
const NARROW = { width: 390, height: 844 };
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
/** Pages that are checked at the same time. */
const TABS = 2;

/** As text: these sources are checked without the types of a browser. */
const SHOWS_ALL = `document.fonts.status === 'loaded' &&
  document.querySelector('main h1, main h2') !== null &&
  document.querySelector('.skeleton, [aria-busy="true"]') === null`;

/**
 * Looks at each page in both languages and themes, wide in the light theme, narrow in the dark one.
 * A page is loaded once, and its own buttons change language and theme. Colours do not depend on
 * the language, nor does the structure depend on colours, so the colours of each theme are checked
 * in one language.
 */
export async function lookAtAll(
  t: Test,
  scene: Scene,
  signedIn: Page,
  paths: readonly string[],
): Promise<void> {
  const { cookies } = await signedIn.context().storageState();
  const waiting = [...paths];
  const look = async (): Promise<void> => {
    const page = await scene.open({ storageState: { cookies, origins: [] }, viewport: WIDE });
    countRequests(page);
    await page.addInitScript(`localStorage.setItem('studio.language', 'en');
      localStorage.setItem('studio.theme', 'light')`);
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      await lookAt(t, page, scene.url, path);
    }
    await page.context().close();
  };
  await Promise.all(Array.from({ length: TABS }, look));
}

async function lookAt(t: Test, page: Page, url: string, path: string): Promise<void> {
  const name = path
    .replace(/^\/(?:studio\/)?/, '')
    .replace(UUID, 'one')
    .replace(/\?.*/, '')
    .replaceAll('/', '-');
  const check = async (variant: string, colours: boolean): Promise<void> => {
    await picture(page, `all-${name}-${variant}`);
    t.strictSame(await seriousFindings(page, { colours }), [], `${name} ${variant}`);
  };
  const language = page.locator('button:has(> span > span[lang])').first();
  const theme = page.locator('button:has(> span > span[lang]) + button').first();
  await page.setViewportSize(WIDE);
  await page.goto(url + path);
  await settled(page);
  // The charts begin with the second reading of the metrics.
  if (path.endsWith('/operations')) {
    await page.locator('polyline[points*=" "]').first().waitFor({ state: 'attached' });
    // No document is generated while the pages are checked.
    await page.getByText('nothing observed yet').waitFor();
  }
  await check('en-light', true);
  t.strictSame(await tooWide(page), [], `${name} in English fits its window`);
  await page.setViewportSize(WIDE);
  await press(language);
  await page.locator('html[lang="th"]').waitFor();
  await settled(page);
  await check('th-light', false);
  t.strictSame(await tooWide(page), [], `${name} in Thai fits its window`);
  await page.setViewportSize(WIDE);
  await press(theme);
  await page.setViewportSize(NARROW);
  await page.locator('html[data-theme="dark"]').waitFor();
  await settled(page);
  await check('th-dark', true);
  t.equal(await page.evaluate(LIST_EXCESS), 0, `the list of ${name} does not scroll sideways`);
  await page.setViewportSize(WIDE);
  await press(language);
  await page.setViewportSize(NARROW);
  await page.locator('html[lang="en"]').waitFor();
  await settled(page);
  await check('en-dark', false);
  t.equal(await page.evaluate(LIST_EXCESS), 0, 'nor in English');
}

/**
 * Clicks without a wait for two frames in the same place: beside other tabs on a busy machine, a
 * browser without a screen may draw no frame of a page until a picture asks for one. Other
 * tests of the Studio click with the mouse.
 */
function press(button: Locator): Promise<void> {
  return button.dispatchEvent('click');
}

/** Resolves when the page has loaded everything and shows it. */
async function settled(page: Page): Promise<void> {
  let calm = 0;
  await eventually(async () => {
    const isCalm = (pending.get(page) ?? 0) === 0 && (await page.evaluate<boolean>(SHOWS_ALL));
    calm = isCalm ? calm + 1 : 0;
    return calm === 3;
  }, 40);
}

/** Requests of each page that have no response yet. */
const pending = new WeakMap<Page, number>();

function countRequests(page: Page): void {
  const add = (change: number) => () => pending.set(page, (pending.get(page) ?? 0) + change);
  page.on('request', add(1));
  page.on('requestfinished', add(-1));
  page.on('requestfailed', add(-1));
}

/**
 * As text: how far the page, or what scrolls inside it, is too wide. In the Studio the page itself
 * does not scroll down either, or there would be two scroll bars.
 */
const OVERFLOW = `(() => {
  const { documentElement } = document;
  const main = document.querySelector('main');
  const isStudio = document.querySelector('.shell') !== null;
  return Math.max(
    documentElement.scrollWidth - innerWidth,
    main.scrollWidth - main.clientWidth,
    isStudio ? documentElement.scrollHeight - innerHeight : 0,
  );
})()`;

/** As text: how far a list, whose rows lead to pages or actions, is too wide for a phone. */
const LIST_EXCESS = `Math.max(0, ...[...document.querySelectorAll('.table-wrap')]
  .filter((one) => one.querySelector('td a.name, td.actions button') !== null)
  .map((one) => one.scrollWidth - one.clientWidth))`;

/** From this width on, a list has all its columns in sight, not below the buttons of its rows. */
const DESK_WIDTH = 1_024;

/** An expression for the browser: by how much a list is too wide for a desktop window. */
const DESK_EXCESS = `Math.max(0, ...[...document.querySelectorAll('.table-wrap:has(> .cards)')]
  .map((one) => one.scrollWidth - one.clientWidth))`;

/** The widths at which the page, or on a desktop one of its lists, is wider than the window. */
async function tooWide(page: Page): Promise<number[]> {
  const found: number[] = [];
  for (const width of [390, 768, DESK_WIDTH, 1_280, 1_440, 1_920]) {
    await page.setViewportSize({ width, height: 844 });
    const isWide = (await page.evaluate<number>(OVERFLOW)) > 0;
    const isCut = width >= DESK_WIDTH && (await page.evaluate<number>(DESK_EXCESS)) > 0;
    if (isWide || isCut) found.push(width);
  }
  return found;
}
