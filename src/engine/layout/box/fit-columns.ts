import { entryAt } from '../../../errors.ts';
import type { Width } from '../../model/nodes.ts';
import type { SizedColumn } from './widths.ts';

/**
 * Sets the widths of columns of which some would be narrower than their content, so that no amount in
 * them or beside them is cut or printed over. The first of these steps that fits `room` is taken:
 *
 *     minPt      every column has room for its content
 *     leastPt    amounts and codes are printed smaller
 *     tightPt    words are split, too
 *
 * If none fits, all columns become narrower in proportion, and layout refuses an amount that does
 * not fit (`AmountFault`). Nested columns and tables do the same with the width that they get.
 */
export function fitColumns(columns: readonly SizedColumn[], widths: number[], room: number): void {
  let min = 0;
  let least = 0;
  let starCount = 0;
  for (const column of columns) {
    if (isFixed(column.width)) continue;
    min += column.minPt;
    least += column.leastPt;
    if (column.width.kind === 'star') starCount++;
  }
  // Words are split only if there is no other way, so few columns need to know `tightPt`.
  const tight = least <= room ? 0 : tightOf(columns);
  for (let index = 0; index < columns.length; index++) {
    const column = entryAt(columns, index);
    const { width } = column;
    if (isFixed(width)) continue;
    if (min <= room) {
      const spare = width.kind === 'star' ? (room - min) / starCount : 0;
      widths[index] = column.minPt + spare;
    } else if (least <= room) {
      const share = (room - least) / (min - least);
      widths[index] = column.leastPt + (column.minPt - column.leastPt) * share;
    } else if (tight <= room) {
      const share = (room - tight) / (least - tight);
      widths[index] = column.tightPt + (column.leastPt - column.tightPt) * share;
    } else {
      widths[index] = tight > 0 ? (column.tightPt * Math.max(0, room)) / tight : 0;
    }
  }
}

function tightOf(columns: readonly SizedColumn[]): number {
  let tight = 0;
  for (const column of columns) if (!isFixed(column.width)) tight += column.tightPt;
  return tight;
}

/** Width of columns that are side by side, each as narrow as `of` says, without gaps. */
export function narrowWidthOf(
  columns: readonly SizedColumn[],
  of: (column: SizedColumn) => number,
): number {
  let total = 0;
  for (const column of columns) {
    const { width } = column;
    total += width.kind === 'fixed' ? width.pt : of(column);
  }
  return total;
}

export function isFixed(width: Width): boolean {
  return width.kind === 'fixed' || width.kind === 'percent';
}
