import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { backUpStore, openStore, restoreStore, type StoreSettings } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from './dialects.ts';
import { addDocument } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');
const HOUR_MS = 3_600_000;
const DOCUMENTS = 60;

function settingsOf(folder: string): StoreSettings {
  return {
    databaseUrl: `sqlite:${join(folder, 'db')}`,
    filesUrl: `file:${join(folder, 'files')}`,
    orphanGraceMs: -60_000,
  };
}

async function open(t: Test, folder: string): Promise<Store> {
  const store = await openStore(settingsOf(folder));
  t.teardown(() => store.close());
  await store.migrate();
  return store;
}

/** Documents of which one has a row that is not as it was written. */
async function fill(t: Test, folder: string): Promise<readonly string[]> {
  const store = await open(t, folder);
  const documentIds: string[] = [];
  for (let index = 0; index < DOCUMENTS; index += 1) {
    documentIds.push((await addDocument(store, PDF)).documentId);
  }
  await store.close();
  const program = new DatabaseSync(join(folder, 'db'), { timeout: 60_000 });
  program.exec('drop trigger documents_unsealed');
  program
    .prepare('update documents set pages = 7 where document_id = ?')
    .run(documentIds[DOCUMENTS / 2] ?? '');
  program.close();
  return documentIds;
}

await t.test('the sweep goes on around a damaged row that is due, and names it', async (t) => {
  const folder = await temporaryFolder(t);
  const documentIds = await fill(t, folder);
  const store = await open(t, folder);
  const damaged = documentIds[DOCUMENTS / 2] ?? '';
  await t.rejects(store.documents.sweep(Date.now() + 2 * HOUR_MS), {
    name: 'StorageUnavailable',
    message: new RegExp(`row of ${damaged} in documents is damaged.*59 expired`),
  });
  for (const documentId of documentIds) {
    if (documentId === damaged) continue;
    t.equal((await store.documents.findAny(documentId))?.gone, true);
  }
  await t.rejects(store.documents.findAny(damaged), { name: 'RowDamaged' });
});

await t.test('a backup goes on without a damaged row, and says that it lacks one', async (t) => {
  const folder = await temporaryFolder(t);
  const documentIds = await fill(t, folder);
  const backup = join(folder, 'backup');
  const { manifest, damagedRows, lost } = await backUpStore(settingsOf(folder), backup);
  t.strictSame(damagedRows, { documents: 1 });
  t.strictSame(lost, []);
  t.equal(manifest.tables['documents']?.rows, DOCUMENTS - 1);
  const other = await temporaryFolder(t);
  t.match(await restoreStore(settingsOf(other), backup), { damagedRows: { documents: 1 } });
  const restored = await open(t, other);
  const found = await Promise.all(documentIds.map((id) => restored.documents.findAny(id)));
  t.equal(found.filter((document) => document !== null).length, DOCUMENTS - 1);
});
