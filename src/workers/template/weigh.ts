import type { PreparedImage } from '../contract/image.ts';

/** Node objects, styles and paths for a byte of the file, images apart. */
const HEAP_PER_SOURCE_BYTE = 12;

/** Base64 in the file: four characters for three bytes. */
const BASE64_GROWTH = 4 / 3;

/** Contract closures, maps and the like, whatever the template. */
const FIXED_BYTES = 64 * 1024;

/** Estimated bytes that a compiled template holds: for the bound of the cache. */
export function estimateBytes(sourceBytes: number, images: readonly PreparedImage[]): number {
  const imageBytes = images.reduce((sum, image) => sum + bytesOf(image), 0);
  const textBytes = Math.max(0, sourceBytes - imageBytes * BASE64_GROWTH);
  return FIXED_BYTES + textBytes * HEAP_PER_SOURCE_BYTE + imageBytes;
}

function bytesOf({ data, softMask }: PreparedImage): number {
  return data.length + (softMask === null ? 0 : bytesOf(softMask));
}
