import t from 'tap';
import { begin, lines, sceneOf, send, until } from '../../test/fixtures/runs/scene.ts';
import { rowEnds } from './row-reader.ts';

/** One row in ten is invalid. */
function isBad(index: number): object {
  return index % 10 === 3 ? { do: 'invalid' } : {};
}

/** One row in a hundred is invalid. */
function isRare(index: number): boolean {
  return index % 100 === 7;
}

t.test('every row becomes a document, in order, with any number of engines', async (t) => {
  const { store, start, engine, find, manifest } = await sceneOf(t);
  const run = await start({ expectedRows: 1_200, expectedSums: { total: '1320' } });
  await send(store, run, 1, lines(700));
  await send(
    store,
    run,
    2,
    lines(500, (index) => ({ refNo: `S${index}` })),
  );
  await begin(store, run.runId);
  engine();
  engine();
  await until(async () => (await find(run.runId)).state === 'done');
  const rows = await manifest(run.runId);
  t.equal(rows.length, 1_200);
  t.ok(rows.every(({ outcome }) => outcome === 'stored'));
  t.strictSame(
    rows.slice(698, 702).map(({ rowId }) => rowId),
    ['R698', 'R699', 'S0', 'S1'],
  );
  t.equal(new Set(rows.map(({ documentId }) => documentId)).size, 1_200);
  t.match((await find(run.runId)).counts, { received: 1_200, stored: 1_200, invalid: 0 });
});

t.test('characters of rows that no font has are counted', async (t) => {
  const { store, start, engine, find } = await sceneOf(t);
  const run = await start();
  await send(
    store,
    run,
    1,
    lines(300, (index) => ({ missing: index % 100 === 0 ? 2 : 0 })),
  );
  await begin(store, run.runId);
  const works = engine();
  await until(async () => (await find(run.runId)).state === 'done');
  t.equal(works.figures().missingCharacters, 6);
  t.match((await find(run.runId)).counts, { stored: 300 });
});

t.test('CSV rows are rendered, and each faulty one is reported', async (t) => {
  const { store, start, engine, find, manifest } = await sceneOf(t);
  const run = await start({ invalidShareMax: 1 });
  await send(store, run, 1, 'refNo,total,do\nA,"1,\n2",\nB,5,invalid\n\nC\n,1,\nD,1,template\n');
  await begin(store, run.runId);
  engine();
  await until(async () => (await find(run.runId)).state === 'done');
  t.match(await manifest(run.runId), [
    { rowId: 'A', outcome: 'stored' },
    { rowId: 'B', outcome: 'invalid', fields: [{ field: 'total', reason: 'number expected' }] },
    { rowId: '', outcome: 'invalid', message: 'The row has 1 cells, the header has 3.' },
    { rowId: '', outcome: 'invalid', fields: [{ field: 'refNo' }] },
    { rowId: 'D', outcome: 'invalid', code: 'render_failed' },
  ]);
});

t.test('too many invalid rows stop the run; corrected rows resume it', async (t) => {
  const { store, start, engine, find, manifest } = await sceneOf(t);
  const run = await start({ invalidShareMax: 0.01, expectedRows: 100 });
  await send(store, run, 1, lines(100, isBad));
  await begin(store, run.runId);
  const works = engine();
  await until(async () => (await find(run.runId)).state === 'stopped');
  t.match(await find(run.runId), {
    counts: { received: 100, invalid: 10, stored: 0 },
    reasons: [{ name: 'invalid_share', actual: '0.100000' }],
  });
  const mended = lines(100)
    .split('\n')
    .filter((_, index) => index % 10 === 3);
  await send(store, run, 2, mended.join('\n'));
  await begin(store, run.runId);
  works.wake();
  await until(async () => (await find(run.runId)).state === 'done');
  t.match((await find(run.runId)).counts, { received: 100, invalid: 0, stored: 100 });
  t.equal((await manifest(run.runId)).length, 100);
});

t.test('after one row in a hundred is corrected, only those rows are rendered', async (t) => {
  const { store, start, engine, find, manifest } = await sceneOf(t);
  const run = await start({ invalidShareMax: 0.05 });
  const sent = lines(600, (index) => (isRare(index) ? { do: 'invalid' } : {}));
  await send(store, run, 1, sent);
  await begin(store, run.runId);
  const works = engine();
  await until(async () => (await find(run.runId)).state === 'done');
  const before = await manifest(run.runId);
  const invalid = before.filter(({ outcome }) => outcome === 'invalid');
  t.strictSame(
    invalid.map(({ rowId }) => rowId),
    ['R7', 'R107', 'R207', 'R307', 'R407', 'R507'],
  );
  t.ok(
    invalid.every(({ fields = [] }) => fields.length > 0),
    'each has its reasons',
  );
  t.equal(works.figures().stored, 594);
  const mended = lines(600)
    .split('\n')
    .filter((_, index) => isRare(index));
  await send(store, run, 2, mended.join('\n'));
  await begin(store, run.runId);
  works.wake();
  await until(async () => (await find(run.runId)).counts.stored === 600);
  await until(async () => (await find(run.runId)).state === 'done');
  t.equal(works.figures().stored, 600, 'six rows were rendered');
  const after = new Map((await manifest(run.runId)).map((row) => [row.rowId, row.documentId]));
  t.equal(after.size, 600);
  const kept = before.filter(({ outcome }) => outcome === 'stored');
  t.ok(kept.every(({ rowId, documentId }) => after.get(rowId) === documentId));
});

t.test('a dry run renders nothing, and the run can still be started', async (t) => {
  const { store, start, engine, find } = await sceneOf(t);
  const run = await start({ expectedRows: 3 });
  await send(store, run, 1, lines(2));
  await begin(store, run.runId, true);
  const works = engine();
  await until(async () => (await find(run.runId)).state === 'receiving');
  t.match(await find(run.runId), {
    counts: { received: 2, stored: 0 },
    reasons: [{ name: 'rows', expected: '3', actual: '2' }],
    startedAtMs: null,
  });
  await send(
    store,
    run,
    2,
    lines(1, () => ({ refNo: 'last' })),
  );
  await begin(store, run.runId);
  works.wake();
  await until(async () => (await find(run.runId)).state === 'done');
  t.match((await find(run.runId)).counts, { received: 3, stored: 3 });
});

t.test('a row that crashes its thread fails alone', async (t) => {
  const { store, start, engine, find, manifest } = await sceneOf(t);
  const run = await start();
  await send(
    store,
    run,
    1,
    lines(8, (index) => (index === 5 ? { do: 'die' } : {})),
  );
  await begin(store, run.runId);
  engine();
  await until(async () => (await find(run.runId)).state === 'done');
  const outcomes = (await manifest(run.runId)).map(({ outcome }) => outcome);
  t.equal(outcomes.filter((outcome) => outcome === 'stored').length, 7);
});

t.test('row boundaries follow record boundaries', async (t) => {
  const bounds = { rowsMax: 10, bytesMax: 1_000 };
  const ends = (text: string, format: 'ndjson' | 'csv', isWhole = true): number[] =>
    rowEnds(Buffer.from(text), format, isWhole, bounds);
  t.strictSame(ends('{}\n{}\n', 'ndjson'), [3, 6]);
  t.strictSame(ends('{}\n\n{}\n\n', 'ndjson'), [3, 8]);
  t.strictSame(ends('{}\n{}', 'ndjson'), [3, 5]);
  t.strictSame(ends('{}\n{}', 'ndjson', false), [3]);
  t.strictSame(ends('a,"b\nc"\nd,e\n', 'csv'), [8, 12]);
  t.strictSame(ends('a,"b\nc\n', 'csv', false), []);
});
