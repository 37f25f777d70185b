import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { Database } from '../../src/store/database/database.ts';
import { backUpStore, restoreStore } from '../../src/store/open.ts';
import {
  type DocumentRecord,
  FileDamaged,
  FileMissing,
  StorageUnavailable,
  type Store,
} from '../../src/store/store.ts';
import { failNth } from './faulty-fs.ts';
import { overDialects, type StorePlace, temporaryFolder } from './dialects.ts';
import { addDocument, newAudit, newDocument, readAll } from './samples.ts';

const HOUR = 3_600_000;
const KEY = { encryption: { keys: () => [Buffer.alloc(32, 7)] } };
const QUICK = { bytesPerSecond: 1e9, onFinding: () => undefined };
const pdfOf = (index: number): Buffer => Buffer.from(`%PDF-1.7 ${index} `.repeat(500));

/** The first is written by itself; those that come meanwhile share a pack. */
async function addTogether(
  store: Store,
  count: number,
  atMs = Date.now(),
): Promise<readonly DocumentRecord[]> {
  const pdfs = Array.from({ length: count }, (_, index) => pdfOf(index));
  return Promise.all(pdfs.map((pdf) => addDocument(store, pdf, atMs)));
}

function packOf(documents: readonly DocumentRecord[]): string {
  const ids = new Set(documents.map(({ pack }) => pack?.packId ?? ''));
  const [id = ''] = ids;
  if (ids.size !== 1 || id === '') throw new Error('the documents share no pack');
  return id;
}

function files({ folder }: StorePlace): readonly string[] {
  return readdirSync(join(folder, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function pathOf(place: StorePlace, packId: string): string {
  const path = files(place).find((name) => name.endsWith(`${packId}.run`));
  if (path === undefined) throw new Error('the pack has no file');
  return path;
}

async function demandWhole(
  t: Test,
  store: Store,
  documents: readonly DocumentRecord[],
): Promise<void> {
  for (const [index, { documentId }] of documents.entries()) {
    t.ok(pdfOf(index).equals(await readAll(store, documentId)), `document ${index}`);
  }
}

await overDialects('packs of requests', async (t, newPlace) => {
  await t.test('documents under way at the same moment share one file', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const alone = await addDocument(store, pdfOf(0));
    t.equal(alone.pack, null, 'one that comes alone has a separate file');
    const documents = await addTogether(store, 20);
    packOf(documents);
    t.equal(files(place).length, 2);
    await demandWhole(t, store, documents);
    const listed = await store.documents.list({ teamId: 'bank', countMax: 50 });
    t.equal(listed.documents.length, 21);
    t.match(await store.documents.scrub(QUICK), { checked: 21, damaged: 0, missing: 0 });
  });

  await t.test('a pack has a limited number of documents and bytes', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const many = await addTogether(store, 300);
    const sizes = Object.values(Object.groupBy(many, ({ pack }) => pack?.packId ?? ''));
    t.equal(Math.max(...sizes.map((pack) => pack?.length ?? 0)), 128);
    await demandWhole(t, store, many);
    const long = Buffer.alloc(300_000, 'long');
    const documents = await Promise.all([1, 2, 3].map(() => addDocument(store, long)));
    t.strictSame(
      documents.map(({ pack }) => pack),
      [null, null, null],
      'a long document has a separate file',
    );
  });

  for (const [name, settings] of Object.entries({ plain: {}, encrypted: KEY })) {
    await t.test(`${name}: a damaged document leaves the others of its pack`, async (t) => {
      const place = await newPlace();
      const store = await place.open(t, settings);
      // Damage in an encrypted file reaches as far as its segment of 64 KB.
      const documents = await addTogether(store, 60);
      const path = pathOf(place, packOf(documents));
      const bytes = readFileSync(path);
      bytes[bytes.length - 100] = (bytes.at(-100) ?? 0) ^ 1;
      writeFileSync(path, bytes);
      const last = documents.at(-1);
      if (last === undefined) throw new Error('no documents');
      await t.rejects(readAll(store, last.documentId), FileDamaged);
      t.match(await store.documents.findAny(last.documentId), { damaged: true });
      await demandWhole(t, store, documents.slice(0, 20));
      const { damaged } = await store.documents.scrub(QUICK);
      t.ok(settings === KEY ? damaged >= 1 && damaged < 20 : damaged === 1, `${damaged} damaged`);
      renameSync(path, `${path}.away`);
      await t.rejects(readAll(store, documents[0]?.documentId ?? ''), FileMissing);
    });

    await t.test(`${name}: a pack is destroyed with its documents when they expire`, async (t) => {
      const place = await newPlace();
      const store = await place.open(t, settings);
      const now = Date.now();
      const [old, young] = await Promise.all([
        addTogether(store, 10, now - 2 * HOUR),
        addTogether(store, 10, now),
      ]);
      t.not(packOf(old), packOf(young), 'documents that expire at other times have another pack');
      const [first] = old;
      if (first === undefined) throw new Error('no documents');
      t.match(await store.documents.findAny(first.documentId), { gone: true });
      await store.documents.expire(first.documentId, now);
      t.equal(files(place).length, 1, 'a call that met the expired document destroyed its file');
      const packId = packOf(old);
      const row = await withDatabase(place, (database) =>
        database.read((db) =>
          db.selectFrom('run_files').selectAll().where('file_id', '=', packId).executeTakeFirst(),
        ),
      );
      t.match(row, { wrapped_key: null, state: 2 }, 'and its key');
      t.equal((await store.documents.sweep(now)).expired, 0);
      t.match(await store.documents.scrub(QUICK), { checked: 10, missing: 0 });
      t.match(await store.documents.findAny(first.documentId), { gone: true, damaged: false });
      await demandWhole(t, store, young);
      t.equal((await store.documents.sweep(now + 2 * HOUR)).expired, 10);
      t.equal(files(place).length, 0);
      t.match(await store.documents.scrub(QUICK), { checked: 0 });
    });

    await t.test(`${name}: a backup has the packs, and a restore serves them`, async (t) => {
      const place = await newPlace();
      const store = await place.open(t, settings);
      const documents = await addTogether(store, 10);
      packOf(documents);
      const folder = join(await temporaryFolder(t), 'backup');
      const filesUrl = `file:${join(place.folder, 'files')}`;
      await backUpStore({ databaseUrl: place.databaseUrl, filesUrl, ...settings }, folder);
      const other = await newPlace();
      const restored = {
        databaseUrl: other.databaseUrl,
        filesUrl: `file:${join(other.folder, 'files')}`,
        ...settings,
      };
      await restoreStore(restored, folder, { isUnsealedAccepted: true });
      await demandWhole(t, await other.open(t, settings), documents);
    });
  }

  await t.test('a scrub meets no missing files while a pack is destroyed', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const documents = await addTogether(store, 3);
    const deleting = { state: 1, wrapped_key: null };
    await withDatabase(place, (database) =>
      database.write((db) => db.updateTable('run_files').set(deleting).execute()),
    );
    t.match(await store.documents.scrub(QUICK), { checked: 3, missing: 0, damaged: 0 });
    t.match(await store.documents.findAny(documents[0]?.documentId ?? ''), { damaged: false });
  });

  await t.test('a scrub does not miss files of documents that have expired', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    await Promise.all([addTogether(store, 3, Date.now() - 2 * HOUR), addDocument(store, pdfOf(0))]);
    await addDocument(store, pdfOf(0), Date.now() - 3 * HOUR);
    // A restore leaves out the files of what has expired since the backup.
    for (const path of files(place)) rmSync(path);
    t.match(await store.documents.scrub(QUICK), { checked: 5, missing: 1 });
  });

  await t.test(
    'a record of damage goes when the pack does, though its documents stay',
    async (t) => {
      const place = await newPlace();
      const store = await place.open(t);
      const [lost, kept] = await Promise.all([
        addTogether(store, 3),
        addTogether(store, 2, Date.now() + HOUR),
      ]);
      for (const path of files(place)) rmSync(path);
      t.match(await store.documents.scrub(QUICK), { checked: 5, missing: 5 });
      // As documents of a run, and those whose pack a version before this one swept.
      const packId = packOf(lost);
      const deleted = { state: 2, wrapped_key: null };
      await withDatabase(place, (database) =>
        database.write((db) =>
          db.updateTable('run_files').set(deleted).where('file_id', '=', packId).execute(),
        ),
      );
      await store.documents.sweep(Date.now());
      t.match(store.figures(), { missingDocuments: kept.length });
    },
  );

  await t.test('a document that is refused leaves the others of its pack', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const given = Array.from({ length: 6 }, (_, index) => pdfOf(index));
    const results = await Promise.allSettled(
      given.map((pdf, index) => {
        const bad = index === 2 ? { pages: Number.NaN } : {};
        const document = { ...newDocument(pdf), ...bad };
        return store.documents.add(document, new Uint8Array(pdf), (id) => newAudit(id), null);
      }),
    );
    t.strictSame(
      results.map(({ status }) => status === 'fulfilled'),
      [true, true, false, true, true, true],
    );
    for (const [index, result] of results.entries()) {
      if (result.status === 'rejected') continue;
      const { documentId } = result.value;
      t.ok(pdfOf(index).equals(await readAll(store, documentId)), `document ${index}`);
    }
    t.equal(files(place).length, 1);
  });

  await t.test('no file stays when all documents of a pack are refused', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const add = async (): Promise<unknown> => {
      const document = { ...newDocument(pdfOf(0)), pages: Number.NaN };
      return store.documents.add(document, pdfOf(0), (id) => newAudit(id), null);
    };
    const results = await Promise.allSettled([add(), add(), add()]);
    t.ok(results.every(({ status }) => status === 'rejected'));
    t.equal(files(place).length, 0);
  });

  await t.test('when a pack cannot be written, none of its documents is stored', async (t) => {
    const place = await newPlace();
    await (await place.open(t)).close();
    const { fileSystem } = failNth(1, 'ENOSPC', 'fsync', true);
    const store = await place.open(t, { fileSystem });
    const results = await Promise.allSettled([1, 2, 3].map(() => addDocument(store, pdfOf(0))));
    for (const result of results) {
      t.ok(result.status === 'rejected' && result.reason instanceof StorageUnavailable);
    }
    t.equal((await store.documents.list({ teamId: 'bank', countMax: 5 })).documents.length, 0);
    t.equal(files(place).length, 0);
  });
});

async function withDatabase<T>(
  { databaseUrl: url }: StorePlace,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const limits = { connectionsMax: 2, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 };
  const database = new Database({ url, ...limits, allowUnsafeCommits: false });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
