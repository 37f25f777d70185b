import type { Test } from 'tap';
import t from 'tap';
import { atSomePace } from '../../../lab/pace.ts';
import { jobOf, poolWith } from '../../../test/fixtures/pool.ts';
import type { FakePool } from '../../../test/fixtures/pool.ts';
import type { RenderResult } from '#engine';
import { Task } from './task.ts';
import type { Openings } from './waiting.ts';
import { Waiting } from './waiting.ts';

const LIMIT_MS = 150;
const taskOf = (key: string, team = key): Task =>
  new Task(jobOf({}), { key, team }, 1, () => undefined);

function threadOf(result: RenderResult): number {
  if (!result.ok) throw new Error(`it was refused: ${result.message}`);
  const [, line = ''] = Buffer.from(result.value.pdf).toString('utf8').split('\n');
  return (JSON.parse(line) as { threadId: number }).threadId;
}

/** A pool in which jobs of 'attacker' have ended three threads. */
async function attackedPool(
  t: Test,
  spareThreads: number,
  { queueMax = 8, renderTimeoutMs = LIMIT_MS } = {},
): Promise<FakePool> {
  const fake = poolWith(t, { threads: 2, spareThreads, queueMax, renderTimeoutMs });
  await fake.pool.ready();
  for (let n = 0; n < 3; n++) await fake.pool.submit(jobOf({ do: 'loop' }), 'attacker').result;
  await fake.pool.ready();
  return fake;
}

t.test('a caller that ended several threads runs one job at a time', async (t) => {
  // The first job must still run when the others have been served.
  await atSomePace(t, async (pace) => {
    const { pool } = await attackedPool(t, 0, { renderTimeoutMs: LIMIT_MS * pace });
    const bombs = [1, 2, 3].map(() => pool.submit(jobOf({ do: 'loop' }), 'attacker'));
    t.match(pool.stats(), { running: 1, queued: 2 });
    for (let n = 0; n < 5; n++) t.match(await pool.submit(jobOf({}), 'other').result, { ok: true });
    const { running, queued } = pool.stats();
    for (const { result } of bombs) t.match(await result, { ok: false, code: 'render_failed' });
    t.equal(pool.stats().timeouts, 6);
    if (running === 1 && queued === 2) return '';
    return `${running} running and ${queued} waiting when the others had been served`;
  });
});

t.test('other callers are served while the thread that a suspect ended is replaced', async (t) => {
  const { pool } = await attackedPool(t, 0, { queueMax: 500 });
  // A busy machine may give the other thread too little time during one replacement.
  await atSomePace(t, async (pace) => {
    const bombs = [1, 2].map(() => pool.submit(jobOf({ do: 'loop' }), 'attacker').result);
    let done = 0;
    const others = Array.from({ length: 450 }, async () => {
      await pool.submit(jobOf({ do: 'spin', ms: 1 }), `other ${pace}`).result;
      done += 1;
    });
    await bombs[0];
    const before = done;
    await pool.ready();
    const meanwhile = done - before;
    await Promise.all([...bombs, ...others]);
    if (before < 440 && meanwhile > 5) return '';
    return `${before}, then ${meanwhile} while it loaded`;
  });
});

t.test('a suspect runs in the youngest thread, so that warm ones survive', async (t) => {
  // Enough for a busy machine: jobs of 'other' must end in time.
  const { pool } = await attackedPool(t, 1, { renderTimeoutMs: 10 * LIMIT_MS });
  const spin = { do: 'spin', ms: 30 };
  // In the attacker's team: long jobs of another team would leave one renderer to the short jobs.
  const submit = (): Promise<RenderResult> => pool.submit(jobOf(spin), 'other', 'attacker').result;
  const pair = (): Promise<RenderResult[]> => Promise.all([submit(), submit()]);
  // Only the first one, because the duration of such jobs is still unknown.
  await submit();
  const before = new Set((await pair()).map(threadOf));
  t.equal(before.size, 2);
  for (let n = 0; n < 2; n++) await pool.submit(jobOf({ do: 'loop' }), 'attacker').result;
  t.same(new Set((await pair()).map(threadOf)), before);
});

t.test('the same caller with another template, or another caller, is not suspect', async (t) => {
  const { pool, open } = await attackedPool(t, 0, { renderTimeoutMs: 4 * LIMIT_MS });
  const other = jobOf({ do: 'wait' });
  const jobs = [
    pool.submit({ ...other, template: { ...other.template, hash: 'other' } }, 'attacker'),
    pool.submit(other, 'neighbour'),
  ];
  t.equal(pool.stats().running, 2);
  open();
  for (const { result } of jobs) t.match(await result, { ok: true });
});

const ALONE: Openings = {
  slow: true,
  suspects: false,
  checks: 'none',
  isCapped: () => false,
  isTeamCapped: () => false,
};
const OPEN: Openings = { ...ALONE, suspects: true };

/** Takes the next job. */
function takeNext(waiting: Waiting, open: Openings): Task | undefined {
  const task = waiting.next(open);
  if (task !== undefined) waiting.take(task);
  return task;
}

t.test('waiting jobs become suspect, too; 16 others come between two suspects', (t) => {
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
  for (let n = 0; n < 3; n++) waiting.recordEnded(taskOf('a'));
  t.equal(names.get(takeNext(waiting, ALONE)), 'b1', 'others run beside a suspect');
  const order = Array.from({ length: 22 }, () => names.get(takeNext(waiting, OPEN)));
  const places = ['a1', 'a2', 'a3', 'b17', 'b20'].map((name) => order.indexOf(name));
  t.same(places, [15, 20, 21, 16, 19], 'a3 has nobody left to wait for');
  t.equal(waiting.size, 0);
  t.end();
});

t.test('suspects are displaced first and never displace others', (t) => {
  const waiting = new Waiting();
  const judged = (key: string): Task => {
    const task = taskOf(key);
    waiting.judge(task);
    return task;
  };
  const early = judged('a');
  for (let n = 0; n < 3; n++) waiting.recordEnded(early);
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

/** A queue with a clock and job durations that the test sets. */
function fakeDay(): {
  clock: { nowMs: number };
  waiting: Waiting;
  submit: (key: string, kind?: 'check') => Task;
  run: (open: Openings, ms: (task: Task) => number) => string;
} {
  const clock = { nowMs: performance.now() };
  const waiting = new Waiting(() => clock.nowMs);
  const submit = (key: string, kind?: 'check'): Task => {
    const task =
      kind === undefined ? taskOf(key) : new Task(CHECK, { key, team: key }, 1, () => undefined);
    waiting.judge(task);
    waiting.push(task);
    return task;
  };
  const run = (open: Openings, ms: (task: Task) => number): string => {
    const task = takeNext(waiting, open);
    if (task === undefined) return '';
    clock.nowMs += ms(task);
    waiting.recordRun(task, ms(task));
    return task.key;
  };
  return { clock, waiting, submit, run };
}

const CHECK = {
  kind: 'check',
  template: jobOf({}).template,
  renderSamples: true,
  atMs: 0,
} as const;
const countOf = (keys: readonly string[], key: string): number =>
  keys.filter((one) => one === key).length;

t.test('callers share renderer time equally, however long their jobs take', (t) => {
  const { submit, run } = fakeDay();
  for (let n = 0; n < 400; n++) submit('short');
  for (let n = 0; n < 40; n++) submit('long');
  const order = Array.from({ length: 220 }, () =>
    run(OPEN, ({ key }) => (key === 'long' ? 100 : 10)),
  );
  const long = countOf(order, 'long');
  t.ok(long >= 16 && long <= 24, `${long} of 220: 200 short ones take as long as 20 long ones`);
  t.end();
});

t.test('teams share renderer time equally, however many callers they have', (t) => {
  const { clock, waiting } = fakeDay();
  const submit = (key: string, team: string): void => {
    const task = taskOf(key, team);
    waiting.judge(task);
    waiting.push(task);
  };
  for (let key = 0; key < 24; key += 1) {
    for (let n = 0; n < 20; n += 1) submit(`key ${key}`, 'many');
  }
  for (let n = 0; n < 100; n += 1) submit('one', 'single');
  const perKey = new Map<string, number>();
  let single = 0;
  for (let n = 0; n < 150; n += 1) {
    const task = takeNext(waiting, OPEN);
    if (task === undefined) throw new Error('jobs wait');
    const ms = task.key === 'key 0' ? 40 : 10;
    clock.nowMs += ms;
    waiting.recordRun(task, ms);
    if (task.team === 'single') single += 1;
    else perKey.set(task.key, (perKey.get(task.key) ?? 0) + 1);
  }
  t.ok(single >= 65 && single <= 85, `${single} of 150 for the team with one key`);
  t.equal(perKey.size, 24, 'every key of the other team gets some');
  t.ok((perKey.get('key 0') ?? 0) <= 2, 'the key with long jobs gets fewer');
  t.end();
});

t.test('the rows of runs: teams take turns, and in each its runs', (t) => {
  const { waiting } = fakeDay();
  const rows = {
    ...jobOf({}),
    kind: 'render_rows',
    rows: new Uint8Array(1),
    ends: new Uint32Array(1),
  } as unknown as Task['job'];
  const submit = (key: string, team: string): void => {
    const task = new Task(rows, { key, team }, 1, () => undefined);
    waiting.judge(task);
    waiting.push(task);
  };
  for (let run = 0; run < 5; run += 1) for (let n = 0; n < 2; n += 1) submit(`run ${run}`, 'many');
  for (let n = 0; n < 4; n += 1) submit('night', 'single');
  const order = Array.from({ length: 14 }, () => takeNext(waiting, OPEN)?.key);
  t.same(order.slice(0, 8), [
    'run 0',
    'night',
    'run 1',
    'night',
    'run 2',
    'night',
    'run 3',
    'night',
  ]);
  t.equal(new Set(order).size, 6);
  t.end();
});

t.test('a job is charged while it runs', (t) => {
  const { waiting, submit } = fakeDay();
  for (const key of ['a', 'a', 'b', 'b', 'b']) submit(key);
  const first = takeNext(waiting, OPEN);
  t.equal(first?.key, 'a');
  if (first !== undefined) waiting.recordRunning(first, 100);
  const next = [1, 2, 3, 4].map(() => takeNext(waiting, OPEN)?.key);
  t.same(next, ['b', 'b', 'b', 'a']);
  t.end();
});

t.test('a job that is put back is not charged', (t) => {
  const { waiting, submit, run } = fakeDay();
  for (let n = 0; n < 20; n++) submit('a');
  for (let n = 0; n < 20; n++) run(OPEN, () => 50);
  const first = submit('a');
  submit('b');
  const taken = new Set([takeNext(waiting, OPEN)?.key, takeNext(waiting, OPEN)?.key]);
  t.same(taken, new Set(['a', 'b']));
  waiting.putBack(first);
  t.equal(first.chargedMs, 0);
  t.equal(takeNext(waiting, OPEN), first);
  t.end();
});

t.test('a newcomer starts level with the others: absence earns no credit', (t) => {
  const { clock, submit, run } = fakeDay();
  submit('away');
  run(OPEN, () => 10);
  for (let n = 0; n < 100; n++) {
    submit('busy');
    run(OPEN, () => 100);
  }
  for (let n = 0; n < 60; n++) for (const key of ['busy', 'away', 'new']) submit(key);
  const order = Array.from({ length: 90 }, () => run(OPEN, () => 10));
  for (const key of ['busy', 'away', 'new']) {
    const count = countOf(order, key);
    t.ok(count >= 28 && count <= 32, `${key}: ${count} of 90`);
  }
  t.ok(clock.nowMs > 0);
  t.end();
});

t.test('charges fade within a minute', (t) => {
  const { clock, submit, run } = fakeDay();
  for (let n = 0; n < 100; n++) {
    submit('busy');
    run(OPEN, () => 100);
  }
  clock.nowMs += 60_000;
  for (let n = 0; n < 20; n++) for (const key of ['other', 'busy']) submit(key);
  const order = Array.from({ length: 20 }, () => run(OPEN, () => 10));
  const count = countOf(order, 'busy');
  t.ok(count >= 9, `${count} of 20`);
  t.end();
});

t.test('a caller that holds its share of the renderers comes after the others', (t) => {
  const { waiting, submit, run } = fakeDay();
  submit('a');
  run(OPEN, () => 10);
  submit('a');
  submit('b');
  const open: Openings = { ...OPEN, isCapped: (key) => key === 'a' };
  t.same([takeNext(waiting, open)?.key, takeNext(waiting, open)?.key], ['b', 'a']);
  t.end();
});

t.test('until its first job has run, a caller is limited to its share', (t) => {
  const { waiting, submit, run } = fakeDay();
  const capped: Openings = { ...OPEN, isCapped: (key) => key === 'new' };
  const unknown = submit('new');
  t.equal(waiting.next(capped), unknown, 'nobody else was there lately');
  t.ok(waiting.remove(unknown));
  submit('old');
  run(OPEN, () => 1);
  waiting.push(unknown);
  t.equal(waiting.next(capped), undefined, 'a renderer stays free for the others');
  t.equal(waiting.next(OPEN), unknown);
  waiting.recordRunning(unknown, 300);
  t.equal(waiting.next(capped), unknown, 'it is known to be slow and treated so');
  t.end();
});

t.test('a long queue of one pair is judged once, not job by job', (t) => {
  const { waiting, submit, run } = fakeDay();
  submit('old');
  run(OPEN, () => 1);
  for (let n = 0; n < 500; n += 1) submit('new');
  let asked = 0;
  const isCapped = (): boolean => {
    asked += 1;
    return true;
  };
  t.equal(waiting.next({ ...OPEN, isCapped }), undefined);
  t.ok(asked < 10, `asked ${asked} times`);
  submit('old');
  t.equal(waiting.next({ ...OPEN, isCapped })?.key, 'old', 'other pairs are judged, too');
  t.end();
});

t.test('a pair is slow while its jobs are long on average', (t) => {
  const { clock, submit, run, waiting } = fakeDay();
  const closed: Openings = { ...OPEN, slow: false };
  submit('a');
  run(closed, () => 251);
  t.equal(submit('a').kind, 'slow');
  t.equal(submit('b').kind, 'usual', 'another caller is not');
  t.equal(
    run(closed, () => 1),
    'b',
  );
  t.equal(
    run(closed, () => 1),
    '',
    'a slow job does not run now',
  );
  t.equal(
    run(OPEN, () => 1),
    'a',
  );
  const after = submit('a');
  t.equal(after.kind, 'usual', 'it was one cold start');
  for (const [ms, kind] of [
    [10, 'usual'],
    [400, 'usual'],
    [2_000, 'slow'],
    [10, 'slow'],
  ] as const) {
    t.equal(
      run(OPEN, () => ms),
      'a',
    );
    t.equal(submit('a').kind, kind, `after ${ms} ms`);
  }
  const sinceUsualMs = (): number => clock.nowMs - waiting.usualAtMs;
  t.ok(sinceUsualMs() < 5_000, 'a slow job is no usual one');
  clock.nowMs += 5_001;
  t.ok(sinceUsualMs() > 5_000);
  t.end();
});

t.test('a caller alone leaves no renderer free for its own short jobs', (t) => {
  const { submit, run } = fakeDay();
  const closed: Openings = { ...OPEN, slow: false };
  submit('a');
  run(closed, () => 300);
  submit('a');
  t.equal(
    run(closed, () => 300),
    'a',
  );
  submit('b');
  submit('a');
  t.equal(
    run(closed, () => 1),
    'b',
  );
  t.equal(
    run(closed, () => 1),
    '',
  );
  t.end();
});

t.test('waiting jobs become slow when a job of their pair runs long', (t) => {
  const { submit, waiting } = fakeDay();
  submit('b');
  takeNext(waiting, OPEN);
  const [first, second] = [submit('a'), submit('a')];
  t.equal(takeNext(waiting, OPEN), first);
  waiting.recordRunning(first, 251);
  t.equal(first.kind, 'slow', 'so does the running job');
  t.equal(waiting.next({ ...OPEN, slow: false }), undefined);
  t.equal(second.kind, 'slow');
  t.equal(waiting.next(OPEN), second);
  t.end();
});

t.test('a check runs when nothing else can; after two seconds it comes first', (t) => {
  const { clock, submit, run, waiting } = fakeDay();
  const free: Openings = { ...OPEN, checks: 'free' };
  const due: Openings = { ...OPEN, checks: 'due' };
  submit('editor', 'check');
  submit('editor', 'check');
  submit('a');
  t.equal(
    run(free, () => 1),
    'a',
    'others first',
  );
  t.equal(waiting.next(due), undefined, 'the last free renderer is not for checks');
  t.equal(
    run(free, () => 1),
    'editor',
  );
  // Tasks are as old as the real clock says, which has gone on beside the test's.
  clock.nowMs += 10_000;
  submit('a');
  t.equal(waiting.next(OPEN)?.key, 'a', 'one at a time');
  t.equal(
    run(due, () => 1),
    'editor',
    'it has waited long enough',
  );
  submit('editor', 'check');
  t.equal(waiting.next(due)?.key, 'a', 'the two seconds also count from the last check');
  t.end();
});

const draft = (hash: string): Task =>
  new Task(
    { ...CHECK, template: { ...CHECK.template, hash } },
    { key: 'editor', team: 'editor' },
    1,
    () => undefined,
  );

t.test('checks that end their threads are suspect, even if each has another draft', (t) => {
  const { waiting } = fakeDay();
  for (const hash of ['1', '2', '3']) waiting.recordEnded(draft(hash));
  const next = draft('4');
  waiting.judge(next);
  t.equal(next.kind, 'suspect');
  t.end();
});
