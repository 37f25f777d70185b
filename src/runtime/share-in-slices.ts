import { TimeSlice } from './time-slice.ts';

/** Bytes copied before the time slice is checked again: 0.6 ms where fresh memory is dearest. */
const STEP_BYTES = 128 * 1024;

/**
 * Copies bytes into shared memory in time slices: the first use of 8 MB of memory alone takes 2 to
 * 40 ms, depending on the machine. Bytes that are in shared memory are not copied.
 */
export async function shareInSlices(bytes: Uint8Array): Promise<SharedArrayBuffer> {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof SharedArrayBuffer && buffer.byteLength === byteLength) return buffer;
  const shared = new SharedArrayBuffer(byteLength);
  const copy = new Uint8Array(shared);
  const slice = new TimeSlice();
  for (let at = 0; at < byteLength; at += STEP_BYTES) {
    if (slice.isOver) await slice.next();
    copy.set(bytes.subarray(at, at + STEP_BYTES), at);
  }
  return shared;
}
