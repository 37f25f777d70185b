import { DatabaseSync } from 'node:sqlite';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Test } from 'tap';
import { SERVICE_FLAGS } from '../../../lab/flags.ts';
import { until } from '../../../lab/process/waiting.ts';
import { type Instance, startProcess } from '../../../lab/service/process.ts';
import { isProtectedPdf } from '../../../src/protect/check.ts';
import { connectionOptions } from '../../../src/store/database/mysql.ts';
import type { RunRecord } from '../../../src/store/runs/types.ts';
import type { Store } from '../../../src/store/store.ts';
import { overDialects, type StorePlace } from '../../store/dialects.ts';
import { addRun, BY_ROW, documentOf, ENCRYPTION, KEY } from './guarded-run.ts';
import { manifestOf, prepare, serve, untilSettled } from './kill-run.ts';

/**
 * An instance of an earlier release beside one of this release. INTAGLIO_TEST_OLDER names the
 * checkout of one, such as 76cdc55e, with its modules; without it, the states in the database are
 * compared with those that earlier releases select.
 */
const OLDER = process.env['INTAGLIO_TEST_OLDER'] ?? '';
const ROWS = 400;
/** How long an older instance has for the run that it must not touch. */
const OLDER_MS = 6_000;
/** All states that earlier releases know. */
const KNOWN = 'receiving checking running paused stopped done cancelled'.split(' ');

async function storedState(place: StorePlace, { runId }: RunRecord): Promise<string> {
  const query = `select state from runs where run_id = '${runId}'`;
  if (place.name === 'sqlite') {
    const database = databaseOf(place);
    const row = database.prepare(query).get();
    database.close();
    return String(row?.['state']);
  }
  const connection = await createConnection(connectionOptions(place.databaseUrl));
  const [rows] = await connection.query<RowDataPacket[]>(query);
  await connection.end();
  return String(rows[0]?.['state']);
}

/** Writes the state of a run as a release did that knew no marks. */
async function writeState(place: StorePlace, { runId }: RunRecord, state: string): Promise<void> {
  const change = `update runs set state = '${state}' where run_id = '${runId}'`;
  if (place.name === 'sqlite') {
    const database = databaseOf(place);
    database.exec(change);
    database.close();
    return;
  }
  const connection = await createConnection(connectionOptions(place.databaseUrl));
  await connection.query(change);
  await connection.end();
}

function databaseOf({ databaseUrl }: StorePlace): DatabaseSync {
  return new DatabaseSync(databaseUrl.slice('sqlite:'.length), { timeout: 60_000 });
}

function startOlder({ databaseUrl, folder }: StorePlace): Promise<Instance> {
  return startProcess({
    program: { command: join(OLDER, 'src/cli.ts'), flags: SERVICE_FLAGS, variables: {} },
    env: {
      PATH: process.env['PATH'],
      INTAGLIO_DATABASE_URL: databaseUrl,
      INTAGLIO_FILES_URL: `file:${join(folder, 'files')}`,
      INTAGLIO_LINK_SECRETS: 'a secret of the test that is long enough to sign links',
      INTAGLIO_PORT: '0',
      INTAGLIO_POOL_THREADS: '2',
      INTAGLIO_ENCRYPTION_KEYS: KEY.toString('base64'),
    },
  });
}

async function found(store: Store, { runId }: RunRecord): Promise<RunRecord> {
  const run = await store.runs.find('bank', runId);
  if (!run.found) throw new Error('the run was not found');
  return run.value;
}

/** The runs of a scene: one under way, one that a caller of the older instance starts, a plain one. */
async function addRuns(store: Store) {
  const guarded = await addRun(store, ROWS, { protection: BY_ROW });
  const waiting = await addRun(store, 10, { protection: BY_ROW }, false);
  const plain = await addRun(store, 10, {});
  return { guarded, waiting, plain };
}

async function demandUntouched(t: Test, store: Store, runs: readonly RunRecord[]): Promise<void> {
  for (const run of runs) {
    const { counts } = await found(store, run);
    t.match(counts, { received: 0, stored: 0, failed: 0, bytesChecked: 0 }, 'nothing was done');
  }
}

await overDialects('an older instance and a run with passwords', async (t, newPlace) => {
  await t.test('earlier releases know none of its states', async (t) => {
    const place = await newPlace();
    await prepare(place);
    const store = await place.open(t, { encryption: ENCRYPTION });
    const run = await addRun(store, 3, { protection: BY_ROW }, false);
    const seen = [await storedState(place, run)];
    const starting = { from: ['receiving', 'stopped', 'done'], isDryRun: false } as const;
    const moves = [
      { ...starting, to: 'checking' },
      { from: ['checking'], to: 'paused' },
      null,
      { from: ['checking'], to: 'running' },
      { from: ['running'], to: 'stopped' },
      { ...starting, to: 'checking' },
      { from: ['checking'], to: 'running' },
      { from: ['running'], to: 'done' },
    ] as const;
    for (const move of moves) {
      const isMoved = await (move === null
        ? store.runs.resume(run.runId)
        : store.runs.move(run.runId, move));
      t.ok(isMoved, move?.to ?? 'resumed');
      seen.push(await storedState(place, run));
      t.equal((await found(store, run)).state, move?.to ?? 'checking', 'this release reads it');
    }
    for (const state of seen) t.notOk(KNOWN.includes(state), `${state} is none that they know`);
    const plain = await addRun(store, 3, {}, false);
    t.equal(await storedState(place, plain), 'receiving', 'other runs are as they were');
  });

  await t.test('a run of an earlier release has a mark after its next change', async (t) => {
    const place = await newPlace();
    await prepare(place);
    const store = await place.open(t, { encryption: ENCRYPTION });
    for (const state of ['checking', 'running'] as const) {
      const run = await addRun(store, 3, { protection: BY_ROW }, false);
      await writeState(place, run, state);
      t.ok(await store.runs.move(run.runId, { from: [state], to: 'paused' }));
      t.notOk(KNOWN.includes(await storedState(place, run)), 'paused');
      t.ok(await store.runs.resume(run.runId));
      const resumed = await storedState(place, run);
      t.notOk(KNOWN.includes(resumed), `resumed: ${resumed} is none that earlier releases know`);
      t.equal((await found(store, run)).state, state);
    }
  });

  // A run of all tests allows none to be skipped, and has no checkout of an earlier release.
  if (OLDER === '') return;
  await t.test('it does nothing in it', async (t) => {
    const place = await newPlace();
    await prepare(place);
    const store = await place.open(t, { encryption: ENCRYPTION });
    const key = await store.keys.add({
      teamId: 'bank',
      name: 'test',
      scopes: ['runs'],
      rateLimitPerMinute: null,
    });
    const runs = await addRuns(store);
    const older = await startOlder(place);
    const start = await fetch(`${older.url}/v1/runs/${runs.waiting.runId}/start`, {
      method: 'POST',
      headers: { 'x-api-key': key.ok ? key.value.apiKey : '', 'content-type': 'application/json' },
      body: '{}',
    });
    t.equal(start.status, 409, 'it starts none');
    await until(async () => (await found(store, runs.plain)).state === 'done');
    await pause(OLDER_MS);
    await demandUntouched(t, store, [runs.guarded, runs.waiting]);
    // One process at a time has an SQLite file.
    if (place.name === 'sqlite') await older.stop();
    const service = await serve(place, { INTAGLIO_ENCRYPTION_KEYS: KEY.toString('base64') });
    t.equal((await untilSettled(place, runs.guarded.runId)).state, 'done');
    service.kill('SIGTERM');
    await once(service, 'exit');
    if (place.name === 'mysql') await older.stop();
    const rows = await manifestOf(store, runs.guarded);
    t.equal(rows.length, ROWS);
    for (const row of rows) {
      const pdf = await documentOf(store, row);
      if (!isProtectedPdf(pdf)) t.fail(`${row.rowId} has no password`);
    }
  });
});
