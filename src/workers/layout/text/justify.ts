import type { TextStyle } from '../../template/style.ts';
import type { Line } from './line.ts';
import type { RunStyle } from './run-style.ts';

/** How a line is stretched to its box. */
export interface Justification {
  /** Added between atoms. */
  readonly gapPt: number;
  /** Added after every cluster. */
  readonly spacingPt: number;
  /** The run's style with that spacing. */
  style(run: RunStyle): TextStyle;
}

/** Gaps between Thai words wider than this share of the size would look like spaces. */
const GAP_EM_MAX = 0.05;

/**
 * Null for lines that stay ragged: the last one, one that ends at a newline, a single word. The
 * room goes between the words; where words stand without spaces and it would tear them apart,
 * evenly between all clusters.
 */
export function justifyLine(line: Line, roomPt: number): Justification | null {
  const { atoms } = line;
  if (line.isForced || line.isLast) return null;
  const missing = roomPt - line.widthPt;
  const gapPt = atoms.length < 2 ? Number.POSITIVE_INFINITY : missing / (atoms.length - 1);
  const size = atoms[0]?.run.sizePt ?? 0;
  if (missing > 0 && gapPt > size * GAP_EM_MAX && isWithoutSpaces(line)) {
    return spread(missing / Math.max(1, visibleClusters(line) - 1));
  }
  return atoms.length < 2 ? null : { gapPt, spacingPt: 0, style: ownStyle };
}

function ownStyle(run: RunStyle): TextStyle {
  return run.style;
}

function spread(spacingPt: number): Justification {
  const styles = new Map<RunStyle, TextStyle>();
  return {
    gapPt: 0,
    spacingPt,
    style(run) {
      const known = styles.get(run);
      if (known !== undefined) return known;
      const characterSpacingPt = run.style.characterSpacingPt + spacingPt;
      const style = { ...run.style, characterSpacingPt };
      styles.set(run, style);
      return style;
    },
  };
}

const FIRST_THAI = 0xe00;
const LAST_LAO = 0xeff;

/** Most words of the line end without a space: Thai or Lao. */
function isWithoutSpaces(line: Line): boolean {
  let count = 0;
  for (const { shape } of line.atoms) {
    const code = shape.text.charCodeAt(shape.text.length - 1);
    if (code >= FIRST_THAI && code <= LAST_LAO) count++;
  }
  return count * 2 > line.atoms.length;
}

/** Clusters but for the spaces that hang over the line's end. */
function visibleClusters({ atoms }: Line): number {
  let count = 0;
  for (const { shape } of atoms) count += shape.clusterCount;
  const last = atoms[atoms.length - 1]?.shape.text ?? '';
  return count - (last.length - last.trimEnd().length);
}
