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
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year === 0) return null;
  const parsed = new Day(numberOf(year, month, day));
  const parts = partsOf(parsed);
  return parts.month === month && parts.day === day ? parsed : null;
}

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
