import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { uuidv7 } from '../../src/store/ids.ts';
import { openStore } from '../../src/store/open.ts';
import { StorageUnavailable, type Store } from '../../src/store/store.ts';
import { type Acknowledged, findViolations, type Place } from '../crash/invariants.ts';
import { temporaryFolder } from './dialects.ts';
import { addDocument, readAll } from './samples.ts';
import { failNth } from './faulty-fs.ts';

const HOUR = 3_600_000;

/** Resolves to null for refused work; any other error than StorageUnavailable ends the test. */
async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageUnavailable) return null;
    throw error;
  }
}

/** Adds, reads, expires and sweeps. Returns the acknowledged documents that have not expired. */
async function workLoad(store: Store): Promise<Acknowledged[]> {
  const now = Date.now();
  const pdfs = ['%PDF-1', '%PDF-2', '%PDF-3'].map((text) => Buffer.from(text.repeat(2_000)));
  const added = await Promise.all(
    pdfs.map((pdf, index) =>
      attempt(() => addDocument(store, pdf, index === 0 ? now - 2 * HOUR : now)),
    ),
  );
  for (const [index, document] of added.entries()) {
    if (document === null || document.gone) continue;
    const bytes = await attempt(() => readAll(store, document.documentId));
    if (bytes !== null && !pdfs[index]?.equals(bytes)) throw new Error('wrong bytes were read');
  }
  const old = added[0];
  if (old !== null && old !== undefined) {
    await attempt(() => store.documents.expire(old.documentId, now));
  }
  await attempt(() => store.documents.sweep(now));
  await attempt(() => store.probe());
  return added.filter((document) => document !== null).filter((document) => !document.gone);
}

/** Leaves a file without a row, as a crash does; the sweep must find and remove it. */
async function plantOrphan(root: string): Promise<void> {
  const documentId = uuidv7(1_700_000_000_000);
  const folder = join(root, documentId.slice(0, 5), documentId.slice(5, 8));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${documentId}.pdf`), '%PDF');
}

const settingsOf = (folder: string) => ({
  databaseUrl: `sqlite:${join(folder, 'db')}`,
  filesUrl: `file:${join(folder, 'files')}`,
  orphanGraceMs: -60_000,
});

/**
 * What an earlier start has left, copied for each failing call: the schema, and whose the files are;
 * the planted one is nobody's to a first start.
 */
const started = await temporaryFolder(tap);
const first = await openStore(settingsOf(started));
await first.migrate();
await first.close();

/**
 * Fails the first call, then the second, … until no call is left to fail. Returns how many failed.
 */
async function failEveryCall(
  t: Test,
  code: string,
  kind: string | null,
  lasting: boolean,
): Promise<number> {
  for (let n = 1; n < 500; n += 1) {
    const folder = await temporaryFolder(t);
    const place: Place = { databaseUrl: settingsOf(folder).databaseUrl, folder };
    const faulty = failNth(n, code, kind, lasting);
    await cp(started, folder, { recursive: true });
    const settings = settingsOf(folder);
    const store = await openStore({ ...settings, fileSystem: faulty.fileSystem });
    await store.migrate();
    await plantOrphan(join(folder, 'files'));
    const living = await workLoad(store);
    await store.close();
    const { violations } = await findViolations(place, living);
    t.strictSame(violations, [], `${faulty.failed() ?? 'no call'} (number ${n}) failing: ${code}`);
    if (faulty.failed() !== null) continue;
    t.equal(living.length, 2, 'a run passes clean');
    return n - 1;
  }
  throw new Error('no run passed clean');
}

const FAULTS = {
  EIO: ['open', 'write', 'fsync', 'close', 'rename', 'unlink', 'read', 'readdir', 'stat', 'fstat'],
  // Close, too: file systems that allocate late (NFS, quotas) report a full disk there.
  ENOSPC: ['mkdir', 'open', 'write', 'fsync', 'close', 'rename'],
  EROFS: ['mkdir', 'open', 'rename', 'unlink'],
} as const;

for (const [code, kinds] of Object.entries(FAULTS)) {
  for (const kind of kinds) {
    await tap.test(`${code} on each ${kind}`, async (t) => {
      t.ok((await failEveryCall(t, code, kind, false)) > 0, 'the work makes such calls');
    });
  }
}
await tap.test('EIO on one call and every call after it', async (t) => {
  t.ok((await failEveryCall(t, 'EIO', null, true)) > 20, 'each call was the first to fail once');
});
