import type { AmountSource } from './amounts.ts';

/** The place of an amount whose line may leave the paper; it moves with its block. */
export interface LooseAmount {
  x: number;
  y: number;
  widthPt: number;
  heightPt: number;
  readonly path: string;
  readonly source: AmountSource;
}
