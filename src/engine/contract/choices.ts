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

/** The first of the choices before each one that a person takes for the same; by index. */
export function alikeChoices(
  choices: readonly string[],
  type: FieldType,
): ReadonlyMap<number, number> {
  const firsts = new Map<string, number>();
  const alike = new Map<number, number>();
  for (const [index, choice] of choices.entries()) {
    const key = type === 'number' ? plainNumber(choice) : plainText(choice);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, index);
    else alike.set(index, first);
  }
  return alike;
}

/** Two texts that differ only in blanks or in how their accents are coded look the same. */
function plainText(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/gu, ' ');
}

/** 1.5 for 1.50, and 0 for -0.0; other texts stay as they are. */
function plainNumber(text: string): string {
  const [, sign = '', whole = '', , part = ''] = /^(-?)0*(\d+)(\.(\d*?)0*)?$/.exec(text) ?? [];
  if (whole === '') return text;
  const size = part === '' ? whole : `${whole}.${part}`;
  return size === '0' ? size : sign + size;
}
