import { StorageUnavailable } from '../terms.ts';

/** The part of a file handle that writes. */
interface Writer {
  writev(
    pieces: readonly Uint8Array[],
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
}

/**
 * Bytes of one call. Linux caches longer writes in larger blocks of memory. On a virtual machine that
 * gives free memory back to its host, these are the blocks that the host has to supply first: there, a
 * call of 1 MB took 2.5 ms and one of 512 KB 0.1 ms.
 */
const CALL_BYTES_MAX = 512 * 1024;

/**
 * Writes the pieces one after the other, in as few calls as their size and the disk allow. The file
 * has their first `written` bytes already. Throws `StorageUnavailable` if the disk takes nothing.
 */
export async function writeAll(
  handle: Writer,
  pieces: readonly Uint8Array[],
  written = 0,
): Promise<void> {
  const filled = pieces.filter(({ byteLength }) => byteLength > 0);
  let rest = after(filled, written);
  let position = written;
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev(first(rest, CALL_BYTES_MAX), position);
    // Without this check a write of 0 bytes would loop for ever.
    if (bytesWritten === 0) throw new StorageUnavailable('the disk took no bytes');
    rest = after(rest, bytesWritten);
    position += bytesWritten;
  }
}

/** The first `bytesMax` bytes of the pieces. */
function first(pieces: readonly Uint8Array[], bytesMax: number): readonly Uint8Array[] {
  const taken: Uint8Array[] = [];
  let left = bytesMax;
  for (const piece of pieces) {
    if (left === 0) break;
    const part = piece.subarray(0, left);
    taken.push(part);
    left -= part.byteLength;
  }
  return taken;
}

/** The pieces without their first `count` bytes. */
function after(pieces: readonly Uint8Array[], count: number): Uint8Array[] {
  let taken = 0;
  let index = 0;
  for (const { byteLength } of pieces) {
    if (taken + byteLength > count) break;
    taken += byteLength;
    index += 1;
  }
  const [next, ...others] = pieces.slice(index);
  return next === undefined ? [] : [next.subarray(count - taken), ...others];
}
