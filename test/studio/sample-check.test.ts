import type { Route } from 'playwright-core';
import t from 'tap';
import type { Finding } from '../../studio/src/api/types.ts';
import { carryFindings } from '../../studio/src/editor/checks/carry.ts';
import {
  missing,
  picture,
  select,
  seriousFindings,
  startScene,
  stepsOf,
  untilDraft,
} from './browser.ts';

t.setTimeout(600_000);

/** Where a finding on the `?` of a text goes when another text takes its place. */
function carried(before: string, after: string): string {
  const lines = before.slice(0, before.indexOf('?')).split('\n');
  const line = lines.length;
  const column = (lines.at(-1)?.length ?? 0) + 1;
  const finding: Finding = { severity: 'warning', path: 'a', message: 'b', line, column };
  const [moved] = carryFindings([finding], before.replace('?', 'Q'), after);
  return `${moved?.line}:${moved?.column}`;
}

t.test('a finding moves with its place when the text changes', async (t) => {
  t.equal(carried('ab\nc?d', 'ab\nccQd'), '2:3', 'a character before it');
  t.equal(carried('ab\nc?d', 'ab\nx\ny\ncQd'), '4:2', 'lines before it');
  t.equal(carried('ab\nc?d', 'ab\ncQdd\n'), '2:2', 'a change behind it');
  t.equal(carried('ab\n\nc?d', 'ab\ncQd'), '2:2', 'a line before it is gone');
  t.equal(carried('ab\nc?d', 'a\n'), '1:2', 'it was deleted with its surroundings');
  t.equal(carried('ab\nc?d', 'ab\ncQd'), '2:2', 'nothing changed');
  const [whole] = carryFindings([{ severity: 'error', path: '', message: 'b' }], 'a', 'ba');
  t.strictSame(whole, { severity: 'error', path: '', message: 'b' });
});

const CLEAN = 'The check found no faults.';

t.test('faults that only the pages of samples show', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { nok: 'Editor' });
  const { url } = scene;
  const page = await scene.openAs('nok');
  const step = stepsOf(t, scene);
  const area = page.getByRole('region', { name: 'Findings' });
  const beyond = area.getByText(/In sample ".+" a line reaches \d+ points beyond its place/);
  const clean = area.getByText(CLEAN);
  const soFar = area.getByText('No faults so far; the samples are checked in a moment.');
  let checks = 0;
  /** Requests for checks that wait for `release`. */
  let held: Route[] | null = null;
  const release = async (): Promise<void> => {
    const waiting = held ?? [];
    held = null;
    for (const route of waiting) await route.continue();
  };
  await page.route('**/draft/check', (route) => {
    checks += 1;
    if (held === null) return route.continue();
    held.push(route);
    return undefined;
  });
  const setWidth = async (from: number, to: number): Promise<void> => {
    await select(page, `"alt": "", "width": ${from}`);
    await page.keyboard.type(`"alt": "", "width": ${to}`);
    await untilDraft(page, url, `"width": ${to}`);
  };

  await step('are looked for after a pause, and none is denied before', async (t) => {
    await page.goto(`${url}/studio/templates/receipt/edit`);
    await page.locator('.pdf-pages canvas').first().waitFor();
    await clean.waitFor();
    held = [];
    checks = 0;
    await setWidth(54, 300);
    await soFar.waitFor();
    t.equal(await clean.count(), 0, 'the samples of this text are not known');
    await picture(page, 'samples-waiting');
    t.strictSame(await seriousFindings(page), []);
    await release();
    await beyond.first().waitFor();
    t.equal(await clean.or(soFar).count(), 0);
    t.equal(checks, 1, 'once for each text');
    await picture(page, 'samples-found');
  });

  await step('stay until a new check has another answer', async (t) => {
    const before = await beyond.count();
    held = [];
    await setWidth(300, 305);
    await page.getByText('Saved', { exact: true }).waitFor();
    t.equal(await beyond.count(), before);
    t.equal(await clean.or(soFar).count(), 0);
    await release();
    await area
      .getByText(/a line reaches 41 points/)
      .first()
      .waitFor();
    await setWidth(305, 54);
    await clean.waitFor();
    t.equal(await beyond.count(), 0);
    await picture(page, 'samples-clean');
  });

  await step('a misspelled key is mended with one click', async (t) => {
    await select(page, '"alt": "", "width": 54');
    await page.keyboard.type('"alt": "", "widht": 54');
    const told = area.getByRole('listitem').filter({ hasText: '"widht" is not a key here' });
    await told.waitFor();
    await picture(page, 'misspelled');
    t.strictSame(await seriousFindings(page), []);
    await told.getByRole('button', { name: 'Fix it' }).click();
    await untilDraft(page, url, '"width": 54');
    await told.waitFor({ state: 'detached' });
    await clean.waitFor();
    t.match(await page.locator('.cm-activeLine').textContent(), /"alt": "", "width": 54/);
  });

  await step('are told as unknown when the service refuses the check', async (t) => {
    held = [];
    await setWidth(54, 53);
    await soFar.waitFor();
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('ยังไม่พบปัญหา อีกสักครู่จะตรวจกับข้อมูลตัวอย่าง').waitFor();
    await page.getByRole('button', { name: 'English' }).click();
    while (held.length === 0) await page.evaluate('new Promise((done) => setTimeout(done, 100))');
    const failed = { status: 500, json: { error: 'Failed.', code: 'internal_error' } };
    for (const route of held) await route.fulfill(failed);
    held = null;
    await area.getByText('No faults so far; the samples could not be checked.').waitFor();
    await setWidth(53, 54);
    await clean.waitFor();
    t.pass('the next text is checked again');
  });
  t.strictSame(
    scene.complaints.filter((one) => !one.includes('500')),
    [],
  );
});
