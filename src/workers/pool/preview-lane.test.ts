import t from 'tap';
import { jobOf, poolWith } from '../../../test/fixtures/pool.ts';
import { Task } from './task.ts';
import type { Openings } from './waiting.ts';
import { Waiting } from './waiting.ts';

const OPEN: Openings = {
  slow: true,
  suspects: true,
  checks: 'free',
  isCapped: () => false,
};

/** A queue of named tasks on a clock that the test sets. */
function waitingRoom(): {
  add: (name: string, isPreview: boolean) => void;
  next: () => string | undefined;
  at: (ms: number) => void;
} {
  // A whole number, because sums of fractions might be slightly less than 250 ms.
  const startMs = Math.floor(performance.now());
  let nowMs = startMs;
  const waiting = new Waiting(() => nowMs);
  const names = new Map<Task, string>();
  return {
    add: (name, isPreview) => {
      const task = new Task({ ...jobOf({}), isPreview }, name, 1, () => undefined);
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
