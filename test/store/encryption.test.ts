import { randomBytes, randomUUID } from 'node:crypto';
import fsp, { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import type { EncryptionKeys } from '../../src/store/encryption/key-ring.ts';
import { digest } from '../../src/store/ids.ts';
import { backUpStore, openStore, restoreStore } from '../../src/store/open.ts';
import type { RunSpec } from '../../src/store/runs/types.ts';
import type { DocumentRecord, Store } from '../../src/store/store.ts';
import { FileDamaged, FileExpired, FileKeyMissing } from '../../src/store/store.ts';
import { type StorePlace, overDialects, temporaryFolder } from './dialects.ts';
import { addDocument, readAll } from './samples.ts';
import { RUN_SPEC } from '../fixtures/runs/spec.ts';

const SMALL = Buffer.from('%PDF-1.7 confidential '.repeat(50));
const LARGE = Buffer.alloc(300_000, 'long and confidential ');
const WORD = 'confidential';
const PIECE = 64 * 1024;
const HOUR = 3_600_000;
const QUICK = { bytesPerSecond: 1e9, onFinding: () => undefined };
const FAST = 1e6;
const RUN: RunSpec = { ...RUN_SPEC, idField: '' };
const OLD = randomBytes(32);
const NEW = randomBytes(32);

function keysOf(...keys: readonly Uint8Array[]): { readonly encryption: EncryptionKeys } {
  return { encryption: { keys: () => keys } };
}

function pathOf({ folder }: StorePlace, id: string, extension = '.pdf'): string {
  return join(folder, 'files', id.slice(0, 5), id.slice(5, 8), `${id}${extension}`);
}

function refuse(): Promise<never> {
  return Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
}

async function flipBit(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  await writeFile(path, bytes);
}

/** The contents of all files of the store, as one text. */
async function allFiles({ folder }: StorePlace): Promise<string> {
  const names = await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile());
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  );
  return texts.join('\n');
}

async function found(store: Store, { documentId }: DocumentRecord): Promise<DocumentRecord> {
  const document = await store.documents.findAny(documentId);
  if (document === null) throw new Error('no such document');
  return document;
}

/** The number of bytes read before the error, and the error. */
async function stream(store: Store, document: DocumentRecord): Promise<[number, unknown]> {
  const file = await store.documents.open(document, 'through');
  let given = 0;
  try {
    while (given < file.bytes) given += (await file.read(given, PIECE)).byteLength;
    return [given, null];
  } catch (error) {
    return [given, error];
  } finally {
    await file.close();
  }
}

/** Most tests share two databases, because migrating one takes longer than any test. */
await overDialects('encryption', async (t, newPlace) => {
  await recording(t, await newPlace());
  await encrypting(t, await newPlace());
  const second = await newPlace();
  await changingKeys(t, second);
  await t.test('a backup holds files encrypted, and checks them by their keys', async (t) => {
    await backingUp(t, second);
  });
});

async function encrypting(t: Test, place: StorePlace): Promise<void> {
  await t.test('documents are read unchanged, but their files are encrypted', async (t) => {
    const store = await place.open(t, keysOf(NEW));
    const [small, large] = [await addDocument(store, SMALL), await addDocument(store, LARGE)];
    t.ok(SMALL.equals(await readAll(store, small.documentId)));
    t.strictSame(await stream(store, large), [LARGE.length, null]);
    const part = await store.documents.open(await found(store, large), 'parts');
    t.ok(LARGE.subarray(70_001, 140_002).equals(await part.read(70_001, 70_001)));
    t.ok(LARGE.subarray(5, 9).equals(await part.read(5, 4)), 'backwards');
    await part.close();
    const raw = await allFiles(place);
    t.ok(raw.length > LARGE.length);
    t.notMatch(raw, WORD);
    t.match(await store.documents.scrub(QUICK), {
      checked: 2,
      damaged: 0,
      missing: 0,
      unread: 0,
    });
  });

  await t.test('encrypted and unencrypted documents work side by side', async (t) => {
    const before = await addDocument(await place.open(t), SMALL);
    const store = await place.open(t, keysOf(NEW));
    const after = await addDocument(store, SMALL);
    for (const { documentId } of [before, after]) {
      t.ok(SMALL.equals(await readAll(store, documentId)));
    }
    const many = Array.from({ length: 20 }, (_, index) => addDocument(store, Buffer.from([index])));
    for (const [index, { documentId }] of (await Promise.all(many)).entries()) {
      t.equal(Buffer.compare(await readAll(store, documentId), Buffer.from([index])), 0);
    }
  });

  await t.test('a changed file counts as damaged, like one that is not encrypted', async (t) => {
    const store = await place.open(t, keysOf(NEW));
    const [small, large] = [await addDocument(store, SMALL), await addDocument(store, LARGE)];
    await flipBit(pathOf(place, small.documentId), 57);
    await t.rejects(store.documents.open(small, 'through'), FileDamaged);
    t.match(await found(store, small), { damaged: true });
    await flipBit(pathOf(place, large.documentId), LARGE.length);
    const [given, error] = await stream(store, large);
    t.equal(given, 4 * PIECE, 'the last piece is held back');
    t.ok(error instanceof FileDamaged);
    t.match(await found(store, large), { damaged: true });
    t.match(await store.documents.scrub(QUICK), { damaged: 2, missing: 0, unread: 0 });
    t.match(store.figures(), { damagedDocuments: 2, missingKeys: [] });
  });

  await t.test('two files that were exchanged count as damaged', async (t) => {
    const store = await place.open(t, keysOf(NEW));
    const [one, other] = [await addDocument(store, SMALL), await addDocument(store, SMALL)];
    await writeFile(pathOf(place, one.documentId), await readFile(pathOf(place, other.documentId)));
    await t.rejects(store.documents.open(one, 'through'), FileDamaged);
    t.ok(SMALL.equals(await readAll(store, other.documentId)));
  });

  await t.test('an expired document loses its key before its file', async (t) => {
    const nowMs = Date.now();
    const store = await place.open(t, keysOf(NEW));
    const document = await addDocument(store, SMALL, nowMs - 2 * HOUR);
    t.not((await found(store, document)).wrappedKey, null);
    const stored = await readFile(pathOf(place, document.documentId));
    await store.documents.sweep(nowMs);
    t.match(await found(store, document), { gone: true, wrappedKey: null });
    await mkdir(dirname(pathOf(place, document.documentId)), { recursive: true });
    await writeFile(pathOf(place, document.documentId), stored);
    const left = { ...(await found(store, document)), damaged: false };
    await t.rejects(store.documents.open(left, 'through'), 'a copy of the file is unreadable');
    t.notMatch(stored.toString('latin1'), WORD);
  });

  await t.test('the key is removed even if the file cannot be', async (t) => {
    const nowMs = Date.now();
    const writer = await place.open(t, keysOf(NEW));
    const document = await addDocument(writer, SMALL, nowMs - 2 * HOUR);
    const store = await place.open(t, { ...keysOf(NEW), fileSystem: { ...fsp, unlink: refuse } });
    await t.rejects(store.documents.sweep(nowMs), { name: 'StorageUnavailable' });
    t.equal((await found(store, document)).wrappedKey, null);
    t.equal(store.figures().unremovableFiles, 1);
    await writer.documents.sweep(nowMs);
    await t.rejects(readFile(pathOf(place, document.documentId)), { code: 'ENOENT' });
  });

  await t.test('the key source is read again when a key is missing', async (t) => {
    const document = await addDocument(await place.open(t, keysOf(NEW)), SMALL);
    let keys: readonly Uint8Array[] = [OLD];
    const readAgain = (): Promise<void> => {
      keys = [NEW, OLD];
      return Promise.resolve();
    };
    const store = await place.open(t, { encryption: { keys: () => keys, readAgain } });
    t.ok(SMALL.equals(await readAll(store, document.documentId)));
  });

  await t.test('rows, packs and print files of a run are stored encrypted', async (t) => {
    await runFiles(t, place);
  });

  await t.test('the file of a run cannot be opened when its key is gone', async (t) => {
    const store = await place.open(t, keysOf(NEW));
    const segment = await store.runPrints.putSegment(randomUUID(), [new Uint8Array(SMALL)]);
    const file = await store.runs.openPack(segment.fileId);
    t.ok(SMALL.equals(await file.read(0, file.bytes)));
    await file.close();
    await store.documents.sweep(Date.now() + 48 * HOUR);
    await t.rejects(store.runs.openPack(segment.fileId), FileExpired);
  });
}

async function changingKeys(t: Test, place: StorePlace): Promise<void> {
  await t.test(
    'without its key a document is not damaged, and comes back with the key',
    async (t) => {
      const document = await addDocument(await place.open(t, keysOf(OLD)), SMALL);
      for (const keys of [keysOf(NEW), keysOf()]) {
        const store = await place.open(t, keys);
        const error = await readAll(store, document.documentId).catch((thrown: unknown) => thrown);
        t.ok(error instanceof FileKeyMissing);
        t.match(error, { message: new RegExp(`${document.documentId} .* under key [0-9a-f]{16}`) });
        t.match(await store.documents.scrub(QUICK), { damaged: 0, missing: 0, unread: 1 });
        const missing = await store.fileKeys.missing();
        t.equal(missing.length, 1);
        t.strictSame(store.figures().missingKeys, missing);
      }
      const store = await place.open(t, keysOf(NEW, OLD));
      t.strictSame(await store.fileKeys.missing(), []);
      t.ok(SMALL.equals(await readAll(store, document.documentId)));
      t.match(await found(store, document), { damaged: false });
    },
  );

  await t.test('a rewrap skips and counts files whose key it does not have', async (t) => {
    const document = await addDocument(await place.open(t, keysOf(OLD)), SMALL);
    const store = await place.open(t, keysOf(NEW));
    const { rewrapped, unreadable, forgotten } = await store.fileKeys.rewrap(FAST);
    t.match({ rewrapped, forgotten }, { rewrapped: 0, forgotten: [] });
    t.equal(unreadable[0]?.files, 2);
    const both = await place.open(t, keysOf(NEW, OLD));
    t.ok(SMALL.equals(await readAll(both, document.documentId)));
  });

  await t.test('keys are rewrapped while documents come and go', async (t) => {
    const nowMs = Date.now();
    const old = await place.open(t, keysOf(OLD));
    const stored: DocumentRecord[] = [];
    // One after the other, so that each has a file.
    for (let count = 0; count < 30; count += 1) stored.push(await addDocument(old, SMALL));
    const expiring = await addDocument(old, SMALL, nowMs - 2 * HOUR);
    const clear = await addDocument(await place.open(t), SMALL);
    const store = await place.open(t, keysOf(NEW, OLD));
    const [newId = '', oldId = ''] = store.fileKeys.listed();
    const [result, added] = await Promise.all([
      store.fileKeys.rewrap(FAST),
      Promise.all(Array.from({ length: 10 }, () => addDocument(store, SMALL))),
      store.documents.sweep(nowMs),
    ]);
    t.match(result, { unreadable: [], forgotten: [oldId] });
    t.ok(result.rewrapped >= 30, `${result.rewrapped}`);
    t.equal((await found(store, expiring)).wrappedKey, null, 'a removed key stays removed');
    t.match(await store.fileKeys.rewrap(FAST), { rewrapped: 0 }, 'a second run finds nothing');
    const after = await place.open(t, keysOf(NEW));
    t.strictSame(await after.fileKeys.missing(), []);
    for (const { documentId } of [...stored, ...added, clear]) {
      t.ok(SMALL.equals(await readAll(after, documentId)));
    }
    const counts = (await after.fileKeys.count()).toSorted((a, b) => a.files - b.files);
    const packs = new Set(added.map((document) => document.pack?.packId ?? document.documentId));
    t.strictSame(counts, [
      { keyId: '', files: 1 },
      { keyId: newId, files: 32 + packs.size },
    ]);
  });
}

/** A rewrap records its key, so that a start without it says which one is missing. */
async function recording(t: Test, place: StorePlace): Promise<void> {
  await addDocument(await place.open(t, keysOf(OLD)), SMALL);
  const store = await place.open(t, keysOf(NEW, OLD));
  const [newId = ''] = store.fileKeys.listed();
  t.match(await store.fileKeys.rewrap(FAST), { rewrapped: 1 });
  const without = await place.open(t, keysOf(OLD));
  t.strictSame(await without.fileKeys.missing(), [newId]);
}

/** Backs up an encrypted store with one damaged file. */
async function backingUp(t: Test, place: StorePlace): Promise<void> {
  const { databaseUrl, folder } = place;
  const settings = { databaseUrl, filesUrl: `file:${join(folder, 'files')}`, ...keysOf(NEW) };
  const store = await place.open(t, keysOf(NEW));
  const [whole, changed] = [await addDocument(store, LARGE), await addDocument(store, SMALL)];
  await flipBit(pathOf(place, changed.documentId), 9);
  const backup = await temporaryFolder(t);
  const { lost, unchecked, manifest } = await backUpStore(settings, join(backup, 'with'));
  t.strictSame(lost, [{ id: changed.documentId, fault: 'damaged' }]);
  t.equal(unchecked, 0);
  const blind = await backUpStore({ ...settings, ...keysOf() }, join(backup, 'without'));
  t.strictSame(blind.lost, []);
  t.equal(blind.unchecked, manifest.files, 'all but the unencrypted one, and the damaged one');
  const fresh = await temporaryFolder(t);
  const target = { databaseUrl: `sqlite:${fresh}/db`, filesUrl: `file:${fresh}/files` };
  await t.rejects(
    restoreStore({ ...target, ...keysOf(NEW) }, join(backup, 'without')),
    /is not the file that was stored/,
    'with the key, the damage is found',
  );
  const restored = await restoreStore({ ...target, ...keysOf(NEW) }, join(backup, 'with'));
  t.match(restored, { files: manifest.files, missing: [changed.documentId], unchecked: 0 });
  const after = await openStore({ ...target, ...keysOf(NEW) });
  t.teardown(() => after.close());
  t.ok(LARGE.equals(await readAll(after, whole.documentId)));
}

async function runFiles(t: Test, place: StorePlace): Promise<void> {
  const store = await place.open(t, keysOf(NEW));
  const run = await store.runs.create('bank', 'key:k1', RUN);
  const rows = Buffer.from(`{"note":"${WORD}"}\n`.repeat(5_000));
  const sent = { part: 1, sha256: digest(rows).toString('hex'), format: 'ndjson' } as const;
  await store.runs.addPart(run, { ...sent, headerBytes: 0, firstLine: 1 }, new Uint8Array(rows));
  const part = await store.runWork.part(run.runId, 1);
  if (part === null) throw new Error('no part');
  t.notMatch(await readFile(pathOf(place, part.fileId, '.run'), 'latin1'), WORD);
  const uploaded = await store.runWork.openPart({ ...part, checkedTo: 70_000 });
  t.ok(rows.subarray(70_000, 75_000).equals(await uploaded.read(70_000, 5_000)));
  t.ok(rows.subarray(0, 10).equals(await uploaded.read(0, 10)), 'the header, behind that');
  await uploaded.close();
  const first = await store.runPrints.putSegment(randomUUID(), [
    new Uint8Array(SMALL),
    new Uint8Array(LARGE),
  ]);
  t.equal(first.bytes, SMALL.length + LARGE.length);
  const file = await store.runs.openPack(first.fileId);
  t.equal(file.bytes, first.bytes);
  t.ok(LARGE.subarray(0, 100_000).equals(await file.read(SMALL.length, 100_000)));
  t.ok(SMALL.subarray(10, 20).equals(await file.read(10, 10)));
  await file.close();
  const path = pathOf(place, first.fileId, '.run');
  t.notMatch(await readFile(path, 'latin1'), WORD);
  await flipBit(path, 3);
  const changed = await store.runs.openPack(first.fileId);
  await t.rejects(changed.read(0, 10), FileDamaged);
  await changed.close();
}
