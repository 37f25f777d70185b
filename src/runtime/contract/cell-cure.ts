/** The kind of damage that a spreadsheet did to a column: one change of format mends all its cells. */
export type CellCure = 'amount' | 'date';

/** Digits in groups, or with a comma before the decimals: 1,250.50, 1.250,50, 12,5. */
const AMOUNT = /^-?\d{1,3}(?:[., ]?\d{3})*(?:[.,]\d+)?$/;
/** It needs no cure. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
/** The day before the month, in the Common or the Buddhist Era: 31/12/2026, 31.12.69. */
const DATE = /^\d{1,2}[/.-]\d{1,2}[/.-](?:\d{2}|\d{4})$/;

/** The cure of a cell that was refused for `reason`; null: none is known. */
export function cureOf(reason: string, cell: unknown): CellCure | null {
  if (typeof cell !== 'string') return null;
  const text = cell.trim();
  const isAmount = AMOUNT.test(text) && !DECIMAL.test(text);
  if (reason.startsWith('number expected') && isAmount) return 'amount';
  if (reason.startsWith('date expected') && DATE.test(text)) return 'date';
  return null;
}

/** The cures for people at a command line; the Studio has its own texts. */
export const CURES: Readonly<Record<CellCure, string>> = {
  amount:
    'write amounts as 1250.50: a point before the decimals, and no other separators; or leave a CSV as it is, and give --decimal , (or --decimal .)',
  date: 'write dates as 2026-12-31: year of the Common Era, month, day; or leave a CSV as it is, and give --date d/m/y (and --calendar buddhist)',
};
