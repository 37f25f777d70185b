import type { Test } from 'tap';
import t from 'tap';
import { jobOf, poolWith } from '../../test/fixtures/pool.ts';
import type { FakePool } from '../../test/fixtures/pool.ts';
import type { RenderResult } from './job.ts';
import { Task } from './task.ts';
import { Waiting } from './waiting.ts';

const LIMIT_MS = 150;
const taskOf = (key: string): Task => new Task(jobOf({}), key, 1, () => undefined);

function threadOf(result: RenderResult): number {
  if (!result.ok) throw new Error(`it was refused: ${result.message}`);
  const [, line = ''] = Buffer.from(result.value.pdf).toString('utf8').split('\n');
  return (JSON.parse(line) as { threadId: number }).threadId;
}

/** A pool in which jobs of 'attacker' have ended three threads. */
async function attackedPool(t: Test, spareThreads: number, queueMax = 8): Promise<FakePool> {
  const fake = poolWith(t, { threads: 2, spareThreads, queueMax, renderTimeoutMs: LIMIT_MS });
  await fake.pool.ready();
  for (let n = 0; n < 3; n++) await fake.pool.submit(jobOf({ do: 'loop' }), 'attacker').result;
  await fake.pool.ready();
  return fake;
}

t.test('who ended thread after thread runs one job at a time', async (t) => {
  const { pool } = await attackedPool(t, 0);
  const bombs = [1, 2, 3].map(() => pool.submit(jobOf({ do: 'loop' }), 'attacker'));
  t.match(pool.stats(), { running: 1, queued: 2 });
  for (let n = 0; n < 20; n++) t.match(await pool.submit(jobOf({}), 'other').result, { ok: true });
  t.match(pool.stats(), { running: 1, queued: 2 }, 'the others were served beside the first');
  for (const { result } of bombs) t.match(await result, { ok: false, code: 'render_failed' });
  t.equal(pool.stats().timeouts, 6);
});

t.test('while a thread loads that replaces one it ended, the others go on', async (t) => {
  const { pool } = await attackedPool(t, 0, 500);
  const [first] = [1, 2].map(() => pool.submit(jobOf({ do: 'loop' }), 'attacker'));
  let done = 0;
  const others = Array.from({ length: 500 }, async () => {
    await pool.submit(jobOf({ do: 'spin', ms: 1 }), 'other').result;
    done += 1;
  });
  await first?.result;
  const before = done;
  await pool.ready();
  t.ok(before < 490 && done - before > 5, `${before}, then ${done - before} while it loaded`);
  await Promise.all(others);
});

t.test('it runs in the youngest thread, and the warm ones stay', async (t) => {
  const { pool } = await attackedPool(t, 1);
  const spin = { do: 'spin', ms: 30 };
  const pair = (): Promise<RenderResult[]> =>
    Promise.all([1, 2].map(() => pool.submit(jobOf(spin), 'other').result));
  const before = new Set((await pair()).map(threadOf));
  t.equal(before.size, 2);
  for (let n = 0; n < 2; n++) await pool.submit(jobOf({ do: 'loop' }), 'attacker').result;
  t.same(new Set((await pair()).map(threadOf)), before);
});

t.test('a caller with another template, or another caller, is no suspect', async (t) => {
  const { pool, open } = await attackedPool(t, 0);
  const other = jobOf({ do: 'wait' });
  const jobs = [
    pool.submit({ ...other, template: { ...other.template, hash: 'other' } }, 'attacker'),
    pool.submit(other, 'neighbour'),
  ];
  t.equal(pool.stats().running, 2);
  open();
  for (const { result } of jobs) t.match(await result, { ok: true });
});

t.test('what waited already becomes suspect, too; between two suspects come 16 others', (t) => {
  const waiting = new Waiting();
  const names = new Map<Task | undefined, string>();
  for (const key of ['a', 'b']) {
    for (let n = 1; n <= (key === 'a' ? 3 : 20); n++) {
      const task = taskOf(key);
      names.set(task, key + String(n));
      waiting.judge(task);
      waiting.push(task);
    }
  }
  for (let n = 0; n < 3; n++) waiting.noteEnded(taskOf('a'));
  t.equal(names.get(waiting.take(false)), 'b1', 'while a suspect runs, the others go on');
  const order = Array.from({ length: 22 }, () => names.get(waiting.take(true)));
  const places = ['a1', 'a2', 'a3', 'b17', 'b20'].map((name) => order.indexOf(name));
  t.same(places, [15, 20, 21, 16, 19], 'a3 has nobody left to wait for');
  t.equal(waiting.size, 0);
  t.end();
});

t.test('suspects give way first, and never push others out', (t) => {
  const waiting = new Waiting();
  const judged = (key: string): Task => {
    const task = taskOf(key);
    waiting.judge(task);
    return task;
  };
  const early = judged('a');
  for (let n = 0; n < 3; n++) waiting.noteEnded(early);
  const others = [judged('b'), judged('b'), judged('b')];
  for (const task of others) waiting.push(task);
  t.equal(waiting.displaceFor(judged('a')), undefined);
  const suspects = [judged('a'), judged('a')];
  for (const task of suspects) waiting.push(task);
  t.equal(waiting.displaceFor(judged('b')), suspects[1]);
  t.ok(waiting.remove(suspects[0] ?? early));
  t.equal(waiting.displaceFor(judged('c')), others[2]);
  t.equal(waiting.size, 2);
  t.end();
});
