import type { EventEmitter } from 'node:events';
import t from 'tap';
import { createConnection } from 'mysql2/promise';
import { atSomePace } from '../../../lab/pace.ts';
import { type MariaDb, startMariaDb } from '../../../lab/servers/mariadb.ts';
import { migrate } from '../../../test/store/migrated.ts';
import { startProxy } from '../../../lab/servers/tcp-proxy.ts';
import { connectionOptions } from '../../store/database/mysql.ts';
import { createMemoryRateLimiter } from './rate.ts';
import type { LedgerEntry, Ledger, Tally } from '../../store/rate/ledger.ts';
import { openLedger } from '../../store/rate/ledger.ts';
import { openSharedRateLimiter, SharedCounter } from './shared-rate.ts';
import { StorageUnavailable } from '../../store/store.ts';
import type { RateVerdict } from '../types.ts';

t.test('a window lasts 60 s from its first call', async (t) => {
  let now = 1_000;
  const limiter = createMemoryRateLimiter(() => now);
  const count = (caller = 'a', limit = 2): RateVerdict =>
    limiter.count(caller, limit) as RateVerdict;
  t.same(count(), { allowed: true, limit: 2, remaining: 1, retryAfterMs: 60_000 });
  now += 20_000;
  t.same(count(), { allowed: true, limit: 2, remaining: 0, retryAfterMs: 40_000 });
  t.same(count(), { allowed: false, limit: 2, remaining: 0, retryAfterMs: 40_000 });
  t.ok(count('b').allowed, 'callers are counted separately');
  now += 39_999;
  t.same(count(), { allowed: false, limit: 2, remaining: 0, retryAfterMs: 1 });
  now += 1;
  t.same(count(), { allowed: true, limit: 2, remaining: 1, retryAfterMs: 60_000 });
});

t.test('a window never has more than 60 s left, despite rounding', async (t) => {
  // For this time, time + 60,000 - time is 60,000.00000000001.
  const limiter = createMemoryRateLimiter(() => 8_195.337069905867);
  t.equal((limiter.count('a', 2) as RateVerdict).retryAfterMs, 60_000);
});

/** A ledger in memory that answers when and as the test wants. */
class FakeLedger implements Ledger {
  readonly batches: (readonly LedgerEntry[])[] = [];
  readonly calls = new Map<string, number>();
  answer: 'now' | 'when asked' | 'refuse' = 'now';
  release: () => void = () => undefined;

  async add(entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, Tally>> {
    this.batches.push(entries);
    if (this.answer === 'when asked') await new Promise<void>((done) => (this.release = done));
    if (this.answer === 'refuse') throw new StorageUnavailable('away');
    const tallies = new Map<string, Tally>();
    for (const { caller, calls } of entries) {
      const total = (this.calls.get(caller) ?? 0) + calls;
      this.calls.set(caller, total);
      tallies.set(caller, { calls: total, leftMs: 60_000 });
    }
    return tallies;
  }

  async close(): Promise<void> {
    // It holds nothing to close.
  }
}

async function allowedOf(
  verdicts: readonly (RateVerdict | Promise<RateVerdict>)[],
): Promise<number> {
  let allowed = 0;
  for (const verdict of verdicts) if ((await verdict).allowed) allowed += 1;
  return allowed;
}

t.test('concurrent calls of all callers share a batch', async (t) => {
  const ledger = new FakeLedger();
  const counter = new SharedCounter(ledger, () => 0);
  const calls = Array.from({ length: 40 }, (_, n) => counter.count(`caller ${n % 4}`, 5));
  t.equal(await allowedOf(calls), 20);
  t.equal(ledger.batches.length, 1);
  t.equal(ledger.batches[0]?.length, 4);
  t.match(counter.count('caller 1', 5), { allowed: false }, 'at once, without asking the table');
});

t.test('a slow table: waiting calls are decided in time, later ones at once', async (t) => {
  const ledger = new FakeLedger();
  const counter = new SharedCounter(ledger, () => 0);
  ledger.answer = 'when asked';
  const startMs = performance.now();
  const first = [counter.count('a', 5), counter.count('a', 5)];
  await Promise.resolve();
  const queued = counter.count('b', 5);
  t.equal(await allowedOf([...first, queued]), 3);
  const tookMs = performance.now() - startMs;
  t.ok(tookMs < 30_000, `nobody waited for the table: decided after ${tookMs} ms`);
  t.match(counter.count('a', 5), { allowed: true, retryAfterMs: 60_000 });
  t.equal(counter.localCalls, 4);
  for (let n = 0; n < 2; n += 1) counter.count('a', 5);
  t.match(counter.count('a', 5), { allowed: false }, 'its own limit holds');
  ledger.answer = 'now';
  ledger.release();
  while (ledger.batches.length < 2) await new Promise((done) => setTimeout(done, 10));
  t.strictSame(
    [...ledger.calls],
    [
      ['a', 5],
      ['b', 1],
    ],
    'all calls are in the table',
  );
});

t.test(
  'a table that is down: each instance keeps the limit alone, and settles later',
  async (t) => {
    const ledger = new FakeLedger();
    const one = new SharedCounter(ledger, () => 0);
    const other = new SharedCounter(ledger, () => 0);
    ledger.answer = 'refuse';
    const calls = Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? one : other).count('a', 10));
    t.equal(await allowedOf(calls), 20, 'at most twice the limit');
    t.equal(one.localCalls, 15);
    const asked = ledger.batches.length;
    t.ok(asked <= 4, `the table was asked only ${asked} times`);
    ledger.answer = 'now';
    while ((ledger.calls.get('a') ?? 0) < 30) await new Promise((done) => setTimeout(done, 10));
    const late = new SharedCounter(ledger, () => 0);
    t.match(
      await late.count('a', 10),
      { allowed: false },
      'calls counted by one instance count for all',
    );
  },
);

const started = await startMariaDb();
const skip = started.server === null ? started.reason : false;

/** A new database with the present schema. */
async function freshTable(server: MariaDb): Promise<ReturnType<typeof connectionOptions>> {
  const url = await server.freshUrl();
  await migrate(url);
  return connectionOptions(url);
}

/** Verdicts and remaining calls over six calls in turns, of which five are allowed. */
const COUNTED = 'true 4,true 3,true 2,true 1,true 0,false 0';

t.test('instances that share a table count together', { skip }, async (t) => {
  const { server } = started;
  if (server === null) return;
  const connection = await freshTable(server);
  const one = await openSharedRateLimiter(connection);
  const other = await openSharedRateLimiter(connection);
  t.teardown(async () => {
    await Promise.all([one.close(), other.close()]);
  });
  // When a commit takes more than 250 ms, an instance counts alone: then try with another caller.
  await atSomePace(t, async (pace) => {
    const alone = one.localCalls + other.localCalls;
    const counted: string[] = [];
    for (let call = 0; call < 6; call += 1) {
      const verdict = await (call % 2 === 0 ? one : other).count(`few ${pace}`, 5);
      counted.push(`${verdict.allowed} ${verdict.remaining}`);
    }
    const last = await one.count(`few ${pace}`, 5);
    t.ok(last.retryAfterMs <= 60_000, `${last.retryAfterMs} ms`);
    const isFull = !last.allowed && last.retryAfterMs > 50_000;
    let allowed = 0;
    for (let call = 0; call < 10_400; call += 1) {
      if ((await (call % 2 === 0 ? one : other).count(`many ${pace}`, 10_000)).allowed) {
        allowed += 1;
      }
    }
    // Instances that spend equally lose no call, although calls are drawn in shares.
    const isShared = counted.join() === COUNTED && isFull && allowed === 10_000;
    const local = one.localCalls + other.localCalls - alone;
    if (isShared && local === 0) return '';
    return `${counted.join()}, ${JSON.stringify(last)}, ${allowed} of many, ${local} counted alone`;
  });
});

t.test('a caller that the table does not tell of is decided here', async (t) => {
  const ledger: Ledger = { add: async () => new Map(), close: async () => undefined };
  const counter = new SharedCounter(ledger, () => 0);
  const calls = Array.from({ length: 4 }, () => counter.count('a', 3));
  t.equal(await allowedOf(calls), 3);
});

t.test(
  'ids with quotes are values, whatever the server takes for an escape',
  { skip },
  async (t) => {
    const { server } = started;
    if (server === null) return;
    const connection = await freshTable(server);
    const beside = await createConnection(connection);
    await beside.query("set global sql_mode = 'NO_BACKSLASH_ESCAPES'");
    const limiter = await openSharedRateLimiter(connection);
    t.teardown(async () => {
      await limiter.close();
      await beside.query('set global sql_mode = default');
      await beside.end();
    });
    const hostile = "user:q',(select 4200+count(*) from information_schema.tables),9e12)#";
    const ids = [hostile, "user:o'brien", 'user:back\\slash', 'user:"twice"', 'user:สมชาย'];
    // In one batch, as concurrent calls are; the fifth call of each is one too many.
    const calls = [1, 2, 3, 4, 5].flatMap(() => ids.map((id) => limiter.count(id, 4)));
    t.equal(await allowedOf(calls), 4 * ids.length);
    const callers = async (): Promise<readonly string[]> => {
      const [rows] = await beside.query('select caller, calls from rate_windows');
      return (rows as { caller: string; calls: number }[])
        .filter((row) => row.calls === 5)
        .map(({ caller }) => caller);
    };
    // When a commit takes more than 250 ms, calls are decided here and added a moment later.
    while ((await callers()).length < ids.length) await new Promise((done) => setTimeout(done, 20));
    t.strictSame(new Set(await callers()), new Set(ids));
  },
);

t.test("a window is replaced when the database's clock was set", { skip }, async (t) => {
  const { server } = started;
  if (server === null) return;
  const connection = await freshTable(server);
  const limiter = await openSharedRateLimiter(connection);
  const beside = await createConnection(connection);
  t.teardown(async () => {
    await limiter.close();
    await beside.end();
  });
  t.match(await limiter.count('a', 1), { allowed: true });
  const rows = async (): Promise<number> => {
    const [found] = await beside.query('select caller from rate_windows');
    return Array.isArray(found) ? found.length : 0;
  };
  while ((await rows()) === 0) await new Promise((done) => setTimeout(done, 10));
  for (const hours of [2, -2]) {
    // The row as it is when the clock was set by this much after the window began.
    await beside.query('update rate_windows set calls = 1, ends_at_ms = ends_at_ms + ?', [
      hours * 3_600_000,
    ]);
    const other = await openSharedRateLimiter(connection);
    t.teardown(() => other.close());
    const verdict = await other.count('a', 1);
    t.equal(verdict.allowed, true, `${hours} h`);
    t.ok(verdict.retryAfterMs <= 60_000, `${verdict.retryAfterMs} ms`);
    t.match(await other.count('a', 1), { allowed: false }, 'and lasts');
  }
});

t.test('a connection that is closed before its first statement', { skip }, async (t) => {
  const { server } = started;
  if (server === null) return;
  let isBroken = false;
  const ledger = await openLedger(await freshTable(server), (pool) => {
    // openLedger passes mysql2's pool, which emits this event for each connection that it lends.
    (pool as EventEmitter).on('acquire', (lent: { destroy(): void }) => {
      if (isBroken) lent.destroy();
    });
  });
  t.teardown(() => ledger.close());
  isBroken = true;
  await t.rejects(ledger.add([{ caller: 'a', calls: 1 }]), StorageUnavailable);
  isBroken = false;
  t.match(await ledger.add([{ caller: 'a', calls: 1 }]), new Map([['a', { calls: 1 }]]));
});

t.test('a database slowed by 500 ms each way delays no call for long', { skip }, async (t) => {
  const { server } = started;
  if (server === null) return;
  const direct = await freshTable(server);
  const proxy = await startProxy(Number(direct.port));
  const limiter = await openSharedRateLimiter({ ...direct, host: '127.0.0.1', port: proxy.port });
  t.teardown(async () => {
    await limiter.close();
    await proxy.close();
    await server.stop();
  });
  t.match(await limiter.count('before', 10), { allowed: true });
  const beside = await createConnection({ ...direct, host: '127.0.0.1', port: proxy.port });
  t.teardown(() => beside.end());
  proxy.latencyMs = 500;
  const answer = { came: false };
  const asked = beside.query('select 1').finally(() => (answer.came = true));
  const calls: (RateVerdict | Promise<RateVerdict>)[] = [];
  for (let caller = 0; caller < 3; caller += 1) {
    for (let call = 0; call < 40; call += 1) calls.push(limiter.count(`caller ${caller}`, 20));
  }
  t.equal(await allowedOf(calls), 60, 'the limit holds all the same');
  t.notOk(answer.came, 'all were decided before the database could answer one question');
  await asked;
  proxy.latencyMs = 0;
  const stopMs = performance.now() + 60_000;
  let alone = -1;
  for (let n = 0; alone !== limiter.localCalls && performance.now() < stopMs; n += 1) {
    alone = limiter.localCalls;
    t.ok((await limiter.count(`later ${n}`, 20)).allowed);
    await new Promise((done) => setTimeout(done, 20));
  }
  t.equal(limiter.localCalls, alone, 'counted together again');
});
