import type { Item } from '../../model/frame.ts';
import type { TextBox } from '../box/text-box.ts';
import type { AmountSource } from './amounts.ts';

/** The place of an amount or a line that may be lost; it moves with its block. */
export interface LooseText {
  x: number;
  y: number;
  widthPt: number;
  heightPt: number;
  readonly path: string;
  /** Where an amount comes from; null: it is a line. */
  readonly source: AmountSource | null;
  readonly line: LooseLine | null;
}

/** A line that an edge of the paper may cut, or that reaches beyond its place. */
export interface LooseLine {
  /** The text that it belongs to. */
  readonly box: TextBox;
  /** It shows a value. */
  readonly isValue: boolean;
  /** How far it reaches beyond the left and the right end of its place. */
  readonly beforePt: number;
  readonly afterPt: number;
  /** What is painted for it, if it reaches beyond its place. */
  readonly items: readonly Item[];
}
