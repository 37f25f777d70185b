import {
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from './dialects.ts';
import { addDocument } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');
const HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4_096;
const DOCUMENTS = 4;

/** What a killed service has left; `bytesBeforeLast`: of the log, before the last document. */
interface Killed {
  readonly folder: string;
  readonly documentIds: readonly string[];
  readonly bytesBeforeLast: number;
}

async function open(folder: string, said: string[] = []): Promise<Store> {
  const store = await openStore({
    databaseUrl: `sqlite:${join(folder, 'db')}`,
    filesUrl: `file:${join(folder, 'files')}`,
    orphanGraceMs: -60_000,
    warn: (message) => said.push(message),
  });
  await store.migrate();
  return store;
}

/** Waits until the mark is of the whole log, which was never begun anew. */
async function marked(folder: string): Promise<void> {
  for (;;) {
    const frames = (statSync(join(folder, 'db-wal')).size - HEADER_BYTES) / FRAME_BYTES;
    try {
      if (Number(readFileSync(join(folder, 'db-mark'), 'utf8').split(' ')[1]) === frames) return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
    await pause(10);
  }
}

/** A copy of a folder while its service works is what a kill leaves; SQLite makes `-shm` anew. */
function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, filter: isKept });
}

/** Documents lie in the log alone, the schema in the database. */
async function kill(folder: string): Promise<Killed> {
  const living = join(folder, 'living');
  await (await open(living)).close();
  const store = await open(living);
  const documentIds: string[] = [];
  let bytesBeforeLast = 0;
  for (let index = 0; index < DOCUMENTS; index += 1) {
    bytesBeforeLast = statSync(join(living, 'db-wal')).size;
    documentIds.push((await addDocument(store, PDF)).documentId);
  }
  await marked(living);
  const killed = join(folder, 'killed');
  copy(living, killed);
  await store.close();
  return { folder: killed, documentIds, bytesBeforeLast };
}

function isKept(path: string): boolean {
  return !path.endsWith('-shm');
}

async function expectLoss(t: Test, { folder, documentIds }: Killed): Promise<void> {
  const said: string[] = [];
  const store = await open(folder, said);
  t.match(said, [/log of writes .* damaged or removed.*--accept-older-database/]);
  t.match(store.figures().fileWarnings, [/log of writes/]);
  t.equal(await store.documents.findAny(documentIds.at(-1) ?? ''), null, 'SQLite dropped the row');
  await addDocument(store, PDF);
  t.match(await store.documents.sweep(Date.now()), { orphans: 0 }, 'its file stays');
  await store.close();
  const again = await open(folder);
  t.match(again.figures().fileWarnings, [/log of writes/], 'after a restart, too');
  t.match(await again.documents.sweep(Date.now()), { orphans: 0 });
  await again.acceptOlderDatabase();
  t.strictSame(again.figures().fileWarnings, []);
  t.not((await again.documents.sweep(Date.now())).orphans, 0, 'until somebody accepts the loss');
  await again.close();
}

async function expectNothing(
  t: Test,
  { folder, documentIds }: Killed,
  count: number,
): Promise<void> {
  const said: string[] = [];
  const store = await open(folder, said);
  t.strictSame(said, []);
  t.strictSame(store.figures().fileWarnings, []);
  const found = await Promise.all(documentIds.map((id) => store.documents.findAny(id)));
  t.equal(found.filter((document) => document !== null).length, count);
  await store.close();
  const again = await open(folder, said);
  t.strictSame(said, [], 'nor after it was closed in order');
  await again.close();
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 16;
  writeFileSync(path, bytes);
}

const base = await kill(await temporaryFolder(t));

async function copyOf(t: Test): Promise<Killed> {
  const folder = join(await temporaryFolder(t), 'copy');
  copy(base.folder, folder);
  return { ...base, folder };
}

await t.test('the log of a killed service is whole', async (t) => {
  await expectNothing(t, await copyOf(t), DOCUMENTS);
});

await t.test('a transaction that was being written is not missed', async (t) => {
  const killed = await copyOf(t);
  // As a power cut does: the log lacks a part of what was not synced, and the mark is older.
  rmSync(join(killed.folder, 'db-mark'));
  const log = join(killed.folder, 'db-wal');
  const bytes = readFileSync(log);
  bytes.fill(0, killed.bytesBeforeLast, killed.bytesBeforeLast + 100);
  writeFileSync(log, bytes);
  await expectNothing(t, killed, DOCUMENTS - 1);
});

await t.test('frames behind a damaged one show that it was synced', async (t) => {
  for (const byte of [10, 18, 1_000]) {
    const killed = await copyOf(t);
    rmSync(join(killed.folder, 'db-mark'));
    flip(join(killed.folder, 'db-wal'), HEADER_BYTES + FRAME_BYTES + byte);
    await expectLoss(t, killed);
  }
});

await t.test('a damaged header of the log is found', async (t) => {
  // Magic, salt, checksum.
  for (const at of [0, 17, 30]) {
    const killed = await copyOf(t);
    flip(join(killed.folder, 'db-wal'), at);
    await expectLoss(t, killed);
  }
});

await t.test('the mark shows that the last transaction was acknowledged', async (t) => {
  const damaged = await copyOf(t);
  flip(join(damaged.folder, 'db-wal'), damaged.bytesBeforeLast + 2_000);
  await expectLoss(t, damaged);
  const cut = await copyOf(t);
  truncateSync(join(cut.folder, 'db-wal'), cut.bytesBeforeLast);
  await expectLoss(t, cut);
  const emptied = await copyOf(t);
  truncateSync(join(emptied.folder, 'db-wal'), 0);
  await expectLoss(t, emptied);
  const removed = await copyOf(t);
  rmSync(join(removed.folder, 'db-wal'));
  await expectLoss(t, removed);
});

await t.test('another program may copy the log into the database', async (t) => {
  const killed = await copyOf(t);
  const program = new DatabaseSync(join(killed.folder, 'db'), { timeout: 60_000 });
  program.exec('select count(*) from documents');
  program.close();
  t.equal(existsSync(join(killed.folder, 'db-wal')), false);
  await expectNothing(t, killed, DOCUMENTS);
});

await t.test('a command does not take the log of a working service for damaged', async (t) => {
  const { folder } = await copyOf(t);
  const service = await open(folder);
  await addDocument(service, PDF);
  flip(join(folder, 'db-wal'), HEADER_BYTES + 100);
  const said: string[] = [];
  const command = await open(folder, said);
  t.strictSame(said, []);
  await command.close();
  await service.close();
});
