import t from 'tap';
import { StorageUnavailable } from '../terms.ts';
import { writeAll } from './write-all.ts';

const CALL_BYTES_MAX = 512 * 1024;

/** A disk that takes at most `bytesMax` bytes of each call. */
function diskOf(bytesMax: number) {
  const written: Buffer[] = [];
  const calls: number[] = [];
  const writev = async (pieces: readonly Uint8Array[]) => {
    const taken = Buffer.concat(pieces).subarray(0, bytesMax);
    calls.push(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
    written.push(Buffer.from(taken));
    return { bytesWritten: taken.byteLength };
  };
  return { handle: { writev }, calls, bytes: () => Buffer.concat(written) };
}

/** Pieces of the given sizes; no two bytes beside each other are equal. */
function piecesOf(...sizes: readonly number[]): readonly Uint8Array[] {
  let next = 0;
  return sizes.map((size) => Uint8Array.from({ length: size }, () => next++ % 251));
}

t.test('many small pieces take one call', async (t) => {
  const disk = diskOf(Infinity);
  const pieces = piecesOf(10, 0, 300, 1, 5_000);
  await writeAll(disk.handle, pieces);
  t.strictSame(disk.calls, [5_311]);
  t.ok(disk.bytes().equals(Buffer.concat(pieces)));
});

t.test('no call has more than half a megabyte, however large the pieces are', async (t) => {
  const disk = diskOf(Infinity);
  const pieces = piecesOf(700_000, 700_000, 2_500_000, 3);
  await writeAll(disk.handle, pieces);
  const full = Array.from({ length: 7 }, () => CALL_BYTES_MAX);
  t.strictSame(disk.calls, [...full, 229_987]);
  t.ok(disk.bytes().equals(Buffer.concat(pieces)));
});

t.test('what the disk did not take is written next', async (t) => {
  const disk = diskOf(100_000);
  const pieces = piecesOf(30_000, 250_000, 1_000_000);
  await writeAll(disk.handle, pieces);
  t.equal(disk.calls.length, 13);
  t.ok(disk.bytes().equals(Buffer.concat(pieces)));
});

t.test('a disk that takes nothing is a failure, and no bytes need no call', async (t) => {
  const disk = diskOf(0);
  await t.rejects(writeAll(disk.handle, piecesOf(1)), StorageUnavailable);
  await writeAll(disk.handle, piecesOf(0));
  t.equal(disk.calls.length, 1);
});
