import { type CellCure, cureOf } from '../../../src/runtime/contract/cell-cure.ts';
import { type CsvFormat, writeCell } from '../../../src/runtime/csv-format.ts';
import type { FieldType } from '../api/field-types.ts';
import { fromBuddhist } from '../form/dates.ts';
import { t, type TextKey } from '../i18n/i18n.ts';
import type { Run } from './api.ts';

/** How the cells of a run write numbers and dates; empty: as the field contract does. */
export type Notation = CsvFormat;

const NUMBER = '1250.50';
const DATE = '2026-12-31';

/** The notation of the run, in which also its corrections are read. */
export function notationOf({ csv }: Run): Notation {
  return csv ?? {};
}

/** Examples for texts: a `number` and a `date` in the notation. */
export function examplesIn(notation: Notation): { readonly number: string; readonly date: string } {
  return {
    number: writeCell(NUMBER, 'number', notation),
    date: writeCell(DATE, 'date', notation),
  };
}

/** What mends a cell that was refused for `reason`; '': nothing is known. */
export function cureText(reason: string, cell: string, notation: Notation): string {
  const cure = cureOf(reason, cell, notation);
  return cure === null ? '' : t(cureKey(cure, cell, notation), examplesIn(notation));
}

function cureKey(cure: CellCure, cell: string, { decimal, date, calendar }: Notation): TextKey {
  // Another format of the column alone would make a year of the Common Era of it.
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

/** Values of the field contract in texts about fields of a type. */
const VALUES: Readonly<Partial<Record<FieldType, RegExp>>> = {
  number: /(?<![\d.,])\d+\.\d+(?![.,]?\d)/g,
  date: /(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])/g,
};

/**
 * A text about a field, such as its example or its help, with the values that it names as cells of the
 * run have them: templates write them for forms, where 1250.50 is right.
 */
export function writtenIn(text: string, type: FieldType, notation: Notation): string {
  const values = VALUES[type];
  if (values === undefined) return text;
  return text.replaceAll(values, (value) => writeCell(value, type, notation));
}

/**
 * A day typed as in the form to fill in, such as 31/1/2569, as the cell is to have it; null: it is no
 * such day, or the notation has another order, in which it could be another day.
 */
export function dayTyped(text: string, notation: Notation): string | null {
  if (notation.date !== undefined && notation.date !== 'd/m/y') return null;
  const day = fromBuddhist(text);
  return day === null ? null : writeCell(day, 'date', notation);
}

/** Whether a date has a year that is near in the Buddhist Era, and is read as one of the Common. */
export function isOtherEra(date: string, { calendar }: Notation): boolean {
  return calendar !== 'buddhist' && /^2[45]\d\d-\d\d-\d\d$/.test(date.trim());
}

/** The format of the run's CSV in words; '': none of its files is CSV. */
export function csvWords(run: Run): string {
  const { csv, source, parts = [] } = run;
  const isCsv = csv !== null || source?.format === 'csv';
  if (!isCsv && !parts.some(({ format }) => format === 'csv')) return '';
  const notation = notationOf(run);
  const { delimiter } = notation;
  return notationWords(notation, delimiter === 'tab' ? t('run_csv.tab') : delimiter);
}

/** The format of a CSV in words; `sign`: what separates its cells, if that is known. */
export function notationWords(notation: Notation, sign: string | undefined): string {
  const { decimal, date, calendar } = notation;
  const { number, date: day } = examplesIn(notation);
  return [
    sign === undefined ? t('run_csv.any_separator') : t('run_csv.separator', { sign }),
    t(decimal === ',' ? 'run_csv.comma' : 'run_csv.point', { number }),
    t(calendar === 'buddhist' ? 'run_csv.dates_buddhist' : 'run_csv.dates_common', {
      order: t(date === undefined ? 'run_csv.iso' : `run_csv.${date}`),
      date: day,
    }),
  ].join(' · ');
}
