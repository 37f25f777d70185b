import { DatabaseSync } from 'node:sqlite';
import t from 'tap';

import { environment, intaglio } from '../../../lab/service/command-line.ts';
import { folderOf, setUpNote } from '../../../test/fixtures/note.ts';
import { newAudit } from '../../../test/store/samples.ts';
import { openStore } from '../../store/open.ts';
import type { Finding } from './checks.ts';
import { judgeSync } from './disk.ts';
import type { Verdict } from './finding.ts';
import { judgeSeals } from './seals.ts';

async function findingsOf(env: Readonly<Record<string, string>>) {
  const { code, out, err } = await intaglio(env, 'doctor', '--json');
  if (out === '') throw new Error(err);
  const { findings } = JSON.parse(out) as { findings: readonly Finding[] };
  return { code, by: new Map(findings.map((finding) => [finding.check, finding])) };
}

t.test('a sound machine has no fault', async (t) => {
  const { code, by } = await findingsOf(environment(folderOf(t)));
  t.equal(code, 0);
  for (const check of [
    'program',
    'database',
    'files',
    'link secrets',
    'fonts',
    'settings',
    'audit seals',
  ]) {
    t.equal(by.get(check)?.state, 'ok', check);
  }
});

t.test('a service without a key of the audit is warned of what that means', async (t) => {
  const env = environment(folderOf(t));
  const { code, by } = await findingsOf(env);
  t.equal(code, 0, 'it is no fault');
  t.match(by.get('audit key'), {
    state: 'warning',
    detail: /^INTAGLIO_AUDIT_KEY is not set: whoever can write the database or a backup can change/,
    mend: /openssl rand -hex 32/,
  });
  const check = await intaglio(env, 'serve', '--check');
  t.match(check, { code: 0, err: /INTAGLIO_AUDIT_KEY is not set: [^]*→ .*openssl rand -hex 32/ });
  const keyed = { ...env, INTAGLIO_AUDIT_KEY: 'a key of this test, over 32 characters' };
  t.match((await findingsOf(keyed)).by.get('audit key'), { state: 'ok', mend: '' });
  t.notMatch((await intaglio(keyed, 'serve', '--check')).err, 'INTAGLIO_AUDIT_KEY');
});

t.test('serve --check names the checks that a wrong setting keeps it from', async (t) => {
  const env = environment(folderOf(t));
  const wrong = { INTAGLIO_PORT: 'a', INTAGLIO_DATABASE_URL: 'x', INTAGLIO_RATE_LIMT: '1' };
  const { code, err } = await intaglio({ ...env, ...wrong }, 'serve', '--check');
  t.equal(code, 1);
  const lines = err.trimEnd().split('\n');
  t.match(lines, [
    /^intaglio: INTAGLIO_PORT is "a"; allowed: /,
    /→ correct it: docs\/settings.md/,
    /^intaglio: INTAGLIO_DATABASE_URL has a wrong value, which is not shown because it may be secret; /,
    /→ correct it/,
    /^intaglio: warning: INTAGLIO_RATE_LIMT is not a setting/,
    /→ write INTAGLIO_RATE_LIMIT_PER_MINUTE for INTAGLIO_RATE_LIMT, or compare the names/,
    /^intaglio: not examined, as they need what is wrong: port, certificate, database, files, .*, qpdf$/,
  ]);
  const doctor = await intaglio({ ...env, ...wrong }, 'doctor');
  t.match(
    doctor.out,
    /^fault    settings: INTAGLIO_PORT .*\n.*\nfault    settings: INTAGLIO_DATABASE_URL/,
  );
  t.match(doctor.out, /\nok       program: [^]*\nskipped  port: mend the settings first\n/);
});

t.test('each fault is named together with its remedy', async (t) => {
  const folder = folderOf(t);
  const { code, by } = await findingsOf(
    environment(folder, {
      INTAGLIO_DATABASE_URL: 'mysql://user:hush@127.0.0.1:1/intaglio',
      INTAGLIO_FILES_URL: 'file:/proc/intaglio/files',
      INTAGLIO_LINK_SECRETS: 'a secret of more than thirty-two characters',
      INTAGLIO_FONTS_DIR: `${folder}/absent`,
      INTAGLIO_QUEUE_URL: 'redis://user:hush@127.0.0.1:1/0',
      INTAGLIO_QPDF: 'no-such-program',
      INTAGLIO_WORDS_FILE: `${folder}/absent`,
      INTAGLIO_POOL_THREADS: '256',
      INTAGLIO_RATE_LIMT: '1',
    }),
  );
  t.equal(code, 1);
  for (const check of ['database', 'files', 'disk sync', 'fonts', 'words']) {
    t.match(by.get(check), { state: 'fault', detail: /./, mend: /./ }, check);
  }
  for (const check of ['settings', 'memory', 'processors', 'queue of runs', 'qpdf']) {
    t.match(by.get(check), { state: 'warning', detail: /./, mend: /./ }, check);
  }
  t.match(by.get('settings')?.detail, /INTAGLIO_RATE_LIMT/);
  for (const check of ['audit seals', 'encryption']) {
    t.match(by.get(check), { state: 'skipped', detail: /mend the database first/ }, check);
  }
  t.notMatch(JSON.stringify([...by.values()]), 'hush');
});

t.test('a disk that is slow, or implausibly fast, is reported', async (t) => {
  t.equal(judgeSync(0.3).state, 'ok');
  t.match(judgeSync(50), { state: 'warning', mend: /faster disk/ });
  t.match(judgeSync(0.001), { state: 'warning', mend: /honour fsync/ });
});

t.test('records that nobody seals, and seals that are gone, are reported', async (t) => {
  const nowMs = Date.UTC(2026, 10, 24, 12);
  const minutes = (count: number): number => nowMs - count * 60_000;
  const judged = (unsealed: number, missing = 0): Verdict =>
    judgeSeals({ sealedAtMs: minutes(31), unsealedFromMs: minutes(unsealed), missing }, nowMs);
  t.match(judged(50), { state: 'ok', detail: /last seal 2026-11-24T11:29:00.000Z/ });
  t.match(judged(90), { state: 'warning', detail: /for 90 minutes/, mend: /start the service/ });
  t.match(judged(50, 2), { state: 'warning', detail: /2 seals missing/, mend: /audit verify/ });
  const none = { sealedAtMs: null, unsealedFromMs: null, missing: 0 };
  t.match(judgeSeals(none, nowMs), { state: 'ok', detail: /no seal yet/ });
});

t.test('the doctor reads the time of the last seal, and misses a removed one', async (t) => {
  const folder = folderOf(t);
  const env = environment(folder);
  await setUpNote(folder);
  const store = await openStore({
    databaseUrl: `sqlite:${folder}/intaglio.db`,
    filesUrl: `file:${folder}/files`,
  });
  const atMs = Date.now() - 7 * 3_600_000;
  await store.audit.add(newAudit('', { atMs }));
  const first = await store.seals.seal(atMs + 3_600_000);
  const second = await store.seals.seal(atMs + 2 * 3_600_000);
  await store.close();
  t.ok(first.sealed !== null && second.sealed !== null);
  const late = (await findingsOf(env)).by.get('audit seals');
  t.match(late, { state: 'warning', detail: /not sealed, for \d+ minutes/ });
  const time = new Date(second.sealed?.sealedAtMs ?? 0).toISOString();
  t.match(late?.detail, `last seal ${time}`);
  const database = new DatabaseSync(`${folder}/intaglio.db`, { timeout: 60_000 });
  database.exec('delete from audit_chain where number = 1');
  database.close();
  t.match((await findingsOf(env)).by.get('audit seals'), {
    state: 'warning',
    detail: /1 seal missing/,
  });
});
