import { cureOf, NO_SUCH_DAY, reasonIn } from '../../runtime/contract/cell-cure.ts';
import type { CsvFormat } from '../../runtime/csv/csv-format.ts';
import type { CellType } from '../../runtime/csv/other-format.ts';

/** Rows, and groups of rows with the same faults, that are named. */
const NAMED_MAX = 10;

/** A field of a row that was refused, and why. */
interface FieldFault {
  readonly field: string;
  readonly reason: string;
}

/** A file in another format: how it is said to be written, and which refused cells are right in it. */
export interface OtherReading {
  readonly format: CsvFormat;
  readonly mends: (cell: string, type: CellType) => boolean;
}

/** What becomes of a row that was refused when its file is read in another format. */
export interface RowOutcome {
  /**
   * `needing`: the other format reads a cell that is not read now. `odd`: it does not, and nothing but
   * such cells is wrong. `other`: the row fails for another reason.
   */
  readonly kind: 'needing' | 'odd' | 'other';
  /** Faults that the row would still have; empty: none are known. */
  readonly faults: string;
}

/** The result of reading a row with these faults and cells in another format. */
export function outcomeIn(
  other: OtherReading,
  fields: readonly FieldFault[],
  cells: Readonly<Record<string, unknown>>,
): RowOutcome {
  const cellOf = (field: string): unknown =>
    Object.hasOwn(cells, field) ? cells[field] : undefined;
  const isCell = ({ field, reason }: FieldFault): boolean =>
    typeOf(reason) !== null && typeof cellOf(field) === 'string';
  const left = fields.filter(({ field, reason }) => {
    const [type, cell] = [typeOf(reason), cellOf(field)];
    return type === null || typeof cell !== 'string' || !other.mends(cell, type);
  });
  const faults = left.map(({ field, reason }) => {
    const isNoDay = cureOf(reason, cellOf(field), other.format) === 'day';
    return `${field}: ${isNoDay ? NO_SUCH_DAY : reasonIn(reason, other.format)}`;
  });
  const unmended = left.every(isCell) ? 'odd' : 'other';
  return { kind: left.length < fields.length ? 'needing' : unmended, faults: faults.join('; ') };
}

/** The type of the fields that are refused for this reason, if its cells have several formats. */
export function typeOf(reason: string): CellType | null {
  if (reason.startsWith('number expected')) return 'number';
  return reason.startsWith('date expected') ? 'date' : null;
}

/** The rows that stay faulty in another format, by their faults. Memory does not grow with the rows. */
export class StayingFaults {
  readonly #groups = new Map<string, { readonly names: string[]; hasMore: boolean }>();
  #count = 0;
  #hasMore = false;

  get count(): number {
    return this.#count;
  }

  /** Counts a row with this name, unless it has no fault. */
  add(name: string, faults: string): void {
    if (faults === '') return;
    this.#count += 1;
    const group = this.#groups.get(faults);
    if (group !== undefined) {
      if (group.names.length < NAMED_MAX) group.names.push(name);
      else group.hasMore = true;
    } else if (this.#groups.size < NAMED_MAX) {
      this.#groups.set(faults, { names: [name], hasMore: false });
    } else {
      this.#hasMore = true;
    }
  }

  /** A line for each fault with the rows that have it: `line 2, line 9: total: …`. */
  lines(): readonly string[] {
    const lines = [...this.#groups].map(
      ([faults, { names, hasMore }]) => `  ${names.join(', ')}${hasMore ? ', …' : ''}: ${faults}`,
    );
    return this.#hasMore ? [...lines, '  …'] : lines;
  }
}
