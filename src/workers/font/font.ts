import type { Face } from './face.ts';

/** OpenType features by tag: on (true/1), off (false/0) or an alternate's number. */
export type FontFeatures = Readonly<Record<string, number | boolean>>;

/** A stretch of glyphs of one face, in visual order. Units: the face's design units, y up. */
export interface ShapePart {
  readonly face: Face;
  readonly glyphs: Uint16Array;
  readonly advances: Int16Array;
  /** Offsets of each glyph from the pen, or null where all are 0. */
  readonly xOffsets: Int16Array | null;
  readonly yOffsets: Int16Array | null;
  /** For each glyph the index in `Shape.text` (UTF-16) of the cluster it belongs to. */
  readonly clusters: Uint16Array;
}

/**
 * A string shaped once: what line building measures and the PDF writer paints. Immutable and shared
 * between documents. A `plain` shape has no parts: one glyph a character, no kerning, first face,
 * all ASCII; its advance is the sum of the per-character table (amounts, dates, references).
 */
export interface Shape {
  readonly text: string;
  /** Advance width in em: times the font size it is points. */
  readonly widthEm: number;
  /** Grapheme clusters in `text`: what character spacing counts. */
  readonly clusterCount: number;
  readonly plain: boolean;
  readonly parts: readonly ShapePart[];
}

/**
 * A family's style with its fallback chain: the first face that has a character draws it. The first
 * face gives the metrics.
 */
export interface FontStack {
  /** Unique among the stacks of this process: family, weight, slant, features. */
  readonly key: string;
  readonly family: string;
  readonly bold: boolean;
  readonly italics: boolean;
  /** hhea ascent and descent in em; descent is negative. */
  readonly ascentEm: number;
  readonly descentEm: number;
  /** OS/2 or post figures in em, for decorations; positions are above the baseline. */
  readonly underlinePositionEm: number;
  readonly underlineThicknessEm: number;
  readonly xHeightEm: number;
  readonly capHeightEm: number;
  /**
   * Shapes a string with no line break in it. Cached: the same string gives the same object while
   * the cache holds it. Cost of a hit: one map look-up; of a miss with known clusters: about 0.1 µs a
   * character; else HarfBuzz, about 10 µs.
   */
  shape(text: string): Shape;
  /** The first character no face of the chain can draw, or null. */
  missingCharacter(text: string): string | null;
}

export interface FontLibrary {
  /** Family names that exist, sorted. */
  readonly families: readonly string[];
  has(family: string): boolean;
  /** The stack for a family that exists; missing styles fall back to the nearest one. */
  stack(family: string, bold: boolean, italics: boolean, features?: FontFeatures): FontStack;
}
