/**
 * Frees the memory of bytes at once; they are empty afterwards. Bytes that are only a part of their
 * buffer are left alone. Without this, documents on their way through the service would cause
 * several full garbage collections per second, and large ones would stay in memory for seconds.
 */
export function releaseBuffer(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength === 0 || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
