import type { Page } from 'playwright-core';
import t from 'tap';
import { callAs, eventually, missing, startScene, stepsOf } from './browser.ts';
import { cutByBoxes } from './text-boxes.ts';

t.setTimeout(900_000);

/** Marks above and below consonants, stacked, and consonants that reach below the line. */
const NAME = 'ใบแจ้งหนี้ ญี่ปุ่น กิ๊ฟ ฎีกาที่ดิน ปู่ กุ้ง ที่ผู้ฟื้นฟู';
const TEMPLATE = {
  templateId: 'boxes',
  name: NAME,
  language: 'th',
  fields: [{ name: 'text', type: 'text', label: NAME, help: NAME, group: NAME }],
  document: { content: [{ text: `${NAME} {{text}}` }] },
  samples: [{ name: NAME, data: { text: NAME } }],
};
/** As text: these sources are checked without the types of a browser. */
const SHOWS_ALL = `document.fonts.status === 'loaded' &&
  document.querySelector('main h1, main h2') !== null &&
  document.querySelector('.skeleton, [aria-busy="true"]') === null`;
const settled = (page: Page): Promise<void> => eventually(() => page.evaluate<boolean>(SHOWS_ALL));

/** A title in a box that is too low for its marks, to see that the search finds it. */
const LOW_TITLE = `document.querySelector('main h1').style.cssText =
  'overflow: hidden; height: 0.8em; line-height: 2'`;

/** Makes what the pages list, all of it with the marks; gives the addresses of the pages. */
async function prepare(page: Page, url: string): Promise<readonly string[]> {
  const call = async (method: string, path: string, body: unknown) => {
    const reply = await callAs(page.context(), method, url + path, body);
    if (reply.status >= 300) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  };
  await call('PUT', '/v1/templates/boxes/draft', TEMPLATE);
  await call('POST', '/v1/templates/boxes/publish', {});
  const data = { text: 'กิ๊ฟ' };
  await call('POST', '/v1/generate', { templateId: 'boxes', mode: 'async', data });
  const changed = { ...TEMPLATE, document: { content: [NAME, '{{text}}'] } };
  await call('PUT', '/v1/templates/boxes/draft', changed);
  const draft = await page.context().request.get(`${url}/v1/templates/boxes/draft`);
  const hash = (draft.headers()['etag'] ?? '').replaceAll('"', '');
  await call('POST', '/v1/templates/boxes/approval', { draft: hash, note: NAME });
  await call('POST', '/v1/users', { userId: 'mali', displayName: NAME, role: 'Viewer' });
  await call('POST', '/v1/keys', { name: NAME, scopes: ['generate'] });
  const run = { templateId: 'boxes', version: 1, name: NAME, idField: 'text', onInvalid: 'stop' };
  const { runId } = await call('POST', '/v1/runs', run);
  return `templates templates/boxes templates/boxes/edit templates/boxes/publish approvals
    generate?template=boxes runs runs/${String(runId)} runs/new?template=boxes documents verify
    audit keys users operations nowhere`.split(/\s+/);
}

t.test('no box cuts a mark of Thai on any page', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { somchai: 'Admin' });
  const page = await scene.openAs('somchai');
  const paths = await prepare(page, scene.url);
  const step = stepsOf(t, scene);
  const show = (theme: string, size: string): Promise<unknown> =>
    page.evaluate(`document.documentElement.dataset.theme = '${theme}';
      document.documentElement.style.fontSize = '${size}'`);
  for (const language of ['ไทย', 'English']) {
    await step(language, async (t) => {
      await page.goto(`${scene.url}/studio/verify`);
      await page.locator('main h1').waitFor();
      const button = page.getByRole('button', { name: language, exact: true });
      if ((await button.count()) > 0) await button.first().click();
      for (const path of paths) {
        await page.goto(`${scene.url}/studio/${path}`);
        await settled(page);
        for (const theme of ['light', 'dark']) {
          for (const size of ['', '200%']) {
            await show(theme, size);
            const { count, found } = await cutByBoxes(page);
            t.strictSame(found, [], `${path} ${theme} ${size}`);
            if (language === 'ไทย') t.ok(count > 5, `${path} has text with marks: ${count}`);
          }
        }
      }
      await page.goto(`${scene.url}/studio/templates/boxes`);
      await settled(page);
      await page.evaluate(LOW_TITLE);
      const { found } = await cutByBoxes(page);
      t.match(found, [/^div > h1: .* px cut by div > h1 of ใบแจ้งหนี้/], 'a cut title is found');
    });
  }
  t.strictSame(scene.complaints, []);
});
