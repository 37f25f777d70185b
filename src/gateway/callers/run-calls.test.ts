import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { RunCalls } from './run-calls.ts';

/** Work that notes how many pieces are under way at once, and in which order they ended. */
class Work {
  underWay = 0;
  most = 0;
  readonly ended: string[] = [];

  of(name: string): () => Promise<void> {
    return async () => {
      this.underWay += 1;
      this.most = Math.max(this.most, this.underWay);
      await turn();
      this.underWay -= 1;
      this.ended.push(name);
    };
  }
}

/** Calls whose rests the test ends. */
function callsThatRest(): { calls: RunCalls; rests: (() => void)[]; clock: { nowMs: number } } {
  const rests: (() => void)[] = [];
  const clock = { nowMs: 0 };
  const rest = (): Promise<void> => new Promise((resolve) => rests.push(resolve));
  return { calls: new RunCalls(undefined, () => clock.nowMs, rest), rests, clock };
}

async function settle(): Promise<void> {
  for (let count = 0; count < 50; count += 1) await turn();
}

t.test('of a team two calls are under way, with parts that are small', async (t) => {
  const { calls, rests } = callsThatRest();
  const work = new Work();
  await Promise.all([
    ...Array.from({ length: 20 }, () => calls.change('crowd', work.of('change'))),
    ...Array.from({ length: 20 }, () => calls.store('crowd', 1_000, work.of('part'))),
  ]);
  t.equal(work.most, 2);
  t.equal(work.ended.length, 40);
  t.equal(rests.length, 0, 'no other team asks for documents');
});

t.test('large and packed parts wait for no other calls, nor these for them', async (t) => {
  const { calls } = callsThatRest();
  const uploads = [2_000_000, 2_000_000, -1].map((bytes) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { stored: calls.store('crowd', bytes, () => promise), resolve };
  });
  const work = new Work();
  await calls.change('crowd', work.of('change'));
  t.same(work.ended, ['change']);
  for (const { resolve } of uploads) resolve();
  for (const { stored } of uploads) await stored;
});

t.test('beside documents of another team, calls that wait rest between two', async (t) => {
  const { calls, rests, clock } = callsThatRest();
  calls.recordDocument('other', clock.nowMs);
  const work = new Work();
  const all = Array.from({ length: 6 }, () => calls.change('crowd', work.of('crowd')));
  await settle();
  t.equal(work.ended.length, 2, 'each of the two has ended and rests');
  await calls.change('single', work.of('single'));
  t.equal(work.ended.at(-1), 'single', 'a third team does not wait for them');
  rests.shift()?.();
  await settle();
  t.equal(work.ended.length, 4);
  clock.nowMs = 1_000;
  for (const end of rests.splice(0)) end();
  await Promise.all(all);
  t.equal(work.ended.length, 7);
  t.equal(rests.length, 0, 'the last document of another team is a second ago');
});

t.test('one call after the other never rests', async (t) => {
  const { calls, rests } = callsThatRest();
  calls.recordDocument('other', 0);
  const work = new Work();
  for (let count = 0; count < 10; count += 1) await calls.change('single', work.of('single'));
  t.equal(work.ended.length, 10);
  t.equal(rests.length, 0);
});

t.test('the documents of a team itself do not make it rest', async (t) => {
  const { calls, rests } = callsThatRest();
  calls.recordDocument('crowd', 0);
  const work = new Work();
  await Promise.all(Array.from({ length: 10 }, () => calls.change('crowd', work.of('crowd'))));
  t.equal(rests.length, 0);
});
