/**
 * Frees the memory of bytes that nobody reads any more; they are empty afterwards. Left to the
 * collector, documents on their way through make it mark the whole heap several times a second, and
 * large ones stay for seconds. Bytes that share their buffer with others are left alone.
 */
export function giveBack(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength === 0 || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
