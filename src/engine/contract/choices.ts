import type { FieldCheck } from './definition.ts';
import { compareDecimals, isDecimal } from './format/decimal.ts';
import { PendingImage } from './image-field.ts';
import { REASONS } from './reasons.ts';
import type { FieldType, FieldValue } from './types.ts';

/** The types whose fields can list the values they take. */
export const CHOICE_TYPES: readonly FieldType[] = ['text', 'number', 'date'];

/** A check that refuses every value that is not among the choices of the field. */
export function amongChoices(check: FieldCheck, choices: readonly string[]): FieldCheck {
  const known = new Set(choices);
  return (value, input, name) => {
    const checked = check(value, input, name);
    if (checked === null || typeof checked === 'string' || checked instanceof PendingImage) {
      return checked;
    }
    return isAmong(checked, choices, known) ? checked : REASONS.choice;
  };
}

/** Numbers are compared by value: 1.50 is the choice 1.5. */
function isAmong(
  value: FieldValue,
  choices: readonly string[],
  known: ReadonlySet<string>,
): boolean {
  if (value.type === 'number') {
    return choices.some((choice) => isDecimal(choice) && compareDecimals(choice, value.raw) === 0);
  }
  if (value.type === 'date') return known.has(value.raw);
  return value.type === 'text' && known.has(value.raw ?? value.display);
}
