/**
 * A file of corrections: rows that say which faulty row of a run they take the place of. The service
 * writes such files (runs/exceptions.ts) and reads them as uploaded rows (engine/rows/).
 */
export const CORRECTION = { part: '#part', line: '#line', reasons: '#reasons' } as const;

/** The part of a run and the line in its file on which a row begins, from 1. */
export interface RowAddress {
  readonly part: number;
  readonly line: number;
}

/** A cell that a spreadsheet may take for a formula, after any number of apostrophes. */
const FORMULA = /^'*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
/** A negative number: harmless, and more useful as a number. */
const NEGATIVE = /^-\d+(?:\.\d+)?$/;

/**
 * Puts an apostrophe before a cell that a spreadsheet might run as a formula. `unguardCell` takes it
 * away again: the cell of every row comes back as it was uploaded.
 */
export function guardCell(cell: string): string {
  return FORMULA.test(cell) && !NEGATIVE.test(cell) ? `'${cell}` : cell;
}

export function unguardCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
