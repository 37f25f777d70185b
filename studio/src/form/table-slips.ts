import type { Rows } from './cells.ts';

/** A cell that does not fit the others of its column. */
export interface TableSlip {
  readonly row: number;
  readonly column: number;
  /** The type of the other cells. */
  readonly kind: 'amount' | 'date';
}

/** An amount, with or without separators of thousands. */
const AMOUNT = /^-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/;
/**
 * Only columns of amounts with decimals are checked: a column of whole numbers may count anything
 * and may also contain words.
 */
const DECIMAL = /^-?[\d,]+\.\d+$/;
/** At least this many cells must fit before another cell counts as a slip. */
const FITTING_MIN = 2;
/**
 * Letters that were typed for digits: an O for a zero, and an l or I for a one. At the end an l may
 * stand for litres.
 */
const TYPED_FOR_DIGITS = /[Oo]|[lI](?!$)/g;
/** A column with more misfits than this holds something else. */
const MISFITS_MAX = 1;

/**
 * The first cell of a table that is no amount, or no day of the calendar, in a column where all the
 * others are. This is only a hint, because a field contract has no types for the columns of a
 * table. A cell without a digit, such as a dash, may stand anywhere. Beside a single amount, only
 * letters typed for digits are a slip.
 */
export function findSlip(rows: Rows): TableSlip | null {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const slips = Array.from({ length: width }, (_, column) => slipOf(rows, column));
  return (
    slips.filter((slip) => slip !== null).toSorted((one, other) => one.row - other.row)[0] ?? null
  );
}

interface Cell {
  readonly row: number;
  readonly cell: string;
}

function slipOf(rows: Rows, column: number): TableSlip | null {
  const cells = rows
    .map((row, index) => ({ row: index, cell: (row[column] ?? '').trim() }))
    .filter(({ cell }) => /\d/.test(cell));
  for (const kind of ['amount', 'date'] as const) {
    const fits = kind === 'amount' ? (cell: string) => AMOUNT.test(cell) : isDay;
    const misfits = cells.filter(({ cell }) => !fits(cell));
    const [misfit] = misfits;
    if (misfit === undefined || misfits.length > MISFITS_MAX) continue;
    const others = cells.filter((cell) => cell !== misfit);
    const isSure =
      others.length >= FITTING_MIN || (kind === 'amount' && isMistyped(misfit, others));
    if (!isSure) continue;
    if (kind === 'amount' && !cells.some(({ cell }) => DECIMAL.test(cell))) continue;
    return { row: misfit.row, column, kind };
  }
  return null;
}

/** Whether letters were typed for digits: read as digits, they make an amount like that beside it. */
function isMistyped({ cell }: Cell, [other]: readonly Cell[]): boolean {
  const meant = cell.replaceAll(TYPED_FOR_DIGITS, (letter) => (/o/i.test(letter) ? '0' : '1'));
  if (other === undefined || !AMOUNT.test(meant)) return false;
  return decimalsOf(meant) === decimalsOf(other.cell);
}

function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0;
}

function isDay(cell: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(cell)) return false;
  const date = new Date(`${cell}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(cell);
}
