import t from 'tap';
import { atSomePace } from '../../../lab/pace.ts';
import {
  jobOf,
  poolWith,
  SHORT_MS_MAX,
  template,
  textOf,
  warmedUp,
} from '../../../test/fixtures/pool.ts';
import type { CheckJob, RenderJob, RenderResult } from '#engine';
import { Task } from './task.ts';
import type { Openings } from './waiting.ts';
import { Waiting } from './waiting.ts';

const OPEN: Openings = {
  slow: true,
  suspects: true,
  checks: 'free',
  isCapped: () => false,
  isTeamCapped: () => false,
};

/** A save of a draft; `previewOf` is the sample whose preview it brings. */
const saveOf = (previewOf?: number): CheckJob => ({
  kind: 'check',
  template,
  renderSamples: false,
  previewOf,
  atMs: 0,
});

/** A queue of named tasks on a clock that the test sets. */
function waitingRoom(): {
  add: (name: string, what: boolean | CheckJob) => void;
  next: () => string | undefined;
  at: (ms: number) => void;
} {
  // A whole number, because sums of fractions might be slightly less than 250 ms.
  const startMs = Math.floor(performance.now());
  let nowMs = startMs;
  const waiting = new Waiting(() => nowMs);
  const names = new Map<Task, string>();
  return {
    add: (name, what) => {
      const job = typeof what === 'boolean' ? { ...jobOf({}), isPreview: what } : what;
      const task = new Task(job, { key: name, team: name }, 1, () => undefined);
      // A task records the system's time, which is replaced by that of the test.
      Object.defineProperty(task, 'submittedAtMs', { value: nowMs });
      names.set(task, name);
      waiting.judge(task);
      waiting.push(task);
    },
    next: () => {
      const task = waiting.next(OPEN);
      if (task === undefined) return undefined;
      waiting.take(task);
      return names.get(task);
    },
    at: (ms) => (nowMs = startMs + ms),
  };
}

t.test('a preview runs when no other request can', (t) => {
  const room = waitingRoom();
  room.add('preview', true);
  room.add('one', false);
  room.add('two', false);
  t.same([room.next(), room.next(), room.next()], ['one', 'two', 'preview']);
  t.equal(room.next(), undefined);
  t.end();
});

t.test('previews that have waited come first, but only a few per second', (t) => {
  const room = waitingRoom();
  for (const name of ['preview 1', 'preview 2', 'preview 3']) room.add(name, true);
  for (const name of ['a', 'b', 'c']) room.add(name, false);
  room.at(200);
  t.equal(room.next(), 'a');
  room.at(250);
  t.same([room.next(), room.next()], ['preview 1', 'b'], 'one preview, then a request');
  room.at(350);
  t.equal(room.next(), 'preview 2');
  t.same([room.next(), room.next()], ['c', 'preview 3'], 'no request waits any more');
  t.end();
});

t.test('a save that brings its preview waits as a preview does', (t) => {
  const room = waitingRoom();
  for (let n = 1; n <= 6; n += 1) room.add(`slow ${n}`, false);
  room.add('save', saveOf());
  room.add('save with preview', saveOf(0));
  room.at(249);
  t.equal(room.next(), 'slow 1');
  room.at(250);
  t.same([room.next(), room.next()], ['save with preview', 'slow 2']);
  room.add('another', saveOf(0));
  room.at(349);
  t.equal(room.next(), 'slow 3');
  room.at(500);
  t.same([room.next(), room.next()], ['another', 'slow 4']);
  room.at(1_999);
  t.equal(room.next(), 'slow 5');
  room.at(2_000);
  t.equal(room.next(), 'save', 'a save without one waits as a check does');
  t.end();
});

t.test('a save with its preview and a check run beside each other', async (t) => {
  const { pool, open } = poolWith(t, { threads: 4, queueMax: 8 });
  await pool.ready();
  const held = pool.submit(jobOf({ do: 'wait' }), 'a').result;
  const save = pool.check(saveOf(0), 'editor').result;
  const check = pool.check({ ...saveOf(), renderSamples: true }, 'editor').result;
  t.match(pool.stats(), { running: 3, queued: 0 });
  open();
  for (const result of [held, save, check]) t.match(await result, { ok: true });
});

t.test('the pool renders a preview, and refuses it when the queue is full', async (t) => {
  const { pool, open } = poolWith(t);
  await pool.ready();
  const preview = { ...jobOf({}), isPreview: true };
  t.match(await pool.submit(preview, 'editor').result, { ok: true });
  const held = pool.submit(jobOf({ do: 'wait' }), 'a');
  const previews = Array.from({ length: 5 }, () => pool.submit(preview, 'editor').result);
  open();
  t.match(await held.result, { ok: true });
  const refused = (await Promise.all(previews)).filter((result) => !result.ok);
  t.ok(refused.length > 0 && refused.length < 5, `${refused.length} of 5`);
});

/** A preview of a draft with this hash. */
function previewOf(hash: string): RenderJob {
  return { ...jobOf({}), template: { ...template, hash }, isPreview: true };
}

/** The facts that a fake renderer reports about itself, in the second line of its "PDF". */
function rendererOf(result: RenderResult): { threadId: number; warmed: readonly string[] } {
  const [, line = ''] = textOf(result).split('\n');
  return JSON.parse(line) as { threadId: number; warmed: readonly string[] };
}

t.test('previews of a draft go to the thread that has compiled it', async (t) => {
  const { pool, open } = poolWith(t, { threads: 2, queueMax: 8 });
  await pool.ready();
  const held = pool.submit(jobOf({ do: 'wait' }), 'a').result;
  const before = rendererOf(await pool.submit(previewOf('draft'), 'editor').result);
  open();
  const other = rendererOf(await held);
  t.not(before.threadId, other.threadId);
  const again = rendererOf(await pool.submit(previewOf('draft'), 'editor').result);
  t.equal(again.threadId, before.threadId, 'although the other thread is the first that is idle');
  const elsewhere = rendererOf(await pool.submit(previewOf('another'), 'editor').result);
  t.equal(elsewhere.threadId, other.threadId);
});

t.test('a thread that no longer keeps a draft is not preferred', async (t) => {
  const { pool, open } = poolWith(t, { threads: 2, queueMax: 8 });
  await pool.ready();
  const held = pool.submit(jobOf({ do: 'wait' }), 'a').result;
  const before = rendererOf(await pool.submit(previewOf('dropped'), 'editor').result);
  open();
  const other = rendererOf(await held);
  const again = rendererOf(await pool.submit(previewOf('dropped'), 'editor').result);
  t.not(before.threadId, other.threadId);
  t.equal(again.threadId, other.threadId, 'the first that is idle');
});

t.test(
  'a preview waits behind a short job of the thread that has compiled its draft',
  async (t) => {
    // If the job takes long on a busy machine, the other thread gets the preview.
    await atSomePace(t, async () => {
      const { pool, open } = poolWith(t, { threads: 2, queueMax: 8 });
      await pool.ready();
      const before = rendererOf(await pool.submit(previewOf('draft'), 'editor').result);
      const held = pool.submit(jobOf({ do: 'wait' }), 'a').result;
      const again = pool.submit(previewOf('draft'), 'editor').result;
      open();
      t.equal(rendererOf(await held).threadId, before.threadId);
      const { threadId } = rendererOf(await again);
      return threadId === before.threadId ? '' : 'the other thread rendered the preview';
    });
  },
);

t.test('slow previews do not change how many other jobs are prefetched', async (t) => {
  // Enough for three of the jobs that warm the thread up, but not for three previews.
  const { pool, open } = await warmedUp(t, { prefetchMs: 3 * SHORT_MS_MAX });
  const preview = { ...jobOf({ do: 'sleep', ms: 2 * SHORT_MS_MAX }), isPreview: true };
  for (let n = 0; n < 5; n += 1) t.match(await pool.submit(preview, 'editor').result, { ok: true });
  const jobs = [0, 1, 2, 3].map((n) => pool.submit(jobOf({ do: n === 0 ? 'wait' : '' }), 'a'));
  t.match(pool.stats(), { running: 4, queued: 0 });
  open();
  for (const { result } of jobs) t.match(await result, { ok: true });
});

t.test('a new thread does not load drafts ahead', async (t) => {
  const { pool } = poolWith(t);
  t.match(await pool.submit({ ...jobOf({}), template }, 'a').result, { ok: true });
  t.match(await pool.submit(previewOf('draft'), 'editor').result, { ok: true });
  const killer = { ...jobOf({ do: 'die' }), template: { ...template, hash: 'killer' } };
  t.match(await pool.submit(killer, 'a').result, { ok: false });
  const { warmed } = rendererOf(await pool.submit(jobOf({}), 'a').result);
  t.same(warmed, [template.hash]);
});
