import tap from 'tap';
import { startRedis } from '../../../lab/servers/redis.ts';
import { temporaryFolder } from '../../store/dialects.ts';
import { startMariaDb } from '../../../lab/servers/mariadb.ts';
import { Fleet, type Strike, STRIKES } from './fleet.ts';

/**
 * Two instances, MariaDB and Redis: each is killed in the middle of a run. With
 * INTAGLIO_TEST_KILL_RUNS=50 there are 50 runs, and instances are killed, too; the other one takes
 * over their chunks after 20 seconds.
 */

const given = Number(process.env['INTAGLIO_TEST_KILL_RUNS'] ?? 0);
const LONG_ROWS = 3_000;
const SHORT: readonly (readonly Strike[])[] = [['redis', 'database', 'redis without its data']];

function longPlan(): readonly (readonly Strike[])[] {
  return Array.from({ length: given }, (_, index) =>
    STRIKES.slice(index % STRIKES.length).slice(0, 1),
  );
}

const [redis, mariadb] = [await startRedis(), await startMariaDb()];
if (redis.server !== null) tap.teardown(() => redis.server.stop());
if (mariadb.server !== null) tap.teardown(() => mariadb.server.stop());

if (redis.server === null || mariadb.server === null) {
  const reason = [redis, mariadb].map((one) => ('reason' in one ? one.reason : '')).join(' ');
  await tap.test('a fleet makes runs', { skip: reason }, () => undefined);
} else {
  const [queue, database] = [redis.server, mariadb.server];
  if (given > 0) tap.setTimeout(0);
  await tap.test(
    'each row has exactly one outcome, whichever program of a fleet dies',
    async (t) => {
      if (given > 0) t.setTimeout(0);
      const place = { databaseUrl: await database.freshUrl(), folder: await temporaryFolder(t) };
      const rows = given > 0 ? LONG_ROWS : 1_000;
      const fleet = await Fleet.start({ place, rows, invalidEach: 100, database, redis: queue });
      t.teardown(() => fleet.close());
      for (const strikes of given > 0 ? longPlan() : SHORT) {
        const name = strikes.join(', ');
        const startMs = performance.now();
        t.strictSame(await fleet.run(strikes), [], name);
        t.comment(`${name}: ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
      }
      const { violations, stored, orphans } = await fleet.end();
      t.strictSame(violations, []);
      t.equal(stored, Math.max(1, given) * rows * 0.99);
      t.comment(`${stored} rows stored once, ${orphans} orphans swept`);
    },
  );
}
