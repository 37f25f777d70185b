import type { Hash } from 'node:crypto';
import { TimeSlice } from './time-slice.ts';

/** Bytes hashed before the time slice is checked again; they take tens of µs. */
const STEP_BYTES = 64 * 1024;

/** Hashes in time slices, so that a long piece does not block the event loop. */
export async function hashInSlices(hash: Hash, piece: Uint8Array): Promise<void> {
  if (piece.byteLength <= STEP_BYTES) {
    hash.update(piece);
    return;
  }
  const slice = new TimeSlice();
  for (let at = 0; at < piece.byteLength; at += STEP_BYTES) {
    if (slice.isOver) await slice.next();
    hash.update(piece.subarray(at, at + STEP_BYTES));
  }
}
