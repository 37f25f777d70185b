import type { Item } from '../../model/frame.ts';
import type { TextNode } from '../../model/nodes.ts';
import type { RunText } from '../text/atom.ts';
import type { PrintedCode } from '../box/printed-code.ts';
import type { AmountSource } from './amounts.ts';

/** The place of an amount, a line or a code that may be lost; it moves with its block. */
export interface LooseText {
  x: number;
  y: number;
  widthPt: number;
  heightPt: number;
  readonly path: string;
  /** Where an amount comes from; null: it is a line or a code. */
  readonly source: AmountSource | null;
  readonly line: LooseLine | null;
  readonly code: PrintedCode | null;
}

/** A text of the template with the values of its bindings, in pieces. */
export interface FilledText {
  readonly node: TextNode;
  readonly runs: readonly RunText[];
}

/** A line that an edge of the paper may cut, or that reaches beyond its place. */
export interface LooseLine {
  /** The text that it belongs to. */
  readonly of: FilledText;
  /** It shows a value. */
  readonly isValue: boolean;
  /** How far it reaches beyond the left and the right end of its place. */
  readonly beforePt: number;
  readonly afterPt: number;
  /** What is painted for it, if it reaches beyond its place. */
  readonly items: readonly Item[];
}
