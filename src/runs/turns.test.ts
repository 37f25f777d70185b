import t from 'tap';
import { RunTurns } from './turns.ts';

/** Runs of some teams, on a clock that the test sets. */
function scene(counts: Readonly<Record<string, number>>) {
  const clock = { nowMs: 1_000, documentsAtMs: new Map<string, number>() };
  const state = { reads: 0 };
  const runs = Object.entries(counts).flatMap(([teamId, count]) =>
    Array.from({ length: count }, (_, index) => ({ teamId, runId: `${teamId} ${index}` })),
  );
  const activeIds = async (): Promise<typeof runs> => {
    state.reads += 1;
    return runs;
  };
  const rests: number[] = [];
  const turns = new RunTurns(
    { activeIds },
    {
      nowMs: () => clock.nowMs,
      othersAtMs: (team) => clock.documentsAtMs.get(team) ?? Number.NEGATIVE_INFINITY,
      rest: async (ms) => {
        rests.push(ms);
        clock.nowMs += ms;
      },
    },
  );
  return { clock, state, runs, rests, turns };
}

t.test('a team with one run has every second turn beside one with 1,400', async (t) => {
  const { turns, state } = scene({ many: 1_400, one: 1 });
  const order: string[] = [];
  const work = async (runId: string): Promise<boolean> => order.push(runId) > 0;
  for (let step = 0; step < 100; step += 1) t.ok(await turns.next(work));
  t.equal(order.filter((runId) => runId === 'one 0').length, 50);
  t.equal(new Set(order).size, 51, 'the other turns go round the runs of the large team');
  t.equal(state.reads, 1, 'the list is not read for each step');
});

t.test('a run that has nothing to do is passed over for a while', async (t) => {
  const { turns, clock } = scene({ a: 3 });
  const asked: string[] = [];
  const idle = async (runId: string): Promise<boolean> => asked.push(runId) === 0;
  t.equal(await turns.next(idle), false);
  t.equal(asked.length, 3, 'each is asked once');
  t.equal(await turns.next(idle), false);
  t.equal(asked.length, 3);
  clock.nowMs += 300;
  await turns.next(idle);
  t.equal(asked.length, 6);
  turns.wake();
  await turns.next(idle);
  t.equal(asked.length, 9, 'at once after news');
});

/** A step that had something to do. */
const hasWorked = async (): Promise<boolean> => true;

t.test('a call during which the list is read waits for it', async (t) => {
  const { turns } = scene({ a: 1 });
  t.strictSame(await Promise.all([turns.next(hasWorked), turns.next(hasWorked)]), [true, true]);
});

t.test('a list that could not be read is read again by the next call', async (t) => {
  let reads = 0;
  const activeIds = async () => {
    reads += 1;
    if (reads === 1) throw new Error('the database is away');
    return [{ teamId: 'a', runId: 'a 0' }];
  };
  const turns = new RunTurns({ activeIds }, { nowMs: () => 1_000 });
  await t.rejects(turns.next(hasWorked), { message: 'the database is away' });
  t.equal(await turns.next(hasWorked), true);
});

t.test('a run is asked again at once after a step, whatever another lane found', async (t) => {
  const { turns } = scene({ a: 1 });
  const last = Promise.withResolvers<boolean>();
  const step = turns.next(() => last.promise);
  t.equal(await turns.next(async () => false), false, 'all the rest is under way');
  last.resolve(true);
  t.ok(await step);
  t.ok(await turns.next(hasWorked), 'the run can be ended');
});

t.test('a run that is new is in the list after a moment, or at once after a call', async (t) => {
  const { turns, clock, runs, state } = scene({ a: 1 });
  const asked: string[] = [];
  const work = async (runId: string): Promise<boolean> => asked.push(runId) > 0;
  await turns.next(work);
  runs.push({ teamId: 'b', runId: 'b 0' });
  clock.nowMs += 250;
  await turns.next(work);
  t.equal(asked.at(-1), 'b 0');
  turns.wake();
  await turns.next(work);
  t.equal(state.reads, 3);
});

t.test('beside documents of others, steps of a team begin at intervals', async (t) => {
  const { turns, clock, rests } = scene({ crowd: 1_400 });
  const begun: number[] = [];
  const work = async (): Promise<boolean> => begun.push(clock.nowMs) > 0;
  for (let step = 0; step < 10; step += 1) await turns.next(work);
  t.equal(clock.nowMs, 1_000, 'alone it never rests');
  clock.documentsAtMs.set('crowd', 1_000);
  begun.length = 0;
  for (let step = 0; step < 10; step += 1) await turns.next(work);
  t.strictSame(
    begun,
    Array.from({ length: 10 }, (_, step) => 1_010 + 10 * step),
  );
  clock.nowMs += 1_000;
  rests.length = 0;
  for (let step = 0; step < 10; step += 1) await turns.next(work);
  t.strictSame(rests, [], 'the others have ended');
});

t.test('a team that rests leaves the turn to another one', async (t) => {
  const { turns, clock } = scene({ crowd: 1_400, other: 1 });
  clock.documentsAtMs.set('crowd', 1_000);
  const order: string[] = [];
  const work = async (runId: string): Promise<boolean> => order.push(runId) > 0;
  for (let step = 0; step < 8; step += 1) await turns.next(work);
  t.equal(order[0], 'crowd 0');
  t.strictSame(new Set(order.slice(1)), new Set(['other 0']));
  t.equal(clock.nowMs, 1_000, 'nobody waits while one may work');
});

t.test('a run without work does not end the rest of the others', async (t) => {
  const { turns, clock, rests } = scene({ crowd: 3 });
  clock.documentsAtMs.set('crowd', 1_000);
  const asked: string[] = [];
  t.equal(await turns.next(async (runId) => asked.push(runId) === 0), false);
  t.equal(asked.length, 3);
  t.strictSame(rests, [10, 10]);
});

t.test('steps that a queue has chosen begin at the same intervals', async (t) => {
  const { turns, clock, rests } = scene({ crowd: 1 });
  await turns.begin('crowd');
  await turns.begin('crowd');
  t.strictSame(rests, [], 'alone it never rests');
  clock.documentsAtMs.set('crowd', 1_000);
  await turns.begin('crowd');
  await turns.begin('other');
  await turns.begin('crowd');
  t.strictSame(rests, [10, 10]);
});
