import { readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentRecord, Store, StoredFile } from '../../src/store/store.ts';
import { FileDamaged, FileMissing } from '../../src/store/store.ts';
import { type StorePlace, overDialects } from './dialects.ts';
import { lieOnce } from './lying-fs.ts';
import { addDocument, readAll } from './samples.ts';

const SMALL = Buffer.from('%PDF-1.7 '.repeat(100));
const LARGE = Buffer.alloc(300_000, 'long ');
const PIECE = 64 * 1024;
const HOUR = 3_600_000;
const QUICK = { bytesPerSecond: 1e9, onFinding: () => undefined };

function pathOf({ folder }: StorePlace, { documentId }: DocumentRecord): string {
  const shard = [documentId.slice(0, 5), documentId.slice(5, 8)];
  return join(folder, 'files', ...shard, `${documentId}.pdf`);
}

async function flipBit(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[57] = (bytes[57] ?? 0) ^ 4;
  await writeFile(path, bytes);
}

/** Reads in pieces as a download does; returns how many bytes it was given before the error. */
async function stream(file: StoredFile): Promise<{ given: number; error: unknown }> {
  let given = 0;
  try {
    while (given < file.bytes) given += (await file.read(given, PIECE)).byteLength;
    return { given, error: null };
  } catch (error) {
    return { given, error };
  } finally {
    await file.close();
  }
}

async function isMarked(store: Store, { documentId }: DocumentRecord): Promise<boolean> {
  return (await store.documents.findAny(documentId))?.damaged === true;
}

await overDialects('damage', async (t, newPlace) => {
  await t.test('a short file with a flipped bit is refused before its first byte', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const other = await place.open(t);
    const document = await addDocument(store, SMALL);
    const whole = await addDocument(store, SMALL);
    await flipBit(pathOf(place, document));
    await t.rejects(store.documents.open(document, 'through'), FileDamaged);
    t.equal(await isMarked(store, document), true);
    t.equal(store.figures().damagedDocuments, 1);
    const known = await other.documents.findAny(document.documentId);
    t.match(known, { damaged: true, gone: false }, 'other instances know');
    await rename(pathOf(place, document), `${pathOf(place, document)}.away`);
    if (known !== null) {
      await t.rejects(
        other.documents.open(known, 'through'),
        FileDamaged,
        'without reading the file',
      );
    }
    t.ok(SMALL.equals(await readAll(store, whole.documentId)), 'others are served');
  });

  await t.test('the last piece of a long damaged file is held back', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const document = await addDocument(store, LARGE);
    const before = await stream(await store.documents.open(document, 'through'));
    t.strictSame(before, { given: LARGE.length, error: null });
    await flipBit(pathOf(place, document));
    const { given, error } = await stream(await store.documents.open(document, 'through'));
    t.equal(given, 4 * PIECE);
    t.ok(error instanceof FileDamaged);
    t.match(error, { message: new RegExp(document.documentId) });
    t.equal(await isMarked(store, document), true);
  });

  await t.test('ranges are read only from an undamaged file', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const document = await addDocument(store, LARGE);
    await flipBit(pathOf(place, document));
    await t.rejects(store.documents.open(document, 'parts'), FileDamaged);
  });

  await t.test('a file that is cut short is damaged', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const document = await addDocument(store, LARGE);
    await truncate(pathOf(place, document), 200_000);
    await t.rejects(store.documents.open(document, 'through'), FileDamaged);
    t.equal(await isMarked(store, document), true);
  });

  await t.test(
    'a bit flipped while reading does not count as damage: the next read succeeds',
    async (t) => {
      const place = await newPlace();
      const store = await place.open(t, { fileSystem: lieOnce('flipped read') });
      const document = await addDocument(store, SMALL);
      await t.rejects(store.documents.open(document, 'through'), { name: 'StorageUnavailable' });
      t.equal(await isMarked(store, document), false);
      t.ok(SMALL.equals(await readAll(store, document.documentId)));
    },
  );

  for (const lie of ['short write', 'torn write'] as const) {
    await t.test(
      `a file with a ${lie} that the disk acknowledged is never delivered`,
      async (t) => {
        const place = await newPlace();
        const store = await place.open(t, { fileSystem: lieOnce(lie) });
        const document = await addDocument(store, LARGE);
        await t.rejects(readAll(store, document.documentId), FileDamaged);
        await t.rejects(store.documents.open(document, 'parts'), FileDamaged);
        const next = await addDocument(store, LARGE);
        t.ok(LARGE.equals(await readAll(store, next.documentId)));
      },
    );
  }

  await t.test(
    'a scrub finds damaged and missing files, and those that are restored',
    async (t) => {
      const place = await newPlace();
      const store = await place.open(t);
      const now = Date.now();
      const flipped = await addDocument(store, SMALL, now);
      const missing = await addDocument(store, SMALL, now);
      await Promise.all(Array.from({ length: 248 }, () => addDocument(store, SMALL, now)));
      await flipBit(pathOf(place, flipped));
      await rename(pathOf(place, missing), `${pathOf(place, missing)}.away`);
      const findings: string[] = [];
      const onFinding = (id: string, kind: string): unknown => findings.push(`${id} ${kind}`);
      const result = { checked: 250, bytes: 250 * SMALL.length, damaged: 1, missing: 1, unread: 0 };
      t.strictSame(await store.documents.scrub({ ...QUICK, onFinding }), result);
      t.strictSame(
        findings.toSorted(),
        [`${flipped.documentId} damaged`, `${missing.documentId} missing`].toSorted(),
      );
      t.match(store.figures(), { damagedDocuments: 1, missingDocuments: 1 });
      t.equal(await isMarked(store, missing), true);
      await t.rejects(store.documents.open(missing, 'through'), FileMissing);

      await flipBit(pathOf(place, flipped));
      await rename(`${pathOf(place, missing)}.away`, pathOf(place, missing));
      t.match(await store.documents.scrub(QUICK), { damaged: 0, missing: 0 });
      t.ok(SMALL.equals(await readAll(store, flipped.documentId)), 'restored');
      await store.documents.sweep(now);
      t.match(store.figures(), { damagedDocuments: 0, missingDocuments: 0 });

      await rm(pathOf(place, missing));
      await store.documents.scrub(QUICK);
      const later = await place.open(t);
      await later.documents.sweep(now);
      t.match(later.figures(), { missingDocuments: 1 }, 'counted by any instance');
      await later.documents.sweep(now + 2 * HOUR);
      await later.documents.sweep(now + 2 * HOUR);
      t.match(later.figures(), { missingDocuments: 0 }, 'until the document expires');
    },
  );

  await t.test('a file that was missing is delivered again when it has come back', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const document = await addDocument(store, SMALL);
    const path = pathOf(place, document);
    await rename(path, `${path}.away`);
    await store.documents.scrub(QUICK);
    await t.rejects(readAll(store, document.documentId), FileMissing);
    await writeFile(path, SMALL.subarray(1));
    await t.rejects(readAll(store, document.documentId), FileDamaged, 'not what was stored');
    await rm(path);
    await store.documents.scrub(QUICK);
    await rename(`${path}.away`, path);
    t.ok(SMALL.equals(await readAll(store, document.documentId)), 'without another scrub');
    t.equal(await isMarked(store, document), false);
  });

  await t.test('a scrub keeps to its pace', async (t) => {
    const store = await (await newPlace()).open(t);
    await Promise.all(Array.from({ length: 5 }, () => addDocument(store, SMALL)));
    const startMs = performance.now();
    await store.documents.scrub({ ...QUICK, bytesPerSecond: SMALL.length * 20 });
    const tookMs = performance.now() - startMs;
    t.ok(tookMs >= 240, `${tookMs} ms`);
  });
});
