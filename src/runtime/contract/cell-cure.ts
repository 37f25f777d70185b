import { type CsvFormat, isUnreadable, readCell, writeCell } from '../csv/csv-format.ts';

/**
 * The fix for a refused cell. `amount` and `date`: a spreadsheet wrote the whole column in another
 * format, so one change of that format fixes all its cells. `day`: the calendar has no such day, so
 * only this cell must be corrected.
 */
export type CellCure = 'amount' | 'date' | 'day';

/** The reasons of the field contract for a cell that it cannot read. */
export const REASONS = { number: 'number expected', date: 'date expected as YYYY-MM-DD' } as const;
/** What is wrong with a cell that only a correction mends. */
export const NO_SUCH_DAY = 'the calendar has no such day';
/** Digits in groups, or with a comma before the decimals: 1,250.50, 1.250,50, 12,5. */
const AMOUNT = /^-?\d{1,3}(?:[., ]?\d{3})*(?:[.,]\d+)?$/;
/** It needs no cure. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
/** The day before the month, in the Common or the Buddhist Era: 31/12/2026, 31.12.69. */
const DATE = /^(\d{1,2})[/.-](\d{1,2})[/.-](?:\d{2}|\d{4})$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
/** The year before the month, with any sign between: 2569/12/31. */
const YEAR_FIRST = /^\d{4}([/.-])\d{1,2}\1\d{1,2}$/;
/** Days of the months at most: whether 29 February exists depends on a year in an unknown calendar. */
const DAYS_MAX = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * The cure of a cell that was refused for `reason`; null: none is known. `format`: how the file was
 * said to be written.
 */
export function cureOf(reason: string, cell: unknown, format: CsvFormat = {}): CellCure | null {
  if (typeof cell !== 'string') return null;
  const text = cell.trim();
  if (reason.startsWith('number expected')) {
    const isRead =
      format.decimal === undefined
        ? DECIMAL.test(text)
        : !isUnreadable(readCell(text, 'number', format));
    return AMOUNT.test(text) && !isRead ? 'amount' : null;
  }
  if (!reason.startsWith('date expected')) return null;
  return format.date === undefined ? cureOfDate(text) : cureOfDateIn(text, format);
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

/** As above, for a column whose order of day, month and year was given. */
function cureOfDateIn(text: string, format: CsvFormat): CellCure | null {
  if (!DATE.test(text) && !YEAR_FIRST.test(text)) return null;
  const read = readCell(text, 'date', format);
  // The wrong order or calendar: 2569-12-31, or 31/12/2026 in a column of the Buddhist Era.
  if (isUnreadable(read)) return 'date';
  const [, month = 0, day = 0] = read.split('-').map(Number);
  const isSwapped = !ISO_DATE.test(text) && !hasDay(month, day) && hasDay(day, month);
  return isSwapped ? 'date' : 'day';
}

function hasDay(month: number, day: number): boolean {
  return day >= 1 && day <= (DAYS_MAX[month - 1] ?? 0);
}

/** Where options of the notation are given: with the CSV, with a new run, or nowhere. */
export type OptionsPlace = 'csv' | 'run' | 'none';

/**
 * The cure for people at a command line, in the notation of the file; the Studio has its own texts.
 * It never advises an option that was given already. `fitting`: the format that the cells of the file
 * decide, where they do; its options are advised alone.
 */
export function adviceOf(
  cure: CellCure,
  format: CsvFormat,
  place: OptionsPlace,
  fitting: CsvFormat = {},
): string {
  const { decimal, date, calendar } = format;
  switch (cure) {
    case 'amount':
      return decimal === undefined
        ? `${AMOUNT_ADVICE}${optionAdvice(place, decimalOption(fitting))}`
        : AMOUNTS[decimal];
    case 'date':
      if (date === undefined) {
        return `${DATE_ADVICE}${optionAdvice(place, dateOption(fitting))}`;
      }
      return datesAs(date, format) + (calendar === undefined ? ERAS[place] : '');
    case 'day':
      return `${NO_SUCH_DAY}: correct the cell in its row`;
  }
}

/** The option that reads the amounts; both where the cells do not decide it. */
export function decimalOption({ decimal }: CsvFormat): string {
  return decimal === undefined ? '--decimal , (or --decimal .)' : `--decimal ${decimal}`;
}

/** The options that read the dates; an example where the cells do not decide them. */
export function dateOption({ date, calendar }: CsvFormat): string {
  if (date === undefined) return '--date d/m/y (and --calendar buddhist)';
  return `--date ${date}${calendar === undefined ? '' : ` --calendar ${calendar}`}`;
}

/** The other way: to say how the cells of a CSV are written. A run keeps what it was made with. */
function optionAdvice(place: OptionsPlace, option: string): string {
  if (place === 'none') return '';
  const where = place === 'run' ? 'make a new run, with runs create' : 'give';
  return `; or leave a CSV as it is, and ${where} ${option}`;
}

const AMOUNT_ADVICE =
  'write amounts as 1250.50: a point before the decimals, and no other separators';
const DATE_ADVICE = 'write dates as 2026-12-31: year of the Common Era, month, day';
const BUDDHIST = '; where the years are of the Buddhist Era,';
const ERAS: Readonly<Record<OptionsPlace, string>> = {
  csv: `${BUDDHIST} give --calendar buddhist, too`,
  run: `${BUDDHIST} make a new run, with runs create --calendar buddhist`,
  none: '',
};
const AMOUNTS = {
  ',': 'write amounts as 1250,50 or 1.250,50: a comma stands before the decimals, by --decimal ,',
  '.': 'write amounts as 1250.50 or 1,250.50: a point stands before the decimals, by --decimal .',
} as const;

function datesAs(order: string, format: CsvFormat): string {
  const option = `--date ${order}${format.calendar === 'buddhist' ? ' --calendar buddhist' : ''}`;
  return `write dates as ${exampleOf(format)}, by ${option}`;
}

function exampleOf(format: CsvFormat): string {
  const era = format.calendar === 'buddhist' ? 'Buddhist' : 'Common';
  return `${writeCell('2026-12-31', 'date', format)}, with the full year of the ${era} Era`;
}

/**
 * The reason of a refused field for a CSV of this format. The field contract asks for dates in its
 * own notation, which a CSV of another one does not have.
 */
export function reasonIn(reason: string, format: CsvFormat): string {
  if (format.date === undefined || reason !== REASONS.date) return reason;
  return `date expected as ${exampleOf(format)}, and a day that exists`;
}
