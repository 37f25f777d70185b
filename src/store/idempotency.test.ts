import { mock } from 'node:test';
import t from 'tap';
import type { Database } from './database/database.ts';
import { Claims } from './idempotency.ts';

const CLAIM = { teamId: 'bank', key: 'a', bodyHash: 'ab'.repeat(32) };
const RENEW_MS = 8_000;

/** A database that counts writes. */
class Ledger implements Pick<Database, 'write'> {
  writes = 0;

  write<T>(): Promise<T> {
    this.writes += 1;
    // The results of inserts and updates are not used here.
    return Promise.resolve(undefined as T);
  }
}

t.test('held claims are renewed, but none after the close', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  for (const closesFirst of [false, true]) {
    const ledger = new Ledger();
    const claims = new Claims(ledger as unknown as Database, Date.now, () => performance.now());
    const claimed = claims.claim(CLAIM, 0);
    if (closesFirst) claims.close();
    t.match(await claimed, { state: 'claimed' });
    mock.timers.tick(RENEW_MS);
    t.equal(ledger.writes, closesFirst ? 1 : 2);
    claims.close();
    mock.timers.tick(RENEW_MS);
    t.equal(ledger.writes, closesFirst ? 1 : 2);
  }
});
