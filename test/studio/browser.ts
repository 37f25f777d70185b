import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import type { Test } from 'tap';
import { environment, start } from '../../lab/service/command-line.ts';
import { sessionCookieName } from '../../src/gateway/callers/session-cookie.ts';
import { HOME } from '../../lab/home.ts';
import { evidenceOf, keepDiary } from './evidence.ts';
import { slowed, throttle } from './slow.ts';

/** Where pictures of the pages are kept after a run. */
const PICTURES = join(HOME, '.tap/studio');
/** A step that takes longer hangs; beside twenty busy programs a run of six rows takes a minute. */
const STEP_MS_MAX = 180_000;
/** Longer than any of these tests. */
const SESSION_MS = 12 * 3_600_000;

/** A running demo, and a browser that opens its pages. */
export interface Scene {
  readonly url: string;
  /** The one-time link of the demo's administrator. */
  readonly link: string;
  readonly browser: Browser;
  /** Errors that pages wrote to the console or threw. */
  readonly complaints: readonly string[];
  /** A page in a new browser context: nobody is signed in. */
  readonly open: (options?: ContextOptions, faults?: 'reported' | 'expected') => Promise<Page>;
  /** Another page of the same browser context. */
  readonly openTab: (page: Page) => Promise<Page>;
  /** A page with one of the people signed in. */
  readonly openAs: (userId: string) => Promise<Page>;
}

type ContextOptions = Parameters<Browser['newContext']>[0];

/** Users that a scene adds to the demo, by identifier. */
type People = Readonly<
  Record<string, Role | { readonly role: Role; readonly displayName: string }>
>;
type Role = 'Editor' | 'Admin' | 'Viewer';

/** Why the test cannot run; '' when it can. */
export function missing(): string {
  const found = spawnSync('chromium', ['--version']);
  return found.status === 0 ? '' : 'chromium is not installed';
}

/** Starts `./intaglio demo` with a built Studio and further people, and a browser. */
/** `settings`: variables of the service beside those of every scene. */
export async function startScene(
  t: Test,
  people: People,
  settings: Readonly<Record<string, string>> = {},
): Promise<Scene> {
  mkdirSync(PICTURES, { recursive: true });
  const folder = join(t.testdir(), 'demo');
  const env = environment(folder, { INTAGLIO_POOL_THREADS: '2', ...settings });
  const demo = start(t, env, 'demo', '--json', '--dir', folder);
  const said = JSON.parse(await demo.nextLine()) as { url: string; studio: string };
  const [cookies] = await Promise.all([signInAll(env, people), untilBuilt(said.url)]);
  const url = await slowed(t, said.url);
  const link = said.studio.replace(said.url, url);
  const root = process.getuid?.() === 0;
  const browser = await chromium.launch({
    executablePath: execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim(),
    // Chromium's sandbox does not start as root, as in a container.
    args: root ? ['--no-sandbox'] : [],
    timeout: STEP_MS_MAX,
  });
  t.teardown(async () => {
    // Tests without steps have printed nothing yet.
    if (!t.passing() && !isExplained.has(browser)) await explain(browser);
    await browser.close();
  });
  const complaints: string[] = [];
  const openTab: Scene['openTab'] = async (page) => {
    const tab = await page.context().newPage();
    await throttle(tab);
    return watched(tab, complaints);
  };
  const open: Scene['open'] = async (options = {}, faults = 'reported') => {
    const context = await browser.newContext({
      viewport: { width: 1_440, height: 900 },
      ...options,
    });
    const page = await context.newPage();
    await throttle(page);
    return watched(page, faults === 'reported' ? complaints : []);
  };
  const openAs: Scene['openAs'] = async (userId) => {
    const [name = '', value = ''] = (cookies.get(userId) ?? '').split('=');
    const page = await open();
    await page.context().addCookies([{ name, value, url }]);
    return page;
  };
  return { url, link, browser, complaints, open, openTab, openAs };
}

/**
 * Adds the people while the Studio is being built; gives a session of each. Two commands for each of
 * them would load the store as often, for two seconds of CPU each time.
 */
async function signInAll(
  env: ReturnType<typeof environment>,
  people: People,
): Promise<ReadonlyMap<string, string>> {
  const cookies = new Map<string, string>();
  // A scene without people does not load it at all.
  if (Object.keys(people).length === 0) return cookies;
  const { openStore } = await import('../../src/store/open.ts');
  const store = await openStore({
    databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
    filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
  });
  try {
    for (const [userId, person] of Object.entries(people)) {
      const facts = typeof person === 'string' ? { role: person } : person;
      const user = await store.users.add({ userId, teamId: 'demo', ...facts });
      const session = await store.sessions.add(userId, Date.now() + SESSION_MS);
      if (!user.ok || !session.ok) throw new Error(`cannot sign ${userId} in`);
      cookies.set(userId, `${sessionCookieName(false)}=${session.value.token}`);
    }
  } finally {
    await store.close();
  }
  return cookies;
}

/** The first start builds the Studio beside the service. */
async function untilBuilt(url: string): Promise<void> {
  for (const endMs = Date.now() + 3 * STEP_MS_MAX; Date.now() < endMs;) {
    if ((await fetch(`${url}/studio`)).ok) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('the Studio was not built');
}

function watched(page: Page, complaints: string[]): Page {
  page.setDefaultTimeout(STEP_MS_MAX);
  keepDiary(page);
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    // Pages show refused requests themselves; other errors, of scripts or of the content
    // security policy, are faults.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text());
  });
  return page;
}

/** Adds a step of the walk as a subtest of its name. */
type AddStep = (name: string, walk: (t: Test) => Promise<void>) => Promise<unknown>;

/**
 * Gives the function that adds steps to `all`. A step that fails prints what each open page did last
 * and what it shows, and keeps a picture of it. The steps after it are skipped: the pages are not
 * where they expect them, so each would wait for its time limit.
 */
export function stepsOf(all: Test, { browser }: Scene): AddStep {
  let hasFailed = false;
  return (name, walk) =>
    all.test(name, { skip: hasFailed }, async (t) => {
      hasFailed = true;
      try {
        await walk(t);
        hasFailed = !t.passing();
      } finally {
        if (hasFailed) await explain(browser);
      }
    });
}

/** Browsers of failed tests whose pages were printed. */
const isExplained = new WeakSet<Browser>();

/** Prints what each open page did last and what it shows; keeps a picture of each. */
async function explain(browser: Browser): Promise<void> {
  isExplained.add(browser);
  // The runner shows what a failing file writes here, but no comments.
  console.error((await evidenceOf(browser.contexts(), PICTURES)).join('\n'));
}

/** Polls every `everyMs` for something that no page shows. */
export async function eventually(isSo: () => Promise<boolean>, everyMs = 100): Promise<void> {
  for (const endMs = Date.now() + STEP_MS_MAX; !(await isSo());) {
    if (Date.now() > endMs) throw new Error('not so in time');
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Keeps a picture of the page. */
export async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** Rules that look at colours: they take longer than all others together. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * As text, like the below. A colour in transition, or a toast that fades in, has too little contrast.
 * A spinner never ends.
 */
const ANIMATIONS_ENDED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished)).then(() => undefined)`;

/** What axe-core finds serious or critical, as lines. */
export async function seriousFindings(page: Page, { colours = true } = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const rules = Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: colours }]));
  await page.evaluate(ANIMATIONS_ENDED);
  // Preloading would fetch style sheets again for rules that are off.
  const options = { resultTypes: ['violations'], preload: false, rules };
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(${JSON.stringify(options)})`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

// As text: these sources are checked without the types of a browser.
const FOCUSED = `(() => {
  const element = document.activeElement;
  const named = element.labels?.[0] ?? element;
  return element.getAttribute('aria-label') ?? named.textContent.trim();
})()`;

/** Presses Tab until the element of this name has the focus; fails after a whole round. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let count = 0; count < 120; count += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(FOCUSED);
    if (focused === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** Puts the cursor on a text of the editor and selects it. */
export async function select(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+f');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
}

/** Calls the API as the user of a page would. */
export async function callAs(
  context: BrowserContext,
  method: string,
  url: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await context.request.fetch(url, {
    method,
    timeout: STEP_MS_MAX,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { data: JSON.stringify(body) }),
  });
  return { status: answer.status(), body: (await answer.json()) as Record<string, unknown> };
}

/** Resolves when the service has a draft of the template that holds `text`. */
export async function untilDraft(
  page: Page,
  url: string,
  text: string,
  templateId = 'receipt',
): Promise<void> {
  const address = `${url}/v1/templates/${templateId}/draft`;
  await eventually(async () => {
    const { status, body } = await callAs(page.context(), 'GET', address);
    return status === 200 && JSON.stringify(body).includes(text.replace(': ', ':'));
  });
}
