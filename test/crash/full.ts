/**
 * A disk that fills up: `node test/crash/full.ts`, as root. Database and files lie on a file system
 * of 8 MB in memory. Documents are added until it is full, then room is made, then more are added.
 * Prints one line; exits 1 when an invariant was violated or the store did not recover.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/open.ts';
import { type DocumentRecord, StorageUnavailable, type Store } from '../../src/store/store.ts';
import { addDocument } from '../store/samples.ts';
import { findViolations } from './invariants.ts';

const ROUNDS = 5;
const BALLAST_BYTES = 1_000_000;

/** Adds documents of all sizes until one is refused. */
async function fill(store: Store): Promise<DocumentRecord[]> {
  const added: DocumentRecord[] = [];
  for (let refused = 0; refused < 20;) {
    try {
      added.push(await addDocument(store, randomBytes(500 + Math.random() * 60_000)));
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      refused += 1;
    }
  }
  return added;
}

const folder = await mkdtemp(join(tmpdir(), 'intaglio-full-'));
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8M', 'intaglio', folder]);
try {
  const place = { databaseUrl: `sqlite:${join(folder, 'db')}`, folder };
  const filesUrl = `file:${join(folder, 'files')}`;
  const ballast = (index: number): string => join(folder, `ballast-${index}`);
  for (let index = 0; index < ROUNDS; index += 1) {
    await writeFile(ballast(index), Buffer.alloc(BALLAST_BYTES, 1));
  }
  const store = await openStore({ databaseUrl: place.databaseUrl, filesUrl });
  await store.migrate();
  const all = await fill(store);
  const counts = [all.length];
  for (let index = 0; index < ROUNDS; index += 1) {
    await rm(ballast(index));
    const more = await fill(store);
    counts.push(more.length);
    all.push(...more);
  }
  await store.close();
  const { violations, orphans } = await findViolations(place, all);
  const whole = violations.length === 0 && counts.every((count) => count > 0);
  process.stdout.write(
    `full disk: ${counts.join(' + ')} acknowledged between refusals, ${orphans} orphans swept\n`,
  );
  if (violations.length > 0) process.stdout.write(`${violations.join('\n')}\n`);
  process.exitCode = whole ? 0 : 1;
} finally {
  execFileSync('umount', [folder]);
  await rm(folder, { recursive: true, force: true });
}
