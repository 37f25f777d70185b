import type { AmountPolicy } from '../amounts/amounts.ts';
import type { BarcodeNode, QrNode } from '../../model/nodes.ts';

/** A QR code or barcode with its bindings filled in. */
export interface PrintedCode {
  readonly node: QrNode | BarcodeNode;
  readonly text: string;
  /** Width of its narrowest module. */
  readonly modulePt: number;
  /** Blank room at its left and right that the edge of the paper may cut. */
  readonly blankXPt: number;
  /** The same above and below it. Of bars any strip is enough, so it is half their height. */
  readonly blankYPt: number;
  /** Records the codes that are printed smaller. */
  readonly policy: AmountPolicy;
}

/**
 * Modules are made no narrower than this for want of room: 0.25 mm, which three dots of a printer
 * with 300 dots an inch make, and which cameras of phones still tell apart.
 */
export const LEAST_MODULE_PT = 0.7;

/**
 * Any code may be scaled down to this share of its size, even if the template makes its modules narrow.
 * Otherwise a code would be refused for a place that is one point too narrow.
 */
const NARROW_CODE_SCALE = 0.95;

/** The share of its size to which a code may be scaled down. */
export function leastScaleOf({ modulePt }: Pick<PrintedCode, 'modulePt'>): number {
  return Math.min(NARROW_CODE_SCALE, LEAST_MODULE_PT / modulePt);
}
