import sharp from 'sharp';
import type { Test } from 'tap';

/**
 * Pixels differ when their grey values are this far apart (of 255); pages differ when this share of
 * their pixels does.
 */
const PIXEL_DIFFERENCE = 64;
const SHARE_MAX = 0.002;

/** Compares two PNGs in grey; renderers may differ at the edges of letters. */
export async function expectSamePicture(
  t: Test,
  actual: Uint8Array,
  expected: Uint8Array,
  name: string,
): Promise<void> {
  const pixels = await sharp(actual).greyscale().raw().toBuffer();
  const golden = await sharp(expected).greyscale().raw().toBuffer();
  t.equal(pixels.length, golden.length, 'the same size');
  let different = 0;
  for (const [at, value] of pixels.entries()) {
    if (Math.abs(value - (golden[at] ?? 0)) >= PIXEL_DIFFERENCE) different++;
  }
  t.ok(different / pixels.length <= SHARE_MAX, `${name}: ${different} pixels differ`);
}
