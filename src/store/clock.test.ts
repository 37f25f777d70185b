import t from 'tap';
import { SteadyClock } from './clock.ts';

const HOUR = 3_600_000;
const START = 1_800_000_000_000;

/** A clock that the test sets. */
function settableClock() {
  const at = { wall: START, monotonic: 0 };
  const clock = new SteadyClock({ wallMs: () => at.wall, monotonicMs: () => at.monotonic });
  const pass = (ms: number, slewedMs = 0): void => {
    at.monotonic += ms;
    at.wall += ms + slewedMs;
  };
  return { at, clock, pass };
}

await t.test('follows a wall clock that is slewed', async (t) => {
  const { at, clock, pass } = settableClock();
  for (let second = 0; second < 10_000; second += 1) {
    pass(1_000, 0.5);
    if (clock.nowMs() !== at.wall) t.fail('left behind');
  }
  t.equal(clock.jumped(), false);
});

for (const step of [HOUR, -HOUR, 60_000]) {
  await t.test(
    `does not follow a step of ${step} ms until the new time has stood for an hour`,
    async (t) => {
      const { at, clock, pass } = settableClock();
      pass(1_000);
      at.wall += step;
      t.equal(clock.nowMs(), START + 1_000);
      t.equal(clock.jumped(), true);
      pass(HOUR - 1);
      t.equal(clock.nowMs(), START + HOUR + 999);
      pass(1);
      t.equal(clock.nowMs(), at.wall, 'believed');
      t.equal(clock.jumped(), false);
    },
  );
}

await t.test('a wall clock that returns is followed at once', async (t) => {
  const { at, clock, pass } = settableClock();
  at.wall += HOUR;
  t.equal(clock.jumped(), true);
  pass(60_000);
  at.wall -= HOUR;
  t.equal(clock.nowMs(), START + 60_000);
  t.equal(clock.jumped(), false);
});
