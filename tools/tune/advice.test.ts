import fc from 'fast-check';
import t from 'tap';

import { candidates, choose, compare, memoryFor, queueFor } from './advice.ts';

t.test('candidates are all numbers for few cores, quarters for many', async (t) => {
  t.strictSame(candidates(1), [1, 2]);
  t.strictSame(candidates(2), [1, 2, 3]);
  t.strictSame(candidates(4), [1, 2, 3, 4, 5]);
  t.strictSame(candidates(64), [16, 32, 48, 64, 65]);
  t.strictSame(candidates(512), [128, 256], 'no more than the setting takes');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_024 }), (cores) => {
      const threads = candidates(cores);
      t.strictSame(
        threads,
        [...new Set(threads)].toSorted((a, b) => a - b),
        'ascending',
      );
      return threads.length <= 5 && threads.includes(Math.min(cores, 256));
    }),
  );
});

t.test('the smallest number of threads within 3 % of the best is chosen', async (t) => {
  const rates = [
    [500, 505, 495],
    [980, 985, 975],
    [1_000, 1_005, 995],
  ];
  const { index, shares } = choose(rates, 1);
  t.equal(index, 1);
  t.ok(Math.abs((shares[1] ?? 0) - 0.98) < 0.005);
  t.equal(shares[2], 1);
  const far = rates.map((own, at) => (at === 2 ? own.map((rate) => rate * 1.1) : own));
  t.equal(choose(far, 1).index, 2);
});

t.test('a machine that is slower for a round favours no candidate', async (t) => {
  const speeds = [1, 0.3, 1, 0.5, 0.9];
  const rates = [0.6, 1, 1.01].map((own) => speeds.map((speed) => own * speed * 1_000));
  const { index, noise } = choose(rates, 1);
  t.equal(index, 1);
  t.ok(noise < 1e-9, 'a change that all candidates share is not noise');
});

t.test('when noise hides the difference, the preset number of threads stays', async (t) => {
  const noisy = [
    [900, 600, 1_000],
    [600, 1_000, 850],
    [700, 500, 900],
  ];
  t.equal(choose(noisy, 1).index, 1);
  t.equal(choose(noisy, 2).index, 2);
});

t.test('the queue is the largest power of two that is served within the wait', async (t) => {
  const plenty = { memoryBytes: 2 ** 40, bodyBytesMax: 1_048_576 };
  t.equal(queueFor(1_100, 2, plenty), 2_048);
  t.equal(queueFor(1_000, 2, plenty), 1_024);
  t.equal(queueFor(0.5, 2, plenty), 16, 'never less than a few');
  t.equal(queueFor(1e9, 2, plenty), 65_536);
  const little = { memoryBytes: 2 ** 30, bodyBytesMax: 1_048_576 };
  t.equal(queueFor(1_100, 2, little), 256, 'what waits fits into memory');
  fc.assert(
    fc.property(fc.double({ min: 20, max: 20_000, noNaN: true }), (rate) => {
      const queueMax = queueFor(rate, 2, plenty);
      return queueMax / rate <= 2 && queueMax / rate > 1;
    }),
  );
});

t.test(
  'memory is a power of two with a margin, two near peaks at most one step apart',
  async (t) => {
    t.equal(memoryFor(1), 256, 'never less than that');
    t.equal(memoryFor(55 * 1_048_576), 256);
    t.equal(memoryFor(300 * 1_048_576), 1_024);
    t.equal(memoryFor(2 ** 50), 65_536, 'no more than the setting takes');
    fc.assert(
      fc.property(fc.integer({ min: 2 ** 20, max: 2 ** 33 }), (peak) => {
        const [low, high] = [memoryFor(peak), memoryFor(peak * 1.3)];
        return low * 1_048_576 >= peak * 2.5 && (high === low || high === 2 * low);
      }),
    );
  },
);

t.test('the advice is better, as good or worse; noise is not a difference', async (t) => {
  const defaults = [100, 100, 100, 100, 100];
  const verdict = (advice: readonly number[]): string => compare(advice, defaults).verdict;
  t.equal(verdict([110, 111, 110, 109, 110]), 'better');
  t.equal(verdict([102, 101, 102, 103, 102]), 'as good');
  t.equal(verdict([90, 91, 90, 89, 90]), 'worse');
  t.equal(verdict([98, 130, 110, 104, 140]), 'as good', 'it was not better in every round');
  t.equal(verdict([120, 101, 118, 121, 119]), 'better');
  t.equal(verdict([70, 99, 101, 72, 75]), 'as good', 'it was not worse in every round');
  t.equal(verdict([80, 300, 130, 110, 240]), 'unclear', 'no gain can be told from such rounds');
  t.match(compare([150, 320], [100, 200]), { ratio: 1.55, ratioMin: 1.5, ratioMax: 1.6 });
});
