import { CONTRACT } from './contract.ts';
import { RECEIPT } from './receipt.ts';
import type { Shape, ShapeName } from './sheet.ts';
import { STATEMENT } from './statement.ts';

/** The judged shapes by name. */
export const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  A: RECEIPT,
  B: STATEMENT,
  C: CONTRACT,
};
