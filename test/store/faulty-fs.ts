import fsp from 'node:fs/promises';
import type { FileHandle, FileSystem } from '../../src/store/files/disk.ts';

/** A file system whose call number N fails; calls count from 1. */
export interface FaultyFileSystem {
  readonly fileSystem: FileSystem;
  /** The name of the call that failed; null when there were fewer than N calls. */
  failed(): string | null;
}

/**
 * `kind`: only calls of this name count; null: all. `lasting`: every call from number N on fails,
 * as with a disk that is gone; otherwise only that one. A failing write has written half of its
 * bytes, as on a disk that runs full.
 */
export function failNth(
  n: number,
  code: string,
  kind: string | null,
  lasting: boolean,
): FaultyFileSystem {
  let calls = 0;
  let failed: string | null = null;
  const due = (name: string): boolean => {
    if (kind !== null && kind !== name) return false;
    calls += 1;
    if (lasting ? calls < n : calls !== n) return false;
    failed ??= name;
    return true;
  };
  const guard =
    <Args extends unknown[], T>(name: string, call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (due(name)) throw fault(code, name);
      return call(...args);
    };
  const wrap = (handle: FileHandle): FileHandle => {
    const methods = {
      writev: async (pieces: readonly Uint8Array[]) => {
        if (!due('write')) return handle.writev(pieces);
        const bytes = Buffer.concat(pieces);
        await handle.write(bytes, 0, Math.floor(bytes.length / 2));
        throw fault(code, 'write');
      },
      read: guard('read', (buffer: Uint8Array, offset: number, length: number, at: number) =>
        handle.read(buffer, offset, length, at),
      ),
      sync: guard('fsync', () => handle.sync()),
      stat: guard('fstat', () => handle.stat()),
      // A close that fails has closed the file all the same.
      close: async () => {
        await handle.close();
        if (due('close')) throw fault(code, 'close');
      },
    };
    // The store calls no other method of a handle.
    return methods as unknown as FileHandle;
  };
  const fileSystem = {
    open: async (...args: Parameters<FileSystem['open']>) => {
      if (due('open')) throw fault(code, 'open');
      return wrap(await fsp.open(...args));
    },
    mkdir: guard('mkdir', (path: string, options: { mode: number }) => fsp.mkdir(path, options)),
    rename: guard('rename', (from: string, to: string) => fsp.rename(from, to)),
    unlink: guard('unlink', (path: string) => fsp.unlink(path)),
    rmdir: guard('rmdir', (path: string) => fsp.rmdir(path)),
    readdir: guard('readdir', (path: string) => fsp.readdir(path)),
    stat: guard('stat', (path: string) => fsp.stat(path)),
  };
  // node:fs has more overloads; these are all that the store uses.
  return { fileSystem: fileSystem as unknown as FileSystem, failed: () => failed };
}

function fault(code: string, call: string): Error {
  return Object.assign(new Error(`${code}: injected, ${call}`), { code });
}
