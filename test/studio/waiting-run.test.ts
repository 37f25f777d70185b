import t from 'tap';
import { missing, picture, seriousFindings, startScene } from './browser.ts';
import { startRun } from './month-end.ts';

t.setTimeout(900_000);

t.test(
  'a run that waits says for what, and not that it has stopped',
  { skip: missing() },
  async (t) => {
    const scene = await startScene(t, {});
    const page = await scene.open();
    await page.goto(scene.link);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    await startRun(scene, page);
    const [, runId = ''] = /runs\/([0-9a-f-]{36})/.exec(page.url()) ?? [];
    const reasons = [
      { name: 'key', expected: 'key 00a1b2c3d4e5f607', actual: 'missing on an instance' },
    ];
    // As the service answers while an instance has not the key.
    await page.route(`**/v1/runs/${runId}`, async (route) => {
      const response = await route.fetch();
      const run = (await response.json()) as object;
      await route.fulfill({ response, json: { ...run, state: 'checking', reasons } });
    });
    await page.reload();
    const notice = page.getByRole('status').filter({ hasText: 'The run is waiting' });
    await notice.getByText('The run waits for the key that encrypts its rows (key 00a1').waitFor();
    t.equal(await page.getByText('The run has stopped').count(), 0);
    await page.locator('dt', { hasText: 'Created by' }).waitFor();
    await page.locator('dt:text("Created by") + dd').getByText('Demo Admin').waitFor();
    await picture(page, 'run-waiting');
    t.strictSame(await seriousFindings(page), []);
    // The sums are those of the valid rows until the run has ended, so none is of its documents before.
    const totals = page.getByRole('region', { name: 'Control totals' });
    const shown = async (state: string, stored: number, pending: number): Promise<string> => {
      await page.unrouteAll({ behavior: 'wait' });
      await page.route(`**/v1/runs/${runId}`, async (route) => {
        const response = await route.fetch();
        const run = (await response.json()) as { counts: object };
        const counts = { ...run.counts, stored, pending };
        await route.fulfill({ response, json: { ...run, state, counts, reasons: [] } });
      });
      await page.reload();
      await totals.waitFor();
      return (await totals.locator('tbody tr').last().innerText()).replace(/\s+/g, ' ');
    };
    t.equal(await shown('running', 0, 197), 'total 20050.00 19849.50 0');
    t.equal(await shown('running', 60, 137), 'total 20050.00 19849.50 not yet known');
    await picture(page, 'run-totals-running');
    t.strictSame(await seriousFindings(page), []);
    await page.getByRole('button', { name: 'ไทย' }).click();
    await page.getByText('ยังไม่ทราบ', { exact: true }).waitFor();
    await picture(page, 'run-totals-running-th');
    await page.getByRole('button', { name: 'English' }).click();
    t.equal(await shown('paused', 60, 137), 'total 20050.00 19849.50 not yet known');
    t.equal(
      await shown('running', 197, 0),
      'total 20050.00 19849.50 not yet known',
      'until it has ended',
    );
    t.equal(await shown('cancelled', 60, 137), 'total 20050.00 19849.50 –');
    t.equal(await shown('done', 197, 0), 'total 20050.00 19849.50 19749.25');
    // An older instance, while the service is updated, does not say who created a run.
    await page.unrouteAll({ behavior: 'wait' });
    await page.route(`**/v1/runs/${runId}`, async (route) => {
      const response = await route.fetch();
      const run = (await response.json()) as object;
      await route.fulfill({ response, json: { ...run, createdBy: undefined } });
    });
    await page.reload();
    await page.locator('dt', { hasText: 'Created' }).waitFor();
    t.equal(await page.locator('dt', { hasText: 'Created by' }).count(), 0);
    // The page goes on watching the run, also while the service stops.
    await page.unrouteAll({ behavior: 'wait' });
  },
);
