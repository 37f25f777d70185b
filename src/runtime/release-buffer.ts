/**
 * Frees the memory of bytes that nobody reads any more; they are empty afterwards. If the garbage
 * collector had to free them, documents passing through would make it mark the whole heap several
 * times a second, and large ones would stay for seconds. Bytes that share a buffer are left alone.
 */
export function releaseBuffer(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength === 0 || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
