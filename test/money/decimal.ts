/** Exact decimals of the auditor: an integer and the number of its fraction digits. */
export interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

export const ZERO: Decimal = { units: 0n, places: 0 };

/** Reads `-1,234.50`; null where the text is no plain amount, such as a dash. */
export function readDecimal(text: string): Decimal | null {
  if (!/^-?\d[\d,]*(?:\.\d+)?$/.test(text)) return null;
  const [whole = '', fraction = ''] = text.replaceAll(',', '').split('.');
  return { units: BigInt(whole + fraction), places: fraction.length };
}

function unitsAt(value: Decimal, places: number): bigint {
  return value.units * 10n ** BigInt(places - value.places);
}

export function add(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places);
  return { units: unitsAt(a, places) + unitsAt(b, places), places };
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { units: -b.units, places: b.places });
}

/** Rounds half away from zero. */
export function round(value: Decimal, places: number): Decimal {
  if (value.places <= places) return { units: unitsAt(value, places), places };
  const divisor = 10n ** BigInt(value.places - places);
  const magnitude = value.units < 0n ? -value.units : value.units;
  const rounded = (magnitude * 2n + divisor) / (divisor * 2n);
  return { units: value.units < 0n ? -rounded : rounded, places };
}

export interface NumberLook {
  /** Fraction digits; null: those of the value. */
  readonly decimals: number | null;
  /** What separates groups of digits, and the fraction; '' for no groups. */
  readonly group: string;
  /** Digits of the groups but the last, which has three. */
  readonly groupRest: number;
  readonly point: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly thaiDigits: boolean;
}

export const PLAIN: NumberLook = {
  decimals: null,
  group: '',
  groupRest: 3,
  point: '.',
  prefix: '',
  suffix: '',
  thaiDigits: false,
};

/** Writes a decimal: sign, prefix, digits, suffix. A rounded zero has no sign. */
export function write(value: Decimal, look: NumberLook): string {
  const { units, places } = look.decimals === null ? value : round(value, look.decimals);
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const whole = groups(digits.slice(0, digits.length - places), look);
  const fraction = places === 0 ? '' : look.point + digits.slice(digits.length - places);
  const figure = whole + fraction;
  const shown = look.thaiDigits
    ? figure.replaceAll(/\d/g, (digit) => String.fromCharCode(0x0e50 + Number(digit)))
    : figure;
  return `${units < 0n ? '-' : ''}${look.prefix}${shown}${look.suffix}`;
}

function groups(digits: string, { group, groupRest }: NumberLook): string {
  const parts: string[] = [];
  let size = 3;
  for (let end = digits.length; end > 0;) {
    parts.unshift(digits.slice(Math.max(0, end - size), end));
    end -= size;
    size = groupRest;
  }
  return parts.join(group);
}
