import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { startFakePool } from '../../../lab/service/gateway.ts';
import { begin, lines, sceneOf, send } from '../../../test/fixtures/runs/scene.ts';
import { succeed } from '../../errors.ts';
import { SqliteReader } from '../../store/database/sqlite.ts';
import type { SqliteResult } from '../../store/database/sqlite-file.ts';
import type { PrintedRows } from '#engine';
import type { Pool } from '../../workers/pool/pool.ts';
import { startRunEngine } from '../engine.ts';

/** More print files, for a measurement by hand. */
const MANY = Number(process.env['INTAGLIO_TEST_PRINTS'] ?? 120);
const FEW = 40;

type Read = (this: SqliteReader, ...call: Parameters<SqliteReader['run']>) => SqliteResult;

const PRINTED: PrintedRows = {
  bytes: Buffer.from('%PDF'),
  offsets: [0],
  node: 1,
  pages: [1],
  state: { nextObject: 2, offset: 4, shared: [] },
};

/** A pool whose documents and print files are a few bytes. */
function poolOf(t: Test): Pool {
  const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)), { threads: 1 });
  t.teardown(() => pool.close(0));
  const print = { result: Promise.resolve(succeed(PRINTED)), queuedMs: 0, ran: true };
  const rows = ((job, caller, team) =>
    job.kind === 'print_rows'
      ? { ...print, cancel: () => undefined }
      : pool.rows(job, caller, team)) as Pool['rows'];
  return { ...pool, rows, stats: () => pool.stats() };
}

/** Counts what a run of `documents` with a print file each reads while these are made. */
async function readsOf(t: Test, documents: number) {
  const { store, start, find } = await sceneOf(t);
  const run = await start({ documentsPerPrint: 1 });
  await send(store, run, 1, lines(documents));
  const counted = { statements: 0, rows: 0 };
  const reader = SqliteReader.prototype;
  const read = Object.getOwnPropertyDescriptor(reader, 'run')?.value as Read;
  reader.run = function count(sql, parameters) {
    const result = read.call(this, sql, parameters);
    // Other tables are read before the first print file is made.
    if (!sql.includes('run_prints') && !sql.includes('results')) return result;
    counted.statements += 1;
    counted.rows += result.rows.length;
    return result;
  };
  const log = pino({ level: 'silent' });
  const engine = startRunEngine({ store, pool: poolOf(t), log, threads: 1 });
  await begin(store, run.runId);
  engine.wake();
  let state = 'checking';
  while (state !== 'done' && state !== 'stopped') {
    await pause(20);
    ({ state } = await find(run.runId));
  }
  t.equal(state, 'done');
  await engine.close();
  reader.run = read;
  const { items } = await store.runPrints.list(await find(run.runId), documents, 0);
  t.equal(items.length, documents, 'each has its print file');
  const rows = await store.runPrints.documents(run.runId, documents);
  for await (const some of rows ?? []) t.match(some, [{ rowId: `R${documents - 1}` }]);
  return { statements: counted.statements / documents, rows: counted.rows / documents };
}

t.test('a print file costs the same however many the run has', async (t) => {
  const few = await readsOf(t, FEW);
  const many = await readsOf(t, MANY);
  t.comment(`rows read for each print file: ${few.rows} of ${FEW}, ${many.rows} of ${MANY}`);
  t.comment(`statements for each: ${few.statements} of ${FEW}, ${many.statements} of ${MANY}`);
  t.ok(many.rows < 1.5 * few.rows, 'rows read');
  t.ok(many.statements < 1.5 * few.statements, 'statements');
});
