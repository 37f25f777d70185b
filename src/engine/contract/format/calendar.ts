import { entryAt } from '../../../errors.ts';
/** Calendar arithmetic without Date: the proleptic Gregorian calendar, years 1 to 9999. */

export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The names a date pattern prints, January and Sunday first. */
export interface CalendarNames {
  readonly months: readonly string[];
  readonly monthsShort: readonly string[];
  readonly weekdays: readonly string[];
  readonly weekdaysShort: readonly string[];
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The day an exact `YYYY-MM-DD` names, or null when it is no real calendar day. */
export function parseIsoDay(text: string): CalendarDay | null {
  if (text.length !== 10 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return null;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 7);
  const day = digitsAt(text, 8, 10);
  if (year < 1 || month < 1 || month > 12 || day < 1) return null;
  return day <= daysInMonth(year, month) ? { year, month, day } : null;
}

/** The number in [start, end), or -1 when a character there is no ASCII digit. */
function digitsAt(text: string, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function daysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : entryAt(MONTH_DAYS, month - 1);
}

/** 0 is Sunday (Sakamoto's method). */
export function weekdayOf({ year, month, day }: CalendarDay): number {
  const offset = entryAt([0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4], month - 1);
  const y = month < 3 ? year - 1 : year;
  return (y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + offset + day) % 7;
}

const THAI: CalendarNames = {
  months: [
    'มกราคม',
    'กุมภาพันธ์',
    'มีนาคม',
    'เมษายน',
    'พฤษภาคม',
    'มิถุนายน',
    'กรกฎาคม',
    'สิงหาคม',
    'กันยายน',
    'ตุลาคม',
    'พฤศจิกายน',
    'ธันวาคม',
  ],
  monthsShort: [
    'ม.ค.',
    'ก.พ.',
    'มี.ค.',
    'เม.ย.',
    'พ.ค.',
    'มิ.ย.',
    'ก.ค.',
    'ส.ค.',
    'ก.ย.',
    'ต.ค.',
    'พ.ย.',
    'ธ.ค.',
  ],
  weekdays: ['วันอาทิตย์', 'วันจันทร์', 'วันอังคาร', 'วันพุธ', 'วันพฤหัสบดี', 'วันศุกร์', 'วันเสาร์'],
  weekdaysShort: ['อา.', 'จ.', 'อ.', 'พ.', 'พฤ.', 'ศ.', 'ส.'],
};

const ENGLISH: CalendarNames = {
  months: [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
  monthsShort: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '),
  weekdays: 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' '),
  weekdaysShort: 'Sun Mon Tue Wed Thu Fri Sat'.split(' '),
};

/** Abbreviations of CLDR that no skeleton of Intl shows: its dates have figures in their place. */
const ABBREVIATED_MONTHS: Readonly<Record<string, readonly string[]>> = {
  bg: 'яну фев март апр май юни юли авг сеп окт ное дек'.split(' '),
  lt: 'saus. vas. kov. bal. geg. birž. liep. rugp. rugs. spal. lapkr. gruod.'.split(' '),
};

/**
 * The names in a language. Thai and English are built in, so that they never change with Node's
 * ICU; others come from Intl, in the form a date uses (`5 мая`, not `май`). Ask once, at compile.
 */
export function calendarNames(language: string): CalendarNames {
  const primary = language.toLowerCase().split(/[-_]/, 1)[0];
  if (primary === 'th') return THAI;
  if (primary === 'en' || primary === undefined || primary === '') return ENGLISH;
  const short = Object.hasOwn(ABBREVIATED_MONTHS, primary) ? ABBREVIATED_MONTHS[primary] : null;
  return {
    months: monthNames(language, 'long'),
    monthsShort: short ?? monthNames(language, 'short'),
    weekdays: weekdayNames(language, 'long'),
    weekdaysShort: weekdayNames(language, 'short'),
  };
}

type Length = 'long' | 'short';

/**
 * Some languages write a date of this length with the number of the month: Japanese `5月1日`, Czech
 * `1. 5. 2023`. Their names of months are found in a longer date, or in the month alone. Persian has
 * its genitive only beside a year; Estonian abbreviates the month only without one.
 */
function monthNames(language: string, length: Length): readonly string[] {
  const starts = Array.from({ length: 12 }, (_, month) => Date.UTC(2023, month, 1));
  const day = { day: 'numeric', month: length } as const;
  const date = { ...day, year: 'numeric', weekday: length } as const;
  for (const options of length === 'long' ? [date, day] : [day, date]) {
    const format = gregorian(language, options);
    const names = starts.map((at) => partOf(format, 'month', at));
    if (!names.every((name) => /^\d+$/.test(name))) return names;
  }
  // Not by parts: V8 ends the process when it splits the lone month of Scottish Gaelic into parts.
  const alone = gregorian(language, { month: length });
  return starts.map((at) => alone.format(at));
}

function weekdayNames(language: string, length: Length): readonly string[] {
  const format = gregorian(language, { weekday: length, day: 'numeric' });
  // 1 January 2023 was a Sunday.
  const days = Array.from({ length: 7 }, (_, day) => Date.UTC(2023, 0, 1 + day));
  return days.map((at) => partOf(format, 'weekday', at));
}

function gregorian(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const fixed = { timeZone: 'UTC', calendar: 'gregory', numberingSystem: 'latn' };
  return new Intl.DateTimeFormat(language, { ...options, ...fixed });
}

function partOf(format: Intl.DateTimeFormat, part: 'month' | 'weekday', atMs: number): string {
  return format.formatToParts(atMs).find(({ type }) => type === part)?.value ?? '';
}
