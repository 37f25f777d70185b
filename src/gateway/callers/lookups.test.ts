import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { StorageUnavailable, StoreBusy } from '../../store/store.ts';
import { Lookups } from './lookups.ts';

const LIMITS = { batchMax: 4, batchMs: 0, waitingEachMax: 8, waitingMax: 12 };

/** Look-ups that end when they are told to. */
function lookups(): { found: Lookups<string>; batches: string[][]; answer: () => Promise<void> } {
  const batches: string[][] = [];
  const pending: (() => void)[] = [];
  const found = new Lookups<string>(LIMITS, async (texts) => {
    batches.push([...texts]);
    await new Promise<void>((resolve) => pending.push(resolve));
    return texts.map((text) => `found ${text}`);
  });
  const answer = async (): Promise<void> => {
    pending.shift()?.();
    await turn();
  };
  return { found, batches, answer };
}

await t.test('addresses have turns in each batch, and each gets its own result', async (t) => {
  const { found, batches, answer } = lookups();
  const crowd = [1, 2, 3, 4, 5, 6].map((n) => found.find('crowd', `c${n}`));
  const one = found.find('one', 'o1');
  for (let count = 0; count < 3; count += 1) await answer();
  t.strictSame(batches, [['c1'], ['c2', 'o1', 'c3', 'c4'], ['c5', 'c6']]);
  t.strictSame(
    await Promise.all(crowd),
    ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((c) => `found ${c}`),
  );
  t.equal(await one, 'found o1');
});

await t.test('texts that come while batches rest share the next one', async (t) => {
  const batches: string[][] = [];
  const found = new Lookups<string>({ ...LIMITS, batchMs: 500 }, (texts) => {
    batches.push([...texts]);
    return Promise.resolve(texts);
  });
  t.equal(await found.find('a', 'first'), 'first');
  const others: Promise<string>[] = [];
  for (const text of ['x', 'y', 'z']) {
    others.push(found.find('a', text));
    await turn();
  }
  t.strictSame(await Promise.all(others), ['x', 'y', 'z']);
  t.strictSame(batches[0], ['first'], 'it need not wait');
  t.ok(batches.length < 4, 'without a rest each is looked up alone');
});

await t.test(
  'what waits beyond the limits is refused as busy, and the rest is found',
  async (t) => {
    const { found, answer } = lookups();
    const all = [
      ...Array.from({ length: 12 }, (_, n) => found.find('a', `a${n}`)),
      ...Array.from({ length: 12 }, (_, n) => found.find('b', `b${n}`)),
    ];
    const settled = Promise.allSettled(all);
    for (let count = 0; count < 8; count += 1) await answer();
    const refused = (await settled).filter(({ status }) => status === 'rejected');
    t.equal(refused.length, 3 + 8, 'a may have 8 waiting, both together 12');
    t.ok(
      refused.every((one) => 'reason' in one && one.reason instanceof StoreBusy),
      'as busy',
    );
  },
);

await t.test('a row that cannot be read fails its own look-up, an outage all', async (t) => {
  let outage = false;
  const found = new Lookups<string>(LIMITS, async (texts) => {
    await turn();
    if (outage) throw new StorageUnavailable('gone');
    if (texts.includes('bad')) throw new Error('a damaged row');
    return texts;
  });
  const first = found.find('a', 'first');
  const others = ['x', 'bad', 'y'].map((text) => found.find('a', text));
  t.equal(await first, 'first');
  t.match(await Promise.allSettled(others), [
    { value: 'x' },
    { reason: { message: 'a damaged row' } },
    { value: 'y' },
  ]);
  outage = true;
  const both = await Promise.allSettled([found.find('a', '1'), found.find('a', '2')]);
  t.ok(both.every(({ status }) => status === 'rejected'));
});
