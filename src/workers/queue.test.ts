import fc from 'fast-check';
import t from 'tap';
import { FairQueue } from './queue.ts';

t.test('keys take turns, each in its own order', async (t) => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
  queue.push('b', 'b1');
  queue.push('c', 'c1');
  const taken = Array.from({ length: 6 }, () => queue.take());
  t.same(taken, ['a1', 'b1', 'c1', 'a2', 'a3', undefined]);
});

t.test('a trickle makes room for itself in a flood, the flood does not', async (t) => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
  t.equal(queue.displace('a'), undefined);
  t.equal(queue.displace('b'), 'a3');
  queue.push('b', 'b1');
  t.equal(queue.displace('b'), undefined, 'two and two is fair already');
  t.equal(queue.displace('c'), 'a2');
});

t.test('a removed item does not come back', async (t) => {
  const queue = new FairQueue<string>();
  queue.push('a', 'a1');
  t.ok(queue.remove('a', 'a1'));
  t.notOk(queue.remove('a', 'a1'));
  t.equal(queue.take(), undefined);
});

t.test('nothing is lost, nothing is doubled, no key waits longer than one round', async () => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });
  fc.assert(
    fc.property(items, (keys) => {
      const queue = new FairQueue<string>();
      const numbered = keys.map((key, index) => `${key}${index}`);
      numbered.forEach((item) => queue.push(item.charAt(0), item));
      const taken = numbered.map(() => queue.take() ?? '');
      const waiting = new Map<string, number>();
      for (const key of keys) waiting.set(key, (waiting.get(key) ?? 0) + 1);
      const lastTurn = new Map<string, number>();
      const fair = taken.every((item, turn) => {
        const key = item.charAt(0);
        const gap = turn - (lastTurn.get(key) ?? 0);
        lastTurn.set(key, turn);
        return gap <= waiting.size;
      });
      return fair && queue.size === 0 && new Set(taken).size === numbered.length;
    }),
  );
});
