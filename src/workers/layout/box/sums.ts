import type { FieldValues } from '../../contract/types.ts';
import type { Statement, StatementSum } from '../../template/nodes.ts';
import type { SumSource } from '../scope.ts';

/**
 * The running sums of a statement table in exact decimals: all amounts are whole numbers of the
 * smallest unit that any of them uses. Sums up to row n are kept, so that every sum is a difference.
 */
export class StatementSums implements SumSource {
  readonly #scale: number;
  readonly #opening: bigint;
  /** Sums over the first n rows; entry 0 is zero. */
  readonly #credits: readonly bigint[];
  readonly #debits: readonly bigint[];
  /** Rows counted by `decimal`, and those of them on earlier pages. */
  count = 0;
  pageStart = 0;

  constructor(statement: Statement, values: FieldValues) {
    const table = values[statement.field];
    const rows = table?.type === 'table' ? table.rows : [];
    const opening = statement.opening === null ? null : values[statement.opening];
    const openingAmount = readAmount(opening?.type === 'number' ? opening.decimal : '');
    const credits = rows.map((row) => readAmount(cellOf(row, statement.creditColumn)));
    const debits = rows.map((row) => readAmount(cellOf(row, statement.debitColumn)));
    let scale = openingAmount.decimals;
    for (const { decimals } of credits) scale = Math.max(scale, decimals);
    for (const { decimals } of debits) scale = Math.max(scale, decimals);
    this.#scale = scale;
    this.#opening = scaled(openingAmount, scale);
    this.#credits = runningSums(credits, scale);
    this.#debits = runningSums(debits, scale);
  }

  decimal(sum: StatementSum): string {
    const { count, pageStart } = this;
    const credits = this.#credits[count] ?? 0n;
    const debits = this.#debits[count] ?? 0n;
    switch (sum) {
      case 'balance':
        return this.#text(this.#opening + credits - debits);
      case 'credits':
        return this.#text(credits);
      case 'debits':
        return this.#text(debits);
      case 'pageCredits':
        return this.#text(credits - (this.#credits[pageStart] ?? 0n));
      case 'pageDebits':
        return this.#text(debits - (this.#debits[pageStart] ?? 0n));
      case 'rows':
        return String(count);
      case 'pageRows':
        return String(count - pageStart);
    }
  }

  #text(amount: bigint): string {
    const digits = (amount < 0n ? -amount : amount).toString().padStart(this.#scale + 1, '0');
    const sign = amount < 0n ? '-' : '';
    if (this.#scale === 0) return sign + digits;
    const point = digits.length - this.#scale;
    return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  }
}

/** A decimal as its digits without the point, and how many of them stand after it. */
interface Amount {
  readonly units: bigint;
  readonly decimals: number;
}

const ZERO: Amount = { units: 0n, decimals: 0 };
const AMOUNT = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^-?\d+(?:\.\d+)?$/u;
/** Digits of a cell that is still taken for an amount. */
const AMOUNT_LENGTH_MAX = 60;

/** The amount in a cell, thousands separated or not; zero for an empty cell or other text. */
function readAmount(cell: string): Amount {
  const text = cell.trim();
  if (text === '' || text.length > AMOUNT_LENGTH_MAX || !AMOUNT.test(text)) return ZERO;
  const plain = text.replaceAll(',', '');
  const point = plain.indexOf('.');
  if (point < 0) return { units: BigInt(plain), decimals: 0 };
  const digits = plain.slice(0, point) + plain.slice(point + 1);
  return { units: BigInt(digits), decimals: plain.length - point - 1 };
}

function cellOf(row: readonly string[], column: number | null): string {
  return column === null ? '' : (row[column] ?? '');
}

function scaled({ units, decimals }: Amount, scale: number): bigint {
  return decimals === scale ? units : units * 10n ** BigInt(scale - decimals);
}

function runningSums(amounts: readonly Amount[], scale: number): bigint[] {
  const sums = [0n];
  let sum = 0n;
  for (const amount of amounts) {
    sum += scaled(amount, scale);
    sums.push(sum);
  }
  return sums;
}
