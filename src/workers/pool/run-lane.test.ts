import t from 'tap';
import { jobOf, newJobOf, poolWith, rowsJobOf } from '../../../test/fixtures/pool.ts';

const SLEEP = { do: 'sleep', ms: 40 };

t.test('rows come back in order, with their files one after the other', async (t) => {
  const { pool } = poolWith(t);
  const result = await pool.rows(rowsJobOf({ n: 1 }, { do: 'invalid' }, { n: 3 }), 'run').result;
  if (!result.ok) throw new Error(result.code);
  const { rows, files } = result.value;
  t.match(rows, [
    { failure: null, pages: 1 },
    { failure: { code: 'invalid_data' }, bytes: 0 },
    { failure: null, pages: 1 },
  ]);
  t.equal(
    files.byteLength,
    rows.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const last = Buffer.from(files.subarray(rows[0]?.bytes));
  t.match(last.toString('utf8'), /"n":3/);
  t.match(rows[0]?.sha256, /^[0-9a-f]{64}$/);
});

t.test('a request is served before the remaining rows of a run', async (t) => {
  const { pool } = poolWith(t);
  await pool.ready();
  const run = pool.rows(rowsJobOf(...Array.from({ length: 50 }, () => SLEEP)), 'run');
  while (pool.stats().running === 0) await new Promise((done) => setImmediate(done));
  const request = await pool.submit(jobOf({ n: 1 }), 'caller').result;
  t.ok(request.ok);
  const result = await run.result;
  if (!result.ok) throw new Error(result.code);
  const { length } = result.value.rows;
  t.ok(length >= 1 && length < 50, `the run stopped after ${length} rows of 50`);
});

t.test('waiting rows of runs do not fill the queue and are not counted in it', async (t) => {
  const { pool, open } = poolWith(t);
  await pool.ready();
  const first = pool.submit(jobOf({ do: 'wait' }), 'a');
  const runs = Array.from({ length: 5 }, () => pool.rows(rowsJobOf({}), 'run').result);
  t.equal(pool.stats().queued, 0);
  const next = [pool.submit(jobOf({}), 'b').result, pool.submit(jobOf({}), 'b').result];
  open();
  await first.result;
  for (const result of await Promise.all([...next, ...runs])) t.ok(result.ok);
});

t.test('rows of a run displace no request when reclaimed jobs overfill the queue', async (t) => {
  const { pool, open } = poolWith(t);
  await pool.ready();
  const requests = ['a', 'b', 'c', 'c'].map((key) => {
    return pool.submit(jobOf({ do: key === 'a' ? 'wait' : '' }), key).result;
  });
  t.equal(pool.stats().queued, 2, 'full, with one prefetched');
  while (pool.stats().queued < 3) await new Promise((done) => setImmediate(done));
  const run = pool.rows(rowsJobOf({}), 'run').result;
  open();
  for (const result of await Promise.all([...requests, run])) t.match(result, { ok: true });
});

t.test('runs are served round-robin', async (t) => {
  const { pool, open } = poolWith(t);
  await pool.ready();
  const held = pool.submit(jobOf({ do: 'wait' }), 'a');
  const order: string[] = [];
  const follow = (key: string): Promise<unknown> =>
    pool.rows(rowsJobOf({}), key).result.then(() => order.push(key));
  const all = ['one', 'one', 'one', 'two', 'two'].map(follow);
  open();
  await Promise.all([held.result, ...all]);
  t.same(order, ['one', 'two', 'one', 'two', 'one']);
});

t.test(
  'requests that wait take the thread of a run after one row, one after the other',
  async (t) => {
    const { pool, open } = poolWith(t, { threads: 2, queueMax: 8 });
    await pool.ready();
    const waits = pool.submit(jobOf({ do: 'wait' }), 'slow');
    const order: string[] = [];
    const runs = Array.from({ length: 4 }, async () => {
      const { result } = pool.rows(rowsJobOf(SLEEP, SLEEP), 'run');
      const outcome = await result;
      order.push('run');
      return outcome.ok ? outcome.value.rows.length : 0;
    });
    const requests = Array.from({ length: 4 }, async () => {
      const { result } = pool.submit(newJobOf({}), 'caller');
      t.ok((await result).ok);
      order.push('request');
    });
    await Promise.all(requests);
    open();
    await waits.result;
    t.strictSame(await Promise.all(runs), [1, 2, 2, 2], 'only the run under way leaves off');
    t.strictSame(order.slice(0, 5), ['run', 'request', 'request', 'request', 'request']);
  },
);

t.test('rows of a run go on while the requests that wait have no share left', async (t) => {
  const nowMs = performance.now();
  t.intercept(performance, 'now', { value: () => nowMs });
  const { pool, open } = poolWith(t, { threads: 2, queueMax: 8 });
  await pool.ready();
  const submit = (data: object): Promise<unknown> =>
    pool.submit(jobOf(data), 'key', 'crowd').result;
  await submit({ do: 'sleep', ms: 60 });
  t.match(await pool.submit(newJobOf({}), 'other').result, { ok: true });
  const long = [submit({ do: 'wait' }), submit({ do: 'wait' })];
  t.match(pool.stats(), { running: 1, queued: 1 });
  for (const team of ['crowd', 'other']) {
    const run = await pool.rows(rowsJobOf({}, {}, {}, {}, {}), 'run', team).result;
    if (!run.ok) throw new Error(run.code);
    t.equal(run.value.rows.length, 5, `a run of ${team}`);
    t.match(pool.stats(), { running: 1, queued: 1 });
  }
  open();
  for (const result of long) t.match(await result, { ok: true });
});
