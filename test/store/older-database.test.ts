import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from './dialects.ts';
import { addDocument, readAll } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');

await t.test('files of rows that were lost stay until somebody confirms', async (t) => {
  const folder = await temporaryFolder(t);
  const said: string[] = [];
  const open = async (): Promise<Store> => {
    const store = await openStore({
      databaseUrl: `sqlite:${join(folder, 'db')}`,
      filesUrl: `file:${join(folder, 'files')}`,
      orphanGraceMs: -60_000,
      warn: (message) => said.push(message),
    });
    await store.migrate();
    return store;
  };
  const before = await open();
  await addDocument(before, PDF);
  await before.documents.sweep(Date.now());
  await before.close();
  await copyFile(join(folder, 'db'), join(folder, 'old'));
  const during = await open();
  const { documentId } = await addDocument(during, PDF);
  t.match(await during.documents.sweep(Date.now()), { orphans: 0 });
  await during.close();
  await copyFile(join(folder, 'db'), join(folder, 'new'));
  t.strictSame(said, [], 'nothing is said of a sound database');

  await copyFile(join(folder, 'old'), join(folder, 'db'));
  const older = await open();
  t.equal(await older.documents.findAny(documentId), null);
  t.match(said, [/older than its files.*--accept-older-database/]);
  t.match(older.figures().fileWarnings, [/older than its files/]);
  await addDocument(older, PDF);
  t.match(await older.documents.sweep(Date.now()), { orphans: 0 });
  await older.close();

  const again = await open();
  t.match(await again.documents.sweep(Date.now()), { orphans: 0 }, 'after a restart, too');
  await again.close();
  await copyFile(join(folder, 'new'), join(folder, 'db'));
  const newest = await open();
  t.ok(PDF.equals(await readAll(newest, documentId)), 'the newest database finds its files');
  await newest.close();

  await copyFile(join(folder, 'old'), join(folder, 'db'));
  await rm(join(folder, 'db-wal'), { force: true });
  const accepted = await open();
  await accepted.acceptOlderDatabase();
  t.strictSame(accepted.figures().fileWarnings, []);
  t.match(await accepted.documents.sweep(Date.now()), { orphans: 2 });
  await accepted.close();
});
