import { join } from 'node:path';
import t, { type Test } from 'tap';
import { uuidv7 } from '../../src/store/ids.ts';
import { openFiles, openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from './dialects.ts';
import { type FakeS3, startFakeS3 } from '../../lab/servers/fake-s3.ts';
import { addDocument, readAll } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');
const OTHER = { message: /belong to another database.*--accept-files/ };
/** Every file counts as old, whatever the clocks of file system and process say. */
const NO_GRACE = { orphanGraceMs: -60_000 };

interface Place {
  readonly folder: string;
  readonly filesUrl: string;
}

/** `databases`: the folder of the databases; a new one by default. */
async function folderPlace(t: Test, databases?: string): Promise<Place> {
  const folder = await temporaryFolder(t);
  return { folder: databases ?? folder, filesUrl: `file:${join(folder, 'files')}` };
}

/** Object storage, which has no conditional writes. */
async function s3Place(t: Test): Promise<Place & { readonly server: FakeS3 }> {
  const server = await startFakeS3();
  t.teardown(() => server.stop());
  return { folder: await temporaryFolder(t), filesUrl: server.url, server };
}

const KINDS: Readonly<Record<string, (t: Test) => Promise<Place>>> = {
  folder: (t) => folderPlace(t),
  S3: s3Place,
};

/** A store with the database `name` of the folder. */
async function open(t: Test, { folder, filesUrl }: Place, name: string): Promise<Store> {
  const databaseUrl = `sqlite:${join(folder, name)}`;
  const store = await openStore({ databaseUrl, filesUrl, ...NO_GRACE });
  t.teardown(() => store.close());
  await store.migrate();
  return store;
}

/** Writes, or removes, what the file store remembers of its database. */
async function setOwner({ filesUrl }: Place, text: string): Promise<void> {
  const files = openFiles({ filesUrl });
  await files.writeNote('.owner', Buffer.from(text));
  await files.close();
}

/** Sweeps with a store of its own: one that searched for long would pause before the next search. */
async function sweep(
  t: Test,
  place: Place,
  name: string,
  areOrphansAccepted = false,
): Promise<{ readonly orphans: number; readonly warnings: readonly string[] }> {
  const store = await open(t, place, name);
  const { orphans } = await store.documents.sweep(Date.now(), areOrphansAccepted);
  return { orphans, warnings: store.figures().fileWarnings };
}

async function addDocuments(store: Store, count: number): Promise<readonly string[]> {
  const now = Date.now();
  // They expire two seconds apart, so each has a separate file.
  const added = await Promise.all(
    Array.from({ length: count }, (_, index) => addDocument(store, PDF, now - index * 2_000)),
  );
  return added.map(({ documentId }) => documentId);
}

async function countReadable(store: Store, documentIds: readonly string[]): Promise<number> {
  const read = await Promise.allSettled(documentIds.map((id) => readAll(store, id)));
  return read.filter(({ status }) => status === 'fulfilled').length;
}

for (const [kind, placeOf] of Object.entries(KINDS)) {
  await t.test(`a database does not sweep the files of another one (${kind})`, async (t) => {
    const place = await placeOf(t);
    const bank = await open(t, place, 'bank');
    const documentIds = await addDocuments(bank, 5);
    const before = await open(t, await folderPlace(t, place.folder), 'rehearsal');
    await addDocuments(before, 1);
    const rehearsal = await open(t, place, 'rehearsal');
    t.match(rehearsal.figures(), { foreignFiles: OTHER.message, fileWarnings: [OTHER.message] });
    await t.rejects(rehearsal.documents.sweep(Date.now()), OTHER);
    await t.rejects(rehearsal.acceptOlderDatabase(), OTHER);
    t.equal(await countReadable(bank, documentIds), 5, 'of 5 documents survive');
    t.match(await bank.documents.sweep(Date.now()), { orphans: 0 });
    t.equal(bank.figures().foreignFiles, null);
  });
}

await t.test(
  'a store that names no database is taken by the one that knows its files',
  async (t) => {
    const place = await s3Place(t);
    const { objects } = place.server;
    const owners = (): string[] => [...objects.keys()].filter((key) => key.endsWith('.owner'));
    const bank = await open(t, place, 'bank');
    const documentIds = await addDocuments(bank, 5);
    t.match(await bank.documents.sweep(Date.now()), { orphans: 0 });
    // As after an update: earlier versions did not name the database.
    for (const key of owners()) objects.delete(key);

    const rehearsal = await open(t, place, 'rehearsal');
    const unnamed = /there are files already, and none has a row/;
    t.match(rehearsal.figures().foreignFiles, unnamed);
    await t.rejects(rehearsal.documents.sweep(Date.now()), { message: unnamed });
    t.strictSame(owners(), [], 'it does not name itself');

    const updated = await Promise.all([open(t, place, 'bank'), open(t, place, 'bank')]);
    t.strictSame(
      updated.map((store) => store.figures().fileWarnings),
      [[], []],
      'two instances start at once',
    );
    for (const store of updated) {
      t.match(await store.documents.sweep(Date.now()), { orphans: 0 });
      t.equal(await countReadable(store, documentIds), 5);
    }
    await rehearsal.inspectFiles();
    t.match(rehearsal.figures().foreignFiles, OTHER.message);
  },
);

await t.test(
  'an operator can take the files over, and the former owner stops sweeping',
  async (t) => {
    const place = await folderPlace(t);
    const lost = await open(t, place, 'lost');
    const documentIds = await addDocuments(lost, 5);
    await lost.documents.sweep(Date.now());
    const successor = await open(t, place, 'successor');
    await successor.takeOverFiles();
    t.equal(successor.figures().foreignFiles, null);
    // The rows of the files may still be restored, so they are kept.
    t.match(successor.figures().fileWarnings, [/older than its files/]);
    t.match(await successor.documents.sweep(Date.now()), { orphans: 0 });
    await t.rejects(lost.documents.sweep(Date.now()), OTHER);
    t.match(lost.figures().fileWarnings, [OTHER.message]);
    t.equal(await countReadable(lost, documentIds), 5);
    await successor.acceptOlderDatabase();
    t.match(await sweep(t, place, 'successor'), { orphans: 5 });
  },
);

await t.test(
  'when the name of the database is damaged, files without a row are kept',
  async (t) => {
    const place = await folderPlace(t);
    const store = await open(t, place, 'bank');
    await addDocuments(store, 5);
    const files = openFiles({ filesUrl: place.filesUrl });
    await files.put(uuidv7(Date.now() - 1_000), Buffer.from(PDF));
    await files.close();
    await setOwner(place, '{"database":"01');
    t.match(await store.documents.sweep(Date.now()), { orphans: 0 });
    t.match(store.figures(), { foreignFiles: null, fileWarnings: [/\.owner.*is damaged/] });
    const restarted = await open(t, place, 'bank');
    t.match(restarted.figures(), { foreignFiles: null, fileWarnings: [/\.owner.*is damaged/] });
    await restarted.takeOverFiles();
    t.match(await restarted.documents.sweep(Date.now()), { orphans: 1 });
    t.strictSame(restarted.figures().fileWarnings, []);
  },
);

await t.test('many files without a row are kept until somebody confirms', async (t) => {
  const place = await folderPlace(t);
  const store = await open(t, place, 'bank');
  const documentIds = await addDocuments(store, 300);
  const files = openFiles({ filesUrl: place.filesUrl });
  const addOrphans = (count: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, () => files.put(uuidv7(Date.now() - 1_000), Buffer.from(PDF))),
    );
  await addOrphans(100);
  t.match(await sweep(t, place, 'bank'), { orphans: 100 }, 'a hundred are not many');
  await addOrphans(101);
  const kept = { orphans: 0, warnings: [/^101 of 401 files.*--accept-orphans/] };
  t.match(await sweep(t, place, 'bank'), kept);
  t.strictSame(await sweep(t, place, 'bank', true), { orphans: 101, warnings: [] });
  t.equal(await countReadable(store, documentIds), 300);
  await addDocuments(store, 400);
  await addDocuments(store, 400);
  await addOrphans(101);
  t.match(await sweep(t, place, 'bank'), { orphans: 101 }, 'nor is a tenth of all');
  await files.close();
});
