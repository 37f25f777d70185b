/**
 * Frees the memory of bytes that are no longer needed; they are empty afterwards. Left to the
 * garbage collector, passing documents would cause several full collections per second, and large
 * ones would stay for seconds. Bytes that share a buffer are not freed.
 */
export function releaseBuffer(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength === 0 || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
