/**
 * Exact arithmetic with decimals, which are strings `-?digits[.digits]`. Amounts are never converted
 * to doubles.
 */

/** The sum; it has as many decimal places as the longer summand. */
export function addDecimals(one: string, other: string): string {
  const [a, b] = [parseDecimal(one), parseDecimal(other)];
  const scale = Math.max(a.scale, b.scale);
  return formatDecimal(unitsAt(a, scale) + unitsAt(b, scale), scale);
}

/** Whether two decimals have the same value: `1.5` equals `1.50`. */
export function equalDecimals(one: string, other: string): boolean {
  const [a, b] = [parseDecimal(one), parseDecimal(other)];
  const scale = Math.max(a.scale, b.scale);
  return unitsAt(a, scale) === unitsAt(b, scale);
}

/** The decimal `units` / 10^`scale`. */
interface Scaled {
  readonly units: bigint;
  readonly scale: number;
}

function parseDecimal(decimal: string): Scaled {
  const point = decimal.indexOf('.');
  if (point === -1) return { units: BigInt(decimal), scale: 0 };
  const digits = decimal.slice(0, point) + decimal.slice(point + 1);
  return { units: BigInt(digits), scale: decimal.length - point - 1 };
}

/** The units of the decimal at a larger scale. */
function unitsAt({ units, scale }: Scaled, largerScale: number): bigint {
  return units * 10n ** BigInt(largerScale - scale);
}

function formatDecimal(units: bigint, scale: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  if (scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
