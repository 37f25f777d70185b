import { isAmount } from '../contract/format/amount.ts';
import { amountInCell } from '../contract/reasons.ts';
import type { Reason } from '../contract/reasons.ts';
import type { FieldValues } from '../contract/types.ts';
import type { AmountColumn } from '../model/printed.ts';

/** Digits of any script, and characters such as ½ and ²: a reader takes the cell for an amount. */
const NUMERIC = /\p{N}/u;

/**
 * The reason why the cells of a summed column cannot be added up: a cell shows digits and cannot be
 * read as an amount (`(100.00)`, `฿100.00`, `๑๐๐`). It would add nothing, and the total would
 * contradict its column. Null: all cells are amounts, or have no digit (a dash, nothing).
 */
export function findUnreadAmount(
  values: FieldValues,
  { field, column }: AmountColumn,
): Reason | null {
  const value = values[field];
  if (value?.type !== 'table') return null;
  const { rows } = value;
  for (let index = 0; index < rows.length; index++) {
    const cell = rows[index]?.[column];
    if (cell === undefined || cell === '' || isAmount(cell)) continue;
    if (NUMERIC.test(cell)) return amountInCell(index, column);
  }
  return null;
}
