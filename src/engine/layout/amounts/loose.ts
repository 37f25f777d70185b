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
  readonly code: LooseCode | null;
}

/** A code on a page. Its place is that of its modules; of bars it is the line through their middle. */
export interface LooseCode {
  readonly of: PrintedCode;
  /** The last item that paints it. */
  readonly item: Item;
  /** From its place to the ends of what it paints. */
  readonly aroundXPt: number;
  readonly aroundYPt: number;
  /** It is turned afterwards: its place is then the area that holds it. */
  readonly isTurned: boolean;
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
