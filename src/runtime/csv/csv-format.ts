/** The delimiter of a CSV file, and how its cells write numbers and dates. */
export interface CsvFormat {
  /** Absent: comma, semicolon and tab are recognised. */
  readonly delimiter?: (typeof DELIMITERS)[number];
  /** Before the decimals of number fields; digits may be in groups of three. Absent: 1250.50. */
  readonly decimal?: (typeof DECIMALS)[number];
  /** Order of date fields, with `/`, `.` or `-` between. Absent: YYYY-MM-DD. */
  readonly date?: (typeof DATES)[number];
  /** Calendar of those years. Absent: gregory. */
  readonly calendar?: (typeof CALENDARS)[number];
}

export const DELIMITERS = [',', ';', '|', 'tab'] as const;
export const DECIMALS = ['.', ','] as const;
export const DATES = ['d/m/y', 'm/d/y', 'y/m/d'] as const;
export const CALENDARS = ['gregory', 'buddhist'] as const;

/** Replaces a cell that is not in the format: no number or date field accepts it. */
const UNREADABLE = '?';
/** No number or date that a contract accepts is written in more characters. */
const LENGTH_MAX = 64;
/** A year of the Buddhist Era less that of the Common Era. */
export const BUDDHIST_YEARS = 543;
/**
 * Years that a date in a Buddhist column may have, in the common era. Any other year was written in
 * the wrong calendar.
 */
const COMMON_YEARS = { min: 1_800, max: 2_342 } as const;

// The same sign stands between all groups of three.
const WITH_POINT = /^(-?)(\d+|\d{1,3}([, '\u00A0\u202F])\d{3}(?:\3\d{3})*)(?:\.(\d+))?$/;
const WITH_COMMA = /^(-?)(\d+|\d{1,3}([. '\u00A0\u202F])\d{3}(?:\3\d{3})*)(?:,(\d+))?$/;
const YEAR_LAST = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;
const YEAR_FIRST = /^(\d{4})([/.-])(\d{1,2})\2(\d{1,2})$/;
const ISO = /^\d{4}-\d{2}-\d{2}$/;

/** The separator of the cells; null: it is recognised. */
export function delimiterOf(format: CsvFormat | undefined): string | null {
  const { delimiter = null } = format ?? {};
  return delimiter === 'tab' ? '\t' : delimiter;
}

/** Whether cells are to be converted. */
export function convertsCells({ decimal, date }: CsvFormat): boolean {
  return decimal !== undefined || date !== undefined;
}

/**
 * Writes the cell of a number or date field as the field contract takes it; a cell of another type
 * stays. A cell that is not in the format becomes one that the contract refuses, never another value.
 */
export function readCell(cell: string, type: string, format: CsvFormat): string {
  if (type === 'number' && format.decimal !== undefined) return readNumber(cell, format.decimal);
  if (type === 'date' && format.date !== undefined) return readDate(cell, format.date, format);
  return cell;
}

/**
 * Writes the value of a number or date field in this format; the reverse of `readCell`. Returns
 * values of other types, and values that are not valid in the field contract, unchanged.
 */
export function writeCell(value: string, type: string, format: CsvFormat): string {
  if (type === 'number' && format.decimal === ',') return value.replace('.', ',');
  if (type !== 'date' || format.date === undefined || !ISO.test(value)) return value;
  const [common = '', month = '', day = ''] = value.split('-');
  const year = Number(common) + (format.calendar === 'buddhist' ? BUDDHIST_YEARS : 0);
  const parts = { d: day, m: month, y: String(year).padStart(4, '0') };
  return format.date.replaceAll(/[dmy]/g, (part) => parts[part as keyof typeof parts]);
}

/** Whether `readCell` returned this for a cell that is not in the format. */
export function isUnreadable(cell: string): boolean {
  return cell === UNREADABLE;
}

function readNumber(cell: string, decimal: NonNullable<CsvFormat['decimal']>): string {
  if (cell.length > LENGTH_MAX) return UNREADABLE;
  const found = (decimal === ',' ? WITH_COMMA : WITH_POINT).exec(cell.trim());
  if (found === null) return UNREADABLE;
  const [, sign = '', whole = '', , decimals] = found;
  return `${sign}${whole.replaceAll(/\D/g, '')}${decimals === undefined ? '' : `.${decimals}`}`;
}

function readDate(
  cell: string,
  order: NonNullable<CsvFormat['date']>,
  { calendar }: CsvFormat,
): string {
  const text = cell.slice(0, LENGTH_MAX).trim();
  // With the year last, this can be nothing else.
  if (order !== 'y/m/d' && ISO.test(text)) {
    return isOfCalendar(Number(text.slice(0, 4)), calendar) ? text : UNREADABLE;
  }
  const found = (order === 'y/m/d' ? YEAR_FIRST : YEAR_LAST).exec(text);
  if (found === null) return UNREADABLE;
  const [, first = '', , second = '', third = ''] = found;
  const [year, month, day] =
    order === 'y/m/d'
      ? [first, second, third]
      : order === 'd/m/y'
        ? [third, second, first]
        : [third, first, second];
  const common = Number(year) - (calendar === 'buddhist' ? BUDDHIST_YEARS : 0);
  if (common < 1 || !isOfCalendar(common, calendar)) return UNREADABLE;
  return [String(common).padStart(4, '0'), month.padStart(2, '0'), day.padStart(2, '0')].join('-');
}

/**
 * Whether a year of the common era fits the calendar that was named. In a Buddhist column, 2569 and
 * 1483 (for 2026) would be the wrong calendar's. Where no calendar was named, a year that the Buddhist
 * Era has today, as 2569, is refused instead of guessed; 9999, for no end, is not.
 */
function isOfCalendar(year: number, calendar: CsvFormat['calendar']): boolean {
  switch (calendar) {
    case 'gregory':
      return true;
    case 'buddhist':
      return isCommon(year);
    case undefined:
      return !isCommon(year - BUDDHIST_YEARS) || isCommon(year);
  }
}

function isCommon(year: number): boolean {
  return year >= COMMON_YEARS.min && year <= COMMON_YEARS.max;
}
