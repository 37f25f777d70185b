/**
 * Frees the memory of bytes that nobody reads any more; they are empty afterwards. Left to the
 * collector, documents on their way through make it mark the whole heap several times a second, and
 * large ones stay for seconds. Bytes that share their buffer with others are left alone.
 */
export function giveBack(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
}
