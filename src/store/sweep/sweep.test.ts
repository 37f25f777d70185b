import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { atSomePace } from '../../../lab/pace.ts';
import { SteadyClock, SYSTEM_CLOCK } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { FileEntry, FileStore } from '../files/files.ts';
import { uuidv7 } from '../ids.ts';
import { StorageUnavailable } from '../terms.ts';
import type { FilesOwner } from './files-owner.ts';
import type { OlderDatabase } from './older-database.ts';
import { Sweep } from './sweep.ts';

/** A database that was never older than its files. */
const NO_AGE = {
  keeps: () => false,
  noteNewest: () => Promise.resolve(),
} as unknown as OlderDatabase; // The sweep uses only these members.
const OWNER = {
  demand: () => Promise.resolve(),
  isOwn: true,
} as unknown as FilesOwner; // The sweep uses only these members.
const FILES = 1_000;

const done = (): Promise<void> => Promise.resolve();
const names = { forget: done, forgetOne: done };

interface Scene {
  readonly sweep: Sweep;
  /** Number of queries to the database. */
  asked: number;
  /** How often all files were listed. */
  listed: number;
}

/** A sweep over one list of new files without rows. Each query blocks the thread for `askMs`. */
function sceneOf(askMs: number, listMs = 0): Scene {
  const documentIds = Array.from({ length: FILES }, () => uuidv7(Date.now()));
  const entries = documentIds.map((documentId): FileEntry => ({
    documentId,
    kind: 'document',
    name: `${documentId}.pdf`,
    temporary: false,
  }));
  const files: Pick<FileStore, 'list' | 'modifiedAtMs'> = {
    async *list() {
      scene.listed += 1;
      await pause(listMs);
      yield entries;
    },
    modifiedAtMs: () => Promise.resolve(null),
  };
  const read = async (): Promise<readonly never[]> => {
    scene.asked += 1;
    const endMs = performance.now() + askMs;
    while (performance.now() < endMs);
    return [];
  };
  const database = {
    read,
    readUncompared: read,
    write: () => Promise.resolve({ numUpdatedRows: 0n }),
  };
  const settings = { graceMs: 60_000, warn: () => undefined, age: NO_AGE, owner: OWNER, names };
  // The sweep uses only these members of the two.
  const sweep = new Sweep(
    database as unknown as Database,
    files as FileStore,
    new SteadyClock(SYSTEM_CLOCK),
    settings,
  );
  const scene: Scene = { sweep, asked: 0, listed: 0 };
  return scene;
}

t.test('a search through many files pauses for requests', async (t) => {
  const scene = sceneOf(3);
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await scene.sweep.run(Date.now());
  isOver = true;
  t.ok(scene.asked > FILES / 100, `${scene.asked} questions`);
  t.ok(turns > scene.asked / 2, `${turns} turns of the event loop`);
});

t.test('a long search for orphans is not repeated at once', async (t) => {
  const slow = sceneOf(0, 1_100);
  await slow.sweep.run(Date.now());
  await slow.sweep.run(Date.now());
  t.equal(slow.listed, 1);
  // A stall of the machine can make a quick search slow.
  await atSomePace(t, async () => {
    const quick = sceneOf(0);
    await quick.sweep.run(Date.now());
    await quick.sweep.run(Date.now());
    return quick.listed === 2 ? '' : `listed ${quick.listed} times, not twice`;
  });
});

const wrote = (): Promise<unknown> => Promise.resolve({ numUpdatedRows: 0n });
const away = (): Promise<never> => Promise.reject(new StorageUnavailable('away'));
const hung = (): Promise<never> => new Promise(() => undefined);

/** A sweep over an expired document, with the test's `write` and `remove`. */
function expiring(write: () => Promise<unknown>, remove: () => Promise<void>): Sweep {
  const row = { state: 0, expires_at_ms: 0, pack_id: null };
  const database = { read: () => Promise.resolve(row), write };
  const settings = { graceMs: 60_000, warn: () => undefined, age: NO_AGE, owner: OWNER, names };
  // Destroying it uses only these members of the two.
  return new Sweep(
    database as unknown as Database,
    { remove } as unknown as FileStore,
    new SteadyClock(SYSTEM_CLOCK),
    settings,
  );
}

t.test('destroying an expired document neither fails its caller nor delays it long', async (t) => {
  for (const [write, remove] of [
    [away, done],
    [wrote, away],
    [wrote, hung],
    [hung, done],
  ] as const) {
    const startMs = performance.now();
    await expiring(write, remove).expire(uuidv7(0), Date.now());
    const tookMs = performance.now() - startMs;
    t.ok(tookMs < 30_000, `${tookMs} ms`);
  }
});
