import { LIMITS } from '../../../limits.ts';
import { splitDecimal } from '../format/decimal.ts';

/**
 * Regular expressions for decimals as strings. JSON Schema has `minimum` for JSON numbers only, and
 * a string such as "1250.50" is compared with the bounds of its field, too.
 */

/**
 * A decimal of at most 40 digits, as `isDecimal` takes it: a sign and a point may make it longer. Not
 * `\d`, which in other languages matches Thai digits, and no look-ahead, which RE2 refuses.
 */
export const DECIMAL = {
  pattern: String.raw`^-?[0-9]+(?:\.[0-9]+)?$`,
  anyOf: [
    { maxLength: LIMITS.numberDigitsMax },
    { maxLength: LIMITS.numberDigitsMax + 1, pattern: '[-.]' },
    { maxLength: LIMITS.numberDigitsMax + 2, pattern: String.raw`-.*\.` },
  ],
};

const FRACTION = String.raw`(?:\.[0-9]+)?`;
const ANY = String.raw`[0-9]+${FRACTION}`;
const ZERO = String.raw`0+(?:\.0+)?`;

/** Matches the decimals that are at least `bound`. */
export function atLeast(bound: string): string {
  return oneOf(compared(bound, true));
}

/** Matches the decimals that are at most `bound`. */
export function atMost(bound: string): string {
  return oneOf(compared(bound, false));
}

/** Matches the decimals whose value is that of one of `values`: 1.50 is 1.5. */
export function equalToOne(values: readonly string[]): string {
  return oneOf(
    values.map((value) => {
      const { isZero, isNegative, parts } = partsOf(value);
      return isZero ? `-?${ZERO}` : (isNegative ? '-' : '') + equal(parts);
    }),
  );
}

/** The alternatives for decimals of at least `bound`, or of at most. */
function compared(bound: string, isLower: boolean): readonly string[] {
  const { isZero, isNegative, parts } = partsOf(bound);
  const side = isLower ? '' : '-';
  if (isZero) return [`${side}${ANY}`, `-?${ZERO}`];
  const isInward = isNegative === isLower;
  const sign = isNegative ? '-' : '';
  if (!isInward) return [equal(parts), ...greater(parts)].map((text) => sign + text);
  // The bound is on the other side of zero, so that every decimal of this side passes.
  return [`${side}${ANY}`, ...[ZERO, equal(parts), ...smaller(parts)].map((text) => sign + text)];
}

/** Integer digits without leading zeros ('' for none), fraction digits without zeros at the end. */
interface Parts {
  readonly integer: string;
  readonly fraction: string;
}

function partsOf(decimal: string) {
  const [whole, part] = splitDecimal(decimal.replace('-', ''));
  const parts = { integer: whole.replace(/^0+/, ''), fraction: part.replace(/0+$/, '') };
  const isZero = parts.integer === '' && parts.fraction === '';
  return { isZero, isNegative: decimal.startsWith('-'), parts };
}

function equal({ integer, fraction }: Parts): string {
  const tail = fraction === '' ? String.raw`(?:\.0+)?` : String.raw`\.${fraction}0*`;
  return wholeOf(integer) + tail;
}

function wholeOf(integer: string): string {
  return integer === '' ? '0+' : `0*${integer}`;
}

function greater({ integer, fraction }: Parts): readonly string[] {
  const whole = wholeOf(integer);
  const longer = String.raw`0*[1-9][0-9]{${integer.length},}${FRACTION}`;
  const inInteger = digitsWhere(integer, (digit) => digit + 1, 9).map(
    ({ text, left }) => String.raw`0*${text}[0-9]{${left}}${FRACTION}`,
  );
  const inFraction = digitsWhere(fraction, (digit) => digit + 1, 9).map(
    ({ text }) => String.raw`${whole}\.${text}[0-9]*`,
  );
  return [longer, ...inInteger, ...inFraction, String.raw`${whole}\.${fraction}[0-9]*[1-9][0-9]*`];
}

function smaller({ integer, fraction }: Parts): readonly string[] {
  const whole = wholeOf(integer);
  const { length } = integer;
  const shorter = length > 1 ? [String.raw`0*[0-9]{1,${length - 1}}${FRACTION}`] : [];
  const lowest = length > 0 ? [`0+${FRACTION}`] : [];
  const inInteger = digitsWhere(integer, () => 0, -1).map(
    ({ text, left }) => String.raw`0*${text}[0-9]{${left}}${FRACTION}`,
  );
  const inFraction = digitsWhere(fraction, () => 0, -1).map(
    ({ text }) => String.raw`${whole}\.${text}[0-9]*`,
  );
  const prefixes = Array.from(fraction, (_, at) =>
    at === 0 ? whole : String.raw`${whole}\.${fraction.slice(0, at)}`,
  );
  return [...shorter, ...lowest, ...inInteger, ...inFraction, ...prefixes];
}

/**
 * For each place of `digits`: the digits before it and a class of those that differ there, either
 * `from(digit)` to 9, or 0 to the digit before (`last` -1).
 */
function digitsWhere(
  digits: string,
  from: (digit: number) => number,
  last: 9 | -1,
): readonly { readonly text: string; readonly left: number }[] {
  return Array.from(digits, Number).flatMap((digit, at) => {
    const [low, high] = [from(digit), last === 9 ? 9 : digit - 1];
    if (low > high) return [];
    return [{ text: `${digits.slice(0, at)}[${low}-${high}]`, left: digits.length - at - 1 }];
  });
}

function oneOf(alternatives: readonly string[]): string {
  return `^(?:${alternatives.join('|')})$`;
}
