import { LIMITS } from '../../limits.ts';
import type { FieldCheck, FieldDefinition, PatternSteps } from './definition.ts';
import { compileCase } from './format/formats.ts';
import { compileMask } from './format/mask.ts';
import type { ContractProblem } from './problem.ts';
import { error } from './problem.ts';
import { compilePattern, PatternError } from './regex.ts';
import { REASONS, textAtLeast, textAtMost } from './reasons.ts';
import type { FieldValidation, PlainField } from './types.ts';

/** text: a string; controls stripped, then length, pattern, mask and case. */
export const TEXT_FIELD: FieldDefinition = {
  formatKeys: ['mask', 'case', 'language'],
  validationKeys: ['minLength', 'maxLength', 'pattern'],
  prints: 'text',
  problems: boundProblems,
  compile: compileText,
};

function compileText({ format, validation }: PlainField, language: string): FieldCheck {
  const mask = format?.mask === undefined ? null : compileMask(format.mask);
  const setCase = compileCase(format, language);
  const pattern = validation?.pattern === undefined ? null : compilePattern(validation.pattern);
  const lengthMin = validation?.minLength ?? 0;
  const lengthMax = Math.min(
    validation?.maxLength ?? Infinity,
    pattern === null ? Infinity : LIMITS.patternTextCodePointsMax,
  );
  const isMeasured = lengthMin > 0 || lengthMax < Infinity;
  return (value, input) => {
    if (typeof value !== 'string') return REASONS.text;
    const text = input.isClean ? value : cleanText(value);
    if (text === '') return null;
    if (isMeasured) {
      const length = codePointCount(text);
      if (length < lengthMin) return textAtLeast(lengthMin);
      if (length > lengthMax) return textAtMost(lengthMax);
    }
    if (pattern !== null && !pattern.test(text)) return REASONS.pattern;
    if (mask === null && setCase === null) {
      if (text === value) return { type: 'text', display: text };
      return { type: 'text', display: text, sent: value };
    }
    const masked = mask === null ? text : mask.apply(text);
    if (masked === null) return REASONS.mask;
    return { type: 'text', display: setCase === null ? masked : setCase(masked), raw: text };
  };
}

function boundProblems(
  validation: FieldValidation,
  path: string,
  steps: PatternSteps,
): readonly ContractProblem[] {
  const problems: ContractProblem[] = [];
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

/**
 * Says why a pattern cannot be matched in bounded time, or null; subtracts its steps from
 * `steps.left`.
 */
function patternFault(pattern: string, steps: PatternSteps): string | null {
  try {
    steps.left -= compilePattern(pattern).steps;
    if (steps.left >= 0) return null;
    return 'makes the patterns of all fields together too large; simplify some of them';
  } catch (failure) {
    if (failure instanceof PatternError) return failure.message;
    throw failure;
  }
}

/** Number of code points of well-formed text. */
function codePointCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    // A low surrogate is the second half of a pair.
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

/**
 * Removes Unicode Cc and lone surrogates; LF stays as line break, CRLF becomes LF, TAB a space.
 * Text without any of them is given back as it is, without a copy.
 */
export function cleanText(text: string): string {
  const length = text.length;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x20 && code < 0x7f) continue;
    if (code >= 0xa0 && (code & 0xf800) !== 0xd800) continue;
    if (code === 0x0a) continue;
    if ((code & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      at++;
      continue;
    }
    return cleanFrom(text, at);
  }
  return text;
}

function cleanFrom(text: string, start: number): string {
  let out = text.slice(0, start);
  let keptFrom = start;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      at++;
      continue;
    }
    const isControl = code < 0x20 ? code !== 0x0a : code >= 0x7f && code < 0xa0;
    if (!isControl && (code & 0xf800) !== 0xd800) continue;
    out += text.slice(keptFrom, at);
    if (code === 0x09) out += ' ';
    keptFrom = at + 1;
  }
  return out + text.slice(keptFrom);
}
