import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import type { AuditRecord } from '../../studio/src/api/types.ts';
import { linesOf } from '../../studio/src/audit/lines.ts';
import { callAs, eventually, missing, picture, seriousFindings, startScene } from './browser.ts';

t.setTimeout(900_000);

function record(at: string, requestId: string, action: string): AuditRecord {
  const none = { code: '', documentId: '', sha256: '', signer: '', detail: '', teamId: 'retail' };
  const facts = {
    mode: '',
    version: 1,
    pages: 1,
    bytes: 1,
    durationMs: null,
    draft: false,
  } as const;
  const who = { principal: 'user:a', templateId: 'x', certificateSerial: '', contributors: [] };
  return { ...none, ...facts, ...who, auditId: at, at, requestId, action, outcome: 'succeeded' };
}

t.test('the documents of a run stand on one line', async (t) => {
  const lines = linesOf([
    record('5', 'run', 'generate'),
    record('4', 'other', 'keys.create'),
    record('3', 'run', 'generate'),
    record('2', 'run', 'generate'),
    record('1', 'single', 'generate'),
    record('0', 'run', 'runs.start'),
  ]);
  t.strictSame(
    lines.map(({ record: { at }, others, since }) => [at, others, since]),
    [
      ['5', 2, '2'],
      ['4', 0, '4'],
      ['1', 0, '1'],
      ['0', 0, '0'],
    ],
  );
});

/** A save or a preview of a draft, or another action on it. */
function ofDraft(minute: number, action: string, facts: Partial<AuditRecord> = {}): AuditRecord {
  const at = new Date(Date.UTC(2026, 10, 29, 9, minute)).toISOString();
  return { ...record(at, `request ${minute}`, action), draft: action === 'generate', ...facts };
}

function minuteOf(at: string): number {
  return (Date.parse(at) - Date.UTC(2026, 10, 29, 9)) / 60_000;
}

/** The minute of each line's newest and oldest record, and how many records it has. */
function periods(records: readonly AuditRecord[]): readonly (readonly number[])[] {
  return linesOf(records).map(({ record: { at }, since, others }) => [
    minuteOf(at),
    minuteOf(since),
    others + 1,
  ]);
}

t.test('the saves of one draft by one person stand on one line', async (t) => {
  const SAVE = 'templates.draft';
  const ofB = { principal: 'user:b' };
  t.strictSame(
    periods([
      ofDraft(9, SAVE),
      ofDraft(8, 'generate'),
      ofDraft(8, SAVE),
      ofDraft(7, 'keys.create', { templateId: '' }),
      ofDraft(6, SAVE, { templateId: 'y' }),
      ofDraft(5, 'generate'),
      ofDraft(5, SAVE),
    ]),
    [
      [9, 5, 3],
      [8, 5, 2],
      [7, 7, 1],
      [6, 6, 1],
    ],
    'previews, keys and another draft do not part them',
  );
  t.strictSame(
    periods([ofDraft(9, SAVE), ofDraft(8, SAVE), ofDraft(7, SAVE, ofB), ofDraft(6, SAVE)]),
    [
      [9, 8, 2],
      [7, 7, 1],
      [6, 6, 1],
    ],
    'a save by somebody else does',
  );
  t.strictSame(
    periods([ofDraft(9, SAVE), ofDraft(8, 'templates.publish', ofB), ofDraft(7, SAVE)]),
    [
      [9, 9, 1],
      [8, 8, 1],
      [7, 7, 1],
    ],
    'a publication does',
  );
  t.strictSame(
    periods([ofDraft(130, SAVE), ofDraft(125, SAVE), ofDraft(64, SAVE), ofDraft(4, SAVE)]),
    [
      [130, 125, 2],
      [64, 4, 2],
    ],
    'a pause of more than an hour does',
  );
  const refused = { outcome: 'denied', code: 'forbidden' } as const;
  t.strictSame(
    periods([ofDraft(9, SAVE), ofDraft(8, SAVE, refused), ofDraft(7, SAVE, refused)]),
    [
      [9, 9, 1],
      [8, 8, 1],
      [7, 7, 1],
    ],
    'refusals have their own lines',
  );
});

async function savedCsv(page: Page): Promise<string> {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  return readFileSync(await (await waiting).path(), 'utf8');
}

t.test('an Admin reads who did what', { skip: missing() }, async (t) => {
  const scene = await startScene(t, {});
  const { url } = scene;
  const page = await scene.open();
  await page.goto(scene.link);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Templates' }).waitFor();
  const context = page.context();
  const found = await callAs(context, 'GET', `${url}/v1/templates/receipt-en/versions/1`);
  const [sample] = found.body['samples'] as [{ data: Record<string, unknown> }];
  const spec = { templateId: 'receipt-en', version: 1, idField: 'row' };
  const { body } = await callAs(context, 'POST', `${url}/v1/runs`, spec);
  const run = `${url}/v1/runs/${String(body['runId'])}`;
  const rows = ['a', 'b', 'c'].map((row) => `${JSON.stringify({ row, ...sample.data })}\n`);
  await context.request.put(`${run}/parts/1`, {
    headers: { 'content-type': 'application/x-ndjson' },
    data: rows.join(''),
  });
  await callAs(context, 'POST', `${run}/start`, {});
  await eventually(async () => (await callAs(context, 'GET', run)).body['state'] === 'done');

  await page.goto(`${url}/studio/audit`);
  const list = page.getByRole('region', { name: 'Audit' });
  await list.getByRole('row').filter({ hasText: 'Demo Admin' }).first().waitFor();
  await list.getByText('runs.start').waitFor();
  t.equal(await list.getByText('generate', { exact: true }).count(), 0);

  // An editor that saved more often than a page has records leaves one line.
  const address = `${url}/v1/templates/sitting/draft`;
  const first = { templateId: 'sitting', name: 'A', fields: [], content: [{ text: 'a' }] };
  let tag: Record<string, string> = { 'if-none-match': '*' };
  for (let save = 0; save < 60; save += 1) {
    const answer = await context.request.put(address, {
      headers: tag,
      data: { ...first, name: `A ${save}` },
    });
    tag = { 'if-match': answer.headers()['etag'] ?? '' };
    t.equal(answer.status(), 200);
  }
  await page.goto(`${url}/studio/audit?template=sitting`);
  await list.getByText('Saves: 60').waitFor();
  t.equal(await list.getByText('templates.draft', { exact: true }).count(), 1);
  await picture(page, 'audit-saves');
  t.strictSame(await seriousFindings(page), []);
  await page.goto(`${url}/studio/audit`);
  // Further pages are read, so that the line does not hide what was before it.
  await list.getByText('Saves: 60').waitFor();
  await list.getByText('runs.start').waitFor();
  await picture(page, 'audit-people');
  t.strictSame(await seriousFindings(page), []);

  // On a phone each record is a card, and nothing scrolls sideways.
  const desk = page.viewportSize() ?? { width: 1_280, height: 800 };
  await page.setViewportSize({ width: 390, height: 844 });
  t.ok(await list.evaluate((part) => part.scrollWidth <= part.clientWidth), 'cards fit');
  await list.scrollIntoViewIfNeeded();
  await picture(page, 'audit-phone');
  t.strictSame(await seriousFindings(page), []);
  await page.setViewportSize(desk);

  // Days that exclude each other are pointed out beside the fields.
  const reversed = page.getByText('“From” is after “To”: nothing lies between them.');
  await page.getByLabel('To', { exact: true }).fill('2026-01-31');
  await page.getByLabel('From', { exact: true }).fill('2026-02-01');
  await reversed.waitFor();
  await picture(page, 'audit-reversed');
  t.strictSame(await seriousFindings(page), []);
  await page.getByLabel('From', { exact: true }).fill('2026-01-31');
  await reversed.waitFor({ state: 'detached' });
  await page.goto(`${url}/studio/audit`);
  await page.getByLabel('Action').selectOption('generate');
  await list.getByRole('link', { name: 'Documents of one run: 3' }).waitFor();
  // The key of the demo has a name, too.
  await list
    .getByRole('cell')
    .filter({ hasText: /^demokey:/ })
    .first()
    .waitFor();
  await picture(page, 'audit-run');
  t.strictSame(await seriousFindings(page), []);
  await list.getByRole('link', { name: 'Documents of one run: 3' }).click();
  await page.waitForURL(`${url}/studio/runs/${String(body['runId'])}`);

  // The documents that a key made are what it did, in the list and in the CSV.
  await page.goto(`${url}/studio/audit`);
  const action = page.getByLabel('Action');
  const made = list.getByText('generate', { exact: true });
  t.equal(await action.inputValue(), 'all-but-generate');
  await list.getByRole('row').nth(1).waitFor();
  t.equal(await made.count(), 0);
  await page.getByLabel('User or key').fill('demo');
  await made.first().waitFor();
  t.equal(await action.inputValue(), 'all');
  await picture(page, 'audit-key');
  t.match(await savedCsv(page), /,generate,succeeded,/);
  // An action that was chosen stays.
  await action.selectOption('all-but-generate');
  const others = list.getByText('documents.download', { exact: true });
  await made.first().waitFor({ state: 'detached' });
  await others.first().waitFor();
  await page.reload();
  await others.first().waitFor();
  t.equal(await action.inputValue(), 'all-but-generate');
  t.equal(await made.count(), 0);
  t.notMatch(await savedCsv(page), /,generate,/);
  t.strictSame(scene.complaints, []);
});
