import fsp from 'node:fs/promises';
import { join } from 'node:path';
import type { FileSystem } from '../../src/store/files/disk.ts';
import { openStore } from '../../src/store/open.ts';
import { StorageUnavailable } from '../../src/store/store.ts';
import { findViolations } from '../crash/invariants.ts';
import { overDialects } from './dialects.ts';
import { addDocument, newAudit, newDocument } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');
/** Longer than a busy machine stands still: only a hung disk exceeds it. */
const FILES_MS_MAX = 2_500;

/** The real file system; `act` runs before each fsync of a file. */
function beforeFileSync(act: () => Promise<void>): FileSystem {
  const open = async (...args: Parameters<FileSystem['open']>) => {
    const handle = await fsp.open(...args);
    if (args[1] !== 'wx') return handle;
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      await act();
      await sync();
    };
    return handle;
  };
  return { ...fsp, open };
}

/** The real file system; `act` runs before each fsync of a folder. */
function beforeFolderSync(act: (folder: string) => Promise<void>): FileSystem {
  const open = async (...args: Parameters<FileSystem['open']>) => {
    if (args[1] !== 'wx') await act(String(args[0]));
    return fsp.open(...args);
  };
  return { ...fsp, open };
}

await overDialects('races', async (t, newPlace) => {
  await t.test(
    'a document whose file is swept before its row is written is not acknowledged',
    async (t) => {
      const place = await newPlace();
      const sweeper = await place.open(t, { orphanGraceMs: -60_000 });
      let swept = 0;
      const fileSystem = beforeFolderSync(async (folder) => {
        // Only at the fsync after the rename: then the file exists, but its row does not.
        const names = await fsp.readdir(folder);
        if (!names.some((name) => name.endsWith('.pdf'))) return;
        swept += (await sweeper.documents.sweep(Date.now())).orphans;
      });
      const store = await place.open(t, { fileSystem });
      const error: unknown = await addDocument(store, PDF).catch((thrown: unknown) => thrown);
      t.equal(swept, 1, 'the sweep came in between');
      t.ok(error instanceof Error, 'it was not acknowledged');
      const { violations, documents } = await findViolations(place, []);
      t.strictSame({ violations, documents }, { violations: [], documents: 0 });
    },
  );

  await t.test('while a disk hangs, work is refused, not queued; then it goes on', async (t) => {
    const place = await newPlace();
    let hang: Promise<void> | null = null;
    const fileSystem = beforeFileSync(() => hang ?? Promise.resolve());
    const store = await place.open(t, { fileSystem, filesTimeoutMs: FILES_MS_MAX });
    const before = await addDocument(store, PDF);
    const released = Promise.withResolvers<void>();
    hang = released.promise;
    const adds = Array.from({ length: 20 }, () => addDocument(store, PDF));
    for (const result of await Promise.allSettled(adds)) t.equal(result.status, 'rejected');
    let bestMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 5; tries += 1) {
      const startedAt = performance.now();
      await t.rejects(addDocument(store, PDF), { name: 'StorageUnavailable' });
      bestMs = Math.min(bestMs, performance.now() - startedAt);
    }
    t.ok(bestMs < FILES_MS_MAX / 2, `later callers need not wait: ${bestMs} ms at best`);
    t.match(await store.documents.findAny(before.documentId), { gone: false }, 'rows are served');
    hang = null;
    released.resolve();
    let after = null;
    while (after === null) {
      try {
        after = await addDocument(store, PDF);
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    const { violations, documents } = await findViolations(place, [before, after]);
    t.strictSame({ violations, documents }, { violations: [], documents: 2 });
  });

  await t.test('requests with one key over two instances make one document', async (t) => {
    const place = await newPlace();
    const stores = [await place.open(t), await place.open(t)] as const;
    const now = Date.now();
    for (let round = 0; round < 5; round += 1) {
      const claim = { teamId: 'bank', key: `key ${round}`, bodyHash: 'same' };
      const run = async (store: (typeof stores)[number]): Promise<string> => {
        for (;;) {
          const state = await store.idempotency.claim(claim, now);
          if (state.state === 'done') return state.documentId;
          if (state.state === 'claimed') {
            const document = newDocument(PDF);
            const added = await store.documents.add(document, PDF, (id) => newAudit(id), claim);
            return added.documentId;
          }
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const ids = await Promise.all(
        [0, 1, 0, 1, 0, 1].map((index) => run(stores[index === 0 ? 0 : 1])),
      );
      t.equal(new Set(ids).size, 1);
    }
    t.equal((await stores[0].audit.list({ countMax: 100 })).length, 5);
  });

  await t.test('closing waits for work that was begun', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const other = await openStore({
      databaseUrl: place.databaseUrl,
      filesUrl: `file:${join(place.folder, 'files')}`,
    });
    const adds = Promise.allSettled(Array.from({ length: 30 }, () => addDocument(other, PDF)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await other.close();
    const added = [];
    for (const result of await adds) if (result.status === 'fulfilled') added.push(result.value);
    t.strictSame((await findViolations(place, added)).violations, []);
    t.ok((await store.audit.list({ countMax: 100 })).length >= added.length);
  });
});
