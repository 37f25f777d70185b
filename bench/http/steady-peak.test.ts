import t from 'tap';
import { runAtSteadyPeak } from './steady-peak.ts';
import type { FramedRound } from './steady-peak.ts';

/** Runs rounds between these peaks; each round's figures are its number. */
function roundsBetween(peaks: readonly number[]) {
  let rounds = 0;
  return async (peakBefore: number): Promise<FramedRound<number>> => {
    const figures = rounds++;
    return { figures, peakBefore, peakAfter: peaks[rounds] ?? Number.NaN };
  };
}

t.test('a round counts at once when the peak holds', async (t) => {
  const steady = await runAtSteadyPeak(2_000, 3, roundsBetween([2_000, 1_810]));
  t.match(steady, { figures: 0, tries: 1, isSteady: true, peakBefore: 2_000, lastPeak: 1_810 });
});

t.test('a round is repeated, from the new peak, while the peak falls or rises', async (t) => {
  const steady = await runAtSteadyPeak(2_000, 3, roundsBetween([2_000, 1_400, 1_700, 1_690]));
  t.match(steady, { figures: 2, tries: 3, isSteady: true, peakBefore: 1_700, lastPeak: 1_690 });
});

t.test('the steadiest round counts when none is steady', async (t) => {
  const steady = await runAtSteadyPeak(2_000, 3, roundsBetween([2_000, 1_000, 1_200, 2_400]));
  t.match(steady, { figures: 1, tries: 3, isSteady: false, peakBefore: 1_000, lastPeak: 2_400 });
});
