import t from 'tap';
import { paceOf, paceTeller, waitTeller } from './pace.ts';

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

t.test('a wait for the limit of the key is told once, after a few seconds', async (t) => {
  const told: string[] = [];
  let endMs = 0;
  let nowMs = 0;
  const look = waitTeller(
    () => Math.max(0, endMs - nowMs),
    (message) => told.push(message),
  );
  const lookUntil = (untilMs: number): void => {
    for (; nowMs < untilMs; nowMs += 1_000) look(nowMs);
  };
  lookUntil(5_000);
  t.strictSame(told, [], 'nothing waits');
  endMs = nowMs + 2_000;
  lookUntil(8_000);
  t.strictSame(told, [], 'a short wait');
  endMs = nowMs + 56_000;
  lookUntil(endMs);
  t.strictSame(told, ["waiting 53 s for the key's limit"]);
  endMs = nowMs + 60_000;
  lookUntil(endMs);
  t.equal(told.length, 2, 'the next window, used up between two looks');
  t.equal(told[1], "waiting 57 s for the key's limit");
});
