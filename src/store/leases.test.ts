import t from 'tap';
import { LEASE_MS, LeaseWatch } from './leases.ts';

/** A watch, and the monotonic clock that it reads. */
function watchAt(): { watch: LeaseWatch; pass: (ms: number) => void } {
  let nowMs = 0;
  const watch = new LeaseWatch(LEASE_MS, () => nowMs);
  return { watch, pass: (ms) => (nowMs += ms) };
}

t.test('a lease has ended when it was not renewed while it was watched', (t) => {
  const { watch, pass } = watchAt();
  const lease = { owner: 'a', lease_until_ms: 1e15 };
  t.equal(watch.hasEnded('chunk', lease), false);
  pass(LEASE_MS - 1);
  t.equal(watch.hasEnded('chunk', lease), false);
  t.equal(watch.hasEnded('another chunk', lease), false, 'it is watched from now on');
  pass(1);
  t.equal(watch.hasEnded('chunk', lease), true);
  t.end();
});

t.test('a lease that is renewed or changes its owner does not end', (t) => {
  const { watch, pass } = watchAt();
  for (let renewals = 0; renewals < 20; renewals += 1) {
    // A renewal may lie before the last one: the clock of its owner was set back.
    const lease = { owner: renewals < 10 ? 'a' : 'b', lease_until_ms: 1e15 - renewals };
    t.equal(watch.hasEnded('chunk', lease), false);
    pass(LEASE_MS - 1);
    t.equal(watch.hasEnded('chunk', lease), false);
  }
  t.equal(watch.hasEnded('chunk', { owner: 'c', lease_until_ms: 1e15 - 19 }), false);
  t.end();
});

t.test('leases of a kind are read once a second', (t) => {
  const { watch, pass } = watchAt();
  t.strictSame([watch.isDue('one'), watch.isDue('one'), watch.isDue('two')], [true, false, true]);
  pass(1_000);
  t.equal(watch.isDue('one'), true);
  t.end();
});
