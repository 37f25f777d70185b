import { deflateSync, inflateSync } from 'node:zlib';
import type { PreparedImage } from './prepared.ts';
import type { FilterChoice, Rows } from './png-filter.ts';
import { filterRows, unfilterRows } from './png-filter.ts';

/**
 * A template's image in the fewest bytes, pixel for pixel the same: as grey or with a palette where
 * its colours allow, with the row filters that deflate best. It is done once, when the template is
 * compiled, and every document copies the result; so it may take longer than a request's image, but
 * its time and memory are bounded by the number of pixels.
 */

type Image = Omit<PreparedImage, 'key'>;
type Samples = Pick<PreparedImage, 'colorSpace' | 'bitsPerComponent'>;

/** One way to write the pixels: what the samples mean, and the rows of samples. */
interface Form extends Samples {
  readonly colors: number;
  readonly rows: Rows;
}

/** Larger images stay as they are: reading the colours alone would take a tenth of a second. */
const PIXELS_MAX = 4_000_000;
/** Up to this size the best compression level takes little time. */
const BEST_LEVEL_BYTES_MAX = 1024 * 1024;
/** Beyond this size, only forms with fewer bytes of samples than the present one are tried. */
const SAME_FORM_BYTES_MAX = 4 * 1024 * 1024;
const PALETTE_MAX = 256;
/** Approximate bytes that a palette adds to the file, without its colours. */
const PALETTE_OVERHEAD_BYTES = 80;

/** The image, or the same pixels in fewer bytes. JPEG data stays untouched. */
export function packImage(image: Image): Image {
  const softMask = image.softMask === null ? null : packPlane(image.softMask, true);
  return { ...packPlane(image, false), softMask };
}

/** The pixels of an image without its soft mask, or those of a mask. */
function packPlane<T extends Image>(image: T, isMask: boolean): T {
  const { predictor, widthPx, heightPx } = image;
  if (predictor === null || widthPx * heightPx > PIXELS_MAX) return image;
  const rows = readRows(image, predictor.colors);
  let best = image;
  let bestBytes = sizeOf(image);
  for (const form of formsToTry(image, predictor.colors, rows, isMask)) {
    const { colorSpace, bitsPerComponent, colors } = form;
    const packed = {
      ...image,
      colorSpace,
      bitsPerComponent,
      predictor: { colors, columns: widthPx },
      data: deflateLeast(form),
    };
    const bytes = sizeOf(packed);
    if (bytes < bestBytes) {
      best = packed;
      bestBytes = bytes;
    }
  }
  return best;
}

/** Bytes in the file, without what all forms have in common. */
function sizeOf({ data, colorSpace }: Image): number {
  if (typeof colorSpace === 'string') return data.length;
  return data.length + colorSpace.palette.length + PALETTE_OVERHEAD_BYTES;
}

/** The filters that deflate to the fewest bytes. */
function deflateLeast({ rows, bitsPerComponent, colorSpace }: Form): Uint8Array {
  // Filters rarely help with palettes, or where samples share a byte (PNG 3 §12.7).
  const isPlain = bitsPerComponent < 8 || typeof colorSpace === 'object';
  const choices: readonly FilterChoice[] = isPlain ? ['none'] : ['none', 'adaptive'];
  const level = rows.bytes.length <= BEST_LEVEL_BYTES_MAX ? 9 : 6;
  let least: Uint8Array | null = null;
  for (const choice of choices) {
    const data = deflateSync(filterRows(rows, choice), { level, memLevel: 9 });
    if (least === null || data.length < least.length) least = data;
  }
  if (least === null) throw new Error('at least one filter is tried');
  return least;
}

/** The samples of an image without its predictor. */
function readRows({ data, bitsPerComponent, widthPx, heightPx }: Image, colors: number): Rows {
  const pixelBits = colors * bitsPerComponent;
  const rowBytes = Math.ceil((widthPx * pixelBits) / 8);
  const filtered = inflateSync(data, { maxOutputLength: (rowBytes + 1) * heightPx });
  return unfilterRows(filtered, rowBytes, Math.max(1, pixelBits >> 3));
}

/** The forms worth trying: those with fewer bytes of samples, else the present one. */
function formsToTry(image: Image, colors: number, rows: Rows, isMask: boolean): readonly Form[] {
  const { colorSpace, bitsPerComponent } = image;
  const present = { colorSpace, bitsPerComponent, colors, rows };
  const smaller: Form[] = [];
  // 16-bit samples stay as they are: fewer bits would change the pixels.
  if (bitsPerComponent < 16) {
    const pixels = readPixels(image, rows);
    const palette = paletteOf(pixels);
    const grey = greyForm(image, pixels);
    if (grey !== null) smaller.push(grey);
    // A soft mask is grey by definition (§11.6.5.2).
    if (!isMask && palette !== null) smaller.push(indexedForm(image, pixels, palette));
  }
  const forms = smaller.filter((form) => form.rows.bytes.length < rows.bytes.length);
  if (forms.length > 0) return forms;
  return rows.bytes.length <= SAME_FORM_BYTES_MAX ? [present] : [];
}

/** Each pixel as 0xRRGGBB. */
function readPixels({ widthPx, heightPx, colorSpace, bitsPerComponent }: Image, rows: Rows) {
  const { bytes, rowBytes } = rows;
  const pixels = new Uint32Array(widthPx * heightPx);
  if (colorSpace === 'DeviceRGB') {
    for (let i = 0, at = 0; i < pixels.length; i++, at += 3) {
      pixels[i] = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
    }
    return pixels;
  }
  const colorOf = colorsOf(colorSpace, bitsPerComponent);
  const mask = (1 << bitsPerComponent) - 1;
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const bit = x * bitsPerComponent;
      const byte = bytes[y * rowBytes + (bit >> 3)]!;
      const value = (byte >> (8 - bitsPerComponent - (bit & 7))) & mask;
      pixels[y * widthPx + x] = colorOf[value]!;
    }
  }
  return pixels;
}

/** The colour of each sample value of an image of one component. */
function colorsOf(colorSpace: PreparedImage['colorSpace'], bits: number): Uint32Array {
  const colors = new Uint32Array(1 << bits);
  const isIndexed = typeof colorSpace === 'object';
  const last = isIndexed ? colorSpace.palette.length / 3 - 1 : colors.length - 1;
  for (let value = 0; value < colors.length; value++) {
    // A value beyond the palette is drawn as its last colour (§8.6.6.3).
    const known = Math.min(value, last);
    colors[value] = isIndexed
      ? Buffer.from(colorSpace.palette).readUIntBE(3 * known, 3)
      : greyOf((255 * known) / last);
  }
  return colors;
}

function greyOf(value: number): number {
  return value * 0x010101;
}

/** The colours in order of appearance, with their index; null: there are too many. */
function paletteOf(pixels: Uint32Array): ReadonlyMap<number, number> | null {
  const palette = new Map<number, number>();
  let last = -1;
  for (const pixel of pixels) {
    if (pixel === last) continue;
    last = pixel;
    if (palette.has(pixel)) continue;
    if (palette.size === PALETTE_MAX) return null;
    palette.set(pixel, palette.size);
  }
  return palette;
}

/** The next larger depth; with 8 bits every level is exact. */
const NEXT_DEPTH = { 1: 2, 2: 4, 4: 8, 8: 8 } as const;

/** A grey form with the fewest bits that hold each level exactly; null: not all pixels are grey. */
function greyForm(image: Image, pixels: Uint32Array): Form | null {
  let bits: 1 | 2 | 4 | 8 = 1;
  for (const pixel of pixels) {
    const level = pixel & 0xff;
    if (pixel !== greyOf(level)) return null;
    while (level % stepOf(bits) !== 0) bits = NEXT_DEPTH[bits];
  }
  const step = stepOf(bits);
  const rows = packRows(image, bits, (index) => (pixels[index]! & 0xff) / step);
  return { colorSpace: 'DeviceGray', bitsPerComponent: bits, colors: 1, rows };
}

/** The distance from one level of grey to the next. */
function stepOf(bits: number): number {
  return 255 / ((1 << bits) - 1);
}

/** Bits that an index of a palette may have (ISO 32000-2 §8.9.5.1). */
const BITS_OF_INDEX = [1, 2, 4, 8] as const;

/** A form with a palette and the fewest bits that hold its indices. */
function indexedForm(image: Image, pixels: Uint32Array, colors: ReadonlyMap<number, number>): Form {
  const palette = Buffer.alloc(3 * colors.size);
  for (const [color, index] of colors) palette.writeUIntBE(color, 3 * index, 3);
  const bits = BITS_OF_INDEX.find((count) => colors.size <= 1 << count) ?? 8;
  return {
    colorSpace: { base: 'DeviceRGB', palette: new Uint8Array(palette) },
    bitsPerComponent: bits,
    colors: 1,
    rows: packRows(image, bits, (index) => colors.get(pixels[index]!)!),
  };
}

/** Samples of one component side by side in rows of whole bytes. */
function packRows(
  { widthPx, heightPx }: Image,
  bits: number,
  sampleAt: (index: number) => number,
): Rows {
  const rowBytes = Math.ceil((widthPx * bits) / 8);
  const bytes = new Uint8Array(rowBytes * heightPx);
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const bit = x * bits;
      bytes[y * rowBytes + (bit >> 3)]! |= sampleAt(y * widthPx + x) << (8 - bits - (bit & 7));
    }
  }
  return { bytes, rowBytes, pixelBytes: 1 };
}
