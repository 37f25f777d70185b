import type { PrintedRow } from './printed-rows.ts';
import type { StatementCase, TableCase } from './statement-case.ts';
import type { Fault } from './statement-judge.ts';

/**
 * Rows that a template keeps together are together "as far as a page can hold them". Heights are read
 * from what was printed, so only a page with clearly enough room is judged.
 */
export function judgeKeeping(
  wanted: StatementCase,
  table: TableCase,
  pages: readonly (readonly PrintedRow[])[],
): Fault[] {
  const counts = pages.map((page) => page.filter((row) => isOwn(row) && !row.continues).length);
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  if (first === last) return [];
  const total = counts.reduce((sum, count) => sum + count, 0);
  const faults: Fault[] = [];
  const withHeader = table.headerRows > 0 ? table.keepWithHeaderRows : 0;
  const atStart = Math.min(total, Math.max(table.keepRowsAtStart, withHeader));
  const own = pages.flat().filter((row) => isOwn(row) && !row.continues);
  if ((counts[first] ?? 0) < atStart && couldHold(wanted, table, pages, own.slice(0, atStart))) {
    const message = `${counts[first]} of ${atStart} rows are on the first page`;
    faults.push({ kind: 'start not kept', page: first + 1, message });
  }
  // Rows at the start and at the end that overlap leave no place for a break.
  const overlap = atStart + table.keepRowsAtEnd > total;
  const atEnd = overlap ? 0 : table.keepRowsAtEnd;
  if ((counts[last] ?? 0) < atEnd && couldHold(wanted, table, pages, own.slice(-atEnd))) {
    const message = `${counts[last]} of ${atEnd} rows are on the last page`;
    faults.push({ kind: 'end not kept', page: last + 1, message });
  }
  return faults;
}

function isOwn(row: PrintedRow): boolean {
  return row.role === 'entry' || row.role === 'before' || row.role === 'after';
}

/** Whether a page surely has room for these rows, with the header and the rows of sums. */
function couldHold(
  wanted: StatementCase,
  table: TableCase,
  pages: readonly (readonly PrintedRow[])[],
  rows: readonly PrintedRow[],
): boolean {
  const [, top, , bottom] = wanted.margins;
  const roomPt = wanted.height - top - bottom;
  const sumRows = table.statement === null ? 0 : 3;
  const added = Math.max(0, ...pages.map((page) => Math.max(0, ...extraLines(page))));
  const lines = rows.reduce((sum, row) => sum + row.lineCount, 0);
  const linePt = Math.max(table.rowPt, 1.4 * (wanted.fontSize + 4));
  const neededPt =
    (lines + table.headerRows + sumRows * Math.max(1, added)) * linePt +
    (rows.length + table.headerRows + sumRows) * PADDING_PT;
  return neededPt < roomPt;
}

/** More than any layout of the auditor has. */
const PADDING_PT = 12;

function extraLines(page: readonly PrintedRow[]): number[] {
  return page.filter((row) => !isOwn(row) && row.role !== 'header').map((row) => row.lineCount);
}
