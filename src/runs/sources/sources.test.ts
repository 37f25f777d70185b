import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { begin, lines, type Scene, sceneOf, until } from '../../../test/fixtures/runs/scene.ts';
import type { RunRecord } from '../../store/runs/types.ts';

/** Long rows, of which some hundred make several parts. */
function longLines(count: number): string {
  const filling = 'x'.repeat(40_000);
  return `${lines(count, (index) => ({ filling: `${index}${filling}` }))}\n`;
}

async function reach({ find }: Scene, runId: string, state: RunRecord['state']): Promise<void> {
  await until(async () => (await find(runId)).state === state);
}

t.test('a gzip file becomes documents, each row once', async (t) => {
  const scene = await sceneOf(t);
  const path = join(scene.spool, 'october.csv.gz');
  const text = `refNo,total\n${Array.from({ length: 600 }, (_, index) => `R${index},"1.10"\n`).join('')}`;
  // The file has two gzip members, as `cat a.gz b.gz` makes.
  const file = Buffer.concat([gzipSync(text.slice(0, 500)), gzipSync(text.slice(500))]);
  writeFileSync(path, file);
  const source = { path, format: 'csv', encoding: null } as const;
  const run = await scene.start({ source, expectedRows: 600, expectedSums: { total: '660' } });
  await begin(scene.store, run.runId);
  scene.engine();
  scene.engine();
  await reach(scene, run.runId, 'done');
  const rows = await scene.manifest(run.runId);
  t.strictSame(
    rows.map(({ rowId }) => rowId),
    Array.from({ length: 600 }, (_, index) => `R${index}`),
  );
  t.match(await scene.store.runSources.progress(run.runId), {
    isRead: true,
    parts: 1,
    bytes: file.length,
    sha256: hash('sha256', file, 'hex'),
  });
});

t.test('rows read before an interruption are not added twice', async (t) => {
  const scene = await sceneOf(t);
  const { store, engine, find, manifest } = scene;
  const path = join(scene.spool, 'long.ndjson');
  writeFileSync(path, longLines(250));
  const run = await scene.start({
    source: { path, format: 'ndjson', encoding: null },
    expectedRows: 250,
  });
  await begin(store, run.runId, true);
  const first = engine();
  await until(async () => (await store.runSources.progress(run.runId)).parts >= 1);
  await first.close();
  const { parts, isRead } = await store.runSources.progress(run.runId);
  t.comment(`interrupted after ${parts} parts, ${isRead ? 'all' : 'not all'} read`);
  engine();
  await reach(scene, run.runId, 'receiving');
  t.match((await find(run.runId)).counts, { received: 250, invalid: 0, stored: 0 });
  t.equal((await store.runs.parts(run.runId, 10, 0)).length, 2);
  t.equal((await manifest(run.runId)).length, 250);
});

t.test('a source that cannot be read stops the run, which can be started again', async (t) => {
  const scene = await sceneOf(t);
  const path = join(scene.spool, 'rows.ndjson');
  const run = await scene.start({ source: { path, format: 'ndjson', encoding: null } });
  const works = scene.engine();
  const stopsWith = async (actual: RegExp): Promise<void> => {
    await begin(scene.store, run.runId);
    works.wake();
    await reach(scene, run.runId, 'stopped');
    const { reasons } = await scene.find(run.runId);
    t.match(reasons, [{ name: 'source', actual }]);
  };
  await stopsWith(/no such file/);
  writeFileSync(path, '\n\n');
  await stopsWith(/^none$/);
  writeFileSync(path, gzipSync(lines(3)).subarray(0, 30));
  await stopsWith(/a damaged one/);
  writeFileSync(path, Buffer.from('{"refNo":"\xff"}\n', 'latin1'));
  await stopsWith(/line 1, byte 11 is not UTF-8/);
  writeFileSync(path, 'x'.repeat(8 * 1024 * 1024 + 1));
  await stopsWith(/a longer row/);
  writeFileSync(path, lines(3));
  await begin(scene.store, run.runId);
  works.wake();
  await reach(scene, run.runId, 'done');
  t.match((await scene.find(run.runId)).counts, { received: 3, stored: 3 });
});

t.test('a file that was replaced stops the run, so that two files are never mixed', async (t) => {
  const scene = await sceneOf(t);
  const { store } = scene;
  const path = join(scene.spool, 'rows.ndjson');
  const run = await scene.start({ source: { path, format: 'ndjson', encoding: null } });
  await begin(store, run.runId);
  const owner = 'dead'.padEnd(36, '-');
  await store.runSources.lease(run.runId, owner);
  const rows = new Uint8Array(Buffer.from(lines(2)));
  const part = {
    part: 1,
    sha256: hash('sha256', rows, 'hex'),
    format: 'ndjson',
    headerBytes: 0,
    firstLine: 1,
  };
  await store.runSources.addPart(run, owner, { ...part, format: 'ndjson' }, rows);
  await store.runSources.releaseAll(owner);
  writeFileSync(path, lines(3));
  scene.engine();
  await reach(scene, run.runId, 'stopped');
  t.match((await scene.find(run.runId)).reasons, [
    { name: 'source', expected: 'the rows of part 1 as read before', actual: 'other rows' },
  ]);
});
