import type { Page } from 'playwright-core';
import t from 'tap';
import { callAs, eventually, missing, picture, startScene, type Scene } from './browser.ts';
import { cutText, References } from './ink.ts';

t.setTimeout(1_200_000);

/** Marks above and below consonants, stacked, and consonants that reach below the line. */
const NAME = 'ใบแจ้งหนี้ ญี่ปุ่น กิ๊ฟ ฎีกาที่ดิน ปู่ กุ้ง ที่ผู้ฟื้นฟู';
const SHORT = 'ใบแจ้งหนี้ ญี่ปุ่น';
const TEMPLATE = {
  templateId: 'marks',
  name: NAME,
  language: 'th',
  fields: [
    { name: 'text', type: 'text', label: NAME, help: NAME, group: SHORT, example: SHORT },
    { name: 'long', type: 'text', label: SHORT, validation: { maxLength: 2_000 } },
    {
      name: 'choice',
      type: 'text',
      choices: [{ value: 'a', label: SHORT }, 'ฎีกาที่ดิน'],
      required: false,
    },
    { name: 'items', type: 'table', columns: [SHORT, NAME] },
  ],
  document: { content: [{ text: `${NAME} {{text}}` }] },
  samples: [
    { name: SHORT, data: { text: NAME, long: NAME, choice: 'a', items: [[SHORT, 'กิ๊ฟ']] } },
    { name: 'ฎีกาที่ดิน', data: { text: 'x', long: 'y', choice: 'a', items: [['a', 'b']] } },
  ],
};
/** As text: these sources are checked without the types of a browser. */
const SHOWS_ALL = `document.fonts.status === 'loaded' &&
  document.querySelector('.skeleton, [aria-busy="true"]') === null`;
/** The policy of the page forbids what Playwright's own wait for an expression does. */
const settled = (page: Page): Promise<void> => eventually(() => page.evaluate<boolean>(SHOWS_ALL));

const WINDOW = { width: 1_280, height: 1_000 };

/** A page, and what is done there before its text is measured. */
interface View {
  readonly path: string;
  readonly open?: (page: Page) => Promise<void>;
}

const TEXT_INPUT = 'dialog input:not([type="number"], [type="checkbox"], [type="radio"])';

/** Clicks the button with this icon: its words depend on the language. */
function clicking(selector: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.locator(selector).first().click();
    await page.locator('dialog').waitFor();
    await page.locator(TEXT_INPUT).last().fill(NAME);
  };
}

function views(runId: string): readonly View[] {
  return [
    {
      path: '/templates',
      open: async (page) => {
        await page.getByRole('searchbox').fill(SHORT);
        await page.locator('.found').waitFor();
      },
    },
    { path: '/templates/marks' },
    { path: '/templates/marks', open: clicking('.page .row > .button:nth-child(1)') },
    {
      path: '/templates/marks/edit',
      open: async (page) => {
        await page.locator('.cm-line').first().waitFor();
        await page.locator('.preview-pane .tabs .button').nth(1).click();
        await page.locator('.pane-form .input').first().waitFor();
      },
    },
    {
      path: '/templates/marks/publish',
      open: (page) => page.locator('textarea').first().fill(NAME),
    },
    { path: `/runs/${runId}` },
    { path: '/runs?template=marks', open: (page) => page.locator('.found').waitFor() },
    { path: '/keys', open: clicking('.page-head .button.main') },
    { path: '/users', open: (page) => page.getByText(NAME).waitFor() },
  ];
}

async function prepare(page: Page, url: string): Promise<string> {
  const call = async (
    method: string,
    path: string,
    body: unknown,
  ): Promise<Record<string, unknown>> => {
    const reply = await callAs(page.context(), method, url + path, body);
    if (reply.status >= 300) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  };
  const draft = await call('PUT', '/v1/templates/marks/draft', TEMPLATE);
  await call('POST', '/v1/templates/marks/publish', { hash: draft['hash'] });
  await call('PUT', '/v1/templates/marks/draft', {
    ...TEMPLATE,
    document: { content: [{ text: `${NAME} ${NAME} {{text}}` }] },
  });
  await call('POST', '/v1/users', { userId: 'mali', displayName: NAME, role: 'Viewer' });
  await call('POST', '/v1/keys', { name: NAME, scopes: ['generate'] });
  const run = { templateId: 'marks', version: 1, name: NAME, idField: 'text', onInvalid: 'stop' };
  return String((await call('POST', '/v1/runs', run))['runId']);
}

/**
 * Sizes of text that a reader may have chosen in the browser, the usual one and 200 %, and colours.
 * Colours move no text, so each size is measured in one of them, in the other language in the other.
 */
const LOOKS = {
  th: [
    ['', 'light'],
    ['200%', 'dark'],
  ],
  en: [
    ['', 'dark'],
    ['200%', 'light'],
  ],
} as const;

async function measure(
  page: Page,
  references: References,
  language: keyof typeof LOOKS,
): Promise<string[]> {
  const found: string[] = [];
  for (const [size, theme] of LOOKS[language]) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}';
      document.documentElement.style.fontSize = '${size}'`);
    for (const line of await cutText(page, references)) found.push(`${size} ${theme} ${line}`);
  }
  return found;
}

async function openIn(
  scene: Scene,
  cookies: Awaited<ReturnType<Page['context']>>,
  language: string,
) {
  const state = await cookies.storageState();
  const page = await scene.open({
    storageState: { cookies: state.cookies, origins: [] },
    viewport: WINDOW,
  });
  await page.addInitScript(`localStorage.setItem('studio.language', '${language}')`);
  return page;
}

t.test('no Thai mark is cut, wherever a name is shown or typed', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { somchai: 'Admin' });
  const signedIn = await scene.openAs('somchai');
  const runId = await prepare(signedIn, scene.url);
  for (const language of ['th', 'en'] as const) {
    const page = await openIn(scene, signedIn.context(), language);
    const drawing = await scene.openTab(page);
    await drawing.setViewportSize({ width: 1_200, height: 2_400 });
    await drawing.goto(`${scene.url}/studio/templates`);
    await drawing.locator('h1').waitFor();
    const references = new References(drawing);
    for (const [index, { path, open }] of views(runId).entries()) {
      await t.test(`${language} ${path} ${index}`, async (t) => {
        await page.goto(`${scene.url}/studio${path}`);
        await page.locator('main h1').first().waitFor();
        await settled(page);
        await open?.(page);
        await settled(page);
        await picture(page, `marks-${language}-${index}`);
        t.strictSame(await measure(page, references, language), []);
      });
    }
    await page.context().close();
  }
  t.strictSame(scene.complaints, []);
});
