import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Access } from '../../src/gateway/callers/auth.ts';
import { Authenticator, refuseAccess } from '../../src/gateway/callers/auth.ts';
import type { RequestHeaders } from '../../src/gateway/http/headers.ts';
import { noHeaders } from '../../src/gateway/http/headers.ts';
import { createMemoryRateLimiter } from '../../src/gateway/callers/rate.ts';
import { openStore } from '../../src/store/open.ts';
import { cpuUsPerCall, printMachine, printRange, rangeOf } from '../harness/micro.ts';

/**
 * Measures what authentication, authorization and the rate limit add to a request, with a SQLite
 * store, for a cached key, a key that is looked up and a session. Run:
 * `node bench/micro/auth.ts [--runs 7]`; one run is a smoke test.
 */
const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } });
const RUNS = Number(values.runs);
const CALLS = RUNS === 1 ? 200 : 20_000;

const HEADERS: RequestHeaders = {
  ...noHeaders(),
  contentType: 'application/json',
  host: '127.0.0.1',
};
const ACCESS: Access = {
  scope: 'generate',
  keyRefusal: 'forbidden',
  roles: ['Editor', 'Admin'],
};

/** Watches no keys: they end with the bench. */
const UNWATCHED = { used: (): void => undefined, ended: (): void => undefined };

printMachine();
const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-auth-'));
const store = await openStore({
  databaseUrl: `sqlite:${join(folder, 'auth.db')}`,
  filesUrl: `file:${join(folder, 'files')}`,
});
try {
  await store.migrate();
  await store.teams.add({ teamId: 'team', name: 'team' });
  await store.users.add({ userId: 'user', teamId: 'team', role: 'Editor' });
  const key = await store.keys.add({
    teamId: 'team',
    name: 'bench',
    scopes: ['generate'],
    rateLimitPerMinute: null,
  });
  const session = await store.sessions.add('user', Date.now() + 3_600_000);
  if (!key.ok || !session.ok) throw new Error('the key or the session could not be created');
  const byKey = { ...HEADERS, apiKey: key.value.apiKey };
  const byCookie = { ...HEADERS, cookie: `intaglio_session=${session.value.token}` };
  let clockMs = 0;
  const remembering = new Authenticator(store, Date.now, () => 0, UNWATCHED);
  // Its clock advances a minute at each reading, so no cached key is ever fresh.
  const forgetting = new Authenticator(store, Date.now, () => (clockMs += 60_000), UNWATCHED);
  await measure('a key seen a moment ago', remembering, byKey);
  await measure('a key that is looked up', forgetting, byKey);
  await measure('a session', remembering, byCookie);
} finally {
  await store.close();
  rmSync(folder, { recursive: true });
}

/** Prints the CPU time of admitting one request, including that of the store. */
async function measure(
  name: string,
  authenticator: Authenticator,
  headers: RequestHeaders,
): Promise<void> {
  const limiter = createMemoryRateLimiter(() => performance.now());
  const admit = async (): Promise<void> => {
    const identified = authenticator.identify({ headers: headers, client: '' });
    const principal = identified instanceof Promise ? await identified : identified;
    if (principal === null || refuseAccess(principal, ACCESS) !== null) {
      throw new Error('the caller was refused');
    }
    const verdict = limiter.count(principal.id, 1_000_000_000);
    if (!(verdict instanceof Promise ? await verdict : verdict).allowed) {
      throw new Error('the rate was exceeded');
    }
  };
  printRange(name, rangeOf(await cpuUsPerCall(admit, CALLS, RUNS)));
}
