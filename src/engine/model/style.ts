import type { FontStack } from '../font/font.ts';

/** Colors, paints and text styles, with all names and defaults resolved. */

/** Packed 0xRRGGBB. */
export type Rgb = number;

export interface GradientStop {
  /** 0 to 1. */
  readonly offset: number;
  readonly color: Rgb;
  /** 0 to 1. */
  readonly opacity: number;
}

/** Coordinates are in the space of the item (after its group's transform). */
export interface LinearGradient {
  readonly kind: 'linear';
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly stops: readonly GradientStop[];
}

export interface RadialGradient {
  readonly kind: 'radial';
  readonly cx: number;
  readonly cy: number;
  readonly r: number;
  readonly fx: number;
  readonly fy: number;
  /** Transform of the gradient's space: [a b c d e f], or null. */
  readonly matrix: Matrix | null;
  readonly stops: readonly GradientStop[];
}

/** A hatch (pdfmake's `patterns`): a tile, in points, that is repeated. */
export interface TilePattern {
  readonly kind: 'tile';
  readonly widthPt: number;
  readonly heightPt: number;
  /** Lines and curves of the tile, as PathData. */
  readonly path: PathData;
  readonly color: Rgb;
  readonly lineWidthPt: number;
}

export type Paint = Rgb | LinearGradient | RadialGradient | TilePattern;

export type Matrix = readonly [number, number, number, number, number, number];

/** How a run of text is painted; all items of a style share one object. */
export interface TextStyle {
  readonly stack: FontStack;
  readonly sizePt: number;
  readonly color: Rgb;
  /** 0 to 1. */
  readonly opacity: number;
  /** Added after every cluster, in points. */
  readonly characterSpacingPt: number;
}

export interface Dash {
  readonly lengths: readonly number[];
  readonly phase: number;
}

export interface Stroke {
  readonly paint: Paint;
  readonly widthPt: number;
  readonly opacity: number;
  /** ISO 32000-2 §8.4.3.3: 0 butt, 1 round, 2 square. */
  readonly cap: 0 | 1 | 2;
  /** ISO 32000-2 §8.4.3.4: 0 miter, 1 round, 2 bevel. */
  readonly join: 0 | 1 | 2;
  readonly miterLimit: number;
  readonly dash: Dash | null;
}

export interface Fill {
  readonly paint: Paint;
  readonly opacity: number;
  readonly rule: 'nonzero' | 'evenodd';
}

/** Commands of `path.ts` with their operands in one flat list, relative to (x, y) of the item. */
export type PathData = readonly number[];
