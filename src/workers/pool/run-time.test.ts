import t from 'tap';
import { RunTime, systemThreadId, threadTimes } from './run-time.ts';

const LIMIT_MS = 10_000;
const WATCH_MS = 20;

/** A job whose thread and clock the test moves; `step` returns whether it is over. */
function job(): {
  /** Time passes, of which the thread ran and waited for a CPU for these parts; then a check. */
  step: (ms: number, ranMs?: number, waitedMs?: number) => boolean;
  /** Checks every `everyMs` until the job is over; returns how long it took. */
  untilOver: (everyMs: number, ranShare: number, waitedShare: number) => number;
} {
  const times = { ranMs: 0, waitedMs: 0 };
  const runTime = new RunTime(() => ({ ...times }));
  let elapsedMs = 0;
  const step = (ms: number, ranMs = 0, waitedMs = 0): boolean => {
    elapsedMs += ms;
    times.ranMs += ranMs;
    times.waitedMs += waitedMs;
    return runTime.isOver(1, elapsedMs, LIMIT_MS);
  };
  return {
    step,
    untilOver: (everyMs, ranShare, waitedShare) => {
      while (!step(everyMs, everyMs * ranShare, everyMs * waitedShare)) {
        if (elapsedMs > 100 * LIMIT_MS) throw new Error('the job was never over');
      }
      return elapsedMs;
    },
  };
}

t.test('a job that runs, or is blocked, is over at its limit', (t) => {
  t.equal(job().untilOver(WATCH_MS, 1, 0), LIMIT_MS);
  t.equal(job().untilOver(WATCH_MS, 0, 0), LIMIT_MS, 'also where the system counts no CPU time');
  t.end();
});

t.test('a process that stands still is not charged', (t) => {
  const { step, untilOver } = job();
  t.equal(step(WATCH_MS, WATCH_MS), false);
  for (let stops = 0; stops < 6; stops += 1) t.equal(step(13_000), false, `stopped ${stops + 1}`);
  t.equal(job().step(13_000), false, 'stopped before the first check');
  const standingMs = 6 * 13_000;
  const over = untilOver(WATCH_MS, 1, 0);
  t.ok(over > standingMs + 0.9 * LIMIT_MS && over <= standingMs + LIMIT_MS + WATCH_MS, `${over}`);
  t.end();
});

t.test('time without a CPU is not charged, but an endless job ends on any machine', (t) => {
  t.ok(job().untilOver(WATCH_MS, 0.5, 0.5) > 1.9 * LIMIT_MS);
  const over = job().untilOver(WATCH_MS, 0.01, 0.99);
  t.ok(over > 3.9 * LIMIT_MS && over < 4.1 * LIMIT_MS, `${over}`);
  t.end();
});

t.test('late checks do not prolong an endless job', (t) => {
  const over = job().untilOver(700, 1, 0);
  t.ok(over >= LIMIT_MS && over <= LIMIT_MS + 2 * 700, `${over}`);
  t.end();
});

t.test('each job starts anew', (t) => {
  const runTime = new RunTime(() => ({ ranMs: 0, waitedMs: 0 }));
  for (let ms = 0; ms < 9_000; ms += WATCH_MS) t.notOk(runTime.isOver(1, ms, LIMIT_MS));
  t.notOk(runTime.isOver(2, 9_500, LIMIT_MS), 'its first check comes late');
  for (let ms = 0; ms < 9_000; ms += WATCH_MS) t.notOk(runTime.isOver(2, ms, LIMIT_MS));
  t.end();
});

const cpuMs = (): number => process.cpuUsage().user / 1000;

t.test('the system counts the times of a thread', { skip: process.platform !== 'linux' }, (t) => {
  const number = systemThreadId();
  t.equal(number, process.pid, 'the main thread has the number of the process');
  const before = threadTimes(number);
  const startMs = cpuMs();
  while (cpuMs() < startMs + 50);
  const ranMs = threadTimes(number).ranMs - before.ranMs;
  t.ok(before.ranMs === 0 || ranMs > 0, `${ranMs} ms`);
  t.same(threadTimes(0), { ranMs: 0, waitedMs: 0 });
  t.same(threadTimes(2 ** 30), { ranMs: 0, waitedMs: 0 }, 'it has ended');
  t.end();
});
