import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';

import { environment, intaglio } from '../../../lab/service/command-line.ts';
import { newAudit } from '../../../test/store/samples.ts';
import { openStore } from '../../store/open.ts';

const HOUR_MS = 3_600_000;
const PERIOD_MS = 20 * 60_000;
const KEY = 'a key that only the service and its operators have';

/** A database with audit records of the last hours, sealed with `KEY` as time went by. */
async function sealed(t: Test): Promise<{
  env: Record<string, string>;
  path: string;
  files: string;
}> {
  const folder = t.testdir();
  const path = `${folder}/intaglio.db`;
  const files = `${folder}/files`;
  const filesUrl = `file:${files}`;
  const store = await openStore({ databaseUrl: `sqlite:${path}`, filesUrl, auditKey: KEY });
  await store.migrate();
  const now = Date.now();
  for (const hours of [4, 3, 2]) {
    await store.audit.add(newAudit('', { atMs: now - hours * HOUR_MS, requestId: `${hours} ago` }));
  }
  // Ten minutes after the end of a period, the period before the last one is due.
  const dueMs = Math.ceil((now - 4 * HOUR_MS) / PERIOD_MS) * PERIOD_MS + PERIOD_MS / 2;
  for (let atMs = dueMs; atMs <= now; atMs += PERIOD_MS) await store.seals.seal(atMs);
  await store.close();
  return { env: { ...environment(folder), INTAGLIO_AUDIT_KEY: KEY }, path, files };
}

t.test('audit verify: exit code 0 while every period matches its seal', async (t) => {
  const { env, path } = await sealed(t);
  const whole = await intaglio(env, 'audit', 'verify');
  t.equal(whole.code, 0, whole.out);
  t.match(
    whole.out,
    /periods with 3 records: 0 not as they were sealed\.\nLast seal: \d+=[0-9a-f]{64}/,
  );
  const [, kept = ''] = /Last seal: (\S+)/.exec(whole.out) ?? [];
  t.equal((await intaglio(env, 'audit', 'verify', '--seal', kept)).code, 0);
  const foreign = kept.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  const remade = await intaglio(env, 'audit', 'verify', '--seal', foreign);
  t.equal(remade.code, 1);
  t.match(remade.out, /not the seal that was kept/);
  t.equal((await intaglio(env, 'audit', 'verify', '--seal', 'yesterday')).code, 2);

  const database = new DatabaseSync(path, { timeout: 60_000 });
  database.exec(`update audit set outcome = 'denied' where request_id = '3 ago'`);
  database.close();
  const changed = await intaglio(env, 'audit', 'verify');
  t.equal(changed.code, 1);
  t.match(changed.out, /^\d+ {2}\S+Z to \S+Z {2}records changed {2}\(1 record\)/);
  const since = new Date(Date.now() - 2.5 * HOUR_MS).toISOString();
  t.equal(
    (await intaglio(env, 'audit', 'verify', '--since', since)).code,
    0,
    'later periods are whole',
  );
  const json = await intaglio(env, 'audit', 'verify', '--json');
  t.match(
    (JSON.parse(json.out) as { finding: string }[]).filter(({ finding }) => finding !== 'whole'),
    [{ records: 1, finding: 'records changed' }],
  );
});

t.test('audit verify: a last seal that the file store no longer remembers is named', async (t) => {
  const { env, files } = await sealed(t);
  rmSync(`${files}/.audit-seal`);
  const lost = await intaglio(env, 'audit', 'verify');
  t.equal(lost.code, 1, lost.out);
  t.match(lost.out, /^file store {2}.* {2}the remembered seal is gone {2}/);
  t.match(lost.out, /1 not as they were sealed\.\nLast seal: \d+=/);
});

t.test('audit verify: the record of a restore is sealed with those after the backup', async (t) => {
  const { env, path } = await sealed(t);
  const backup = `${dirname(path)}/backup`;
  const folder = `${dirname(path)}/fresh`;
  mkdirSync(folder);
  t.equal((await intaglio(env, 'backup', backup)).code, 0);
  const fresh = { ...environment(folder), INTAGLIO_AUDIT_KEY: KEY };
  t.equal((await intaglio(fresh, 'restore', backup)).code, 0);
  const store = await openStore({
    databaseUrl: `sqlite:${folder}/intaglio.db`,
    filesUrl: `file:${folder}/files`,
    auditKey: KEY,
  });
  t.teardown(() => store.close());
  await store.seals.seal(Date.now());
  const before = await intaglio(fresh, 'audit', 'verify');
  t.match(before, { code: 0, out: / 0 not as they were sealed\./ });
  const laterMs = Date.now() + HOUR_MS;
  for (let atMs = Date.now(); atMs <= laterMs; atMs += PERIOD_MS / 2) {
    t.strictSame((await store.seals.seal(atMs)).faults, []);
  }
  let records = 0;
  let isSealed = false;
  for await (const check of store.seals.verify(null, laterMs)) {
    t.equal(check.finding, 'whole', check.name);
    records += check.records;
    isSealed = check.seal !== null;
  }
  t.equal(records, 4, 'three of the backup and that of the restore');
  t.ok(isSealed, 'the last one, too');
  const [restored] = await store.audit.list({ action: 'backup.restore', countMax: 2 });
  t.match(restored, { teamId: '', principal: /^command:/, outcome: 'succeeded' });
});

t.test('audit verify: before the first seal it says that nothing was compared', async (t) => {
  const env = environment(t.testdir());
  t.equal((await intaglio(env, 'migrate')).code, 0);
  const { code, out } = await intaglio(env, 'audit', 'verify');
  t.equal(code, 0);
  t.match(out, /nothing was compared.*first seal 30 to 51 minutes after the first record/s);
});
