import t from 'tap';
import { startMariaDb } from '../../test/store/mariadb.ts';
import { connectionOptions } from '../store/mysql.ts';
import { createMemoryRateLimiter } from './rate.ts';
import { openSharedRateLimiter } from './shared-rate.ts';
import type { RateVerdict } from './types.ts';

t.test('a window lasts 60 s from the first call, whatever comes in it', async (t) => {
  let now = 1_000;
  const limiter = createMemoryRateLimiter(() => now);
  const count = (caller = 'a', limit = 2): RateVerdict =>
    limiter.count(caller, limit) as RateVerdict;
  t.same(count(), { allowed: true, retryAfterMs: 60_000 });
  now += 20_000;
  t.same(count(), { allowed: true, retryAfterMs: 40_000 });
  t.same(count(), { allowed: false, retryAfterMs: 40_000 });
  t.ok(count('b').allowed, 'callers are counted apart');
  now += 39_999;
  t.same(count(), { allowed: false, retryAfterMs: 1 });
  now += 1;
  t.same(count(), { allowed: true, retryAfterMs: 60_000 });
});

const started = await startMariaDb();
const skip = started.server === null ? started.reason : false;

t.test('instances that share a table count together', { skip }, async (t) => {
  const { server } = started;
  if (server === null) return;
  const connection = connectionOptions(await server.freshUrl());
  const one = await openSharedRateLimiter(connection);
  const other = await openSharedRateLimiter(connection);
  t.teardown(async () => {
    await Promise.all([one.close(), other.close()]);
    await server.stop();
  });
  const verdicts: boolean[] = [];
  for (let call = 0; call < 6; call += 1) {
    verdicts.push((await (call % 2 === 0 ? one : other).count('few', 5)).allowed);
  }
  t.same(verdicts, [true, true, true, true, true, false]);
  const last = await one.count('few', 5);
  t.ok(!last.allowed && last.retryAfterMs > 50_000 && last.retryAfterMs <= 60_000);
  let allowed = 0;
  for (let call = 0; call < 10_400; call += 1) {
    if ((await (call % 2 === 0 ? one : other).count('many', 10_000)).allowed) allowed += 1;
  }
  t.equal(allowed, 10_000, 'drawn in shares, no call lost between equal spenders');
});
