import type { Findings } from '../vocabulary/findings.ts';
import type { Cascade } from './cascade.ts';
import { sizeOf } from './textstyle.ts';

/** Least spacing beside values, in shares of the size: a digit that is closer overlaps the comma before it. */
const LEAST_EM = -0.05;

/**
 * The cascade of a text that prints values, with a `characterSpacing` that keeps its characters
 * apart: a digit that is printed over another one reads as a third. Text of the template may be
 * printed as closely as it likes, because its author sees it.
 */
export function legibleSpacing(cascade: Cascade, path: string, findings: Findings): Cascade {
  const { characterSpacing = 0 } = cascade;
  if (characterSpacing >= 0) return cascade;
  const sizePt = sizeOf(cascade);
  const leastPt = sizePt * LEAST_EM;
  if (characterSpacing >= leastPt) return cascade;
  findings.warning(
    path,
    `characterSpacing ${characterSpacing} would print characters of values over each other; ` +
      `values of ${rounded(sizePt)} pt are printed with ${rounded(leastPt)}, ` +
      'so write at least that.',
  );
  return { ...cascade, characterSpacing: leastPt };
}

function rounded(pt: number): number {
  return Number(pt.toFixed(2));
}
