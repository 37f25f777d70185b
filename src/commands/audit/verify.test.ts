import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';

import { environment, intaglio } from '../../../test/fixtures/command-line.ts';
import { newAudit } from '../../../test/store/samples.ts';
import { openStore } from '../../store/open.ts';

const DAY_MS = 86_400_000;
const KEY = 'a key that only the service and its operators have';

/** A database with audit records of three past days, sealed with `KEY`. */
async function sealed(t: Test): Promise<{ env: Record<string, string>; path: string }> {
  const folder = t.testdir();
  const path = `${folder}/intaglio.db`;
  const filesUrl = `file:${folder}/files`;
  const store = await openStore({ databaseUrl: `sqlite:${path}`, filesUrl, auditKey: KEY });
  await store.migrate();
  const now = Date.now();
  for (const days of [4, 3, 2]) {
    await store.audit.add(newAudit('', { atMs: now - days * DAY_MS, requestId: `${days} ago` }));
  }
  await store.seals.sealDays(now);
  await store.close();
  return { env: { ...environment(folder), INTAGLIO_AUDIT_KEY: KEY }, path };
}

t.test('audit verify: exit code 0 while every day matches its seal', async (t) => {
  const { env, path } = await sealed(t);
  const whole = await intaglio(env, 'audit', 'verify');
  t.equal(whole.code, 0, whole.err);
  t.match(
    whole.out,
    /days with 3 records: 0 not as they were sealed\.\nLast seal: \S+=[0-9a-f]{64}/,
  );
  const [, kept = ''] = /Last seal: (\S+)/.exec(whole.out) ?? [];
  t.equal((await intaglio(env, 'audit', 'verify', '--seal', kept)).code, 0);
  const foreign = kept.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  const remade = await intaglio(env, 'audit', 'verify', '--seal', foreign);
  t.equal(remade.code, 1);
  t.match(remade.out, /not the seal that was kept/);
  t.equal((await intaglio(env, 'audit', 'verify', '--seal', 'yesterday')).code, 2);

  const database = new DatabaseSync(path);
  database.exec(`update audit set outcome = 'denied' where request_id = '3 ago'`);
  database.close();
  const day = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
  const changed = await intaglio(env, 'audit', 'verify');
  t.equal(changed.code, 1);
  t.match(changed.out, `${day}  records changed  (1 records)`);
  const since = new Date(Date.now() - 2 * DAY_MS).toISOString();
  t.equal(
    (await intaglio(env, 'audit', 'verify', '--since', since)).code,
    0,
    'later days are whole',
  );
  const json = await intaglio(env, 'audit', 'verify', '--json');
  t.match(
    (JSON.parse(json.out) as { day: string }[]).find((line) => line.day === day),
    { records: 1, finding: 'records changed' },
  );
});
