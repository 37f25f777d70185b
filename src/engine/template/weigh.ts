import type { FontUse } from '../model/font-use.ts';
import type { Picture } from '../model/letterhead.ts';

/** Measured on the sample templates (3.1 to 3.5): heap for each byte of the file, images apart. */
const HEAP_PER_SOURCE_BYTE = 4;

/** Contract closures, maps and the like, the same for every template. */
const FIXED_BYTES = 64 * 1024;

/** Measured with a few words of Latin: the tables of a font stack and the clusters in them. */
const STACK_BYTES = 1_280 * 1024;

/** The parts of a compiled template beside its nodes. */
interface Holdings {
  readonly images: readonly Picture[];
  readonly fontUses: readonly FontUse[];
}

/**
 * Estimated bytes that a compiled template holds, for the bound of the cache. `assetChars` of the
 * file's bytes are data URLs, whose memory is counted by `images`. Stacks with features count for
 * each template, because it may be the last that holds them.
 */
export function estimateBytes(
  sourceBytes: number,
  assetChars: number,
  { images, fontUses }: Holdings,
): number {
  const imageBytes = images.reduce((sum, image) => sum + bytesOf(image), 0);
  const stacks = new Set(fontUses.map(({ stack }) => stack).filter(({ isFeatured }) => isFeatured));
  const ownBytes = FIXED_BYTES + (sourceBytes - assetChars) * HEAP_PER_SOURCE_BYTE;
  return ownBytes + imageBytes + stacks.size * STACK_BYTES;
}

function bytesOf(image: Picture): number {
  // Pages of one PDF share its bytes: counted for each, to be on the safe side.
  if ('form' in image) return image.file.length;
  return image.data.length + (image.softMask === null ? 0 : bytesOf(image.softMask));
}
