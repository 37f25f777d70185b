/**
 * The fix for a refused cell. `amount` and `date`: a spreadsheet wrote the whole column in another
 * format, so one change of that format fixes all its cells. `day`: the calendar has no such day, so
 * only this cell must be corrected.
 */
export type CellCure = 'amount' | 'date' | 'day';

/** Digits in groups, or with a comma before the decimals: 1,250.50, 1.250,50, 12,5. */
const AMOUNT = /^-?\d{1,3}(?:[., ]?\d{3})*(?:[.,]\d+)?$/;
/** It needs no cure. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
/** The day before the month, in the Common or the Buddhist Era: 31/12/2026, 31.12.69. */
const DATE = /^(\d{1,2})[/.-](\d{1,2})[/.-](?:\d{2}|\d{4})$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
/** Days of the months at most: whether 29 February exists depends on a year in an unknown calendar. */
const DAYS_MAX = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The cure of a cell that was refused for `reason`; null: none is known. */
export function cureOf(reason: string, cell: unknown): CellCure | null {
  if (typeof cell !== 'string') return null;
  const text = cell.trim();
  const isAmount = AMOUNT.test(text) && !DECIMAL.test(text);
  if (reason.startsWith('number expected') && isAmount) return 'amount';
  return reason.startsWith('date expected') ? cureOfDate(text) : null;
}

function cureOfDate(text: string): CellCure | null {
  const [, first, second] = DATE.exec(text) ?? [];
  if (first !== undefined && second !== undefined) {
    // Some spreadsheets write the month first: 12/31/2026.
    const isDay = hasDay(Number(second), Number(first)) || hasDay(Number(first), Number(second));
    return isDay ? 'date' : 'day';
  }
  // The form is right, so that only the day itself can be refused: 2026-02-31.
  return ISO_DATE.test(text) ? 'day' : null;
}

function hasDay(month: number, day: number): boolean {
  return day >= 1 && day <= (DAYS_MAX[month - 1] ?? 0);
}

/** The cures for people at a command line; the Studio has its own texts. */
export const CURES: Readonly<Record<CellCure, string>> = {
  amount:
    'write amounts as 1250.50: a point before the decimals, and no other separators; or leave a CSV as it is, and give --decimal , (or --decimal .)',
  date: 'write dates as 2026-12-31: year of the Common Era, month, day; or leave a CSV as it is, and give --date d/m/y (and --calendar buddhist)',
  day: 'the calendar has no such day: correct the cell in its row',
};
