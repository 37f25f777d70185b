import { LIMITS } from '../../limits.ts';
import { DEFINITIONS } from './definitions.ts';
import { CURRENCIES } from './format/currencies.ts';
import { unknownDateSymbols } from './format/formats.ts';
import { nestingProblems } from './nested/problems.ts';
import type { PatternSteps } from './definition.ts';
import type { ContractProblem } from './problem.ts';
import { error, warning } from './problem.ts';
import type { FieldDescriptor, FieldFormat, FieldType } from './types.ts';
import { wordsLanguage } from './format/amount-words.ts';

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
  const steps = { left: LIMITS.contractPatternStepsMax };
  addProblems(fields, 'fields', { language, steps, problems });
  problems.push(...nestingProblems(fields));
  return problems;
}

/** What the check of a contract shares. */
interface ContractCheck {
  readonly language: string;
  readonly steps: PatternSteps;
  readonly problems: ContractProblem[];
}

/** `[]` is refused, and a request that misspells the key of the list is not. */
const LEFT_OUT =
  'has no effect on data without the list, which then has no entry; give the field "required": true.';

/** Adds the problems of fields that stand beside one another, and of those in them. */
function addProblems(fields: readonly FieldDescriptor[], list: string, check: ContractCheck): void {
  const { language, steps, problems } = check;
  const names = new Set<string>();
  fields.forEach((field, index) => {
    const path = `${list}[${index}]`;
    if (names.has(field.name)) problems.push(error(`${path}.name`, 'is declared twice.'));
    names.add(field.name);
    const definition = DEFINITIONS[field.type];
    if (field.format !== undefined) {
      const at = `${path}.format`;
      const keys = Object.keys(field.format);
      problems.push(...unusedKeys(keys, definition.formatKeys, field.type, at));
      problems.push(...formatProblems(field.format, language, at));
    }
    if (field.validation !== undefined) {
      const at = `${path}.validation`;
      // A template writes choices beside the type, so their faults are told there.
      const keys = Object.keys(field.validation).filter((key) => key !== 'choices');
      problems.push(...unusedKeys(keys, definition.validationKeys, field.type, at));
      problems.push(...(definition.problems?.(field.validation, at, steps) ?? []));
    }
    if (field.type === 'list' && !field.required && (field.validation?.minItems ?? 0) > 0) {
      problems.push(warning(`${path}.validation.minItems`, LEFT_OUT));
    }
    if (field.type === 'record' || field.type === 'list') {
      addProblems(field.fields, `${path}.fields`, check);
    }
  });
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
