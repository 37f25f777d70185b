import { type CsvFormat, writeCell } from '../../../src/runtime/csv/csv-format.ts';

const DATE = '2026-12-31';

/** An amount in the notation of the field contract. */
export const AMOUNT = '1250.50';

/** An amount for each decimal sign, with the separators of thousands that its cells may have. */
export const GROUPED_AMOUNTS = { '.': '1,250.50', ',': '1.250,50' } as const;

/** An example of a number and of a date in the notation of a run, for texts. */
export function examplesIn(notation: CsvFormat): {
  readonly number: string;
  readonly date: string;
} {
  return {
    number: writeCell(AMOUNT, 'number', notation),
    date: writeCell(DATE, 'date', notation),
  };
}

/**
 * The amount that names a notation: the one of its choice in the form of a new run. Decimal point
 * with separators of thousands and without are different notations.
 */
export function amountNaming({ decimal }: CsvFormat): string {
  return decimal === undefined ? AMOUNT : GROUPED_AMOUNTS[decimal];
}
