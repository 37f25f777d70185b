import type { FieldCheck } from './field-check.ts';
import { compareDecimals, expandJsonNumber, isDecimal } from './format/decimal.ts';
import { compileNumberFormat } from './format/formats.ts';
import { numberAtLeast, numberAtMost, REASONS } from './reasons.ts';
import type { FieldDescriptor } from './types.ts';

/** number: a JSON number or a numeric string, kept as the exact decimal that was sent. */
export function compileNumber(
  { format, validation }: FieldDescriptor,
  language: string,
): FieldCheck {
  const print = compileNumberFormat(format, language);
  const min = boundOf(validation?.min);
  const max = boundOf(validation?.max);
  return (value, input, name) => {
    const decimal = decimalOf(value, () => input.numberSource(name, Number(value)));
    if (decimal === null) return REASONS.number;
    if (min !== null && compareDecimals(decimal, min) < 0) return numberAtLeast(min);
    if (max !== null && compareDecimals(decimal, max) > 0) return numberAtMost(max);
    return { type: 'number', decimal, display: print(decimal) };
  };
}

function decimalOf(value: unknown, source: () => string): string | null {
  if (typeof value === 'string') return isDecimal(value) ? value : null;
  return typeof value === 'number' ? expandJsonNumber(source()) : null;
}

/** A bound of the template as an exact decimal. */
export function boundOf(bound: number | string | undefined): string | null {
  return bound === undefined ? null : expandJsonNumber(String(bound));
}
