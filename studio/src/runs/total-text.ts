import { isUnreadable, readCell } from '../../../src/runtime/csv/csv-format.ts';

/**
 * A control total as the service takes it: people copy 20,050.00 from a spreadsheet. What is no amount
 * stays, so that the service says so.
 */
export function plainTotal(typed: string): string {
  const plain = readCell(typed, 'number', { decimal: '.' });
  return isUnreadable(plain) ? typed : plain;
}
