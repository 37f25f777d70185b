/**
 * Copies bytes into `to`, from index `at` on. Use it where either memory is shared: there,
 * `Uint8Array.prototype.set` takes ten times as long (8 µs for 33 KB), because it copies word by word
 * in the atomic order of ECMAScript's memory model, while `fill` of a buffer is a `memcpy`. So no other
 * thread may write to either memory meanwhile.
 *
 * @throws RangeError if the bytes reach beyond the buffer of `to`.
 */
export function copyBytes(from: Uint8Array, to: Uint8Array, at: number): void {
  if (from.byteLength === 0) return;
  Buffer.from(to.buffer, to.byteOffset + at, from.byteLength).fill(from);
}
