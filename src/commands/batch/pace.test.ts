import t from 'tap';
import { paceOf, paceTeller } from './pace.ts';

const aMinute = (calls: number) => ({ calls, windowMs: 60_000 });

t.test('a batch says how long it takes under the rate limit', async (t) => {
  t.equal(paceOf(aMinute(120), 120), null, 'the first calls begin at once');
  t.match(paceOf(aMinute(120), 121), /120 calls a minute, so 121 documents take about 1 min;/);
  t.match(paceOf(aMinute(120), 2_000), / 2000 documents take about 16 min;/);
  t.match(paceOf(aMinute(120), 7_320), / about 1 h;/);
  t.match(paceOf(aMinute(120), 7_321), / about 1 h 1 min;/);
  t.match(paceOf({ calls: 5, windowMs: 10_000 }, 20), /5 calls in 10 s, .* about 1 min;/);
});

t.test('it says so once, when the service has named the limit', async (t) => {
  let rate: ReturnType<typeof aMinute> | null = null;
  const told: string[] = [];
  const tell = paceTeller(
    () => rate,
    50,
    (message) => told.push(message),
  );
  tell();
  t.equal(told.length, 0);
  rate = aMinute(20);
  tell();
  rate = aMinute(10);
  tell();
  t.match(told, [/20 calls a minute, so 50 documents take about 2 min;/]);
  t.equal(told.length, 1);
});
