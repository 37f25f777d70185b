import t from 'tap';

import type { Slice } from './load.ts';
import { measureInTurn, summarise, type Measurable, type Telling } from './rounds.ts';

const SCHEDULE = { warmUpMs: 600, roundsMs: 400, rounds: 2 };
const silent: Telling = { say: () => undefined, step: () => undefined, keep: () => undefined };

function sliceOf(documentsPerSecond: number): Slice {
  return { documentsPerSecond, p50Ms: 1, p99Ms: 2 };
}

/** A service whose calls give these rates, the last one for ever; `calls` gets its name each time. */
function scripted(
  name: string,
  threads: number,
  rates: readonly number[],
  calls: string[] = [],
): Measurable {
  let call = 0;
  return {
    threads,
    run: (durationMs) => {
      calls.push(`${name} ${durationMs.toFixed(0)}`);
      return Promise.resolve(sliceOf(rates[Math.min(call++, rates.length - 1)] ?? 0));
    },
  };
}

function ratesOf(slices: readonly (readonly Slice[])[]): readonly (readonly number[])[] {
  return slices.map((own) => own.map(({ documentsPerSecond }) => documentsPerSecond));
}

t.test('rounds count only when no service becomes faster any more', async (t) => {
  const cold = scripted('cold', 1, [40, 70, 95, 98, 100]);
  const warm = scripted('warm', 1, [90, 91, 90]);
  const { slices, isWarm } = await measureInTurn([cold, warm], SCHEDULE, silent);
  t.ok(isWarm);
  // Rounds 1 to 4 warm up: the fourth is no more than 5 % faster than the third.
  t.same(ratesOf(slices), [
    [100, 100],
    [90, 90],
  ]);
});

t.test('a warm-up that time ends before the service is warm is said', async (t) => {
  const rising = scripted('rising', 1, [10, 20, 30, 40, 50, 60, 70, 80]);
  const { slices, isWarm } = await measureInTurn([rising], SCHEDULE, silent);
  t.notOk(isWarm);
  t.same(ratesOf(slices), [[70, 80]]);
});

t.test('services take turns, and more threads warm up for longer', async (t) => {
  const calls: string[] = [];
  const [a, b] = [scripted('a', 1, [100], calls), scripted('b', 3, [100], calls)];
  await measureInTurn([a, b], SCHEDULE, silent);
  t.same(calls, ['a 25', 'b 75', 'a 25', 'b 75', 'a 100', 'b 100', 'b 100', 'a 100']);
});

t.test('each round is kept with those before it, for a measurement that is stopped', async (t) => {
  const one = scripted('one', 1, [100, 100, 104, 105]);
  const kept: (readonly number[])[] = [];
  const keep: Telling['keep'] = (slices) => void kept.push(ratesOf(slices).flat());
  await measureInTurn([one], SCHEDULE, { ...silent, keep });
  t.same(kept, [[104], [104, 105]]);
});

t.test('a summary has medians, and the slowest and the fastest round', async (t) => {
  t.same(summarise([100, 80, 130].map(sliceOf)), {
    documentsPerSecond: 100,
    least: 80,
    most: 130,
    p50Ms: 1,
    p99Ms: 2,
  });
});
