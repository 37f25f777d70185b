/** Regular expressions for days as YYYY-MM-DD: `format` alone is an annotation in JSON Schema. */

const MONTHS_OF_31 = String.raw`(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])`;
const MONTHS_OF_30 = String.raw`(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)`;
const FEBRUARY = String.raw`02-(?:0[1-9]|1[0-9]|2[0-8])`;
const FOURS = '(?:0[48]|[2468][048]|[13579][26])';
const LEAP_DAY = String.raw`(?:[0-9][0-9]${FOURS}|${FOURS}00)-02-29`;

const YEAR = '(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])';

/** A day that the calendar has, of the years 0001 to 9999. */
export const DAY = String.raw`^(?:${YEAR}-(?:${MONTHS_OF_31}|${MONTHS_OF_30}|${FEBRUARY})|${LEAP_DAY})$`;

/** Matches the days from `bound` on. */
export function dayFrom(bound: string): string {
  return among(bound, (digit) => (digit === 9 ? null : `[${digit + 1}-9]`));
}

/** Matches the days until `bound`. */
export function dayUntil(bound: string): string {
  return among(bound, (digit) => (digit === 0 ? null : `[0-${digit - 1}]`));
}

/** Days sort as their texts: each alternative differs from the bound first at another digit. */
function among(bound: string, beyond: (digit: number) => string | null): string {
  const alternatives = Array.from(bound).flatMap((sign, at) => {
    const digits = sign === '-' ? null : beyond(Number(sign));
    return digits === null ? [] : [`${bound.slice(0, at)}${digits}.*`];
  });
  return `^(?:${[bound, ...alternatives].join('|')})$`;
}
