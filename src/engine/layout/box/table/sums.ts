import { entryAt } from '../../../../errors.ts';
import type { Statement, StatementSum } from '../../../model/nodes.ts';
import type { Amount } from '../../../contract/format/amount.ts';
import { decimalText, readAmount, scaled } from '../../../contract/format/amount.ts';
import type { DataScope, SumSource } from '../../scope.ts';
import type { Decimals } from './widest-sums.ts';

/**
 * The running sums of a statement table in exact decimals: all amounts are whole numbers of the
 * smallest unit that any of them uses. It keeps prefix sums, so that every sum is a difference.
 */
export class StatementSums implements SumSource {
  readonly field: number;
  readonly #scale: number;
  readonly #opening: bigint;
  /** Entry n is the sum of the first n rows. */
  readonly #credits: readonly bigint[];
  readonly #debits: readonly bigint[];
  /** `decimal` sums the first `count` rows; the first `pageStart` of them are on earlier pages. */
  count = 0;
  pageStart = 0;

  constructor(statement: Statement, scope: DataScope) {
    this.field = statement.field;
    const rows = scope.rowsOf(statement.field);
    const { opening } = statement;
    const openingAmount = readAmount(opening === null ? '' : scope.numberAt(opening));
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
    const credits = entryAt(this.#credits, count);
    const debits = entryAt(this.#debits, count);
    switch (sum) {
      case 'balance':
        return this.#text(this.#opening + credits - debits);
      case 'credits':
        return this.#text(credits);
      case 'debits':
        return this.#text(debits);
      case 'pageCredits':
        return this.#text(credits - entryAt(this.#credits, pageStart));
      case 'pageDebits':
        return this.#text(debits - entryAt(this.#debits, pageStart));
      case 'rows':
        return String(count);
      case 'pageRows':
        return String(count - pageStart);
    }
  }

  /** The greatest and the least value that each sum has on any page, however the pages break. */
  extremes(): { readonly greatest: Decimals; readonly least: Decimals } {
    const count = this.#credits.length - 1;
    const balances = this.#credits.map(
      (credits, index) => this.#opening + credits - entryAt(this.#debits, index),
    );
    const ranges = {
      balance: rangeOf(balances),
      credits: rangeOf(this.#credits),
      debits: rangeOf(this.#debits),
      pageCredits: rangeOfParts(this.#credits),
      pageDebits: rangeOfParts(this.#debits),
    };
    const pick = (end: keyof Range): Decimals => ({
      balance: this.#text(ranges.balance[end]),
      credits: this.#text(ranges.credits[end]),
      debits: this.#text(ranges.debits[end]),
      pageCredits: this.#text(ranges.pageCredits[end]),
      pageDebits: this.#text(ranges.pageDebits[end]),
      rows: String(count),
      pageRows: String(count),
    });
    return { greatest: pick('greatest'), least: pick('least') };
  }

  #text(amount: bigint): string {
    return decimalText(amount, this.#scale);
  }
}

function cellOf(row: readonly string[], column: number | null): string {
  return column === null ? '' : (row[column] ?? '');
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

interface Range {
  readonly greatest: bigint;
  readonly least: bigint;
}

function rangeOf(amounts: readonly bigint[]): Range {
  let greatest = amounts[0] ?? 0n;
  let least = greatest;
  for (const amount of amounts) {
    if (amount > greatest) greatest = amount;
    if (amount < least) least = amount;
  }
  return { greatest, least };
}

/** The range of the sums of consecutive rows, given the running sums. */
function rangeOfParts(sums: readonly bigint[]): Range {
  let greatest = 0n;
  let least = 0n;
  let lowest = sums[0] ?? 0n;
  let highest = lowest;
  for (const sum of sums) {
    if (sum < lowest) lowest = sum;
    if (sum > highest) highest = sum;
    if (sum - lowest > greatest) greatest = sum - lowest;
    if (sum - highest < least) least = sum - highest;
  }
  return { greatest, least };
}
