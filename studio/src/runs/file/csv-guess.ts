import {
  BUDDHIST_YEARS,
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

/** The first rows of a file, and the fields of their columns. */
export interface Sample {
  readonly columns: readonly string[];
  readonly rows: FirstRows;
  readonly fields: readonly Typed[];
  /** The year of today in the Common Era: years with two digits are probably near it. */
  readonly thisYear: number;
}

/**
 * The format that can read more cells of number and date fields than `chosen`; null if there is
 * none. If dates have years with two digits, it has the order and the calendar which these imply,
 * although it cannot read them.
 */
export function guessFormat(sample: Sample, chosen: CsvFormat): FormatGuess | null {
  const decimals = DECIMALS.map((decimal): CsvFormat => ({ decimal }));
  const number = better(cellsOf(sample, 'number'), 'number', decimals, chosen);
  const dates = cellsOf(sample, 'date');
  const date =
    better(dates, 'date', DATE_FORMATS, chosen) ?? betterForShort(dates, chosen, sample.thisYear);
  if (number === null && date === null) return null;
  // An order without a calendar also replaces the calendar of the previous order.
  const { calendar, ...others } = chosen;
  const kept = date === null && calendar !== undefined ? { ...others, calendar } : others;
  return {
    format: { ...kept, ...number?.format, ...date?.format },
    isUnsure: (number?.isUnsure ?? false) || (date?.isUnsure ?? false),
  };
}

/** A date whose year has two digits, and the same date with the year that is probably meant. */
export interface ShortYear {
  readonly cell: string;
  readonly full: string;
}

/** The first date of the rows whose year has two digits; no format accepts those. */
export function shortYearIn(sample: Sample, format: CsvFormat): ShortYear | null {
  for (const cell of cellsOf(sample, 'date')) {
    const full = fullDate(cell, format, sample.thisYear);
    if (full !== null) return { cell, full: full.text };
  }
  return null;
}

function cellsOf({ columns, rows, fields }: Sample, wanted: Field['type']): readonly string[] {
  const names = new Set(fields.filter(({ type }) => type === wanted).map(({ name }) => name));
  const places = [...columns.keys()].filter((at) => names.has(columns[at] ?? ''));
  return rows.flatMap((row) => places.map((at) => row[at] ?? '').filter((cell) => cell !== ''));
}

/** Three numbers with the same sign between them, none of them a year with four digits. */
const SHORT_DATE = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{1,2})$/;

/**
 * A date with a year of two digits as the format has it with four, in the century that is nearest to
 * this year, and how many years it is from there. Null if it is no such date, or no day in this order.
 */
function fullDate(
  cell: string,
  format: CsvFormat,
  thisYear: number,
): { readonly text: string; readonly yearsOff: number } | null {
  const found = SHORT_DATE.exec(cell.trim());
  if (found === null || format.date === undefined) return null;
  const [, first = '', sign = '', second = '', third = ''] = found;
  const isYearFirst = format.date === 'y/m/d';
  const short = isYearFirst ? first : third;
  if (short.length !== 2) return null;
  const now = thisYear + (format.calendar === 'buddhist' ? BUDDHIST_YEARS : 0);
  const inCentury = now - (now % 100) + Number(short);
  const [year = inCentury] = [inCentury - 100, inCentury, inCentury + 100].toSorted(
    (one, other) => Math.abs(one - now) - Math.abs(other - now),
  );
  const text = (isYearFirst ? [year, second, third] : [first, second, year]).join(sign);
  const yearsOff = Math.abs(year - now);
  return valueIn(text, 'date', format) === null ? null : { text, yearsOff };
}

/**
 * The format in which the most dates with years of two digits would be days, and these days nearest
 * to this year, if it suits them better than `chosen`. Null if `chosen` reads more cells as they are.
 */
function betterForShort(
  cells: readonly string[],
  chosen: CsvFormat,
  thisYear: number,
): FormatGuess | null {
  const fitOf = (format: CsvFormat): { readonly count: number; readonly yearsOff: number } => {
    const full = cells.flatMap((cell) => fullDate(cell, format, thisYear) ?? []);
    return { count: full.length, yearsOff: full.reduce((sum, one) => sum + one.yearsOff, 0) };
  };
  const fits = DATE_FORMATS.map((format) => ({ format, ...fitOf(format) }));
  // Sorting keeps the order of those that fit equally well.
  const [best] = fits.toSorted(
    (one, other) => other.count - one.count || one.yearsOff - other.yearsOff,
  );
  const now = fitOf(chosen);
  const isBetter =
    best !== undefined &&
    (best.count > now.count || (best.count === now.count && best.yearsOff < now.yearsOff));
  if (!isBetter || best.count <= readable(cells, 'date', chosen)) return null;
  const equal = fits.filter(
    ({ count, yearsOff }) => count === best.count && yearsOff === best.yearsOff,
  );
  return { format: best.format, isUnsure: equal.length > 1 };
}

/** The first of the formats that can read the most cells, if these are more than with `chosen`. */
function better(
  cells: readonly string[],
  type: 'number' | 'date',
  formats: readonly CsvFormat[],
  chosen: CsvFormat,
): FormatGuess | null {
  const count = (format: CsvFormat): number => readable(cells, type, format);
  const counts = formats.map(count);
  const most = Math.max(0, ...counts);
  const format = formats[counts.indexOf(most)];
  if (format === undefined || most <= count(chosen)) return null;
  return { format, isUnsure: counts.filter((one) => one === most).length > 1 };
}

/** How many of the cells the format can read. */
function readable(cells: readonly string[], type: 'number' | 'date', format: CsvFormat): number {
  return cells.filter((cell) => isLikely(valueIn(cell, type, format), type)).length;
}

function isLikely(value: string | null, type: 'number' | 'date'): boolean {
  return value !== null && (type === 'number' || value < OTHER_ERA);
}

function isDay(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}
