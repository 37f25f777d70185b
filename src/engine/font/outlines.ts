import type { FontTables } from './sfnt.ts';

/** Reads the outlines of glyphs as bytes (OpenType 1.9, table `glyf`). */

/** Flags of the components of a composite glyph. */
const ARG_WORDS = 0x0001;
const HAS_SCALE = 0x0008;
const MORE_COMPONENTS = 0x0020;
const HAS_XY_SCALE = 0x0040;
const HAS_MATRIX = 0x0080;
export const HAS_INSTRUCTIONS = 0x0100;
/** Number of contours and the bounding box, before the outline of every glyph. */
export const GLYPH_HEADER_BYTES = 10;

export function glyphBytes(font: FontTables, glyph: number): Uint8Array {
  return font.glyf.subarray(font.glyphOffsets[glyph], font.glyphOffsets[glyph + 1]);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Visits each component of a composite; returns the offset after the last one. */
export function walkComponents(
  bytes: Uint8Array,
  visit: (at: number, flags: number) => void,
): number {
  const view = viewOf(bytes);
  let at = GLYPH_HEADER_BYTES;
  for (;;) {
    const flags = view.getUint16(at);
    visit(at, flags);
    at += 4 + ((flags & ARG_WORDS) === 0 ? 2 : 4);
    if ((flags & HAS_SCALE) !== 0) at += 2;
    else if ((flags & HAS_XY_SCALE) !== 0) at += 4;
    else if ((flags & HAS_MATRIX) !== 0) at += 8;
    if ((flags & MORE_COMPONENTS) === 0) return at;
  }
}

export function isComposite(bytes: Uint8Array): boolean {
  return bytes.length >= GLYPH_HEADER_BYTES && viewOf(bytes).getInt16(0) < 0;
}
