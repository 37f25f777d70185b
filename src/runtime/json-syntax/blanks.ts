/** Bytes between two places where long work may pause: well under a millisecond. */
export const STRIDE_BYTES = 64 * 1024;

/** The offset of the next byte that is not white space, or of the end. */
export function skipBlanks(body: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = body[at];
    if (byte === undefined || byte > 0x20) return at;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}
