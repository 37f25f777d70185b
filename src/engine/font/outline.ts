import type { FontTables } from './sfnt.ts';

/** Outlines of the table `glyf` (OpenType): their boxes, and the components of composite glyphs. */

/** Flags of the components of a composite glyph. */
const ARG_WORDS = 0x0001;
const HAS_XY_ARGS = 0x0002;
const MORE_COMPONENTS = 0x0020;
/** A scale, one for each axis, or a matrix. */
const IS_SCALED = 0x0008 | 0x0040 | 0x0080;
/** Number of contours and the bounding box, before the outline of every glyph. */
const HEADER_BYTES = 10;
const COMPONENTS_MAX = 8;

function outlineOf(font: FontTables, glyph: number): DataView | null {
  const start = font.glyphOffsets[glyph] ?? 0;
  const end = font.glyphOffsets[glyph + 1] ?? 0;
  if (end - start < HEADER_BYTES) return null;
  return new DataView(font.glyf.buffer, font.glyf.byteOffset + start, end - start);
}

/** The box of a glyph in design units; null when it has no outline. */
export function glyphBox(
  font: FontTables,
  glyph: number,
): { xMin: number; yMin: number; xMax: number; yMax: number } | null {
  const view = outlineOf(font, glyph);
  if (view === null) return null;
  return {
    xMin: view.getInt16(2),
    yMin: view.getInt16(4),
    xMax: view.getInt16(6),
    yMax: view.getInt16(8),
  };
}

/**
 * The components of a composite glyph that are only moved, with their offsets; empty when the glyph
 * is not composite, or one of its components is scaled or damaged.
 */
export function plainComponents(
  font: FontTables,
  glyph: number,
): { readonly glyph: number; readonly x: number; readonly y: number }[] {
  const view = outlineOf(font, glyph);
  if (view === null || view.getInt16(0) >= 0) return [];
  const components: { glyph: number; x: number; y: number }[] = [];
  for (let at = HEADER_BYTES; components.length < COMPONENTS_MAX;) {
    if (at + 6 > view.byteLength) return [];
    const flags = view.getUint16(at);
    if ((flags & IS_SCALED) !== 0 || (flags & HAS_XY_ARGS) === 0) return [];
    const hasWords = (flags & ARG_WORDS) !== 0;
    if (hasWords && at + 8 > view.byteLength) return [];
    const x = hasWords ? view.getInt16(at + 4) : view.getInt8(at + 4);
    const y = hasWords ? view.getInt16(at + 6) : view.getInt8(at + 5);
    components.push({ glyph: view.getUint16(at + 2), x, y });
    if ((flags & MORE_COMPONENTS) === 0) return components;
    at += hasWords ? 8 : 6;
  }
  return [];
}
