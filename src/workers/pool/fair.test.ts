import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Test } from 'tap';
import t from 'tap';
import { jobOf, newJobOf, poolWith, template } from '../../../test/fixtures/pool.ts';
import type { FakePool } from '../../../test/fixtures/pool.ts';
import type { RenderJob } from '#engine';
import type { PoolOptions } from './pool.ts';

/** Fairness as callers of the pool see it; waiting.test.ts tests each rule. */

const check = { kind: 'check', template, renderSamples: true, atMs: 0 } as const;
/** Makes a body so large that it is moved to its thread: such a job is never prefetched. */
const FILLING = 'x'.repeat(100_000);

/** A job of another template. */
function slowJob(data: unknown): RenderJob {
  return { ...jobOf(data), template: { ...template, hash: 'slow' } };
}

/** A pool that has seen one slow job of 'slow'. */
async function slowPool(t: Test, changes: Partial<PoolOptions> = {}): Promise<FakePool> {
  const fake = poolWith(t, { threads: 2, queueMax: 64, ...changes });
  await fake.pool.ready();
  await fake.pool.submit(slowJob({ do: 'sleep', ms: 260 }), 'slow').result;
  return fake;
}

/** Stops the clock of the main thread; the returned function advances it by `ms`. */
function stopClock(t: Test): (ms: number) => void {
  let nowMs = performance.now();
  t.intercept(performance, 'now', { value: () => nowMs });
  return (ms) => (nowMs += ms);
}

t.test('slow jobs leave a renderer to the short jobs of others', async (t) => {
  stopClock(t);
  const { pool, open } = await slowPool(t);
  t.match(await pool.submit(newJobOf({}), 'other').result, { ok: true });
  const slow = [1, 2].map(() => pool.submit(slowJob({ do: 'wait' }), 'slow'));
  t.match(pool.stats(), { running: 1, queued: 1 });
  for (let n = 0; n < 20; n++) {
    t.match(await pool.submit(newJobOf({}), 'other').result, { ok: true });
  }
  t.match(pool.stats(), { running: 1, queued: 1 });
  open();
  for (const { result } of slow) t.match(await result, { ok: true });
});

t.test('long jobs of many keys of a team leave a renderer to another team', async (t) => {
  const passTime = stopClock(t);
  const { pool, open } = poolWith(t, { threads: 2, queueMax: 64 });
  await pool.ready();
  const keys = ['key 1', 'key 2', 'key 3'];
  for (const key of keys) await pool.submit(slowJob({ do: 'sleep', ms: 60 }), key, 'crowd').result;
  const short = (): Promise<unknown> => pool.submit(newJobOf({}), 'other').result;
  t.match(await short(), { ok: true });
  const long = keys.map((key) => pool.submit(slowJob({ do: 'wait' }), key, 'crowd').result);
  t.match(pool.stats(), { running: 1, queued: 2 });
  for (let n = 0; n < 20; n++) t.match(await short(), { ok: true });
  t.match(pool.stats(), { running: 1, queued: 2 });
  passTime(5_001);
  while (pool.stats().running < 2) await nextTurn();
  t.pass('the other team has sent none lately');
  open();
  for (const result of long) t.match(await result, { ok: true });
});

t.test('long and slow jobs of a team together leave a renderer to another team', async (t) => {
  stopClock(t);
  const { pool, open } = poolWith(t, { threads: 2, queueMax: 64 });
  await pool.ready();
  for (const [key, ms] of Object.entries({ long: 60, slow: 260 })) {
    await pool.submit(slowJob({ do: 'sleep', ms }), key, 'crowd').result;
  }
  const short = (): Promise<unknown> => pool.submit(newJobOf({}), 'other').result;
  t.match(await short(), { ok: true });
  const wait = (key: string): Promise<unknown> =>
    pool.submit(slowJob({ do: 'wait' }), key, 'crowd').result;
  const crowd = [wait('long'), wait('slow')];
  t.match(pool.stats(), { running: 1, queued: 1 });
  for (let n = 0; n < 20; n++) t.match(await short(), { ok: true });
  t.match(pool.stats(), { running: 1, queued: 1 });
  open();
  for (const result of crowd) t.match(await result, { ok: true });
});

t.test('slow jobs get all renderers when others have sent none for five seconds', async (t) => {
  const passTime = stopClock(t);
  const { pool, open } = await slowPool(t);
  t.match(await pool.submit(newJobOf({}), 'other').result, { ok: true });
  const slow = [1, 2].map(() => pool.submit(slowJob({ do: 'wait' }), 'slow').result);
  passTime(4_999);
  t.equal(pool.stats().running, 1);
  passTime(2);
  while (pool.stats().running < 2) await nextTurn();
  open();
  for (const result of slow) t.match(await result, { ok: true });
});

t.test('nothing is prefetched behind a slow job', async (t) => {
  const { pool, open } = await slowPool(t, { threads: 1, prefetchMs: 10_000 });
  const slow = pool.submit(slowJob({ do: 'wait' }), 'slow').result;
  const short = pool.submit(jobOf({}), 'other').result;
  t.match(pool.stats(), { running: 1, queued: 1 });
  open();
  t.match(await slow, { ok: true });
  t.match(await short, { ok: true });
});

t.test('jobs of unknown duration are prefetched by one renderer only', async (t) => {
  const { pool, open } = poolWith(t, { threads: 2, queueMax: 8 });
  await pool.ready();
  const held = [1, 2].map(() => pool.submit(jobOf({ do: 'wait' }), 'other').result);
  const unknown = [1, 2].map(() => pool.submit(slowJob({ do: 'wait' }), 'slow').result);
  t.match(pool.stats(), { running: 3, queued: 1 }, 'the other renderer stays open to short jobs');
  open();
  for (const result of [...held, ...unknown]) t.match(await result, { ok: true });
});

t.test('while others wait, one caller gets at most all renderers but one', async (t) => {
  const { pool, open } = poolWith(t, { threads: 2, queueMax: 8 });
  await pool.ready();
  // 'used' is charged most, so it would come last.
  await pool.submit(jobOf({}), 'greedy').result;
  await pool.submit(newJobOf({ do: 'sleep', ms: 200 }), 'used').result;
  const held = pool.submit(jobOf({ do: 'wait' }), 'greedy').result;
  const between = pool.submit(jobOf({ do: 'sleep', ms: 20 }), 'third').result;
  const greedy = pool.submit(jobOf({ do: 'wait', FILLING }), 'greedy').result;
  const used = pool.submit(newJobOf({ FILLING }), 'used').result;
  t.match(pool.stats(), { running: 2, queued: 2 });
  t.match(await between, { ok: true });
  t.match(await used, { ok: true });
  t.equal(pool.stats().timeouts, 0, 'it did not wait for the end of the others');
  open();
  for (const result of [held, greedy]) t.match(await result, { ok: true });
});

t.test(
  'a check does not take the last free renderer until it has waited two seconds',
  async (t) => {
    const passTime = stopClock(t);
    const { pool, open } = poolWith(t, { threads: 2, queueMax: 8 });
    await pool.ready();
    const held = pool.submit(jobOf({ do: 'wait' }), 'a').result;
    const checked = pool.check(check, 'editor').result;
    t.match(pool.stats(), { running: 1, queued: 1 });
    t.match(await pool.submit(jobOf({}), 'b').result, { ok: true });
    t.match(pool.stats(), { running: 1, queued: 1 });
    passTime(2_001);
    t.match(await checked, { ok: true, value: { findings: [] } });
    open();
    t.match(await held, { ok: true });
  },
);

t.test('checks run one at a time', async (t) => {
  const { pool } = poolWith(t, { threads: 4, queueMax: 8 });
  await pool.ready();
  const checks = [1, 2, 3].map((n) => pool.check(check, `editor ${n}`).result);
  t.match(pool.stats(), { running: 1, queued: 2 });
  for (const result of checks) t.match(await result, { ok: true });
});

t.test('with one renderer, a check waits until nothing runs', async (t) => {
  stopClock(t);
  const { pool, open } = poolWith(t, { queueMax: 8 });
  await pool.ready();
  const order: string[] = [];
  const follow = async (name: string, result: Promise<{ ok: boolean }>): Promise<void> => {
    t.ok((await result).ok);
    order.push(name);
  };
  const all = [
    follow('held', pool.submit(jobOf({ do: 'wait' }), 'a').result),
    follow('check', pool.check(check, 'editor').result),
    follow('next', pool.submit(jobOf({ FILLING }), 'b').result),
  ];
  t.match(pool.stats(), { running: 1, queued: 2 });
  open();
  await Promise.all(all);
  t.same(order, ['held', 'next', 'check']);
});

t.test('a check that renders nothing has a shorter time limit', async (t) => {
  const module = new URL('data:text/javascript,export default () => { for (;;); }');
  const { pool } = poolWith(t, { module, checkTimeoutMs: 60_000, draftTimeoutMs: 150 });
  const result = await pool.check({ ...check, renderSamples: false }, 'editor').result;
  t.match(result, { ok: false, code: 'render_failed', message: /150 ms/ });
});

t.test('a caller of slow jobs does not hold up the documents of another', async (t) => {
  const { pool } = await slowPool(t, { spareThreads: 1 });
  t.match(await pool.submit(newJobOf({}), 'other').result, { ok: true });
  const done = { slow: 0, isOver: false };
  const slow = Array.from({ length: 8 }, async () => {
    await pool.submit(slowJob({ do: 'sleep', ms: 1_000 }), 'slow').result;
    done.slow += 1;
    done.isOver ||= done.slow === 3;
  });
  let documents = 0;
  // Documents that came while one and the same slow job ran.
  let beside = 0;
  while (!done.isOver) {
    const before = done.slow;
    t.match(await pool.submit(newJobOf({ do: 'sleep', ms: 5 }), 'other').result, { ok: true });
    documents += 1;
    if (done.slow === before) beside += 1;
  }
  // Some 400 on an idle machine; 3 if slow jobs take every renderer.
  const figures = `${documents} documents beside three slow jobs`;
  t.ok(documents > 12, figures);
  t.ok(beside > documents / 2, `${figures}, ${documents - beside} waited for a slow one`);
  await pool.close(0);
  await Promise.all(slow);
});
