import {
  type CsvFormat,
  DATES,
  DECIMALS,
  readCell,
} from '../../../../src/runtime/csv/csv-format.ts';
import type { Field } from '../../api/field-types.ts';
import type { FirstRows } from './first-rows.ts';

type Typed = Pick<Field, 'name' | 'type'>;

/** A format that can read more cells of the first rows than the chosen one. */
export interface FormatGuess {
  readonly format: CsvFormat;
  /**
   * Whether the cells would fit as well with day and month, or the two signs of amounts, exchanged.
   */
  readonly isUnsure: boolean;
}

/** An amount as the field contract has it. */
const AMOUNT = /^-?\d+(?:\.\d+)?$/;
/** A year from here on is probably one of the Buddhist Era that was read in the Common Era. */
const OTHER_ERA = '2400';
/**
 * Each order of dates in the Common Era and then in the Buddhist Era. Of formats that fit equally
 * well, the first wins.
 */
const DATE_FORMATS: readonly CsvFormat[] = DATES.flatMap((date): CsvFormat[] => [
  { date },
  { date, calendar: 'buddhist' },
]);

/**
 * The value that the service reads from a cell of a number or date field in this format, in the
 * contract's notation. Null if the contract does not accept it.
 */
export function valueIn(cell: string, type: Field['type'], format: CsvFormat): string | null {
  const value = readCell(cell, type, format);
  return (type === 'number' ? AMOUNT.test(value) : isDay(value)) ? value : null;
}

/**
 * The format that can read more cells of number and date fields than `chosen`; null if there is
 * none.
 */
export function guessFormat(
  columns: readonly string[],
  rows: FirstRows,
  fields: readonly Typed[],
  chosen: CsvFormat,
): FormatGuess | null {
  const cellsOf = (wanted: Field['type']): readonly string[] => {
    const names = new Set(fields.filter(({ type }) => type === wanted).map(({ name }) => name));
    const places = [...columns.keys()].filter((at) => names.has(columns[at] ?? ''));
    return rows.flatMap((row) => places.map((at) => row[at] ?? '').filter((cell) => cell !== ''));
  };
  const decimals = DECIMALS.map((decimal): CsvFormat => ({ decimal }));
  const number = better(cellsOf('number'), 'number', decimals, chosen);
  const date = better(cellsOf('date'), 'date', DATE_FORMATS, chosen);
  if (number === null && date === null) return null;
  // An order without a calendar also replaces the calendar of the previous order.
  const { calendar, ...others } = chosen;
  const kept = date === null && calendar !== undefined ? { ...others, calendar } : others;
  return {
    format: { ...kept, ...number?.format, ...date?.format },
    isUnsure: (number?.isUnsure ?? false) || (date?.isUnsure ?? false),
  };
}

/** The first of the formats that can read the most cells, if these are more than with `chosen`. */
function better(
  cells: readonly string[],
  type: 'number' | 'date',
  formats: readonly CsvFormat[],
  chosen: CsvFormat,
): FormatGuess | null {
  const count = (format: CsvFormat): number =>
    cells.filter((cell) => isLikely(valueIn(cell, type, format), type)).length;
  const counts = formats.map(count);
  const most = Math.max(0, ...counts);
  const format = formats[counts.indexOf(most)];
  if (format === undefined || most <= count(chosen)) return null;
  return { format, isUnsure: counts.filter((one) => one === most).length > 1 };
}

function isLikely(value: string | null, type: 'number' | 'date'): boolean {
  return value !== null && (type === 'number' || value < OTHER_ERA);
}

function isDay(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}
