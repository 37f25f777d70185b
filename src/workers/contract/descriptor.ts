import { LIMITS } from '../../limits.ts';
import { parseIsoDay } from './format/calendar.ts';
import { compareDecimals } from './format/decimal.ts';
import { CURRENCIES } from './format/currencies.ts';
import { unknownDateSymbols } from './format/formats.ts';
import { boundOf } from './number-field.ts';
import { compilePattern, PatternError } from './regex.ts';
import type { FieldDescriptor, FieldFormat, FieldType, FieldValidation } from './types.ts';
import { wordsLanguage } from './format/amount-words.ts';

/** A fault of a descriptor and its place: `path` continues the template's JSON path. */
export interface ContractProblem {
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
}

/** The format keys that have an effect on each type; others get a warning. */
export const FORMAT_KEYS_OF: Readonly<Record<FieldType, readonly (keyof FieldFormat)[]>> = {
  text: ['mask', 'case', 'language'],
  number: [
    ...(['decimals', 'thousandsSeparator', 'prefix', 'suffix', 'style', 'digits'] as const),
    ...(['words', 'currency', 'case', 'language'] as const),
  ],
  date: ['calendar', 'pattern', 'digits', 'case', 'language'],
  image: [],
  qrcode: [],
  table: [],
  svg: [],
};

const VALIDATION_KEYS: Readonly<Record<FieldType, readonly (keyof FieldValidation)[]>> = {
  text: ['minLength', 'maxLength', 'pattern'],
  number: ['min', 'max'],
  date: ['min', 'max'],
  image: [],
  qrcode: [],
  table: [],
  svg: [],
};

/**
 * Every fault of a contract whose shape the template's schema has already checked. Without an
 * error among them, `compileContract` does not throw.
 */
export function contractProblems(
  fields: readonly FieldDescriptor[],
  language: string,
): ContractProblem[] {
  const problems: ContractProblem[] = [];
  if (!isLanguage(language)) {
    problems.push(error('language', 'is not a language tag such as th or en.'));
  }
  const names = new Set<string>();
  const steps = { left: LIMITS.contractPatternStepsMax };
  fields.forEach((field, index) => {
    const path = `fields[${index}]`;
    if (names.has(field.name)) problems.push(error(`${path}.name`, 'is declared twice.'));
    names.add(field.name);
    if (field.format !== undefined) {
      const at = `${path}.format`;
      const keys = Object.keys(field.format);
      problems.push(...unusedKeys(keys, FORMAT_KEYS_OF[field.type], field.type, at));
      problems.push(...formatProblems(field.format, language, at));
    }
    if (field.validation !== undefined) {
      problems.push(
        ...validationProblems(field.validation, field.type, `${path}.validation`, steps),
      );
    }
  });
  return problems;
}

/** True for a tag that formatters can be made for; '' stands for English. */
export function isLanguage(language: string): boolean {
  if (language === '') return true;
  try {
    return Intl.getCanonicalLocales(language).length === 1;
  } catch (failure) {
    if (failure instanceof RangeError) return false;
    throw failure;
  }
}

/** Faults of a display format, whatever type it prints; `language` is that of the template. */
export function formatProblems(
  format: FieldFormat,
  language: string,
  path = 'format',
): ContractProblem[] {
  const problems = wordsProblems(format, language, path);
  const { decimals, pattern } = format;
  const isCount =
    decimals === undefined || (Number.isInteger(decimals) && decimals >= 0 && decimals <= 20);
  if (!isCount) problems.push(error(`${path}.decimals`, 'must be a whole number from 0 to 20.'));
  if (pattern !== undefined) {
    const unknown = unknownDateSymbols(pattern);
    if (unknown.length > 0) {
      const list = unknown.join(', ');
      problems.push(
        error(
          `${path}.pattern`,
          `uses ${list}; use d dd M MM MMM MMMM y yy yyyy E EEEE, and 'quotes' around words.`,
        ),
      );
    }
  }
  return problems;
}

/** Format keys that have an effect on figures only, not on words. */
const FIGURE_KEYS = ['thousandsSeparator', 'digits', 'style'] as const;

function wordsProblems(format: FieldFormat, language: string, path: string): ContractProblem[] {
  const { words = false, currency } = format;
  if (format.language !== undefined && !isLanguage(format.language)) {
    return [error(`${path}.language`, 'is not a language tag such as th or en.')];
  }
  if (!words) {
    const message = 'has no effect without "words": true.';
    return currency === undefined ? [] : [warning(`${path}.currency`, message)];
  }
  const problems: ContractProblem[] = [];
  const asked = format.language ?? language;
  // An invalid language tag is reported where it stands.
  if (isLanguage(asked) && wordsLanguage(asked) === null) {
    const message = 'spells numbers in Thai and English; give the format "language": "th" or "en".';
    problems.push(error(`${path}.words`, message));
  }
  if (currency !== undefined && !Object.hasOwn(CURRENCIES, currency)) {
    const known = Object.keys(CURRENCIES).join(', ');
    problems.push(error(`${path}.currency`, `must be one of ${known}.`));
  }
  const figures = FIGURE_KEYS.filter((key) => format[key] !== undefined);
  const unused = currency === undefined ? figures : [...figures, 'decimals' as const];
  for (const key of unused) {
    if (format[key] === undefined) continue;
    problems.push(warning(`${path}.${key}`, 'has no effect on words.'));
  }
  return problems;
}

function validationProblems(
  validation: FieldValidation,
  type: FieldType,
  path: string,
  steps: { left: number },
): ContractProblem[] {
  const problems = unusedKeys(Object.keys(validation), VALIDATION_KEYS[type], type, path);
  if (type === 'number') problems.push(...numberBoundProblems(validation, path));
  if (type === 'date') problems.push(...dateBoundProblems(validation, path));
  if (type !== 'text') return problems;
  const { minLength, maxLength, pattern } = validation;
  for (const key of ['minLength', 'maxLength'] as const) {
    const length = validation[key];
    if (length !== undefined && !(Number.isSafeInteger(length) && length >= 0)) {
      problems.push(error(`${path}.${key}`, 'must be a whole number from 0.'));
    }
  }
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength) {
    problems.push(error(path, 'has a minLength above its maxLength: no value could pass.'));
  }
  if (pattern !== undefined) {
    const fault = patternFault(pattern, steps);
    if (fault !== null) problems.push(error(`${path}.pattern`, `${fault}.`));
  }
  return problems;
}

function numberBoundProblems({ min, max }: FieldValidation, path: string): ContractProblem[] {
  const problems: ContractProblem[] = [];
  for (const [key, bound] of Object.entries({ min, max })) {
    if (bound !== undefined && boundOf(bound) === null) {
      const digits = LIMITS.numberDigitsMax;
      problems.push(
        error(`${path}.${key}`, `must be a decimal number of at most ${digits} digits.`),
      );
    }
  }
  const [low, high] = [boundOf(min), boundOf(max)];
  if (low !== null && high !== null && compareDecimals(low, high) > 0) {
    problems.push(error(path, 'has a min above its max: no value could pass.'));
  }
  return problems;
}

function dateBoundProblems({ min, max }: FieldValidation, path: string): ContractProblem[] {
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

/**
 * Says why a pattern cannot be matched in bounded time, or null; subtracts its steps from
 * `steps.left`.
 */
function patternFault(pattern: string, steps: { left: number }): string | null {
  try {
    steps.left -= compilePattern(pattern).steps;
    if (steps.left >= 0) return null;
    return 'makes the patterns of all fields together too large; simplify some of them';
  } catch (failure) {
    if (failure instanceof PatternError) return failure.message;
    throw failure;
  }
}

function unusedKeys(
  keys: readonly string[],
  used: readonly string[],
  type: FieldType,
  path: string,
): ContractProblem[] {
  return keys
    .filter((key) => !used.includes(key))
    .map((key) => warning(`${path}.${key}`, `has no effect on a ${type} field.`));
}

function warning(path: string, message: string): ContractProblem {
  return { severity: 'warning', path, message };
}

function error(path: string, message: string): ContractProblem {
  return { severity: 'error', path, message };
}
