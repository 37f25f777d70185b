import { entryAt } from '../../../../errors.ts';
import type { Statement, Width } from '../../../model/nodes.ts';
import type { DataPlace, DataScope, SumSource } from '../../scope.ts';
import { CellGrid } from './grid.ts';
import { StatementSums } from './sums.ts';
import type { RowBox, StatementBoxes, SumRowKind } from './table-box.ts';
import { makeRow, type PlanOf, RowPlan } from './row-plan.ts';
import { widestDigit, WidestSums } from './widest-sums.ts';

/** The plan of the rows that a statement table adds at page breaks; kept between documents. */
export class StatementPlan {
  readonly statement: Statement;
  readonly carriedForward: RowPlan | null;
  readonly broughtForward: RowPlan | null;
  readonly pageTotal: RowPlan | null;
  /** A cell of these rows spans several columns, one of which is as wide as its content. */
  readonly spansAuto: boolean;
  #widestDigit: string | null = null;

  constructor(statement: Statement, planOf: PlanOf, widths: readonly Width[]) {
    const { carriedForward, broughtForward, pageTotal } = statement;
    this.statement = statement;
    this.carriedForward = carriedForward === null ? null : new RowPlan(carriedForward, planOf);
    this.broughtForward = broughtForward === null ? null : new RowPlan(broughtForward, planOf);
    this.pageTotal = pageTotal === null ? null : new RowPlan(pageTotal, planOf);
    this.spansAuto = this.rows.some(({ row }) =>
      row.cells.some((cell, column) => {
        const colSpan = cell?.colSpan ?? 1;
        if (colSpan === 1) return false;
        return widths.slice(column, column + colSpan).some(({ kind }) => kind === 'auto');
      }),
    );
  }

  get rows(): readonly RowPlan[] {
    const { carriedForward, broughtForward, pageTotal } = this;
    return [carriedForward, broughtForward, pageTotal].filter((plan) => plan !== null);
  }

  get widestDigit(): string {
    this.#widestDigit ??= widestDigit(
      this.rows.flatMap(({ row }) => row.cells.flatMap((cell) => cell?.node ?? [])),
    );
    return this.#widestDigit;
  }

  begin(scope: DataScope): StatementRows {
    return new StatementRows(this, scope);
  }
}

/**
 * The rows with sums of one document. `recordRow` counts the summed rows while the table is measured;
 * `sumRow` then makes the rows at its page breaks.
 */
export class StatementRows implements StatementBoxes {
  readonly sums: StatementSums;
  readonly #plan: StatementPlan;
  readonly #scope: DataScope;
  /** By row of the table: the number of summed rows up to and including it. */
  readonly #counts: number[] = [];
  /** Where the scope is around the table, for its rows that are made later. */
  readonly #place: DataPlace;

  constructor(plan: StatementPlan, scope: DataScope) {
    this.#place = scope.place;
    this.sums = new StatementSums(plan.statement, scope);
    this.#plan = plan;
    this.#scope = scope;
  }

  /** Records the next row of the table; `isSummed`: its amounts count in the sums. */
  recordRow(isSummed: boolean): void {
    if (isSummed) this.sums.count++;
    this.#counts.push(this.sums.count);
  }

  countAfter(index: number): number {
    return entryAt(this.#counts, index);
  }

  get spansAuto(): boolean {
    return this.#plan.spansAuto;
  }

  sumRow(kind: SumRowKind, count: number, pageStart: number): RowBox | null {
    const plan = this.#plan[kind];
    if (plan === null) return null;
    // Cells read their sums from the scope. All rows are recorded, so the counter may be moved.
    this.sums.count = count;
    this.sums.pageStart = pageStart;
    return this.#makeRow(plan, this.sums);
  }

  widestRows(): readonly RowBox[] {
    const { greatest, least } = this.sums.extremes();
    const digit = this.#plan.widestDigit;
    const rows: RowBox[] = [];
    for (const decimals of [greatest, least]) {
      const sums = new WidestSums(this.sums.field, decimals, digit);
      for (const plan of this.#plan.rows) {
        const row = this.#makeRow(plan, sums);
        if (row !== null) rows.push(row);
      }
    }
    return rows;
  }

  #makeRow(plan: RowPlan, sums: SumSource): RowBox | null {
    const scope = this.#scope;
    const { sums: outerSums, place: outer } = scope;
    scope.sums = sums;
    scope.place = this.#place;
    const isShown = scope.holds(plan.row.conditions);
    const row = isShown ? makeRow(plan, new CellGrid(plan.row.cells.length), scope) : null;
    scope.sums = outerSums;
    scope.place = outer;
    return row;
  }
}
