import fsp from 'node:fs/promises';
import type { FileHandle, FileSystem } from '../../src/store/files/disk.ts';

/**
 * - `flipped read`: one bit of what is read is wrong.
 * - `short write`: half of the bytes are written, all are acknowledged.
 * - `torn write`: the second half is written as zeros, all are acknowledged.
 */
export type Lie = 'flipped read' | 'short write' | 'torn write';

/**
 * A file system that misbehaves once in this way: at the first read, or write, of a document. The
 * store's own notes are shorter.
 */
export function lieOnce(lie: Lie): FileSystem {
  let told = false;
  const isDue = (name: Lie, length: number): boolean => {
    if (told || lie !== name || length <= 500) return false;
    told = true;
    return true;
  };
  const wrap = (handle: FileHandle): FileHandle => {
    const methods = {
      read: async (buffer: Uint8Array, offset: number, length: number, at: number) => {
        const result = await handle.read(buffer, offset, length, at);
        if (isDue('flipped read', result.bytesRead)) {
          buffer[offset + 50] = (buffer[offset + 50] ?? 0) ^ 1;
        }
        return result;
      },
      writev: async (pieces: readonly Uint8Array[]) => {
        const bytes = Buffer.concat(pieces);
        const half = Math.floor(bytes.length / 2);
        if (isDue('short write', bytes.length)) await handle.write(bytes, 0, half);
        else if (isDue('torn write', bytes.length)) {
          await handle.write(bytes, 0, half);
          await handle.write(Buffer.alloc(bytes.length - half));
        } else return handle.writev(pieces);
        return { bytesWritten: bytes.length, buffers: pieces };
      },
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
