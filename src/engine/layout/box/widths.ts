import { entryAt } from '../../../errors.ts';
import type { Width } from '../../model/nodes.ts';
import { fitColumns, isFixed } from './fit-columns.ts';

/**
 * A column and the widths of its content, margins included. Where they are computed lazily, the
 * getters belong to a class: V8 makes a separate hidden class for every literal with getters, which
 * keeps what they close over alive until the next full collection.
 */
export interface SizedColumn {
  readonly width: Width;
  readonly minPt: number;
  /** `minPt` if its amounts and codes are printed in the least size. */
  readonly leastPt: number;
  /** The width that its amounts in the least size and its pictures need; words are split. */
  readonly tightPt: number;
  /** There is an amount in it, however deep. */
  readonly hasAmounts: boolean;
  /** There is a code in it that gets smaller with its place. */
  readonly hasCodes: boolean;
  /** An upper bound of `minPt` that is cheaper to compute. */
  readonly minBoundPt: number;
  readonly maxPt: number;
}

/** Facts about the nodes around columns or a table. */
export interface Surroundings {
  /** There is an amount in the columns or the table around, however far out. */
  readonly hasAmountsAround: boolean;
}

/**
 * Resolves the widths of columns as pdfmake does: first fixed columns, then `auto` columns between
 * their minimum and maximum; stars share the rest. `reservedPt(i)` is what paddings and borders
 * take of the percentage of the i-th fixed or percent column. Columns without room for their
 * minimum reach beyond their place, unless amounts in them or beside them would be lost, or smaller
 * codes give them room.
 */
export function resolveWidths(
  columns: readonly SizedColumn[],
  roomPt: number,
  totalPt: number,
  reservedPt: ((fixedIndex: number, fixedCount: number) => number) | null,
  around: Surroundings,
): number[] {
  const widths = Array<number>(columns.length).fill(0);
  let room = roomPt;
  const fixedCount = reservedPt === null ? 0 : countFixed(columns);
  let fixedIndex = 0;
  let autoMax = 0;
  let autoCount = 0;
  let starCount = 0;
  for (let index = 0; index < columns.length; index++) {
    const column = entryAt(columns, index);
    const { width } = column;
    switch (width.kind) {
      case 'fixed':
        widths[index] = width.pt;
        room -= width.pt;
        fixedIndex++;
        break;
      case 'percent': {
        const reserved = reservedPt?.(fixedIndex, fixedCount) ?? 0;
        const points = (width.percent * totalPt) / 100 - reserved;
        widths[index] = points;
        room -= points;
        fixedIndex++;
        break;
      }
      case 'auto':
        autoMax += column.maxPt;
        autoCount++;
        break;
      case 'star':
        starCount++;
        break;
    }
  }
  // If there are only stars, and they fit, their exact widths do not matter.
  if (autoCount === 0 && starsFit(columns, room / starCount)) {
    shareRoom(columns, widths, room / starCount);
    return widths;
  }
  const max = autoMax + starMaxOf(columns) * starCount;
  if (max < room) {
    for (let index = 0; index < columns.length; index++) {
      const column = entryAt(columns, index);
      if (column.width.kind !== 'auto') continue;
      widths[index] = column.maxPt;
      room -= column.maxPt;
    }
  } else if (!squeezeAutos(columns, widths, room, max, starCount)) {
    const mustFit = around.hasAmountsAround || anyHasAmounts(columns);
    if (mustFit || codesCanGiveWay(columns, room)) fitColumns(columns, widths, room);
    return widths;
  } else {
    for (const [index, { width }] of columns.entries()) {
      if (width.kind === 'auto') room -= entryAt(widths, index);
    }
  }
  shareRoom(columns, widths, room / starCount);
  return widths;
}

/** Gives every star column its share. */
function shareRoom(columns: readonly SizedColumn[], widths: number[], sharePt: number): void {
  for (let index = 0; index < columns.length; index++) {
    if (entryAt(columns, index).width.kind === 'star') widths[index] = sharePt;
  }
}

function starMaxOf(columns: readonly SizedColumn[]): number {
  let max = 0;
  for (const column of columns) {
    if (column.width.kind === 'star') max = Math.max(max, column.maxPt);
  }
  return max;
}

function countFixed(columns: readonly SizedColumn[]): number {
  let count = 0;
  for (const { width } of columns) if (isFixed(width)) count++;
  return count;
}

/** Whether there are no auto columns and every star column fits its share. */
function starsFit(columns: readonly SizedColumn[], sharePt: number): boolean {
  for (const column of columns) {
    const { kind } = column.width;
    if (kind === 'auto' || (kind === 'star' && column.minBoundPt >= sharePt)) return false;
  }
  return true;
}

/**
 * Gives auto columns their minimum and a share of the rest, because not all columns can have their
 * maximum. False when the minimum widths do not fit either; then auto columns and stars get them.
 */
function squeezeAutos(
  columns: readonly SizedColumn[],
  widths: number[],
  room: number,
  max: number,
  starCount: number,
): boolean {
  let autoMin = 0;
  let starMin = 0;
  for (const { width, minPt } of columns) {
    if (width.kind === 'auto') autoMin += minPt;
    else if (width.kind === 'star') starMin = Math.max(starMin, minPt);
  }
  const min = autoMin + starMin * starCount;
  const fits = min < room;
  for (const [index, column] of columns.entries()) {
    if (column.width.kind === 'auto') {
      const share = ((column.maxPt - column.minPt) * (room - min)) / (max - min);
      widths[index] = fits ? column.minPt + share : column.minPt;
    } else if (column.width.kind === 'star' && !fits) {
      widths[index] = starMin;
    }
  }
  return fits;
}

/** Minimum width of a row of columns, without gaps. */
export function minWidthOf(columns: readonly SizedColumn[]): number {
  return extentOf(columns, (column) => column.minPt);
}

/** An upper bound of `minWidthOf` that is cheaper to compute. */
export function minBoundWidthOf(columns: readonly SizedColumn[]): number {
  return extentOf(columns, (column) => column.minBoundPt);
}

/** Maximum width of a row of columns, without gaps. */
export function maxWidthOf(columns: readonly SizedColumn[]): number {
  return extentOf(columns, (column) => column.maxPt);
}

/** Whether there are amounts in any of some columns. */
export function anyHasAmounts(columns: readonly SizedColumn[]): boolean {
  for (const column of columns) if (column.hasAmounts) return true;
  return false;
}

/** Whether columns that are too wide have room once the codes in them are printed smaller. */
function codesCanGiveWay(columns: readonly SizedColumn[], room: number): boolean {
  let hasCodes = false;
  let leastPt = 0;
  for (const column of columns) {
    if (isFixed(column.width)) continue;
    if (column.hasCodes) hasCodes = true;
    leastPt += column.leastPt;
  }
  return hasCodes && leastPt <= room;
}

function extentOf(columns: readonly SizedColumn[], of: (column: SizedColumn) => number): number {
  let total = 0;
  let star = 0;
  let starCount = 0;
  for (const column of columns) {
    if (column.width.kind === 'star') {
      star = Math.max(star, of(column));
      starCount++;
    } else if (column.width.kind === 'fixed' && column.width.pt !== 0) {
      total += column.width.pt;
    } else {
      total += of(column);
    }
  }
  return total + star * starCount;
}
