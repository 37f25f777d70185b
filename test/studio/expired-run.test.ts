import t from 'tap';
import { callAs, eventually, missing, picture, seriousFindings, startScene } from './browser.ts';

t.setTimeout(1_500_000);

const ROWS = 3;
/** Long enough for the page to be opened and used before the documents expire. */
const RETENTION_SECONDS = 45;
const BUSY = JSON.stringify({
  error: 'The storage is not available.',
  code: 'storage_unavailable',
});

t.test('the page of a run tells when its documents expire', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {});
  const page = await scene.open();
  await page.goto(scene.link);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Templates' }).waitFor();
  const ask = (method: string, address: string, body?: object) =>
    callAs(page.context(), method, `${scene.url}/v1/${address}`, body);
  const found = await ask('GET', 'templates/receipt/versions/1');
  const [sample] = found.body['samples'] as [{ data: Record<string, unknown> }];
  const made = await ask('POST', 'runs', {
    templateId: 'receipt',
    idField: 'row',
    retentionSeconds: RETENTION_SECONDS,
    documentsPerPrint: ROWS,
  });
  const runId = String(made.body['runId']);
  const lines = Array.from({ length: ROWS }, (_, index) =>
    JSON.stringify({ ...sample.data, row: `R-${index + 1}` }),
  );
  await page.context().request.put(`${scene.url}/v1/runs/${runId}/parts/1`, {
    data: lines.join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  await ask('POST', `runs/${runId}/start`, {});
  const is = (name: string, value: unknown) => async () =>
    (await ask('GET', `runs/${runId}`)).body[name] === value;
  await eventually(is('state', 'done'));

  const files: string[] = [];
  page.on('download', (download) => files.push(download.url()));
  await page.goto(`${scene.url}/studio/runs/${runId}`);
  const zip = page.getByRole('link', { name: 'Documents (ZIP)' });
  const print = page.getByRole('link', { name: 'Print file 1' });
  const rows = page.getByRole('link', { name: 'All rows (CSV)' });
  await print.waitFor();
  await page.getByText('Rows that were corrected after a check come last.').waitFor();
  await page.getByText('Print file 1').scrollIntoViewIfNeeded();
  await picture(page, 'run-prints');
  await zip.waitFor();

  // A refusal for another reason is told, and the browser saves nothing.
  const refuse = { status: 503, contentType: 'application/json', body: BUSY };
  await page.route('**/v1/runs/*/zip', (route) => route.fulfill(refuse));
  await zip.click();
  await page.getByText('The service is busy').waitFor();
  await page.unroute('**/v1/runs/*/zip');
  t.strictSame(files, [], 'no file with the refusal');
  const saved = page.waitForEvent('download');
  await rows.click();
  await saved;
  t.equal(files.length, 1);

  // The page does not learn in time that the documents have expired.
  let isBlind = true;
  await page.route(new RegExp(`/v1/runs/${runId}$`), (route) =>
    isBlind ? route.abort() : route.continue(),
  );
  await eventually(is('documentsExpired', true));
  await zip.click();
  const notice = page.locator('.notice').filter({ hasText: 'The last of them expired by' });
  const told = page.getByText('The documents of this run have expired');
  await told.waitFor();
  t.equal(await notice.count(), 0, 'told as a message');
  isBlind = false;
  await notice.waitFor();
  for (const link of [zip, print, rows]) t.equal(await link.count(), 0, 'nothing to download');
  t.equal(files.length, 1, 'nothing was saved');
  await notice.scrollIntoViewIfNeeded();
  await picture(page, 'run-expired');
  t.strictSame(await seriousFindings(page), []);
  await page.reload();
  await notice.waitFor();
  await page.getByRole('button', { name: 'ไทย' }).click();
  const inThai = page.locator('.notice').filter({ hasText: 'เอกสารของงานนี้หมดอายุแล้ว' });
  await inThai.getByText('เอกสารฉบับสุดท้ายหมดอายุไม่เกิน').scrollIntoViewIfNeeded();
  await picture(page, 'run-expired-thai');
  t.strictSame(scene.complaints, []);
});
