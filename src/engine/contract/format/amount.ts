/** Amounts in table cells, added up exactly: whole numbers of the smallest unit any of them uses. */

/** A decimal as its digits without the point, and how many of them stand after it. */
export interface Amount {
  readonly units: bigint;
  readonly decimals: number;
}

const ZERO: Amount = { units: 0n, decimals: 0 };
const MINUS = 0x2d;
const COMMA = 0x2c;
const POINT = 0x2e;
/** Length of the longest cell that counts as an amount. */
const AMOUNT_LENGTH_MAX = 60;

/** The amount in a cell, thousands separated or not; zero for an empty cell or other text. */
export function readAmount(cell: string): Amount {
  const plain = amountText(cell);
  if (plain === null) return ZERO;
  const point = plain.indexOf('.');
  if (point < 0) return { units: BigInt(plain), decimals: 0 };
  const digits = plain.slice(0, point) + plain.slice(point + 1);
  return { units: BigInt(digits), decimals: plain.length - point - 1 };
}

/** The amount in units with `scale` digits after the point, at least as many as it has. */
export function scaled({ units, decimals }: Amount, scale: number): bigint {
  return decimals === scale ? units : units * 10n ** BigInt(scale - decimals);
}

/** A whole number of units as a decimal with `scale` digits after the point. */
export function decimalText(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const sign = units < 0n ? '-' : '';
  if (scale === 0) return sign + digits;
  const point = digits.length - scale;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Whether a cell counts in a sum: digits, thousands separated or not. */
export function isAmount(cell: string): boolean {
  if (cell.length === 0) return false;
  // Most cells have no blanks at their ends, and need no copy.
  const isBare = isVisible(cell.charCodeAt(0)) && isVisible(cell.charCodeAt(cell.length - 1));
  const text = isBare ? cell : cell.trim();
  return text.length <= AMOUNT_LENGTH_MAX && isPlainAmount(text);
}

function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

/** `^-?\d{1,3}(,\d{3})+(\.\d+)?$|^-?\d+(\.\d+)?$`, without a regular expression: every cell asks. */
function isPlainAmount(text: string): boolean {
  const { length } = text;
  let at = text.charCodeAt(0) === MINUS ? 1 : 0;
  let start = at;
  while (at < length && isDigit(text.charCodeAt(at))) at++;
  if (at === start) return false;
  if (at < length && text.charCodeAt(at) === COMMA) {
    if (at - start > 3) return false;
    while (at < length && text.charCodeAt(at) === COMMA) {
      start = ++at;
      while (at < length && isDigit(text.charCodeAt(at))) at++;
      if (at - start !== 3) return false;
    }
  }
  if (at === length) return true;
  if (text.charCodeAt(at) !== POINT) return false;
  start = ++at;
  while (at < length && isDigit(text.charCodeAt(at))) at++;
  return at === length && at > start;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** The amount in a cell without blanks and separators, as a sum reads it; null: it has none. */
export function amountText(cell: string): string | null {
  return isAmount(cell) ? cell.trim().replaceAll(',', '') : null;
}

/** The sum of one column; cells that hold no number add nothing. */
export function sumColumn(rows: readonly (readonly string[])[], column: number): string {
  let units = 0n;
  let decimals = 0;
  for (const row of rows) {
    const amount = readAmount(row[column] ?? '');
    if (amount.decimals > decimals) {
      units *= 10n ** BigInt(amount.decimals - decimals);
      decimals = amount.decimals;
    }
    units += scaled(amount, decimals);
  }
  return decimalText(units, decimals);
}
