import t from 'tap';

import { environment, intaglio } from '../../../test/fixtures/command-line.ts';
import { folderOf } from '../../../test/fixtures/note.ts';
import { judgeSync, type Finding } from './checks.ts';

async function findingsOf(env: Readonly<Record<string, string>>) {
  const { code, out, err } = await intaglio(env, 'doctor', '--json');
  if (out === '') throw new Error(err);
  const { findings } = JSON.parse(out) as { findings: readonly Finding[] };
  return { code, by: new Map(findings.map((finding) => [finding.check, finding])) };
}

t.test('a sound machine has no fault', async (t) => {
  const { code, by } = await findingsOf(environment(folderOf(t)));
  t.equal(code, 0);
  for (const check of ['program', 'database', 'files', 'link secrets', 'fonts', 'settings']) {
    t.equal(by.get(check)?.state, 'ok', check);
  }
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
  t.notMatch(JSON.stringify([...by.values()]), 'hush');
});

t.test('a disk that is slow, or implausibly fast, is reported', async (t) => {
  t.equal(judgeSync(0.3).state, 'ok');
  t.match(judgeSync(50), { state: 'warning', mend: /faster disk/ });
  t.match(judgeSync(0.001), { state: 'warning', mend: /honour fsync/ });
});
