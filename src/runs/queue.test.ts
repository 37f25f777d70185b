import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type Redis, startRedis } from '../../lab/servers/redis.ts';
import {
  begin,
  lines,
  log,
  type Scene,
  sceneOf,
  send,
  until,
} from '../../test/fixtures/runs/scene.ts';
import type { RunEngine, RunEngineOptions } from './engine.ts';
import { RunQueue } from './queue.ts';

/**
 * Runs whose chunks Redis distributes. Each test has a prefix, so that none takes another's work.
 */

const ROWS = 600;
/** Steps of a run of one part: check it, render its chunk, end the run. */
const STEPS = 3;
let prefixes = 0;

type OpenQueue = NonNullable<RunEngineOptions['openQueue']>;

function queueOn(redis: Pick<Redis, 'url'>): OpenQueue {
  return queueOf(newUrl(redis), 'database');
}

function queueOf(url: string, database: string): OpenQueue {
  return (options) => new RunQueue({ url, database, log, ...options });
}

/** The URL of this Redis with a key prefix that no other test uses. */
function newUrl({ url }: Pick<Redis, 'url'>): string {
  prefixes += 1;
  return `${url}?prefix=test-${prefixes}`;
}

async function startRun({ store, start }: Scene): Promise<string> {
  const run = await start({
    expectedRows: ROWS,
    expectedSums: { total: String((ROWS * 11) / 10) },
  });
  await send(store, run, 1, lines(ROWS));
  await begin(store, run.runId);
  return run.runId;
}

async function endsDone(t: Test, { find, manifest }: Scene, runId: string): Promise<void> {
  await until(async () => !['checking', 'running'].includes((await find(runId)).state));
  t.match(await find(runId), { state: 'done', counts: { received: ROWS, stored: ROWS } });
  const rows = await manifest(runId);
  t.equal(new Set(rows.map(({ documentId }) => documentId)).size, ROWS, 'each row has a document');
}

function taken(engine: RunEngine): number {
  return engine.queueFigures()?.taken ?? 0;
}

t.test('without Redis the database distributes work', async (t) => {
  const scene = await sceneOf(t);
  const engine = scene.engine(queueOn({ url: 'redis://127.0.0.1:1/0' }));
  await endsDone(t, scene, await startRun(scene));
  t.match(engine.queueFigures(), { isUp: false, taken: 0 });
});

const started = await startRedis();
if (started.server === null) {
  await t.test('runs on Redis', { skip: started.reason }, () => undefined);
} else {
  const redis = started.server;
  t.teardown(() => redis.stop());

  await t.test('Redis distributes the steps of a run to several engines', async (t) => {
    const scene = await sceneOf(t);
    const open = queueOn(redis);
    const engines = [scene.engine(open), scene.engine(open)];
    const takenByAll = (): number => engines.reduce((sum, engine) => sum + taken(engine), 0);
    await until(async () => engines.every((engine) => engine.queueFigures()?.isUp));
    let runs = 0;
    // Until Redis has given each engine its first work, lanes also look into the database, and may
    // be faster.
    await until(async () => {
      const before = takenByAll();
      const runId = await startRun(scene);
      runs += 1;
      for (const engine of engines) engine.wake();
      await endsDone(t, scene, runId);
      return takenByAll() - before >= STEPS;
    });
    const stored = engines.reduce((sum, engine) => sum + engine.figures().stored, 0);
    t.equal(stored, runs * ROWS, 'no row was rendered twice');
  });

  await t.test('services with other databases share a server and its prefix', async (t) => {
    const url = newUrl(redis);
    const offers = Array.from({ length: 40 }, (_, index) => `own-${index}`);
    const takenBy: Record<string, string[]> = { own: [], other: [] };
    const queues = ['own', 'other'].map((name) => {
      const take = async ({ id }: { readonly id: string }): Promise<void> => {
        await pause(1);
        takenBy[name]?.push(id);
      };
      const options = { concurrency: 1, take, onDrained: () => undefined };
      return queueOf(url, name)(options);
    });
    t.teardown(() => Promise.all(queues.map((queue) => queue.close())));
    await until(async () =>
      (await Promise.all(queues.map((queue) => queue.offer([])))).every(Boolean),
    );
    const assignments = offers.map((id) => ({ runId: id, chunkId: null, id }));
    t.ok(await queues[0]?.offer(assignments));
    const count = (): number => (takenBy['own']?.length ?? 0) + (takenBy['other']?.length ?? 0);
    await until(async () => count() >= offers.length);
    t.strictSame(takenBy['other'], [], 'nothing went to the other one');
  });

  await t.test('instances with other keys on one database work together', async (t) => {
    // As in a rolling update: the keys of earlier versions have no id.
    const scene = await sceneOf(t);
    const url = newUrl(redis);
    const engines = [scene.engine(queueOf(url, 'earlier')), scene.engine(queueOf(url, 'later'))];
    await until(async () => engines.every((engine) => engine.queueFigures()?.isUp));
    for (let run = 0; run < 3; run += 1) {
      const runId = await startRun(scene);
      engines[run % 2]?.wake();
      await endsDone(t, scene, runId);
    }
    const stored = engines.reduce((sum, engine) => sum + engine.figures().stored, 0);
    t.equal(stored, 3 * ROWS, 'no row was rendered twice');
  });

  await t.test(
    'runs continue while Redis is down, and when it returns without its data',
    async (t) => {
      const scene = await sceneOf(t);
      const engine = scene.engine(queueOn(redis));
      const isUp = (wanted: boolean): Promise<void> =>
        until(async () => engine.queueFigures()?.isUp === wanted);
      await isUp(true);
      const during = await startRun(scene);
      engine.wake();
      await redis.kill();
      await endsDone(t, scene, during);
      await isUp(false);
      await redis.restart('lost');
      await isUp(true);
      const before = taken(engine);
      const after = await startRun(scene);
      engine.wake();
      await endsDone(t, scene, after);
      // BullMQ waits some seconds after a lost connection; later work is distributed by Redis
      // again.
      await startRun(scene);
      await until(async () => taken(engine) > before);
    },
  );
}
