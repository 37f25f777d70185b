import type { Region } from './region.ts';

/**
 * The width of content that begins at (x, y) and runs `degrees` clockwise from there: up to the
 * margins of the page, or up to its edge if it begins in the margin.
 */
export function turnedWidth(
  { margins, sheet }: Region,
  { x, y, rotate }: { readonly x: number; readonly y: number; readonly rotate: number },
): number {
  const angle = (rotate * Math.PI) / 180;
  const [left, top, right, bottom] = margins;
  const across = alongAxis(Math.cos(angle), x, sheet.widthPt, left, right);
  return Math.min(across, alongAxis(Math.sin(angle), y, sheet.heightPt, top, bottom));
}

/** How far a line of this `slope` goes from `from` on an axis that is `lengthPt` long. */
function alongAxis(
  slope: number,
  from: number,
  lengthPt: number,
  before: number,
  after: number,
): number {
  if (Math.abs(slope) < LEVEL_SLOPE) return Number.POSITIVE_INFINITY;
  const toEdge = slope > 0 ? lengthPt - from : from;
  const toMargin = toEdge - (slope > 0 ? after : before);
  return (toMargin > 0 ? toMargin : Math.max(0, toEdge)) / Math.abs(slope);
}

/** Below it, a line counts as parallel to the other axis. */
const LEVEL_SLOPE = 1e-9;
