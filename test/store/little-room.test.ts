import fsp from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { FileHandle, FileSystem } from '../../src/store/files/disk.ts';
import { openStore } from '../../src/store/open.ts';
import { temporaryFolder } from './dialects.ts';
import { addDocument } from './samples.ts';

const DOCUMENT_BYTES = 40_000;

/** A disk on which a file of up to `roomBytes` can still be written. */
function littleRoom(roomBytes: () => number): FileSystem {
  const wrap = (handle: FileHandle): FileHandle => {
    let written = 0;
    const methods = {
      writev: async (pieces: readonly Uint8Array[]) => {
        for (const { byteLength } of pieces) written += byteLength;
        if (written > roomBytes()) {
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        }
        return handle.writev(pieces);
      },
      read: (buffer: Uint8Array, offset: number, length: number, at: number) =>
        handle.read(buffer, offset, length, at),
      sync: () => handle.sync(),
      stat: () => handle.stat(),
      close: () => handle.close(),
    };
    // The store calls no other method of a handle.
    return methods as unknown as FileHandle;
  };
  const open = async (...args: Parameters<FileSystem['open']>): Promise<FileHandle> =>
    wrap(await fsp.open(...args));
  return { ...fsp, open };
}

await t.test('a disk with less room than a document needs is not ready', async (t) => {
  const folder = await temporaryFolder(t);
  let roomBytes = 30_000;
  let nowMs = 1_000;
  const store = await openStore({
    databaseUrl: `sqlite:${join(folder, 'db')}`,
    filesUrl: `file:${join(folder, 'files')}`,
    fileSystem: littleRoom(() => roomBytes),
    clock: { wallMs: () => Date.now(), monotonicMs: () => nowMs },
  });
  t.teardown(() => store.close());
  await store.migrate();
  const full = { name: 'StorageUnavailable', message: /full/ };
  await t.rejects(addDocument(store, Buffer.alloc(DOCUMENT_BYTES)), full);
  await t.rejects(store.probe(), full);
  roomBytes = 100_000;
  // A probe's result is kept for a second.
  nowMs += 2_000;
  await t.resolves(store.probe());
  await t.resolves(addDocument(store, Buffer.alloc(DOCUMENT_BYTES)));
});
