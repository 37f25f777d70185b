import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { atSomePace } from '../../../lab/pace.ts';
import {
  jobOf,
  poolWith,
  runShort,
  template,
  textOf,
  threadsSoFar,
  warmedUp,
} from '../../../test/fixtures/pool.ts';
import type { RenderResult } from '#engine';

/** Longer than a slow machine needs: a test that waits this long fails. */
const GRACE_MS = 60_000;

t.test('a job returns its result; a large one is moved, not copied', async (t) => {
  const { pool } = poolWith(t);
  await pool.ready();
  const job = jobOf({ hello: 'สวัสดี' });
  const result = await pool.submit(job, 'k').result;
  const large = jobOf({ filling: 'x'.repeat(100_000) });
  t.match(await pool.submit(large, 'k').result, { ok: true });
  t.equal(large.body.byteLength, 0, 'its body was moved');
  t.ok(result.ok && Buffer.from(result.value.pdf).includes('สวัสดี'));
  t.match(pool.stats(), { threads: 1, running: 0, queued: 0, completed: 2 });
});

t.test('a full pool answers overloaded, but still takes a job of another key', async (t) => {
  const { pool, open } = poolWith(t);
  const flood = [0, 1, 2, 3].map((n) => pool.submit(jobOf({ do: n === 0 ? 'wait' : '' }), 'a'));
  const refused = await flood[3]?.result;
  t.match(refused, { ok: false, code: 'overloaded' });
  const trickle = pool.submit(jobOf({ from: 'trickle' }), 'b');
  t.match(await flood[2]?.result, { ok: false, code: 'overloaded' }, 'it makes room');
  open();
  t.match(await trickle.result, { ok: true });
  t.match(await flood[1]?.result, { ok: true });
  t.match(pool.stats(), { refused: 2, completed: 3 });
});

t.test('a cancelled job never runs', async (t) => {
  const { pool, open } = poolWith(t);
  await pool.ready();
  const first = pool.submit(jobOf({ do: 'wait' }), 'a');
  const second = pool.submit(jobOf({}), 'a');
  second.cancel();
  first.cancel();
  t.match(await second.result, { ok: false });
  t.equal(pool.stats().queued, 0);
  open();
  t.match(await first.result, { ok: true }, 'a running job continues');
  t.equal(pool.stats().completed, 1);
});

t.test('an endless render is ended at its time limit, and the next one runs at once', async (t) => {
  const { pool, faults } = poolWith(t, { renderTimeoutMs: 1_000, spareThreads: 1 });
  await pool.ready();
  const isLoaded = await threadsSoFar();
  const startMs = performance.now();
  const bomb = pool.submit(jobOf({ do: 'loop' }), 'a');
  const next = pool.submit(jobOf({}), 'a');
  t.match(await bomb.result, { ok: false, code: 'render_failed', message: /1000 ms/ });
  const tookMs = performance.now() - startMs;
  t.ok(tookMs >= 1_000, `${tookMs} ms`);
  t.ok(isLoaded(await next.result), 'in the spare thread, without waiting for one to load');
  t.match(faults, [{ kind: 'timeout', error: 'render' }]);
  t.equal(pool.stats().timeouts, 1);
});

t.test('a render that exhausts its memory ends its thread, never the process', async (t) => {
  const { pool } = poolWith(t, { spareThreads: 1 });
  await pool.ready();
  for (let n = 0; n < 4; n++) {
    const result = await pool.submit(jobOf({ do: 'memory' }), 'a').result;
    t.match(result, { ok: false, code: 'render_failed', message: /more memory/ });
  }
  t.equal(pool.stats().deaths, 4);
});

t.test('the time limit counts from the start of a job, not from its submission', async (t) => {
  await atSomePace(t, async (pace) => {
    const { pool } = poolWith(t, { renderTimeoutMs: 400 * pace, queueMax: 8 });
    await pool.ready();
    const job = jobOf({ do: 'sleep', ms: 150 * pace });
    const tickets = [0, 1, 2, 3].map(() => pool.submit(job, 'a'));
    const results = await Promise.all(tickets.map((ticket) => ticket.result));
    t.ok((tickets[3]?.queuedMs ?? 0) > 400 * pace, 'the last one waited longer than the limit');
    const ended = results.filter((result) => !result.ok).length;
    return ended === 0 ? '' : `${ended} of 4 were ended at ${400 * pace} ms`;
  });
});

for (const [what, message] of [
  ['die', /ended while/],
  ['throw-later', /ended while/],
  ['memory', /more memory/],
] as const) {
  t.test(`a thread that dies (${what}) fails its own job only`, async (t) => {
    const { pool, faults } = poolWith(t, { threads: 2, queueMax: 8 });
    await pool.ready();
    const neighbour = pool.submit(jobOf({ do: 'spin', ms: 50 }), 'b');
    const victim = pool.submit(jobOf({ do: what }), 'a');
    t.match(await victim.result, { ok: false, code: 'render_failed', message });
    t.match(await neighbour.result, { ok: true });
    const after = await Promise.all([1, 2, 3].map(() => pool.submit(jobOf({}), 'a').result));
    t.ok(after.every((result) => result.ok));
    await pool.ready();
    t.equal(pool.stats().threads, 2, 'replaced');
    t.match(faults, [{ kind: 'thread_died' }]);
    t.notMatch(JSON.stringify(faults), /canary|0815/);
  });
}

t.test('a job prefetched behind one that kills its thread runs in the next thread', async (t) => {
  const { pool } = poolWith(t);
  await pool.ready();
  const victim = pool.submit(jobOf({ do: 'die' }), 'a');
  const inHand = pool.submit(jobOf({ mine: 'ก' }), 'b');
  t.match(await victim.result, { ok: false, code: 'render_failed' });
  const result = await inHand.result;
  t.ok(result.ok && Buffer.from(result.value.pdf).includes('"mine":"ก"'));
});

t.test('a job prefetched behind a long one goes to the thread that is free first', async (t) => {
  const { pool, open } = poolWith(t, { threads: 2, queueMax: 8, renderTimeoutMs: 20_000 });
  await pool.ready();
  const other = { ...template, hash: 'other' };
  const long = pool.submit({ ...jobOf({ do: 'wait' }), template: other }, 'a');
  const short = pool.submit(jobOf({ do: 'sleep', ms: 5 }), 'a');
  const others = [1, 2, 3, 4].map(() => pool.submit(jobOf({ do: 'sleep', ms: 5 }), 'a').result);
  t.ok((await Promise.all([short.result, ...others])).every((result) => result.ok));
  t.equal(pool.stats().timeouts, 0, 'none waited for the long one');
  open();
  t.match(await long.result, { ok: true });
});

t.test(
  'seven short jobs are prefetched; all are reclaimed from behind a long one, in order',
  async (t) => {
    const { pool, open } = await warmedUp(t);
    const order: number[] = [];
    const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    const jobs = numbers.map(async (n) => {
      const data = n === 0 ? { do: 'wait' } : { n };
      const result = await pool.submit(jobOf(data), 'a').result;
      order.push(n);
      return result;
    });
    t.match(pool.stats(), { running: 8, queued: 2 });
    while (pool.stats().running > 1) await nextTurn();
    t.match(pool.stats(), { running: 1, queued: 9 });
    open();
    const results = await Promise.all(jobs);
    t.ok(
      results.every((result, n) => result.ok && (n === 0 || textOf(result).includes(`"n":${n}`))),
    );
    t.same(order, numbers);
  },
);

t.test('a cancelled prefetched job never runs; those behind it do', async (t) => {
  const { pool, open } = await warmedUp(t);
  const before = pool.stats().completed;
  const jobs = [0, 1, 2, 3].map((n) => pool.submit(jobOf(n === 0 ? { do: 'wait' } : { n }), 'a'));
  t.equal(pool.stats().running, 4);
  jobs[1]?.cancel();
  jobs[0]?.cancel();
  t.match(await jobs[1]?.result, { ok: false, code: 'overloaded' });
  t.ok(pool.stats().running <= 3);
  open();
  for (const n of [0, 2, 3]) t.match(await jobs[n]?.result, { ok: true });
  t.equal(pool.stats().completed - before, 3);
});

t.test('of jobs that take milliseconds, one is prefetched', async (t) => {
  const fake = await warmedUp(t, { prefetchMs: 8 });
  await runShort(fake, { do: 'sleep', ms: 6 });
  const { pool, open } = fake;
  const jobs = [0, 1, 2, 3].map((n) => pool.submit(jobOf({ do: n === 0 ? 'wait' : '' }), 'a'));
  t.match(pool.stats(), { running: 2, queued: 2 });
  open();
  for (const { result } of jobs) t.match(await result, { ok: true });
});

t.test('all jobs that a thread had prefetched when it died run in the next one', async (t) => {
  const { pool } = await warmedUp(t);
  const victim = pool.submit(jobOf({ do: 'die' }), 'a').result;
  const others = [1, 2, 3, 4].map((n) => pool.submit(jobOf({ n }), 'a').result);
  t.equal(pool.stats().running, 5);
  t.match(await victim, { ok: false, code: 'render_failed' });
  const results = await Promise.all(others);
  t.ok(results.every((result, n) => textOf(result).includes(`"n":${n + 1}`)));
});

t.test('an idle thread takes a job that another has prefetched', async (t) => {
  const { pool, open } = await warmedUp(t, { threads: 2 });
  const { completed } = pool.stats();
  const waiting = [0, 1].map(() => pool.submit(jobOf({ do: 'wait' }), 'a').result);
  const short = [0, 1, 2, 3].map((n) => pool.submit(jobOf({ n }), 'a').result);
  open();
  t.ok((await Promise.all([...waiting, ...short])).every((result) => result.ok));
  t.match(pool.stats(), { running: 0, queued: 0, completed: completed + 6 });
});

t.test('no job waits for a thread that loads while another is free', async (t) => {
  // The third thread loads until the gate opens, five seconds at most.
  const module = moduleOf(`
    if (Atomics.add(gate, 1, 1) === 2) Atomics.wait(gate, 0, 0, 5_000);
    export default ({ checkOnly }) => checkOnly ? process.exit(3) : pdf;`);
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const { pool } = poolWith(t, { module, settings: { gate }, threads: 2, queueMax: 8 });
  await pool.ready();
  t.match(await pool.submit({ ...jobOf({}), checkOnly: true }, 'a').result, { ok: false });
  const others = [1, 2, 3].map(() => pool.submit(jobOf({}), 'a').result);
  t.ok((await Promise.all(others)).every((result) => result.ok));
  t.equal(pool.stats().threads, 1, 'the new thread was not there yet');
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  await pool.ready();
});

t.test('a spare that loads first gets no job while the others live', async (t) => {
  const module = moduleOf(`
    const { isSpare } = threads.workerData;
    if (!isSpare) Atomics.wait(gate, 0, 0, 300);
    export default () => {
      if (isSpare) throw new Error('a job of the spare');
      return pdf;
    };`);
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const { pool } = poolWith(t, { module, settings: { gate }, spareThreads: 1, queueMax: 8 });
  await pool.ready();
  const jobs = [1, 2, 3, 4].map(() => pool.submit(jobOf({}), 'a').result);
  t.ok((await Promise.all(jobs)).every((result) => result.ok));
});

t.test('while threads die, each job is answered once and with its own document', async (t) => {
  const { pool } = poolWith(t, { threads: 2, spareThreads: 1, queueMax: 500 });
  await pool.ready();
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const jobs = Array.from({ length: 300 }, (_, mine) => {
    const chance = random();
    const deadly = chance < 0.02 ? { do: 'die' } : chance < 0.03 ? { do: 'memory' } : null;
    const data = deadly ?? { do: 'spin', ms: chance < 0.1 ? 60 : 0 };
    return {
      dies: deadly !== null,
      ticket: pool.submit(jobOf({ ...data, mine }), `${mine % 5}`),
    };
  });
  for (const [mine, { dies, ticket }] of jobs.entries()) {
    const result = await ticket.result;
    const isOwn = result.ok && Buffer.from(result.value.pdf).includes(`"mine":${mine}}`);
    if (isOwn === dies) t.fail(`job ${mine} (${dies ? 'dies' : 'lives'}): ${result.ok}`);
  }
  await pool.ready();
  const dead = jobs.filter(({ dies }) => dies).length;
  t.ok(dead > 2, `${dead} threads died`);
  t.match(pool.stats(), { running: 0, queued: 0, completed: 300, deaths: dead, threads: 3 });
});

t.test('a bug in a renderer is internal_error, without its message anywhere', async (t) => {
  const { pool, faults } = poolWith(t);
  const result = await pool.submit(jobOf({ do: 'bug' }), 'a').result;
  t.match(result, { ok: false, code: 'internal_error' });
  // The report travels beside the result.
  while (faults.length === 0) await new Promise((resolve) => setImmediate(resolve));
  t.match(faults, [{ kind: 'exception', error: 'RangeError' }]);
  t.notMatch(JSON.stringify([result, faults]), /canary|0815/);
});

t.test('a job whose buffer is detached is a bug, and ends no thread', async (t) => {
  const { pool, faults } = poolWith(t);
  const job = jobOf({});
  structuredClone(job.body, { transfer: [job.body.buffer as ArrayBuffer] });
  t.match(await pool.submit(job, 'a').result, { ok: false, code: 'internal_error' });
  t.match(faults, [{ kind: 'exception' }]);
  t.match(await pool.submit(jobOf({}), 'a').result, { ok: true });
});

t.test('warming reaches every idle thread', async (t) => {
  const { pool } = poolWith(t, { threads: 2, queueMax: 8 });
  await pool.ready();
  await pool.warm(template);
  const both = [1, 2].map(() => pool.submit(jobOf({ do: 'spin', ms: 30 }), 'a').result);
  for (const result of await Promise.all(both)) {
    t.ok(result.ok && Buffer.from(result.value.pdf).includes('"warmed":["h"]'));
  }
});

t.test('a thread that replaces another has loaded the templates in use', async (t) => {
  const { pool } = poolWith(t, { queueMax: 8 });
  t.match(await pool.submit(jobOf({}), 'a').result, { ok: true });
  const bad = { ...jobOf({ do: 'die' }), template: { ...template, hash: 'killer' } };
  t.match(await pool.submit(bad, 'a').result, { ok: false });
  const result = await pool.submit(jobOf({}), 'a').result;
  t.ok(result.ok && Buffer.from(result.value.pdf).includes('"warmed":["h"]'));
});

t.test('a check returns findings', async (t) => {
  const { pool } = poolWith(t);
  const check = { kind: 'check', template, renderSamples: true, atMs: 0 } as const;
  t.match(await pool.check(check, 'a').result, { ok: true, value: { findings: [] } });
});

t.test('ready rejects when the module cannot load', async (t) => {
  const { pool, faults } = poolWith(t, { module: new URL('./no-such-file.ts', import.meta.url) });
  await t.rejects(pool.ready());
  t.ok(Array.isArray(faults));
});

t.test('closing refuses waiting jobs and lets running ones finish', async (t) => {
  const { pool } = poolWith(t);
  await pool.ready();
  const running = pool.submit(jobOf({ do: 'sleep', ms: 100 }), 'a');
  // This one runs if its thread has not begun the first yet, because it cannot be reclaimed then.
  const inHand = pool.submit(jobOf({}), 'a');
  const waiting = pool.submit(jobOf({}), 'a');
  await pool.close(GRACE_MS);
  t.match(await waiting.result, { ok: false, code: 'overloaded' });
  t.match(await running.result, { ok: true });
  const last = await inHand.result;
  t.ok(last.ok || last.code === 'overloaded');
  t.match(await pool.submit(jobOf({}), 'a').result, { ok: false, code: 'overloaded' });
});

/** A renderer module with `code`, which may use `gate`, `threads` (worker_threads) and `pdf`. */
function moduleOf(code: string): URL {
  const before =
    `import * as threads from 'node:worker_threads';` +
    `const { gate } = threads.workerData.settings;` +
    `const pdf = { ok: true, value: { pdf: new Uint8Array(1), pages: 1, sha256: '', times: {} } };`;
  return new URL(`data:text/javascript,${encodeURIComponent(before + code)}`);
}

t.test('closing does not wait for a thread that dies meanwhile', async (t) => {
  const module = moduleOf(`export default () => {
    Atomics.store(gate, 1, 1);
    Atomics.wait(gate, 0, 0);
    process.exit(3);
  }`);
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const { pool } = poolWith(t, { module, settings: { gate } });
  const job = pool.submit(jobOf({}), 'a');
  while (Atomics.load(gate, 1) === 0) await new Promise((resolve) => setImmediate(resolve));
  const startMs = performance.now();
  const closed = pool.close(GRACE_MS);
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  t.match(await job.result, { ok: false, code: 'render_failed' });
  await closed;
  const tookMs = performance.now() - startMs;
  t.ok(tookMs < GRACE_MS / 2, `closed after ${tookMs} ms of ${GRACE_MS}`);
});

t.test('closing does not wait for a prefetched job that was not reclaimed', async (t) => {
  // The first job begins only when the gate opens; until then the second cannot be reclaimed.
  const module = moduleOf(`
    const exchange = Atomics.compareExchange;
    Atomics.compareExchange = (...given) => {
      Atomics.wait(gate, 0, 0);
      return exchange(...given);
    };
    export default () => process.exit(3);`);
  const { pool, open } = poolWith(t, { module });
  await pool.ready();
  const jobs = [1, 2].map(() => pool.submit(jobOf({}), 'a').result);
  const startMs = performance.now();
  const closed = pool.close(GRACE_MS);
  open();
  const [first, second] = await Promise.all(jobs);
  t.match(first, { ok: false, code: 'render_failed' });
  t.match(second, { ok: false, code: 'overloaded' });
  await closed;
  const tookMs = performance.now() - startMs;
  t.ok(tookMs < GRACE_MS / 2, `closed after ${tookMs} ms of ${GRACE_MS}`);
});

t.test('the time of a job that has just begun does not include the job before', async (t) => {
  // The thread loads slowly, and loses the processor right after it took a job.
  await atSomePace(t, async (pace) => {
    const module = moduleOf(`
      Atomics.wait(gate, 0, 0, ${600 * pace});
      const exchange = Atomics.compareExchange;
      Atomics.compareExchange = (...given) => {
        const before = exchange(...given);
        Atomics.wait(gate, 0, 0, ${200 * pace});
        return before;
      };
      export default () => pdf;`);
    const { pool } = poolWith(t, { module, renderTimeoutMs: 500 * pace });
    await pool.ready();
    return failureOf(await pool.submit(jobOf({}), 'a').result);
  });
});

t.test('an answer that came while the main thread was blocked counts', async (t) => {
  await atSomePace(t, async (pace) => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const { pool } = poolWith(t, { renderTimeoutMs: 300 * pace });
    await pool.ready();
    const job = pool.submit(jobOf({}), 'a');
    await nextTurn();
    Atomics.wait(gate, 0, 0, 600 * pace);
    return failureOf(await job.result);
  });
});

t.test(
  'a thread that hangs while it warms a template is ended, and its jobs run elsewhere',
  async (t) => {
    const module = moduleOf(`
    const isFirst = Atomics.add(gate, 0, 1) === 0;
    export default (job) => {
      while (job.kind === 'warm' && isFirst);
      return pdf;
    }`);
    const { pool, faults } = poolWith(t, { module, renderTimeoutMs: 1_000 });
    await pool.ready();
    const warmed = t.rejects(pool.warm(template));
    t.match(await pool.submit(jobOf({}), 'a').result, { ok: true });
    await warmed;
    t.match(faults, [{ kind: 'timeout' }]);
  },
);

t.test('a template that kept a new thread from loading is not warmed the next time', async (t) => {
  const module = moduleOf(`export default (job) => {
    if (job.kind === 'warm' || job.checkOnly) process.exit(3);
    return pdf;
  }`);
  const { pool, faults } = poolWith(t, { module });
  t.match(await pool.submit(jobOf({}), 'a').result, { ok: true });
  const killer = { ...jobOf({}), checkOnly: true, template: { ...template, hash: 'killer' } };
  t.match(await pool.submit(killer, 'a').result, { ok: false });
  t.match(await pool.submit(jobOf({}), 'a').result, { ok: true });
  t.match(faults, [{ kind: 'thread_died' }, { kind: 'boot_failed' }]);
});

t.test('when the system refuses a thread, the pool tries again later', async (t) => {
  let refuse = false;
  const settings = {
    // Read when a thread is made.
    get gate(): Int32Array {
      if (refuse) throw new RangeError('no thread for a canary: 47-11-0815');
      return new Int32Array(new SharedArrayBuffer(4));
    },
  };
  const { pool, faults } = poolWith(t, { settings });
  await pool.ready();
  refuse = true;
  t.match(await pool.submit(jobOf({ do: 'die' }), 'a').result, { ok: false });
  const next = pool.submit(jobOf({}), 'a').result;
  await t.rejects(pool.ready());
  t.equal(pool.stats().threads, 0);
  t.match(await next, { ok: false, code: 'overloaded' }, 'a job does not wait for ever');
  refuse = false;
  t.match(await pool.submit(jobOf({}), 'a').result, { ok: true });
  t.match(faults.slice(0, 2), [{ kind: 'thread_died' }, { kind: 'boot_failed' }]);
  t.notMatch(JSON.stringify(faults), /canary|0815/);
});

t.test('a thread counts once it has loaded; one that never does is given up', async (t) => {
  const module = moduleOf(`
    setInterval(() => undefined, 1000);
    await new Promise(() => undefined);`);
  const { pool, faults } = poolWith(t, { module });
  t.equal(pool.stats().threads, 0);
  const laterMs = performance.now() + 181_000;
  t.intercept(performance, 'now', { value: () => laterMs });
  await t.rejects(pool.ready(), { message: /not loaded/ });
  t.match(faults, [{ kind: 'timeout', error: 'boot' }]);
});

t.test('threads work even if they may not change their priority', async (t) => {
  const module = moduleOf(`
    import os from 'node:os';
    import { syncBuiltinESMExports } from 'node:module';
    os.setPriority = () => {
      throw Object.assign(new Error('not permitted'), { code: 'ERR_SYSTEM_ERROR' });
    };
    syncBuiltinESMExports();
    export default () => pdf;`);
  const { pool } = poolWith(t, { module });
  t.match(await pool.submit(jobOf({}), 'a').result, { ok: true });
});

t.test('a closed pool is never ready', async (t) => {
  const { pool } = poolWith(t);
  await pool.ready();
  await pool.close(0);
  await t.rejects(pool.ready(), { message: /closed/ });
});

function failureOf(result: RenderResult): string {
  return result.ok ? '' : result.message;
}
