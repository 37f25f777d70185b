import { setImmediate as nextTurn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { runInSlices, type Steps, TimeSlice } from './time-slice.ts';

/** Most steps of a millisecond that fit into a slice, with the one that exceeds it. */
const STEPS_MAX = 4;

/** A clock that only work advances, in a turn without sliced work. */
async function stopClock(t: Test): Promise<{ advance(ms: number): void }> {
  await nextTurn();
  let nowMs = performance.now();
  t.intercept(performance, 'now', { value: () => nowMs });
  return {
    advance(ms) {
      nowMs += ms;
    },
  };
}

t.test('work that comes at once shares the slice of each turn, and all of it ends', async (t) => {
  const clock = await stopClock(t);
  const stepsOf = [0];
  function* work(steps: number): Steps<number> {
    for (let step = 0; step < steps; step += 1) {
      yield;
      clock.advance(1);
      stepsOf.push((stepsOf.pop() ?? 0) + 1);
    }
    return steps;
  }
  const works = Array.from({ length: 50 }, () => runInSlices(work(6)));
  const beginTurn = (): void => {
    stepsOf.push(0);
    next = setImmediate(beginTurn);
  };
  let next = setImmediate(beginTurn);
  t.strictSame(new Set(await Promise.all(works)), new Set([6]));
  clearImmediate(next);
  t.equal(
    stepsOf.reduce((sum, steps) => sum + steps, 0),
    300,
  );
  // Each turn of this loop may see the end of one slice and the beginning of the next one.
  t.ok(Math.max(...stepsOf) <= 2 * STEPS_MAX, `steps in each turn: ${stepsOf.join(' ')}`);
});

t.test('work goes on in the order in which it waits', async (t) => {
  const clock = await stopClock(t);
  const order: string[] = [];
  function* work(name: string): Steps<null> {
    for (let step = 0; step < 3; step += 1) {
      yield;
      clock.advance(10);
      order.push(name);
    }
    return null;
  }
  await Promise.all([runInSlices(work('a')), runInSlices(work('b')), runInSlices(work('c'))]);
  t.equal(order.join(''), 'aabcabcbc', 'the first one begins at once');
});

t.test('short work does not wait beside long work', async (t) => {
  const clock = await stopClock(t);
  function* long(): Steps<null> {
    for (let step = 0; step < 100; step += 1) {
      yield;
      clock.advance(10);
    }
    return null;
  }
  function* short(): Steps<null> {
    if (order.length > 0) yield;
    return null;
  }
  const order: string[] = [];
  const end = (name: string) => (): unknown => order.push(name);
  await Promise.all([
    runInSlices(long()).then(end('long')),
    runInSlices(short()).then(end('short')),
  ]);
  t.strictSame(order, ['short', 'long']);
});

t.test('a slice that was begun long ago pauses once', async (t) => {
  const clock = await stopClock(t);
  const slice = new TimeSlice();
  await nextTurn();
  clock.advance(1_000);
  t.ok(slice.isOver);
  await slice.next();
  t.notOk(slice.isOver);
});
