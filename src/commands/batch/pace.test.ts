import t from 'tap';
import { paceOf, paceTeller, waitTeller } from './pace.ts';

/** A limit of so many calls a minute, in a window that has just begun unless another one is given. */
const aMinute = (calls: number, left = calls, endsInMs = 60_000) => ({
  calls,
  windowMs: 60_000,
  left,
  endsInMs,
});

t.test('a batch says how long it takes under the rate limit', async (t) => {
  t.equal(paceOf(aMinute(120), 120), null, 'the first calls begin at once');
  t.match(paceOf(aMinute(120), 121), /120 calls a minute, so 121 documents take about 1 min;/);
  t.match(paceOf(aMinute(120), 2_000), / 2000 documents take about 16 min;/);
  t.match(paceOf(aMinute(120), 7_320), / about 1 h;/);
  t.match(paceOf(aMinute(120), 7_321), / about 1 h 1 min;/);
  t.match(
    paceOf({ ...aMinute(5), windowMs: 10_000, endsInMs: 10_000 }, 20),
    /5 calls in 10 s, .* about 1 min;/,
  );
});

/** The line that says how long eight documents take. */
const about = (minutes: number) => new RegExp(`, so 8 documents take about ${minutes} min;`);

t.test('the window that is running counts', async (t) => {
  t.match(paceOf(aMinute(6, 0, 50_000), 8), about(2), 'used up by other calls');
  t.match(paceOf(aMinute(6, 1, 50_000), 8), about(2), 'and nearly so');
  t.match(paceOf(aMinute(6, 6, 50_000), 8), about(1));
  t.equal(paceOf(aMinute(6, 2, 50_000), 8, 2), null, 'the others are made');
  t.match(paceOf(aMinute(6, 0, 59_000), 8, 2), about(1), 'six are made, and two wait');
});

t.test('it says so once, when the service has named the limit', async (t) => {
  let rate: ReturnType<typeof aMinute> | null = null;
  const told: string[] = [];
  const tell = paceTeller(
    () => rate,
    { count: 50, done: () => 0 },
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
