import type { TextStyle } from '../../template/style.ts';
import type { Line } from './line.ts';
import type { RunStyle } from './run-style.ts';

/** How a line is stretched to its box. */
export interface Justification {
  /** Added between atoms. */
  readonly gapPt: number;
  /** The run's style with the spacing between clusters, or its own. */
  style(run: RunStyle): TextStyle;
}

const PLAIN = (run: RunStyle): TextStyle => run.style;

/** Null for lines that stay ragged: the last one, one that ends at a newline, a single word. */
export function justifyLine(line: Line, roomPt: number): Justification | null {
  const { atoms } = line;
  if (line.isForced || line.isLast || atoms.length < 2) return null;
  const missing = roomPt - line.widthPt;
  return { gapPt: missing / (atoms.length - 1), style: PLAIN };
}
