import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { uuidv7 } from '../../src/store/ids.ts';
import { openStore, type StoreSettings } from '../../src/store/open.ts';
import { S3Client } from '../../src/store/files/s3-client.ts';
import { S3Files } from '../../src/store/files/s3.ts';
import { SourceFiles } from '../../src/store/files/source-files.ts';
import {
  FileMissing,
  SourceChanged,
  StorageUnavailable,
  type Store,
  type StoredFile,
} from '../../src/store/store.ts';
import { temporaryFolder } from './dialects.ts';
import { type FakeS3, startFakeS3 } from '../../lab/servers/fake-s3.ts';
import { startMariaDb } from '../../lab/servers/mariadb.ts';
import { startObjectStore } from '../../lab/servers/radosgw.ts';
import { addDocument, readAll } from './samples.ts';

const HOUR = 3_600_000;
const KEYS = [randomBytes(32)];
const ENCRYPTED = { encryption: { keys: () => KEYS } };
const PDF = Buffer.from('%PDF-1.7 เอกสาร %%EOF');

async function open(t: Test, settings: StoreSettings): Promise<Store> {
  const store = await openStore(settings);
  t.teardown(() => store.close());
  await store.migrate();
  return store;
}

async function putFile(url: string, documentId: string, bytes: Uint8Array): Promise<void> {
  const files = new S3Files({ url, timeoutMs: 5_000, putsMax: 10 });
  await files.put(documentId, bytes);
  await files.close();
}

/** Two instances share rows and files: each reads what the other added. */
async function serveEachOther(
  t: Test,
  databaseUrl: string,
  filesUrl: string,
  more: Pick<StoreSettings, 'encryption'> = {},
): Promise<void> {
  const one = await open(t, { databaseUrl, filesUrl, ...more });
  const two = await open(t, { databaseUrl, filesUrl, orphanGraceMs: -60_000, ...more });
  const big = Buffer.alloc(3_500_000, 'long ');
  const stores = [one, two] as const;
  await Promise.all(stores.map((store) => store.probe()));
  for (const [index, adder] of stores.entries()) {
    const reader = stores[index === 0 ? 1 : 0];
    const added = await addDocument(adder, PDF);
    t.strictSame(await reader.documents.find('bank', added.documentId), {
      found: true,
      value: added,
    });
    t.ok(PDF.equals(await readAll(reader, added.documentId)));
    const large = await addDocument(adder, big);
    const file = await reader.documents.open(large, 'parts');
    t.equal(file.bytes, big.length);
    for (const position of [0, 1_048_570, 3_499_990, 12]) {
      const part = await file.read(position, 100);
      t.ok(big.subarray(position, position + 100).equals(part), `at ${position}`);
    }
    t.ok(big.equals(await file.read(0, big.length)), 'larger than a window');
    await file.close();
  }
  const now = Date.now();
  const old = await addDocument(one, PDF, now - 2 * HOUR);
  await two.documents.expire(old.documentId, now);
  await t.rejects(one.documents.open(old, 'through'), FileMissing);
  const orphan = uuidv7(now);
  await putFile(filesUrl, orphan, PDF);
  t.strictSame(await one.documents.sweep(now), { expired: 0, orphans: 0 }, 'within its grace');
  t.strictSame(await two.documents.sweep(now), { expired: 0, orphans: 1 });
  t.strictSame(await one.documents.sweep(now + 2 * HOUR), { expired: 4, orphans: 0 });
}

/** Reads rows of a run from objects below the prefix that the operator allows. */
async function readAsSource(t: Test, bucketUrl: string): Promise<void> {
  const url = `${bucketUrl.replace('?', '/spool?')}${bucketUrl.includes('?') ? '' : '/spool'}`;
  const client = new S3Client(url, 5_000);
  t.teardown(() => client.close());
  const put = async (name: string, body: Buffer): Promise<void> => {
    const { status } = await client.request({ method: 'PUT', key: client.prefix + name, body });
    t.equal(status, 200);
  };
  const rows = Buffer.alloc(2_500_000, 'id,total\n');
  await put('ตุลาคม 1+2.csv', rows);
  await put('empty.csv', Buffer.alloc(0));
  const files = new SourceFiles([`bank=${url}`], 5_000);
  t.teardown(() => files.close());
  const place = `s3://${client.bucket}/${client.prefix}`;
  const open = async (name: string): Promise<StoredFile> => {
    const file = await files.open('bank', `${place}${name}`);
    if (typeof file === 'string') throw new Error(file);
    return file;
  };
  const file = await open('ตุลาคม 1+2.csv');
  t.ok(rows.equals(await file.read(0, file.bytes)), 'longer than two windows');
  t.ok(rows.subarray(9, 18).equals(await file.read(9, 9)));
  t.equal((await open('empty.csv')).bytes, 0);
  t.equal(await files.open('bank', `${place}none.csv`), 'absent');
  t.equal(await files.open('rival', `${place}empty.csv`), 'off');
  // Opening reads the first window only.
  const opened = await open('ตุลาคม 1+2.csv');
  await put('ตุลาคม 1+2.csv', rows.subarray(9));
  await t.rejects(opened.read(2_000_000, 100), SourceChanged, 'overwritten while it is read');
  const wrong = new SourceFiles([url.replace(/:[^:@/]+@/, ':wrong@')], 5_000);
  t.teardown(() => wrong.close());
  t.equal(await wrong.open('bank', `${place}empty.csv`), 'unreadable');
}

await tap.test('a real object store and one database serve two instances', async (t) => {
  const objects = await startObjectStore();
  if (objects.server === null) {
    // A test below does the same with our own server, which is less realistic.
    t.comment(objects.reason);
    return;
  }
  const { server } = objects;
  t.teardown(() => server.stop());
  await t.test('over SQLite', async (t) => {
    const databaseUrl = `sqlite:${join(await temporaryFolder(t), 'db')}`;
    await serveEachOther(t, databaseUrl, await server.freshUrl());
    const encryptedUrl = `sqlite:${join(await temporaryFolder(t), 'db')}`;
    await serveEachOther(t, encryptedUrl, await server.freshUrl(), ENCRYPTED);
  });
  await t.test('over MariaDB', async (t) => {
    const started = await startMariaDb();
    if (started.server === null) {
      t.comment(started.reason);
      return;
    }
    const database = started.server;
    t.teardown(() => database.stop());
    await serveEachOther(t, await database.freshUrl(), await server.freshUrl());
  });
  await t.test('as a source of runs', async (t) => {
    await readAsSource(t, await server.freshUrl());
  });
  await t.test('a wrong secret is refused', async (t) => {
    const url = (await server.freshUrl()).replace('-secret', '-wrong');
    await t.rejects(putFile(url, uuidv7(1), PDF), { message: /403/ });
  });
});

interface Scene {
  readonly s3: FakeS3;
  readonly store: Store;
}

async function setScene(t: Test): Promise<Scene> {
  const s3 = await startFakeS3();
  t.teardown(() => s3.stop());
  const databaseUrl = `sqlite:${join(await temporaryFolder(t), 'db')}`;
  const store = await open(t, { databaseUrl, filesUrl: s3.url, filesTimeoutMs: 2_000 });
  return { s3, store };
}

await tap.test('two instances over our own server', async (t) => {
  for (const keys of [undefined, ENCRYPTED]) {
    const s3 = await startFakeS3();
    t.teardown(() => s3.stop());
    const databaseUrl = `sqlite:${join(await temporaryFolder(t), 'db')}`;
    await serveEachOther(t, databaseUrl, s3.url, keys);
    const left = [...s3.objects.keys()].toSorted();
    const notes = ['.newest-row', '.owner', '.probe'].map((name) => `documents/${name}`);
    t.strictSame(left, notes, 'nothing else is left');
  }
});

await tap.test('requests are repeated after errors and cut answers', async (t) => {
  const { s3, store } = await setScene(t);
  for (const fault of ['error 503', 'cut answer', 'refuse'] as const) {
    s3.fault = fault;
    s3.faults = 2;
    const added = await addDocument(store, PDF);
    t.equal(s3.faults, 0, fault);
    t.ok(PDF.equals(await readAll(store, added.documentId)), fault);
  }
});

await tap.test(
  'while the store is down or silent, work is refused, soon at once; then it recovers',
  async (t) => {
    const { s3, store } = await setScene(t);
    const before = await addDocument(store, PDF);
    for (const fault of ['refuse', 'black hole', 'error 503'] as const) {
      s3.fault = fault;
      s3.faults = Number.POSITIVE_INFINITY;
      const startedAt = performance.now();
      const adds = Array.from({ length: 30 }, () => addDocument(store, PDF));
      for (const result of await Promise.allSettled(adds))
        t.equal(result.status, 'rejected', fault);
      const tookMs = performance.now() - startedAt;
      t.ok(tookMs < 90_000, `${fault}: refused after ${tookMs} ms`);
      await t.rejects(store.documents.open(before, 'through'), { name: 'StorageUnavailable' });
      const asked = s3.requests;
      const askedAt = performance.now();
      if (fault !== 'error 503') {
        await Promise.allSettled(Array.from({ length: 30 }, () => addDocument(store, PDF)));
        // One caller may try every half second.
        const askedMax = 3 + Math.floor((performance.now() - askedAt) / 500);
        t.ok(
          s3.requests - asked <= askedMax,
          `while it is away, one request at a time: ${s3.requests - asked} requests`,
        );
      }
      s3.fault = 'none';
      const stopAt = performance.now() + 60_000;
      let back = false;
      while (!back && performance.now() < stopAt) {
        try {
          t.ok(PDF.equals(await readAll(store, before.documentId)));
          back = true;
        } catch (error) {
          if (!(error instanceof StorageUnavailable)) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      t.ok(back, `${fault}: back without a restart`);
    }
    t.equal((await store.audit.list({ countMax: 1_000 })).length, 1, 'no row without its file');
  },
);

await tap.test('a body that is damaged or cut in transit is never delivered', async (t) => {
  const { s3, store } = await setScene(t);
  const added = await addDocument(store, PDF);
  // The sweep waits until the newest row is noted, whose request would meet the fault.
  await store.documents.sweep(Date.now());
  s3.fault = 'flipped body';
  s3.faults = 1;
  await t.rejects(store.documents.open(added, 'through'), { name: 'StorageUnavailable' });
  t.match(await store.documents.findAny(added.documentId), { damaged: false });
  t.ok(PDF.equals(await readAll(store, added.documentId)), 'the object itself is undamaged');
  s3.fault = 'half body';
  s3.faults = 2;
  t.ok(PDF.equals(await readAll(store, added.documentId)), 'asked for again');
  t.equal(s3.faults, 0);
});

await tap.test('a DELETE without an answer is repeated until the object is gone', async (t) => {
  const { s3, store } = await setScene(t);
  const now = Date.now();
  for (const fault of ['cut answer', 'black hole'] as const) {
    const { documentId } = await addDocument(store, PDF, now - 2 * HOUR);
    s3.fault = fault;
    s3.faults = Number.POSITIVE_INFINITY;
    await store.documents.expire(documentId, now);
    s3.fault = 'none';
    const stopAt = performance.now() + 60_000;
    let expired = 0;
    while (expired === 0 && performance.now() < stopAt) {
      try {
        ({ expired } = await store.documents.sweep(now));
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
      }
    }
    t.equal(expired, 1, fault);
    t.equal([...s3.objects.keys()].filter((name) => name.includes(documentId)).length, 0);
  }
});

await tap.test('a long list of objects is read page by page', async (t) => {
  const s3 = await startFakeS3();
  t.teardown(() => s3.stop());
  const files = new S3Files({ url: s3.url, timeoutMs: 5_000, putsMax: 10 });
  t.teardown(() => files.close());
  for (let index = 0; index < 1_203; index += 1) {
    s3.objects.set(`documents/${uuidv7(index)}.pdf`, { body: PDF, modifiedAtMs: index });
  }
  s3.objects.set('documents/unknown.txt', { body: PDF, modifiedAtMs: 0 });
  let count = 0;
  for await (const entries of files.list()) count += entries.length;
  t.equal(count, 1_203);
});

await tap.test('a write counts as stored only when its ETag or a read agrees', async (t) => {
  const { s3, store } = await setScene(t);
  for (const fault of ['page 200', 'flipped write'] as const) {
    s3.fault = fault;
    s3.faults = Number.POSITIVE_INFINITY;
    await t.rejects(addDocument(store, PDF), { name: 'StorageUnavailable' }, fault);
  }
  s3.fault = 'page 200';
  await t.rejects(store.probe(), { name: 'StorageUnavailable' }, 'the probe reads what it wrote');
  for (const fault of ['no etag', 'other etag'] as const) {
    s3.fault = fault;
    const { documentId } = await addDocument(store, PDF);
    t.ok(PDF.equals(await readAll(store, documentId)), `${fault}: read back and believed`);
  }
});

await tap.test('an answer 404 of a proxy or without a bucket is an outage', async (t) => {
  const { s3, store } = await setScene(t);
  const added = await addDocument(store, PDF);
  for (const fault of ['page 404', 'no such bucket', 'page 200'] as const) {
    s3.fault = fault;
    s3.faults = Number.POSITIVE_INFINITY;
    await t.rejects(readAll(store, added.documentId), { name: 'StorageUnavailable' }, fault);
    const files = new S3Files({ url: s3.url, timeoutMs: 2_000, putsMax: 10 });
    t.teardown(() => files.close());
    await t.rejects(files.readNote('note'), { name: 'StorageUnavailable' }, `${fault}: a note`);
    await t.rejects(files.remove(added.documentId), { name: 'StorageUnavailable' }, 'removal');
    await t.rejects(listAll(files), { name: 'StorageUnavailable' }, 'list');
  }
  s3.fault = 'none';
  t.match(await store.documents.findAny(added.documentId), { damaged: false });
  t.ok(PDF.equals(await readAll(store, added.documentId)), 'the document was never lost');
  s3.objects.delete(`documents/${added.documentId}.pdf`);
  await t.rejects(readAll(store, added.documentId), FileMissing, 'NoSuchKey is a lost file');
});

await tap.test('an answer without end is cut off', async (t) => {
  const { s3, store } = await setScene(t);
  const added = await addDocument(store, PDF);
  const files = new S3Files({ url: s3.url, timeoutMs: 120_000, putsMax: 10 });
  t.teardown(() => files.close());
  s3.fault = 'endless body';
  const startMs = performance.now();
  const before = process.memoryUsage().rss;
  await t.rejects(files.open(added.documentId), { message: /longer than was asked for/ });
  await t.rejects(listAll(files), { name: 'StorageUnavailable' });
  t.ok(performance.now() - startMs < 90_000, 'without waiting for the time limit');
  t.ok(process.memoryUsage().rss - before < 200_000_000, 'without filling memory');
});

await tap.test('a list that repeats a page is an error', async (t) => {
  const { s3, store } = await setScene(t);
  await addDocument(store, PDF);
  s3.fault = 'same page';
  const files = new S3Files({ url: s3.url, timeoutMs: 2_000, putsMax: 10 });
  t.teardown(() => files.close());
  await t.rejects(listAll(files), { message: /same page twice/ });
  t.ok(s3.requests < 20);
});

async function listAll(files: S3Files): Promise<number> {
  let count = 0;
  for await (const entries of files.list()) count += entries.length;
  return count;
}

await tap.test('invalid addresses of object stores are refused', async (t) => {
  for (const url of ['s3://host/bucket', 's3://k:s@host/', 's3://k:s@host/b/../c d']) {
    t.throws(() => new S3Files({ url, timeoutMs: 1, putsMax: 1 }), { name: 'StorageUnavailable' });
  }
});
