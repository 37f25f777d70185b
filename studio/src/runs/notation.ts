import { type CellCure, cureOf } from '../../../src/runtime/contract/cell-cure.ts';
import { type CsvFormat, writeCell } from '../../../src/runtime/csv/csv-format.ts';
import type { FieldType } from '../api/field-types.ts';
import { fromBuddhist } from '../form/dates.ts';
import { t, type TextKey } from '../i18n/i18n.ts';
import type { Run } from './api.ts';
import { amountNaming, examplesIn } from './examples.ts';

/**
 * The notation of numbers and dates in the cells of a run. Empty for that of the field contract.
 */
export type Notation = CsvFormat;

/** The notation of the run. Its corrections are read in the same notation. */
export function notationOf({ csv }: Run): Notation {
  return csv ?? {};
}

/** Advice on how to correct a cell that was refused for `reason`; '' if there is none. */
export function cureText(reason: string, cell: string, notation: Notation): string {
  const cure = cureOf(reason, cell, notation);
  return cure === null ? '' : t(cureKey(cure, cell, notation), examplesIn(notation));
}

function cureKey(cure: CellCure, cell: string, { decimal, date, calendar }: Notation): TextKey {
  // A different format of the column alone would keep the year, and read it as one of the Common
  // Era.
  const isBuddhist = /2[45]\d\d/.test(cell);
  switch (cure) {
    case 'amount':
      if (decimal === undefined) return 'faulty.cure_amount';
      return decimal === ',' ? 'faulty.cure_amount_comma' : 'faulty.cure_amount_point';
    case 'date':
      if (date === undefined) return isBuddhist ? 'faulty.cure_buddhist' : 'faulty.cure_date';
      if (calendar === 'buddhist') return 'faulty.cure_date_buddhist';
      return isBuddhist ? 'faulty.cure_date_era' : 'faulty.cure_date_common';
    case 'day':
      return 'faulty.cure_day';
  }
}

/** Matches values in the contract's notation inside texts about fields of a type. */
const VALUES: Readonly<Partial<Record<FieldType, RegExp>>> = {
  number: /(?<![\d.,])\d+\.\d+(?![.,]?\d)/g,
  date: /(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])/g,
};

/**
 * Converts the values in a text about a field, such as its example or help, to the notation of the
 * run. Templates write these texts for forms, where 1250.50 is right.
 */
export function writtenIn(text: string, type: FieldType, notation: Notation): string {
  const values = VALUES[type];
  if (values === undefined) return text;
  return text.replaceAll(values, (value) => writeCell(value, type, notation));
}

/**
 * Converts a date that is typed as in forms, such as 31/1/2569, to the notation of the run. Null if
 * the text is no such date, or if the notation has another order of day and month, in which the
 * text could mean another day.
 */
export function dayTyped(text: string, notation: Notation): string | null {
  if (notation.date !== undefined && notation.date !== 'd/m/y') return null;
  const day = fromBuddhist(text);
  return day === null ? null : writeCell(day, 'date', notation);
}

/** Whether a date is probably meant in the Buddhist Era but is read in the Common Era. */
export function isOtherEra(date: string, { calendar }: Notation): boolean {
  return calendar !== 'buddhist' && /^2[45]\d\d-\d\d-\d\d$/.test(date.trim());
}

/** The CSV format of the run in words; '' if none of its files is CSV. */
export function csvWords(run: Run): string {
  const { csv, source, parts = [] } = run;
  const isCsv = csv !== null || source?.format === 'csv';
  if (!isCsv && !parts.some(({ format }) => format === 'csv')) return '';
  const notation = notationOf(run);
  const { delimiter } = notation;
  return notationWords(notation, delimiter === 'tab' ? t('run_csv.tab') : delimiter);
}

/** The format of a CSV in words. `sign`: the separator of its cells, if it is known. */
export function notationWords(notation: Notation, sign: string | undefined): string {
  const { decimal, date, calendar } = notation;
  const number = amountNaming(notation);
  return [
    sign === undefined ? t('run_csv.any_separator') : t('run_csv.separator', { sign }),
    t(decimal === ',' ? 'run_csv.comma' : 'run_csv.point', { number }),
    t(calendar === 'buddhist' ? 'run_csv.dates_buddhist' : 'run_csv.dates_common', {
      order: t(date === undefined ? 'run_csv.iso' : `run_csv.${date}`),
      date: examplesIn(notation).date,
    }),
  ].join(' · ');
}
