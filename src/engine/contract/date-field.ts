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

/** Days of entries whose printed text is kept: those of several years. */
const DAYS_MAX = 2_048;

/**
 * Reads a day of an entry without bounds. The entries of a statement have the same few hundred days, so
 * that the texts of days are kept.
 */
export function compileDateCell({ format }: PlainField, language: string): CellReader {
  const print = compileDateFormat(format, language);
  const printed = new Map<string, string>();
  return (day, isString, row, column, rawColumn) => {
    if (!isString) return false;
    let text = printed.get(day);
    if (text === undefined) {
      if (parseIsoDay(day) === null) return false;
      if (printed.size >= DAYS_MAX) printed.clear();
      text = print(day);
      printed.set(day, text);
    }
    row[column] = text;
    row[rawColumn] = day;
    return true;
  };
}

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
