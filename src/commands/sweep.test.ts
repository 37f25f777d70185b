import t, { type Test } from 'tap';

import { environment, intaglio } from '../../lab/service/command-line.ts';
import { folderOf } from '../../test/fixtures/note.ts';
import { addDocument, readAll } from '../../test/store/samples.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');

type Environment = Readonly<Record<string, string>>;

/** A store with the settings of the commands, until the test ends. */
async function open(t: Test, env: Environment): Promise<Store> {
  const store = await openStore({
    databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
    filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
  });
  t.teardown(() => store.close());
  await store.migrate();
  return store;
}

async function acceptances(store: Store): Promise<readonly string[]> {
  const records = await store.audit.list({ countMax: 100 });
  return records
    .filter(({ principal }) => principal.startsWith('command:'))
    .map(({ action, detail }) => `${action}: ${detail}`);
}

t.test('the files of another database are refused by every command until taken over', async (t) => {
  const folder = folderOf(t);
  const env = environment(folder);
  const bank = await open(t, env);
  const { documentId } = await addDocument(bank, PDF);
  const other = { ...env, INTAGLIO_DATABASE_URL: `sqlite:${folder}/other.db` };
  const refused = /INTAGLIO_FILES_URL: cannot use file:.*belong to another database/;
  t.match(await intaglio(other, 'serve', '--check'), { code: 1, err: refused });
  t.match(await intaglio(other, 'serve'), { code: 1, err: refused });
  t.match(await intaglio(other, 'scrub'), { code: 1, err: refused });
  t.match(await intaglio(other, 'sweep'), { code: 1, err: /belong to another database/ });
  const { code, out } = await intaglio(other, 'doctor', '--json');
  t.equal(code, 1);
  const { findings } = JSON.parse(out) as { findings: readonly { check: string }[] };
  const found = findings.find(({ check }) => check === 'files');
  t.match(found, { state: 'fault', detail: /belong to another database/ });

  const taken = await intaglio(other, 'sweep', '--accept-files');
  t.match(taken, { code: 0, out: 'Removed 0 expired documents and 0 orphan files.\n' });
  const successor = await open(t, other);
  const id = await successor.databaseId();
  t.strictSame(await acceptances(successor), [
    `files.accept: the files belong to this database, ${id}`,
  ]);
  t.match(await intaglio(env, 'sweep'), { code: 1, err: /belong to another database/ });
  t.ok(PDF.equals(await readAll(bank, documentId)), 'the document is still there');
  t.match(await intaglio(env, 'sweep', '--accept-files'), { code: 0 }, 'and taken back');
  t.match(await intaglio(env, 'serve', '--check'), { code: 0 });
});
