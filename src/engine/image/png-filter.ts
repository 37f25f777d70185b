/** The row filters of PNG (PNG 3 §9), which are also the PNG predictors of PDF (§7.4.4.4). */

/** Predicts each byte of a row from those left, above and above left of it. */
type FilterType = 0 | 1 | 2 | 3 | 4;

const FILTER_TYPES = [0, 1, 2, 3, 4] as const;

/** `none` leaves all rows unfiltered; `adaptive` chooses the filter row by row. */
export type FilterChoice = 'none' | 'adaptive';

/** Rows of bytes, each `rowBytes` long; a pixel takes `pixelBytes`, at least one. */
export interface Rows {
  readonly bytes: Uint8Array;
  readonly rowBytes: number;
  readonly pixelBytes: number;
}

/** Undoes the filters: rows that are led by their filter type, 0 to 4, become plain rows. */
export function unfilterRows(filtered: Uint8Array, rowBytes: number, pixelBytes: number): Rows {
  const count = filtered.length / (rowBytes + 1);
  const bytes = new Uint8Array(count * rowBytes);
  for (let row = 0; row < count; row++) {
    const from = row * (rowBytes + 1) + 1;
    const to = row * rowBytes;
    const type = filtered[from - 1] ?? 0;
    for (let at = 0; at < rowBytes; at++) {
      const left = at < pixelBytes ? 0 : bytes[to + at - pixelBytes]!;
      const up = row === 0 ? 0 : bytes[to + at - rowBytes]!;
      const upLeft = row === 0 || at < pixelBytes ? 0 : bytes[to + at - rowBytes - pixelBytes]!;
      bytes[to + at] = filtered[from + at]! + predict(type, left, up, upLeft);
    }
  }
  return { bytes, rowBytes, pixelBytes };
}

/** Filters plain rows; each is led by the type of its filter. */
export function filterRows(rows: Rows, choice: FilterChoice): Uint8Array {
  const { bytes, rowBytes } = rows;
  const count = bytes.length / rowBytes;
  const filtered = new Uint8Array(count * (rowBytes + 1));
  const candidate = new Uint8Array(rowBytes);
  for (let row = 0; row < count; row++) {
    const at = row * (rowBytes + 1);
    const type = choice === 'adaptive' ? leastFilter(rows, row, candidate) : 0;
    filtered[at] = type;
    filterRow(rows, row, type, candidate);
    filtered.set(candidate, at + 1);
  }
  return filtered;
}

/**
 * Chooses the filter with the least sum of absolute differences, the heuristic that PNG 3 §12.7
 * recommends.
 */
function leastFilter(rows: Rows, row: number, candidate: Uint8Array): FilterType {
  let least: FilterType = 0;
  let leastSum = Number.POSITIVE_INFINITY;
  for (const type of FILTER_TYPES) {
    filterRow(rows, row, type, candidate);
    let sum = 0;
    for (let at = 0; at < candidate.length; at++) {
      const value = candidate[at]!;
      // A difference is a signed byte: 255 stands for -1.
      sum += value < 128 ? value : 256 - value;
    }
    if (sum < leastSum) {
      leastSum = sum;
      least = type;
    }
  }
  return least;
}

function filterRow(rows: Rows, row: number, type: FilterType, into: Uint8Array): void {
  const { bytes, rowBytes, pixelBytes } = rows;
  const from = row * rowBytes;
  for (let at = 0; at < rowBytes; at++) {
    const left = at < pixelBytes ? 0 : bytes[from + at - pixelBytes]!;
    const up = row === 0 ? 0 : bytes[from + at - rowBytes]!;
    const upLeft = row === 0 || at < pixelBytes ? 0 : bytes[from + at - rowBytes - pixelBytes]!;
    into[at] = bytes[from + at]! - predict(type, left, up, upLeft);
  }
}

/** The predicted byte of a filter type (PNG 3 §9.2). */
export function predict(type: number, left: number, up: number, upLeft: number): number {
  if (type === 0) return 0; // None
  if (type === 1) return left; // Sub
  if (type === 2) return up; // Up
  if (type === 3) return (left + up) >> 1; // Average
  // Paeth: the neighbour that is nearest to the estimate (§9.4).
  const estimate = left + up - upLeft;
  const toLeft = Math.abs(estimate - left);
  const toUp = Math.abs(estimate - up);
  const toUpLeft = Math.abs(estimate - upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}
