import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { backUpStore, openStore } from '../../src/store/open.ts';
import { digest } from '../../src/store/ids.ts';
import { environment, intaglio, nodeOptions, start } from '../../lab/service/command-line.ts';
import { temporaryFolder } from '../store/dialects.ts';
import { addDocument, readAll } from '../store/samples.ts';

/** Kills a restore while it writes files, and runs it again until it has ended. */

const DOCUMENTS = 40;
const KILLED_AT = [1, 20, 38];
/** Longer than the sweep lets temporary files live. */
const LATER_MS = 3_600_000;
const STUCK_DISK = `--import=${join(import.meta.dirname, 'stuck-disk.ts')}`;

const storeIn = (folder: string): { databaseUrl: string; filesUrl: string } => ({
  databaseUrl: `sqlite:${folder}/intaglio.db`,
  filesUrl: `file:${folder}/files`,
});

async function temporaryFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, 'files'), { recursive: true });
  return names.filter((name) => name.endsWith('.tmp'));
}

t.test('a restore that was killed is run again to its end', async (t) => {
  const [source, target] = [await temporaryFolder(t), await temporaryFolder(t)];
  const store = await openStore(storeIn(source));
  await store.migrate();
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  const digests = new Map<string, string>();
  for (let number = 0; number < DOCUMENTS; number += 1) {
    const pdf = Buffer.from(`%PDF-1.7 ${number} %%EOF`);
    const sha256 = digest(pdf).toString('hex');
    digests.set((await addDocument(store, pdf)).documentId, sha256);
  }
  await store.close();
  const backup = join(source, 'backup');
  await backUpStore(storeIn(source), backup);

  const env = environment(target);
  for (const [killed, stuckAt] of KILLED_AT.entries()) {
    const stuck = { ...env, STUCK_AT: `${stuckAt}`, NODE_OPTIONS: nodeOptions(STUCK_DISK) };
    const restoring = start(t, stuck, 'restore', backup);
    t.equal(await restoring.nextLine(), 'stuck');
    restoring.child.kill('SIGKILL');
    await restoring.exit;
    t.ok((await temporaryFiles(target)).length > killed, 'it left a file that was not whole');
  }
  const { code, out, err } = await intaglio(env, 'restore', backup);
  t.equal(code, 0, err);
  t.match(out, `${DOCUMENTS} files`);
  t.match(err, /the file store already holds files/);

  const restored = await openStore(storeIn(target));
  t.teardown(() => restored.close());
  for (const [documentId, sha256] of digests) {
    t.equal(digest(await readAll(restored, documentId)).toString('hex'), sha256);
  }
  const records = await restored.audit.list({ action: 'backup.restore', countMax: 10 });
  t.equal(records.length, 1, 'the record is committed with the rows');
  await restored.documents.sweep(Date.now() + LATER_MS);
  t.strictSame(await temporaryFiles(target), [], 'the sweep removes what the killed ones left');
});

t.test('a restore into an empty place warns of nothing', async (t) => {
  const [source, target] = [await temporaryFolder(t), await temporaryFolder(t)];
  const store = await openStore(storeIn(source));
  await store.migrate();
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  await addDocument(store, Buffer.from('%PDF-1.7 %%EOF'));
  await store.close();
  await backUpStore(storeIn(source), join(source, 'backup'));
  const { code, err } = await intaglio(environment(target), 'restore', join(source, 'backup'));
  t.strictSame({ code, err }, { code: 0, err: '' });
});
