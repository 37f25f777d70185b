import t from 'tap';
import { RunTurns } from './turns.ts';

/** Runs of some teams, on a clock that the test sets. */
function scene(counts: Readonly<Record<string, number>>) {
  const clock = { nowMs: 1_000 };
  const state = { reads: 0 };
  const runs = Object.entries(counts).flatMap(([teamId, count]) =>
    Array.from({ length: count }, (_, index) => ({ teamId, runId: `${teamId} ${index}` })),
  );
  const activeIds = async (): Promise<typeof runs> => {
    state.reads += 1;
    return runs;
  };
  return { clock, state, runs, turns: new RunTurns({ activeIds }, () => clock.nowMs) };
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
