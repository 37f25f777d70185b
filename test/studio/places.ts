import type { Test } from 'tap';
import { callAs, eventually, select, type Scene } from './browser.ts';

const PAGES = 12;
const LONG = {
  templateId: 'long',
  fields: [],
  document: {
    content: Array.from({ length: PAGES }, (_, index) => ({
      text: `Sheet ${index + 1} here`,
      ...(index === 0 ? {} : { pageBreak: 'before' }),
    })),
  },
  samples: [{ name: 'none', data: {} }],
};

/** As text: these sources are checked without the types of a browser. Pages in view, from 1. */
const IN_VIEW = `(() => {
  const pages = document.querySelector('.pdf-pages');
  const top = pages.scrollTop;
  const bottom = top + pages.clientHeight;
  return [...pages.children].flatMap((page, index) => {
    const isInView = page.offsetTop < bottom && page.offsetTop + page.offsetHeight > top;
    return isInView && page.querySelector('canvas') !== null ? [index + 1] : [];
  });
})()`;

/** The preview stays at the visible page when the zoom, the width or the text changes. */
export async function keepPlace(t: Test, scene: Scene): Promise<void> {
  const page = await scene.openAs('an-Editor');
  const address = `${scene.url}/v1/templates/long/draft`;
  t.equal((await callAs(page.context(), 'PUT', address, LONG)).status, 200);
  await page.goto(`${scene.url}/studio/templates/long/edit`);
  await page.locator('.pdf-pages canvas').first().waitFor();
  const next = page.getByRole('button', { name: 'Next page' });
  const shown = page.locator('.page-number');
  await page.locator('.pdf-bar').getByText(`of ${PAGES}`).waitFor();
  for (let number = 2; number <= 8; number += 1) {
    await next.click();
    await eventually(async () => (await shown.inputValue()) === String(number));
  }
  const seesEight = (): Promise<void> =>
    eventually(async () => (await page.evaluate<number[]>(IN_VIEW))[0] === 8);
  await seesEight();
  for (const zoom of ['2', '0.5', '0']) {
    await page.getByLabel('Zoom').selectOption(zoom);
    await seesEight();
  }
  await page.setViewportSize({ width: 1_100, height: 700 });
  await seesEight();
  await page.getByRole('button', { name: /^Data/ }).click();
  await select(page, 'Sheet 8 here');
  await page.keyboard.type('Sheet eight');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await seesEight();
  await page.getByRole('link', { name: 'Compare and publish' }).click();
  await page.locator('.sheet canvas').first().waitFor();
  // Below a page that is taller than the window, and still in view.
  const publisher = page.getByText('An Admin of your team publishes');
  await eventually(async () => {
    const { y = 0 } = (await publisher.boundingBox()) ?? {};
    return y > 0 && y < 700;
  });
  await page.context().close();
}
