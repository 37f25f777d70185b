import fc from 'fast-check';
import t from 'tap';
import { FairQueue } from './queue.ts';

interface Item {
  readonly key: string;
  readonly team: string;
  readonly kind: 'a' | 'b';
  readonly name: string;
}

const all = (): boolean => true;
const of = (key: string, team: string, name: string): Item => ({ ...item(name), key, team });
const item = (name: string, kind: Item['kind'] = 'a'): Item => ({
  key: name.charAt(0),
  team: name.charAt(0),
  kind,
  name,
});
const equal = (): number => 0;

function queueOf(...names: readonly string[]): FairQueue<Item> {
  const queue = new FairQueue<Item>();
  for (const name of names) queue.push(item(name));
  return queue;
}

function takeAll(queue: FairQueue<Item>, rank: (item: Item) => number): string[] {
  const names: string[] = [];
  for (let next = queue.peek(all, rank); next !== undefined; next = queue.peek(all, rank)) {
    queue.take(next);
    names.push(next.name);
  }
  return names;
}

t.test('keys of equal rank take turns, each in its own order', async (t) => {
  const queue = queueOf('a1', 'a2', 'a3', 'b1', 'c1');
  t.same(takeAll(queue, equal), ['a1', 'b1', 'c1', 'a2', 'a3']);
  t.equal(queue.size, 0);
});

t.test('the key with the lowest rank is next', async (t) => {
  const queue = queueOf('a1', 'a2', 'b1', 'b2', 'c1');
  const rank = { a: 2, b: 1, c: 3 } as Readonly<Record<string, number>>;
  t.same(
    takeAll(queue, ({ key }) => rank[key] ?? 0),
    ['b1', 'b2', 'a1', 'a2', 'c1'],
  );
});

t.test('an item that may not be taken does not block another kind', async (t) => {
  const queue = queueOf();
  for (const one of [item('a1', 'b'), item('a2'), item('b1', 'b')]) queue.push(one);
  t.equal(queue.peek(({ kind }) => kind === 'a', equal)?.name, 'a2');
  t.equal(queue.peek(({ kind }) => kind === 'b', equal)?.name, 'a1');
});

t.test(
  'a full queue makes room at the cost of the team with the most, however many keys it has',
  async (t) => {
    const queue = new FairQueue<Item>();
    for (let key = 0; key < 6; key += 1) queue.push(of(`key ${key}`, 'many', `m${key}`));
    for (let n = 0; n < 3; n += 1) queue.push(of('one', 'single', `s${n}`));
    t.equal(queue.displace(of('one', 'single', 's3'), all)?.team, 'many');
    t.equal(queue.displace(of('key 9', 'many', 'm9'), all), undefined, 'its own team has the most');
    queue.push(of('key 0', 'many', 'm00'));
    queue.push(of('key 0', 'many', 'm000'));
    t.equal(queue.displace(of('key 9', 'many', 'm9'), all)?.name, 'm000', 'its longest key');
  },
);

t.test('an item that is put back is the first of its key', async (t) => {
  const queue = queueOf('a1', 'a2');
  const first = queue.peek(all, equal);
  if (first === undefined) throw new Error('two wait');
  queue.take(first);
  queue.putBack(first);
  t.same(takeAll(queue, equal), ['a1', 'a2']);
});

t.test('a key with few items displaces one of a flood, but not the reverse', async (t) => {
  const queue = queueOf('a1', 'a2', 'a3');
  t.equal(queue.displace(item('a'), all), undefined);
  t.equal(queue.displace(item('b'), all)?.name, 'a3');
  queue.push(item('b1'));
  t.equal(queue.displace(item('b'), all), undefined, 'two and two is fair already');
  t.equal(queue.displace(item('c'), all)?.name, 'a2');
});

t.test('only items that may be displaced count for the length of a lane', async (t) => {
  const queue = queueOf('a1', 'b1', 'b2');
  for (const name of ['a2', 'a3']) queue.push(item(name, 'b'));
  t.equal(queue.displace(item('b'), all), undefined, 'three and two');
  t.equal(queue.displace(item('c'), ({ kind }) => kind === 'b')?.name, 'a3');
  t.equal(
    queue.displace(item('c'), ({ kind }) => kind === 'b'),
    undefined,
  );
});

t.test('a removed item does not come back', async (t) => {
  const queue = queueOf();
  const one = item('a1');
  queue.push(one);
  t.ok(queue.remove(one));
  t.notOk(queue.remove(one));
  t.throws(() => queue.take(one));
  t.equal(queue.peek(all, equal), undefined);
});

t.test('every item is taken once, and no key waits longer than one round', async () => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });
  fc.assert(
    fc.property(keys, (given) => {
      const numbered = given.map((key, index) => `${key}${index}`);
      const queue = queueOf(...numbered);
      const taken = takeAll(queue, equal);
      const callers = new Set(given);
      const lastTurn = new Map<string, number>();
      const fair = taken.every((name, turn) => {
        const key = name.charAt(0);
        const gap = turn - (lastTurn.get(key) ?? 0);
        lastTurn.set(key, turn);
        return gap <= callers.size;
      });
      return fair && taken.length === numbered.length && new Set(taken).size === numbered.length;
    }),
  );
});
