import { REASONS } from '../reasons.ts';
import { expandJsonNumber, isDecimal, isLongDecimal } from './decimal.ts';

/*
 * Decides what is a number in `data`. The forms of the Studio use it, too, before they send data.
 */

/**
 * The exact decimal of a value that was sent; null: `numberFault` says why it has none. A JSON number
 * may have an exponent, a text may not. `source` gives the JSON number as it stands in the JSON.
 */
export function sentDecimal(value: unknown, source: () => string): string | null {
  if (typeof value === 'string') return isDecimal(value) ? value : null;
  return typeof value === 'number' ? expandJsonNumber(source()) : null;
}

/** The reason for which a value without a decimal is refused. */
export function numberFault(value: unknown): string {
  const isNumber = typeof value === 'string' ? isLongDecimal(value) : typeof value === 'number';
  return isNumber ? REASONS.numberDigits : REASONS.number;
}
