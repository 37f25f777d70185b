import t from 'tap';
import { ROUNDS_TO_TELL, startsRatio } from './starts.ts';

/** Both commits, by what the second cost in each round; the first cost 1. */
const shown = (...rounds: readonly number[]): string =>
  startsRatio(
    rounds,
    rounds.map(() => 1),
  ).shows;

t.test('fewer than three starts of two rounds decide nothing', async (t) => {
  t.equal(shown(0.92), 'too few rounds');
  t.equal(shown(0.906, 0.926), 'too few rounds', 'a commit beside itself, as once measured');
  t.equal(shown(0.9, 0.901, 0.9, 0.901), 'too few rounds');
  t.equal(shown(0.9, 0.901, 0.9, 0.901, 0.9), 'a difference', 'the third start has one round');
  t.equal(ROUNDS_TO_TELL, 6);
});

t.test('a difference between starts is none between commits', async (t) => {
  t.equal(shown(1.09, 1.09, 1.01, 1.01, 1.02, 1.02), 'no clear difference', 'by their interval');
  t.equal(shown(1.09, 1.09, 1.08, 1.08, 1.1, 1.1), 'a difference');
  t.equal(shown(0.92, 0.92, 0.9, 0.91, 0.93, 0.92), 'a difference', 'faster');
});

t.test('a round on the other side of 1 leaves it open', async (t) => {
  t.equal(shown(1.3, 0.99, 1.15, 1.15, 1.15, 1.15), 'no clear difference');
  t.equal(shown(0.97, 1.01, 1.04, 1.02, 0.98, 1), 'no clear difference');
});

t.test('the range is that of the rounds', async (t) => {
  t.match(startsRatio([2, 20, 4], [1, 10, 1]), { min: 2, median: 2, max: 4, rounds: 3 });
});
