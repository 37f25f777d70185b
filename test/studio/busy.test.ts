import type { Page, Route } from 'playwright-core';
import t from 'tap';
import { callAs, missing, picture, seriousFindings, startScene, stepsOf } from './browser.ts';

t.setTimeout(600_000);

/** What the service replies while it still works at the request of a page that was left. */
const BUSY = {
  status: 503,
  headers: { 'retry-after': '1' },
  json: { error: 'Another such request is under way.', code: 'overloaded', requestId: 'r-1' },
};

/** Lets `refuse` reply to the next `count` requests for the address; gives how many it replied to. */
async function refusing(
  page: Page,
  address: string,
  count: number,
  refuse: (route: Route) => Promise<void>,
): Promise<() => number> {
  let refused = 0;
  await page.route(address, async (route) => {
    if (refused === count) return route.fallback();
    refused += 1;
    return refuse(route);
  });
  return () => refused;
}

t.test('a busy service, and one that is away for a moment', { skip: missing() }, async (t) => {
  const scene = await startScene(t, { somchai: 'Admin' });
  const { url } = scene;
  const page = await scene.openAs('somchai');
  const step = stepsOf(t, scene);
  const fault = page.locator('.notice.bad');
  const toConfirm = page.getByText(/(has|have) to be confirmed/).first();
  const publish = `${url}/studio/templates/receipt/publish`;

  await step('a page is read again when the service was busy', async (t) => {
    const file = await callAs(page.context(), 'GET', `${url}/v1/templates/receipt/versions/1`);
    const address = `${url}/v1/templates/receipt/draft`;
    const changed = { ...file.body, name: 'ใบเสร็จ' };
    t.equal((await callAs(page.context(), 'PUT', address, changed)).status, 200);
    const checks = await refusing(page, '**/draft/check', 2, (route) => route.fulfill(BUSY));
    const previews = await refusing(page, '**/v1/previews', 3, (route) => route.fulfill(BUSY));
    await page.goto(publish);
    await toConfirm.or(fault).first().waitFor();
    t.equal(await fault.count(), 0, 'nothing is said about it');
    t.strictSame([checks(), previews()], [2, 3]);
    await page.unrouteAll();
  });

  await step(
    'a service that stays busy is told, and the page appears without a click',
    async (t) => {
      let isBusy = true;
      await page.route('**/draft/check', (route) => {
        return isBusy ? route.fulfill(BUSY) : route.fallback();
      });
      await page.goto(publish);
      await fault.getByText('This page tries again by itself every few seconds.').waitFor();
      await picture(page, 'busy');
      t.strictSame(await seriousFindings(page), []);
      await page.getByRole('button', { name: 'ไทย' }).click();
      await page.setViewportSize({ width: 390, height: 844 });
      await fault.getByText('หน้านี้จะลองใหม่เองทุกไม่กี่วินาที').waitFor();
      await picture(page, 'busy-th-phone');
      await page.setViewportSize({ width: 1_440, height: 900 });
      await page.getByRole('button', { name: 'English' }).click();
      isBusy = false;
      await toConfirm.waitFor();
      t.equal(await fault.count(), 0);
      await page.unrouteAll();
    },
  );

  await step('a list appears when the service is back', async (t) => {
    const reads = await refusing(page, '**/v1/templates?**', 1, (route) => route.abort());
    await page.goto(`${url}/studio/templates`);
    await fault.getByText('The service cannot be reached.').waitFor();
    await page.getByRole('link', { name: 'ใบเสร็จรับเงิน', exact: true }).waitFor();
    t.equal(await fault.count(), 0);
    t.equal(reads(), 1);
    await page.unrouteAll();
  });

  await step('a comparison that failed is tried again', async (t) => {
    const failed = { status: 500, json: { error: 'Failed.', code: 'internal_error' } };
    await refusing(page, '**/v1/previews', 1, (route) => route.fulfill(failed));
    await page.goto(publish);
    await page.getByRole('button', { name: 'Try again' }).click();
    await fault.waitFor({ state: 'detached' });
    await page.locator('.sheet canvas').first().waitFor();
    await toConfirm.waitFor();
    t.equal(await fault.count(), 0);
    await page.unrouteAll();
  });

  await step('the first preview of the editor is asked for again', async (t) => {
    const previews = await refusing(page, '**/v1/previews', 1, (route) => route.fulfill(BUSY));
    await page.goto(`${url}/studio/templates/receipt/edit`);
    const refusal = page.getByText('The service is busy. Try again in a moment.');
    const drawn = page.locator('.pdf-pages canvas');
    await drawn.first().or(refusal).first().waitFor();
    t.equal(await refusal.count(), 0);
    t.equal(previews(), 1);
  });
  t.strictSame(scene.complaints, []);
});
