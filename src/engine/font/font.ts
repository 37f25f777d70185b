import type { Cluster } from './cluster.ts';
import type { Face, FontFeatures } from './face.ts';

/**
 * A string shaped once: what line building measures and the PDF writer paints. Immutable and shared
 * between documents.
 */
export interface Shape {
  /** Ascending in its stack, to spread shapes over the slots of caches; 0: it is not cached. */
  readonly id: number;
  readonly text: string;
  /** Advance width in em: times the font size it is points. */
  readonly widthEm: number;
  /** Grapheme clusters in `text`: what character spacing counts. */
  readonly clusterCount: number;
  /**
   * Glyphs and positions; null for a plain shape, which has one unkerned glyph per ASCII character.
   */
  readonly clusters: readonly Cluster[] | null;
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
  /** Has `fontFeatures`: only templates that ask for the same features share it. */
  readonly isFeatured: boolean;
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
   * the cache holds it. A hit costs one map look-up, a miss about 0.1 µs a character, and each
   * cluster that is new to the stack about 10 µs in HarfBuzz.
   */
  shape(text: string): Shape;
  /**
   * Shapes a word of a table cell, of which many come once: references, names. The stack caches it
   * when it comes again soon, so that words that never do push no others out, and are young when
   * they are collected.
   */
  shapeOnce(text: string): Shape;
  /**
   * Width in em of a string without spaces whose shape is plain, without making the shape; -1: it
   * has a space or is not plain, or its characters are new to the stack.
   */
  plainWordWidthEm(text: string): number;
  /** The clusters of a string even if its shape is plain, for the PDF writer. */
  clusters(text: string): readonly Cluster[];
  /** The fallback chain. */
  readonly faces: readonly [Face, ...Face[]];
  /** The first character no face of the chain can draw, or null. */
  missingCharacter(text: string): string | null;
}

export interface FontLibrary {
  /** Family names that exist, sorted. */
  readonly families: readonly string[];
  has(family: string): boolean;
  /**
   * The stack for a family that exists; missing styles fall back to the nearest one. `language` is
   * a BCP 47 tag, which matters only if one of the fonts shapes that language specially.
   */
  stack(
    family: string,
    bold: boolean,
    italics: boolean,
    features?: FontFeatures,
    language?: string,
  ): FontStack;
}
