import { join } from 'node:path';
import t from 'tap';
import { backUpStore, openStore, restoreStore } from '../../src/store/open.ts';
import { type MariaDb, startMariaDb } from '../../lab/servers/mariadb.ts';

t.setTimeout(600_000);

const PATIENT = 'a backup and a restore wait for statements that a request would not wait for';
const started = await startMariaDb();
if (started.server === null) {
  await t.test(PATIENT, { skip: started.reason }, () => undefined);
} else {
  const { server } = started;
  t.teardown(() => server.stop());
  await t.test(PATIENT, async (t) => {
    const folder = t.testdir();
    const from = await settingsIn(server, join(folder, 'from'));
    const store = await openStore(from);
    await store.migrate();
    await store.teams.add({ teamId: 'bank', name: 'Bank' });
    await store.close();
    // No answer over a socket comes within so short a time.
    const hasty = { statementTimeoutMs: 0.001 };
    const backup = join(folder, 'backup');
    await backUpStore({ ...from, ...hasty }, backup);
    const to = await settingsIn(server, join(folder, 'to'));
    const report = await restoreStore({ ...to, ...hasty }, backup);
    t.ok(report.rows > 0, `${report.rows} rows`);
  });
}

async function settingsIn(
  server: MariaDb,
  files: string,
): Promise<{ databaseUrl: string; filesUrl: string }> {
  return { databaseUrl: await server.freshUrl(), filesUrl: `file:${files}` };
}
