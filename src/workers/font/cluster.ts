import type { Face } from './face.ts';

/**
 * A grapheme cluster (or a ligature of some) as the shaper set it: the unit that words are composed
 * of. Interned by its stack. Positions in the face's design units, y up.
 */
export interface Cluster {
  /** Unique in the process. */
  readonly id: number;
  readonly face: Face;
  readonly text: string;
  readonly glyphs: readonly number[];
  readonly advances: readonly number[];
  readonly xOffsets: readonly number[];
  readonly yOffsets: readonly number[];
  /** Sum of advances in em. */
  readonly widthEm: number;
}
