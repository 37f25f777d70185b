import { LIMITS } from '../../limits.ts';
import type { CellReader, FieldCheck, FieldDefinition } from './definition.ts';
import { compareDecimals, expandJsonNumber, isDecimal } from './format/decimal.ts';
import { FigureReader } from './format/figures.ts';
import { compileNumberFormat } from './format/formats.ts';
import { numberFault, sentDecimal } from './format/sent-number.ts';
import type { ContractProblem } from './problem.ts';
import { error } from './problem.ts';
import { numberAtLeast, numberAtMost } from './reasons.ts';
import type { FieldValidation, PlainField } from './types.ts';

/** number: a JSON number or a numeric string, kept as the exact decimal that was sent. */
export const NUMBER_FIELD: FieldDefinition = {
  formatKeys: [
    ...(['decimals', 'thousandsSeparator', 'prefix', 'suffix', 'style', 'digits'] as const),
    ...(['words', 'currency', 'case', 'language'] as const),
  ],
  validationKeys: ['min', 'max'],
  prints: 'number',
  problems: boundProblems,
  compile: compileNumber,
};

function compileNumber({ format, validation }: PlainField, language: string): FieldCheck {
  const print = compileNumberFormat(format, language);
  const min = boundOf(validation?.min);
  const max = boundOf(validation?.max);
  return (value, input, name) => {
    const decimal = sentDecimal(value, () => input.numberSource(name, Number(value)));
    if (decimal === null) return numberFault(value);
    if (min !== null && compareDecimals(decimal, min) < 0) return numberAtLeast(min);
    if (max !== null && compareDecimals(decimal, max) > 0) return numberAtMost(max);
    return { type: 'number', raw: decimal, display: print(decimal) };
  };
}

/**
 * Reads numbers of list entries, for fields without bounds. It allocates no object for the two
 * texts of a number.
 */
export class NumberCell implements CellReader {
  readonly #figures: FigureReader | null;
  readonly #print: (decimal: string) => string;

  constructor({ format }: PlainField, language: string) {
    this.#figures = FigureReader.of(format, language);
    this.#print = compileNumberFormat(format, language);
  }

  read(
    codes: Uint8Array | Uint16Array,
    start: number,
    row: string[],
    column: number,
    rawColumn: number,
  ): number {
    const figures = this.#figures;
    if (figures === null) return -1;
    const isString = codes[start] === QUOTE;
    const keepsSent = rawColumn !== column;
    const end = figures.read(codes, isString ? start + 1 : start, keepsSent);
    if (end < 0 || (isString && codes[end] !== QUOTE)) return -1;
    row[column] = figures.printed;
    if (keepsSent) row[rawColumn] = figures.sent;
    return isString ? end + 1 : end;
  }

  /** `digits`: the number as it was sent. */
  take(
    digits: string,
    isString: boolean,
    row: string[],
    column: number,
    rawColumn: number,
  ): boolean {
    const decimal = isString ? (isDecimal(digits) ? digits : null) : expandJsonNumber(digits);
    if (decimal === null) return false;
    row[column] = this.#print(decimal);
    if (rawColumn !== column) row[rawColumn] = decimal;
    return true;
  }
}

const QUOTE = 0x22;

/** A bound of the template as an exact decimal. */
function boundOf(bound: number | string | undefined): string | null {
  return bound === undefined ? null : expandJsonNumber(String(bound));
}

function boundProblems({ min, max }: FieldValidation, path: string): ContractProblem[] {
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
