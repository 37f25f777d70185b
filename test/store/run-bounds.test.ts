import { hash, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import type { RunBounds } from '../../src/store/runs/bounds.ts';
import type { NewRunPart, PartOutcome, RunRecord } from '../../src/store/runs/types.ts';
import type { Store } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';
import { RUN_SPEC } from '../fixtures/runs/spec.ts';

const DAY_MS = 86_400_000;
const BOUNDS: RunBounds = {
  runBytesMax: 1_000,
  teamBytesMax: 1_500,
  teamPartsMax: 20,
  teamActiveMax: 3,
};
const START = { from: ['receiving'], to: 'checking', isDryRun: false } as const;

const newRun = (store: Store, team = 'bank'): Promise<RunRecord> =>
  store.runs.create(team, 'key:k', RUN_SPEC);

function put(store: Store, run: RunRecord, part: number, bytes: number): Promise<PartOutcome> {
  const rows = new Uint8Array(Buffer.alloc(bytes, `${part}`));
  const sha256 = hash('sha256', rows, 'hex');
  const sent: NewRunPart = { part, sha256, format: 'ndjson', headerBytes: 0, firstLine: 1 };
  return store.runs.addPart(run, sent, rows);
}

async function find(store: Store, { teamId, runId }: RunRecord): Promise<RunRecord> {
  const found = await store.runs.find(teamId, runId);
  if (!found.found) throw new Error('no run');
  return found.value;
}

const countOf = <T>(all: readonly T[], wanted: T): number =>
  all.filter((one) => one === wanted).length;

await overDialects('bounds of runs', async (t, newPlace) => {
  let aheadMs = 0;
  const clock = {
    wallMs: () => Date.now() + aheadMs,
    monotonicMs: () => performance.now() + aheadMs,
  };
  const opened = async (bounds: Partial<RunBounds> = {}) => {
    aheadMs = 0;
    const place = await newPlace();
    const settings = { runBounds: { ...BOUNDS, ...bounds }, clock };
    const stores = [await place.open(t, settings), await place.open(t, settings)] as const;
    const files = () =>
      readdirSync(join(place.folder, 'files'), { recursive: true }).filter((name) =>
        String(name).endsWith('.run'),
      );
    return { stores, files };
  };

  await t.test('a run takes no more bytes than it may, of two instances together', async (t) => {
    const { stores, files } = await opened({ teamBytesMax: 1e9 });
    const run = await newRun(stores[0]);
    const all = Array.from({ length: 12 }, (_, index) =>
      put(stores[index % 2 === 0 ? 0 : 1], run, index + 1, 300),
    );
    const outcomes = await Promise.all(all);
    t.equal(countOf(outcomes, 'added'), 3);
    t.equal(countOf(outcomes, 'run_full'), 9);
    t.equal((await find(stores[0], run)).counts.bytesReceived, 900);
    const part = outcomes.indexOf('added') + 1;
    t.equal(await put(stores[0], run, part, 300), 'there', 'repeating a part takes no room');
    t.equal(await put(stores[0], run, 20, 100), 'added', 'what is left can be taken');
    t.equal(files().length, 4, 'refused parts leave no file');
  });

  await t.test('a team takes no more bytes than it may, whichever its runs', async (t) => {
    const { stores } = await opened({ runBytesMax: 1e9 });
    const runs = await Promise.all(Array.from({ length: 10 }, () => newRun(stores[0])));
    const outcomes = await Promise.all(
      runs.map((run, index) => put(stores[index % 2 === 0 ? 0 : 1], run, 1, 400)),
    );
    t.equal(countOf(outcomes, 'added'), 3);
    t.equal(countOf(outcomes, 'team_full'), 7);
    const other = await newRun(stores[1], 'rival');
    t.equal(await put(stores[1], other, 1, 1_500), 'added', 'another team has its room');
    t.equal(await put(stores[0], other, 2, 1), 'team_full');
  });

  await t.test('a team has no more parts than it may', async (t) => {
    const { stores } = await opened();
    const run = await newRun(stores[0]);
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        put(stores[index % 2 === 0 ? 0 : 1], run, index + 1, 2),
      ),
    );
    t.equal(countOf(outcomes, 'added'), 20);
    t.equal(countOf(outcomes, 'team_parts'), 10);
  });

  await t.test('parts count until their files are removed, once', async (t) => {
    const { stores } = await opened();
    const run = await newRun(stores[0]);
    t.equal(await put(stores[0], run, 1, 900), 'added');
    const next = await newRun(stores[0]);
    t.equal(await put(stores[0], next, 1, 900), 'team_full');
    await stores[0].runs.move(run.runId, { from: ['receiving'], to: 'cancelled' });
    t.equal(await put(stores[0], next, 1, 900), 'team_full', 'the file is still there');
    aheadMs += 1_000;
    await Promise.all(stores.map((store) => store.documents.sweep(Date.now() + aheadMs)));
    t.equal(await put(stores[0], next, 1, 900), 'added');
    t.equal(await put(stores[1], next, 2, 100), 'added');
    const last = await newRun(stores[0]);
    t.equal(await put(stores[1], last, 1, 501), 'team_full', 'nothing was given back twice');
    t.equal(await put(stores[1], last, 1, 500), 'added');
  });

  await t.test('a team has no more active runs than it may', async (t) => {
    const { stores } = await opened();
    const runs = await Promise.all(Array.from({ length: 9 }, () => newRun(stores[0])));
    const outcomes = await Promise.all(
      runs.map((run, index) => stores[index % 2 === 0 ? 0 : 1].runs.start(run, START)),
    );
    t.equal(countOf(outcomes, 'started'), 3);
    t.equal(countOf(outcomes, 'team_busy'), 6);
    const first = runs.find((_, index) => outcomes[index] === 'started');
    const waiting = runs.find((_, index) => outcomes[index] === 'team_busy');
    if (first === undefined || waiting === undefined) return t.fail('no such run');
    await stores[0].runs.move(first.runId, { from: ['checking'], to: 'paused' });
    t.equal(await stores[1].runs.start(waiting, START), 'team_busy', 'a paused run is active');
    t.equal(await stores[1].runs.isCrowded(waiting.teamId), true);
    t.equal(await stores[1].runs.isCrowded('rival'), false, 'never refused');
    await stores[0].runs.move(first.runId, { from: ['paused'], to: 'cancelled' });
    t.equal(await stores[1].runs.isCrowded(waiting.teamId), false, 'asked again each time');
    t.equal(await stores[1].runs.start(waiting, START), 'started');
    t.equal(await stores[1].runs.start(waiting, START), 'team_busy');
    const other = await newRun(stores[1], 'rival');
    t.equal(await stores[1].runs.start(other, START), 'started', 'another team has its own');
    t.equal(await stores[1].runs.start(other, START), 'closed');
  });

  await t.test('a run that nobody starts for a day loses its parts and says why', async (t) => {
    const { stores, files } = await opened({ teamPartsMax: 2_000 });
    const [store] = stores;
    const [idle, begun, checked, younger, empty] = await Promise.all(
      Array.from({ length: 5 }, () => newRun(store)),
    );
    if (idle === undefined || begun === undefined || checked === undefined) return t.fail('no run');
    if (younger === undefined || empty === undefined) return t.fail('no run');
    for (const run of [idle, begun, checked, younger]) await put(store, run, 1, 10);
    await store.runs.start(begun, START);
    await store.runs.start(checked, { ...START, isDryRun: true });
    const owner = randomUUID();
    const part = await store.runWork.leasePart(checked.runId, owner);
    if (part === null) return t.fail('no part');
    const row = {
      rowId: 'R',
      length: 10,
      line: 1,
      corrects: null,
      lacks: [],
      isEmpty: false,
      failure: null,
    };
    const rows = [{ ...row, digest: '0'.repeat(32), amounts: [] }];
    const sha256 = hash('sha256', '', 'hex');
    await store.runWork.addChunk(checked, part, owner, { toByte: 10, toLine: 2, sha256, rows });
    await store.runs.move(checked.runId, { from: ['checking'], to: 'receiving' });
    aheadMs += DAY_MS / 2;
    await put(store, younger, 2, 10);
    aheadMs += DAY_MS / 2 + 1_000;
    await Promise.all(stores.map((one) => one.documents.sweep(Date.now() + aheadMs)));
    t.match(await find(store, idle), { state: 'cancelled', reasons: [{ name: 'not_started' }] });
    t.equal((await find(store, begun)).state, 'checking');
    t.equal((await find(store, checked)).state, 'receiving');
    t.equal((await find(store, younger)).state, 'receiving');
    t.equal((await find(store, empty)).state, 'receiving');
    t.equal(await put(store, idle, 2, 10), 'closed');
    t.equal(files().length, 4, 'only the part of the idle run was removed');
    aheadMs += 29 * DAY_MS;
    await store.documents.sweep(Date.now() + aheadMs);
    t.equal((await find(store, checked)).state, 'cancelled', 'a dry run keeps them for 30 days');
    t.equal((await find(store, younger)).state, 'cancelled');
  });

  await t.test('a sweep that is cut off leaves no key of a run that it cancelled', async (t) => {
    const place = await newPlace();
    // The sweep is cut off by a trigger, which needs the file of the database.
    if (place.name !== 'sqlite') return;
    aheadMs = 0;
    const encryption = { keys: () => [Buffer.alloc(32, 'a key of the test')] };
    const store = await place.open(t, { clock, encryption });
    const protection = { user: { text: '{{born}}', format: {} }, owner: null, permissions: {} };
    const run = await store.runs.create('bank', 'key:k', { ...RUN_SPEC, protection });
    t.equal(await put(store, run, 1, 10), 'added');
    const database = new DatabaseSync(place.databaseUrl.slice('sqlite:'.length), {
      timeout: 60_000,
    });
    t.teardown(() => database.close());
    database.exec(`
      create trigger cut before update on run_files
      when new.wrapped_key is not null and new.expires_at_ms <> old.expires_at_ms
      begin select raise(abort, 'cut off'); end
    `);
    aheadMs = DAY_MS + 1_000;
    await store.documents.sweep(Date.now() + aheadMs).catch(() => undefined);
    t.equal((await find(store, run)).state, 'cancelled');
    const kept = 'select count(*) as count from run_files where wrapped_key is not null';
    t.equal(database.prepare(kept).get()?.['count'], 0, 'the end of a run destroys its keys');
  });
});
