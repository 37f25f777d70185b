import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import t from 'tap';
import { missing, picture, startScene, stepsOf } from './browser.ts';

t.setTimeout(1_500_000);

/** Names with the highest and the lowest marks of Thai. */
const NAMES = 'ใบแจ้งหนี้ กิ๊ฟ กี้ ฎีกาที่ดิน ญี่ปุ่น ปู่ ฏู';
/** Darkness of one row of pixels, in steps of 255, above which it has ink. */
const INK_MIN = 60;
/** How many rows of pixels of an element have ink that is not its ground. */
async function inkRows(page: Page, element: Locator): Promise<number> {
  const png = await element.screenshot({ animations: 'disabled', caret: 'hide' });
  const { data, info } = await sharp(png).greyscale().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number): number => data[(y * info.width + x) * info.channels] ?? 0;
  // Borders, round corners and icons stand aside of the first words.
  const [left, right] = [Math.floor(info.width * 0.06), Math.floor(info.width * 0.7)];
  const edge = 3 * (await page.evaluate<number>('devicePixelRatio'));
  let rows = 0;
  for (let y = edge; y < info.height - edge; y += 1) {
    const ground = at(left, y);
    let ink = 0;
    for (let x = left; x < right; x += 1) ink += Math.abs(ground - at(x, y));
    if (ink > INK_MIN) rows += 1;
  }
  return rows;
}

/**
 * Gives the input with the focus room for any mark, or takes it back. As text: these sources are
 * checked without the types of a browser. The policy of the page forbids style sheets of others.
 */
const ROOM = `{
  marked = document.activeElement;
  for (const [name, value] of [['line-height', '3'], ['height', 'auto'], ['padding-block', '1em']])
    marked.style.setProperty(name, value, 'important');
}`;
const NO_ROOM = `marked.removeAttribute('style')`;

/** Names of the inputs that show fewer rows of ink than they have with more room. */
async function cutOf(page: Page, inputs: Readonly<Record<string, Locator>>): Promise<string[]> {
  const cut: string[] = [];
  for (const [name, input] of Object.entries(inputs)) {
    await input.fill(NAMES);
    const shown = await inkRows(page, input);
    await page.evaluate(ROOM);
    const whole = await inkRows(page, input);
    await page.evaluate(NO_ROOM);
    if (shown < whole || whole === 0) cut.push(`${name}: ${shown} of ${whole} rows`);
  }
  return cut;
}

t.test('inputs show the marks of Thai whole', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { mali: 'Editor' });
  const { url } = scene;
  const cookies = await (await scene.openAs('mali')).context().cookies();
  const step = stepsOf(t, scene);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const deviceScaleFactor of [1, 2]) {
      for (const size of [15, 30]) {
        await step(`${colorScheme}, ${size} px, ${deviceScaleFactor} device pixels`, async (t) => {
          const page = await scene.open({ colorScheme, deviceScaleFactor });
          await page.context().addCookies(cookies);
          const enlarge = `document.documentElement.style.fontSize = '${size}px'`;
          await page.goto(`${url}/studio/templates/receipt`);
          await page.getByRole('button', { name: 'Duplicate' }).click();
          await page.evaluate(enlarge);
          const dialog = page.getByRole('dialog');
          const inDialog = {
            identifier: dialog.getByLabel('Identifier', { exact: true }),
            name: dialog.getByLabel('Name', { exact: true }),
          };
          t.strictSame(await cutOf(page, inDialog), []);
          await page.goto(`${url}/studio/generate?template=receipt`);
          await page.getByLabel('Receipt number').waitFor();
          await page.evaluate(enlarge);
          const inForm = {
            line: page.getByLabel('Receipt number'),
            lines: page.getByLabel('Address', { exact: true }),
            cell: page.locator('.grid input').first(),
          };
          t.strictSame(await cutOf(page, inForm), []);
          if (size === 30) await picture(page, `marks-${colorScheme}-${deviceScaleFactor}`);
          await page.context().close();
        });
      }
    }
  }
});
