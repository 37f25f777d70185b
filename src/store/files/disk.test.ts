import fsp, { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { uuidv7 } from '../ids.ts';
import { DiskFiles, type FileHandle, type FileSystem } from './disk.ts';

const ID = uuidv7(1_700_000_000_000);
const PIECES = ['one', '', 'three', 'seventeen characters', 'x'].map((text) => Buffer.from(text));

/** A disk that takes up to `bytesMax` bytes a call. */
function slowDisk(bytesMax: number): FileSystem {
  const wrap = (handle: FileHandle): FileHandle => {
    const methods = {
      writev: async (pieces: readonly Uint8Array[]) => {
        const { bytesWritten } = await handle.write(Buffer.concat(pieces).subarray(0, bytesMax));
        return { bytesWritten, buffers: pieces };
      },
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
    // The store calls no other method of a handle that it writes.
    return methods as unknown as FileHandle;
  };
  const open = async (...args: Parameters<FileSystem['open']>): Promise<FileHandle> =>
    wrap(await fsp.open(...args));
  return { ...fsp, open };
}

/** Writes the pieces to this disk; returns the content of the file. */
async function written(t: Test, disk: FileSystem): Promise<string> {
  const root = t.testdir();
  await new DiskFiles({ root, timeoutMs: 60_000, putsMax: 1 }, disk).put(ID, PIECES);
  const names = await readdir(root, { recursive: true });
  const name = names.find((each) => each.endsWith('.pdf')) ?? '';
  return readFile(join(root, name), 'utf8');
}

const WHOLE = 'onethreeseventeen charactersx';

await t.test('pieces are written one behind the other', async (t) => {
  t.equal(await written(t, fsp), WHOLE);
});

for (const bytesMax of [1, 3, 4, 8, 28, 29]) {
  await t.test(`to a disk that takes ${bytesMax} bytes at a time, too`, async (t) => {
    t.equal(await written(t, slowDisk(bytesMax)), WHOLE);
  });
}

await t.test('a disk that takes nothing is refused', async (t) => {
  await t.rejects(written(t, slowDisk(0)), { message: 'the disk took no bytes' });
});
