import { pino } from 'pino';
import t from 'tap';
import { startFakePool } from '../../lab/service/gateway.ts';
import { begin, sceneOf, send, until } from '../../test/fixtures/runs/scene.ts';
import type { Store } from '../store/store.ts';
import { startRunEngine } from './engine.ts';

/** A store in which the end of a check waits between its reads and its change of the run. */
function slowStore(store: Store) {
  const gate = Promise.withResolvers<undefined>();
  let isWaiting = false;
  const runTotals = new Proxy(store.runTotals, {
    get(target, name) {
      if (name === 'add') {
        return async (...sent: Parameters<typeof target.add>) => {
          const sums = await target.add(...sent);
          isWaiting = true;
          await gate.promise;
          return sums;
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return {
    store: { ...store, runTotals },
    isWaiting: () => isWaiting,
    release: () => gate.resolve(undefined),
  };
}

t.test('an instance that ends a check late does not end the next one', async (t) => {
  const scene = await sceneOf(t);
  const { store, start, find, manifest } = scene;
  const run = await start({ onInvalid: 'stop' });
  await send(store, run, 1, 'refNo,total\nA,1.00\n,2.00\n');
  const slow = slowStore(store);
  const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)));
  await pool.ready();
  const log = pino({ level: 'silent' });
  const late = startRunEngine({ store: slow.store, pool, log, threads: 1 });
  t.teardown(async () => {
    slow.release();
    await late.close();
    await pool.close(0);
  });
  await begin(store, run.runId);
  late.wake();
  await until(() => Promise.resolve(slow.isWaiting()));
  // Another instance ends the check meanwhile.
  const other = startRunEngine({ store, pool, log, threads: 1 });
  other.wake();
  await until(async () => (await find(run.runId)).state === 'stopped');
  await other.close();
  // Somebody corrects the row and starts again.
  await send(store, await find(run.runId), 2, '#part,#line,refNo,total\n1,3,B,2.00\n');
  await store.runs.move(run.runId, { from: ['stopped'], to: 'checking', isDryRun: false });
  slow.release();
  late.wake();
  await until(async () => ['stopped', 'done'].includes((await find(run.runId)).state));
  t.match(await find(run.runId), { state: 'done', reasons: [], counts: { stored: 2, invalid: 0 } });
  const rows = await manifest(run.runId);
  t.strictSame(rows.map(({ rowId }) => rowId).toSorted(), ['A', 'B']);
});
