import t from 'tap';
import type { Database } from '../database/database.ts';
import type { FileStore } from '../files/files.ts';
import { StillWriting, StorageUnavailable } from '../terms.ts';
import type { KeyRing } from './key-ring.ts';
import { KEY_BYTES } from './segments.ts';
import { Vault } from './vault.ts';

const PACK_BYTES = 2 * 1024 * 1024;
const DATABASE = { write: async () => undefined } as unknown as Database;
const RING = {
  ids: ['k'],
  newFileKey: () => ({ key: Buffer.alloc(KEY_BYTES, 1), wrapped: Buffer.of(1), keyId: 'k' }),
} as unknown as KeyRing;

/** Stores two files of `bytes` bytes; returns the number of memories that they were in. */
async function memoriesOf(bytes: number, failure: Error | null): Promise<number> {
  const memories = new Set<ArrayBufferLike>();
  const put = async (_id: string, stored: Uint8Array): Promise<void> => {
    memories.add(stored.buffer);
    if (failure !== null) throw failure;
  };
  const vault = new Vault({ put } as unknown as FileStore, DATABASE, RING, () => 0);
  for (const id of ['a', 'b']) {
    try {
      await vault.put(id.padEnd(36, '0'), new Uint8Array(bytes), 'run');
    } catch (error) {
      if (error !== failure) throw error;
    }
  }
  return memories.size;
}

t.test('packs are encrypted into the same memory, also while the disk is full', async (t) => {
  t.equal(await memoriesOf(PACK_BYTES, null), 1);
  t.equal(await memoriesOf(PACK_BYTES, new StorageUnavailable('the disk is full')), 1);
});

t.test('not into memory that a disk may still read, nor are small files', async (t) => {
  t.equal(await memoriesOf(PACK_BYTES, new StillWriting('the disk hangs')), 2);
  t.equal(await memoriesOf(1_000, null), 2);
});
