import { parseIsoDay } from './format/calendar.ts';
import type { FieldCheck } from './field-check.ts';
import { compileDateFormat } from './format/formats.ts';
import { dateFrom, dateUntil, REASONS } from './reasons.ts';
import type { FieldDescriptor } from './types.ts';

/** date: a real calendar day, exactly YYYY-MM-DD. ISO days compare as text. */
export function compileDate({ format, validation }: FieldDescriptor, language: string): FieldCheck {
  const print = compileDateFormat(format, language);
  const min = validation?.min === undefined ? null : String(validation.min);
  const max = validation?.max === undefined ? null : String(validation.max);
  return (value) => {
    if (typeof value !== 'string' || parseIsoDay(value) === null) return REASONS.date;
    if (min !== null && value < min) return dateFrom(min);
    if (max !== null && value > max) return dateUntil(max);
    return { type: 'date', iso: value, display: print(value) };
  };
}
