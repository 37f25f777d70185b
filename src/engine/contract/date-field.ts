import { parseIsoDay } from './format/calendar.ts';
import type { CellReader, FieldCheck, FieldDefinition } from './definition.ts';
import { compileDateFormat } from './format/formats.ts';
import type { ContractProblem } from './problem.ts';
import { error } from './problem.ts';
import { dateFrom, dateUntil, REASONS } from './reasons.ts';
import type { FieldValidation, PlainField } from './types.ts';

/**
 * A `date`: a day that the calendar has, written as YYYY-MM-DD. Such texts sort as the days do, so that
 * they are compared with the bounds as texts.
 */
export const DATE_FIELD: FieldDefinition = {
  formatKeys: ['calendar', 'pattern', 'digits', 'case', 'language'],
  validationKeys: ['min', 'max'],
  prints: 'date',
  problems: boundProblems,
  compile: compileDate,
};

function compileDate({ format, validation }: PlainField, language: string): FieldCheck {
  const print = compileDateFormat(format, language);
  const min = validation?.min === undefined ? null : String(validation.min);
  const max = validation?.max === undefined ? null : String(validation.max);
  return (value) => {
    if (typeof value !== 'string' || parseIsoDay(value) === null) return REASONS.date;
    if (min !== null && value < min) return dateFrom(min);
    if (max !== null && value > max) return dateUntil(max);
    return { type: 'date', raw: value, display: print(value) };
  };
}

/** Size of the cache of days: five and a half years. */
const DAYS_MAX = 2_048;

/**
 * Reads dates of list entries, for fields without `min` and `max`. The entries of a statement share
 * a few hundred days, so the texts of each day are cached, at the index `number % DAYS_MAX`.
 */
export class DayCell implements CellReader {
  readonly #print: (day: string) => string;
  readonly #numbers = new Int32Array(DAYS_MAX).fill(-1);
  readonly #days: string[] = Array.from({ length: DAYS_MAX }, () => '');
  readonly #printed: string[] = Array.from({ length: DAYS_MAX }, () => '');

  constructor({ format }: PlainField, language: string) {
    this.#print = compileDateFormat(format, language);
  }

  read(
    codes: Uint8Array | Uint16Array,
    start: number,
    row: string[],
    column: number,
    rawColumn: number,
  ): number {
    const end = start + DAY_LENGTH + 1;
    if (codes[start] !== QUOTE || codes[end] !== QUOTE) return -1;
    const number = dayNumberAt(codes, start + 1);
    const place = number % DAYS_MAX;
    if (number < 0 || (this.#numbers[place] !== number && !this.#keep(codes, start + 1, number)))
      return -1;
    row[column] = this.#printed[place] ?? '';
    if (rawColumn !== column) row[rawColumn] = this.#days[place] ?? '';
    return end + 1;
  }

  /** Caches the texts of a day. Returns false if the calendar has no such day. */
  #keep(codes: Uint8Array | Uint16Array, start: number, number: number): boolean {
    const day = String.fromCharCode(...codes.subarray(start, start + DAY_LENGTH));
    if (parseIsoDay(day) === null) return false;
    const place = number % DAYS_MAX;
    this.#numbers[place] = number;
    this.#days[place] = day;
    this.#printed[place] = this.#print(day);
    return true;
  }

  take(day: string, isString: boolean, row: string[], column: number, rawColumn: number): boolean {
    if (!isString || parseIsoDay(day) === null) return false;
    row[column] = this.#print(day);
    if (rawColumn !== column) row[rawColumn] = day;
    return true;
  }
}

const QUOTE = 0x22;
const HYPHEN = 0x2d;
const ZERO = 0x30;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

/**
 * Maps a text `YYYY-MM-DD` to a number that no other such text has; consecutive days of a month
 * have consecutive numbers. Returns -1 if the codes do not have that form.
 */
function dayNumberAt(codes: Uint8Array | Uint16Array, start: number): number {
  if (codes[start + 4] !== HYPHEN || codes[start + 7] !== HYPHEN) return -1;
  const year = twoDigitsAt(codes, start) * 100 + twoDigitsAt(codes, start + 2);
  const month = twoDigitsAt(codes, start + 5);
  const day = twoDigitsAt(codes, start + 8);
  const isDay = year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  return isDay ? (year * 12 + month - 1) * 31 + day - 1 : -1;
}

/**
 * Returns NO_DIGITS, which makes any sum with it negative, if one of the two codes is not a digit.
 */
function twoDigitsAt(codes: Uint8Array | Uint16Array, start: number): number {
  const tens = (codes[start] ?? 0) - ZERO;
  const ones = (codes[start + 1] ?? 0) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NO_DIGITS;
}

const NO_DIGITS = -100_000;

function boundProblems({ min, max }: FieldValidation, path: string): ContractProblem[] {
  const problems: ContractProblem[] = [];
  for (const [key, bound] of Object.entries({ min, max })) {
    if (bound !== undefined && parseIsoDay(String(bound)) === null) {
      problems.push(error(`${path}.${key}`, 'must be a day as YYYY-MM-DD.'));
    }
  }
  if (min !== undefined && max !== undefined && String(min) > String(max)) {
    problems.push(error(path, 'has a min after its max: no value could pass.'));
  }
  return problems;
}
