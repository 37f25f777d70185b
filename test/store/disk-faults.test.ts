import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { openStore } from '../../src/store/open.ts';
import { StorageUnavailable, type Store } from '../../src/store/store.ts';
import { type Acknowledged, findViolations, type Place } from '../crash/invariants.ts';
import { temporaryFolder } from './dialects.ts';
import { addDocument, readAll } from './samples.ts';
import { failNth } from './faulty-fs.ts';

const HOUR = 3_600_000;

/** Counts what is refused; anything but StorageUnavailable ends the test. */
async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageUnavailable) return null;
    throw error;
  }
}

/** Adds, reads, expires and sweeps. Returns what was acknowledged and still lives. */
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

async function failEveryCall(t: Test, code: string, lasting: boolean): Promise<void> {
  const kinds = new Set<string>();
  let acknowledged = 0;
  for (let n = 1; n < 500; n += 1) {
    const folder = await temporaryFolder(t);
    const place: Place = { databaseUrl: `sqlite:${join(folder, 'db')}`, folder };
    const faulty = failNth(n, code, lasting);
    const store = await openStore({
      databaseUrl: place.databaseUrl,
      filesUrl: `file:${join(folder, 'files')}`,
      fileSystem: faulty.fileSystem,
      orphanGraceMs: -60_000,
    });
    await store.migrate();
    const living = await workLoad(store);
    await store.close();
    acknowledged += living.length;
    const { violations } = await findViolations(place, living);
    if (violations.length > 0) {
      t.strictSame(violations, [], `call ${n} (${faulty.failed()}) failing with ${code}`);
      return;
    }
    const failed = faulty.failed();
    if (failed === null) {
      t.ok(n > 20, `a run passes clean after ${n - 1} calls have each failed once`);
      t.ok(acknowledged > 0, 'and most work was done in spite of them');
      for (const kind of ['open', 'write', 'fsync', 'rename', 'unlink', 'read', 'readdir']) {
        t.ok(kinds.has(kind), `${kind} was among them`);
      }
      return;
    }
    kinds.add(failed);
  }
  t.fail('no run passed clean');
}

for (const code of ['ENOSPC', 'EIO', 'EROFS']) {
  await tap.test(`${code} on one call`, (t) => failEveryCall(t, code, false));
}
await tap.test('EIO from one call on', (t) => failEveryCall(t, 'EIO', true));
