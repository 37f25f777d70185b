import t from 'tap';

import { interquartileRange, median, percentile, quantile, ratioSpread, spread } from './stats.ts';

t.test('a median is the middle value, or the mean of the two in the middle', async (t) => {
  t.equal(median([3, 1, 2]), 2);
  t.equal(median([4, 1, 2, 3]), 2.5);
  t.ok(Number.isNaN(median([])));
});

t.test('a percentile is a measured value, a quantile lies between two', async (t) => {
  const sorted = Float64Array.of(1, 2, 3, 4);
  t.equal(percentile(sorted, 0.5), 2);
  t.equal(percentile(sorted, 0.99), 4);
  t.equal(quantile(sorted, 0.5), 2.5);
  t.equal(quantile(sorted, 1), 4);
  t.equal(interquartileRange([4, 3, 2, 1]), 1.5);
});

t.test('a ratio is made round by round, so that noise of a round cancels out', async (t) => {
  t.strictSame(ratioSpread([2, 20, 4], [1, 10, 1]), { min: 2, median: 2, max: 4, rounds: 3 });
  t.strictSame(spread([5, 1]), { min: 1, median: 3, max: 5, rounds: 2 });
});
