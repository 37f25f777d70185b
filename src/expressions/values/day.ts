/** Days of the proleptic Gregorian calendar, from 0001-01-01 to 9999-12-31. */
export class Day {
  /** Days since 1970-01-01. */
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }
}

const MS_PER_DAY = 86_400_000;
const FIRST = numberOf(1, 1, 1);
const LAST = numberOf(9999, 12, 31);

interface Parts {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

/** Days since 1970-01-01; a day of 0 is the last day of the month before. */
function numberOf(year: number, month: number, day: number): number {
  // Date.UTC reads years below 100 as those of the 20th century.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / MS_PER_DAY;
}

/** Year, month and day of the month. */
export function partsOf({ number }: Day): Parts {
  const date = new Date(number * MS_PER_DAY);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The day of YYYY-MM-DD; null when the text is no such day. */
export function parseDay(text: string): Day | null {
  if (text.length !== 10 || text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN)
    return null;
  const [year, month, day] = [numberIn(text, 0, 4), numberIn(text, 5, 7), numberIn(text, 8, 10)];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  return new Day(dayNumber(year, month, day));
}

const HYPHEN = 0x2d;

/** The number that the digits form; -1 if another character is among them. */
function numberIn(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/**
 * As `numberOf`, but without a Date object, which would be made for each item of a list of dates.
 * Years begin in March here, so that a leap day is the last day of its year and every five months
 * have 153 days.
 */
function dayNumber(year: number, month: number, day: number): number {
  const [y, m] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leapDays + Math.floor((153 * m + 2) / 5) + day - 1 - DAYS_TO_1970;
}

/** Days from 1 March of the year 0 to 1970-01-01. */
const DAYS_TO_1970 = 719_468;

/** The day as YYYY-MM-DD. */
export function formatDay(day: Day): string {
  const { year, month, day: ofMonth } = partsOf(day);
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(ofMonth, 2)}`;
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}

/** The day so many days later; null outside of the calendar. */
export function addDays({ number }: Day, days: number): Day | null {
  return dayOrNull(number + days);
}

/** The same day so many months later, or the last day of that month when it is shorter. */
export function addMonths(day: Day, months: number): Day | null {
  const { year, month, day: ofMonth } = partsOf(day);
  const index = year * 12 + month - 1 + months;
  const [newYear, newMonth] = [Math.floor(index / 12), (index % 12) + 1];
  if (newYear < 1 || newYear > 9999) return null;
  const last = partsOf(new Day(numberOf(newYear, newMonth + 1, 0))).day;
  return new Day(numberOf(newYear, newMonth, Math.min(ofMonth, last)));
}

/** The first day of the day's month. */
export function startOfMonth(day: Day): Day {
  return new Day(day.number - partsOf(day).day + 1);
}

/** The last day of the day's month. */
export function endOfMonth(day: Day): Day {
  const { year, month } = partsOf(day);
  return new Day(numberOf(year, month + 1, 0));
}

function dayOrNull(number: number): Day | null {
  return number >= FIRST && number <= LAST ? new Day(number) : null;
}
