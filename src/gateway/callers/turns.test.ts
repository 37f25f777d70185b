import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { StoreBusy } from '../../store/store.ts';
import { Turns } from './turns.ts';

const LIMITS = { underWayMax: 2, underWayEachMax: 2, waitingEachMax: 100, waitingMax: 150 };

await t.test('a party that asks for much delays another by a turn only', async (t) => {
  const turns = new Turns(LIMITS);
  const order: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    await turn();
    order.push(name);
  };
  const crowd = Array.from({ length: 90 }, () => turns.run('crowd', work('crowd')));
  const one = turns.run('one', work('one'));
  await Promise.all([...crowd, one]);
  t.ok(order.indexOf('one') <= 4, `as number ${order.indexOf('one')} of ${order.length}`);
});

await t.test('no more is under way than allowed, of all and of each', async (t) => {
  const turns = new Turns({ ...LIMITS, underWayMax: 3, underWayEachMax: 2 });
  const underWay = { all: 0, a: 0, b: 0 };
  const most = { all: 0, a: 0, b: 0 };
  const work = (party: 'a' | 'b') => async (): Promise<void> => {
    for (const name of ['all', party] as const) {
      underWay[name] += 1;
      most[name] = Math.max(most[name], underWay[name]);
    }
    await turn();
    for (const name of ['all', party] as const) underWay[name] -= 1;
  };
  const all = Array.from({ length: 60 }, (_, index) => {
    const party = index % 2 === 0 ? 'a' : 'b';
    return turns.run(party, work(party));
  });
  await Promise.all(all);
  t.strictSame(most, { all: 3, a: 2, b: 2 });
});

await t.test('what waits beyond the limits is refused, and the rest is done', async (t) => {
  const turns = new Turns(LIMITS);
  let done = 0;
  const work = async (): Promise<void> => {
    await turn();
    done += 1;
  };
  const results = await Promise.allSettled([
    ...Array.from({ length: 120 }, () => turns.run('a', work)),
    ...Array.from({ length: 60 }, () => turns.run('b', work)),
  ]);
  const refused = results.filter(({ status }) => status === 'rejected');
  t.equal(refused.length, 18 + 10, 'a may have 100 waiting, both together 150');
  t.ok(
    refused.every((result) => 'reason' in result && result.reason instanceof StoreBusy),
    'as busy',
  );
  t.equal(done, 180 - refused.length);
});

await t.test('work that fails gives its turn on', async (t) => {
  const turns = new Turns({ ...LIMITS, underWayMax: 1 });
  const failing = turns.run('a', () => Promise.reject(new Error('no')));
  const next = turns.run('a', () => Promise.resolve('yes'));
  await t.rejects(failing, { message: 'no' });
  t.equal(await next, 'yes');
});
