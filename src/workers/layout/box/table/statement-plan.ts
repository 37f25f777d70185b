import { entryAt } from '../../../../errors.ts';
import type { Statement } from '../../../model/nodes.ts';
import type { DataScope } from '../../scope.ts';
import { CellGrid } from './grid.ts';
import { StatementSums } from './sums.ts';
import type { RowBox, StatementBoxes, SumRowKind } from './table-box.ts';
import { makeRow, type PlanOf, RowPlan } from './row-plan.ts';

/** The plan of the rows that a statement table adds at page breaks; kept between documents. */
export class StatementPlan {
  readonly statement: Statement;
  readonly carriedForward: RowPlan | null;
  readonly broughtForward: RowPlan | null;
  readonly pageTotal: RowPlan | null;

  constructor(statement: Statement, planOf: PlanOf) {
    const { carriedForward, broughtForward, pageTotal } = statement;
    this.statement = statement;
    this.carriedForward = carriedForward === null ? null : new RowPlan(carriedForward, planOf);
    this.broughtForward = broughtForward === null ? null : new RowPlan(broughtForward, planOf);
    this.pageTotal = pageTotal === null ? null : new RowPlan(pageTotal, planOf);
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

  constructor(plan: StatementPlan, scope: DataScope) {
    this.sums = new StatementSums(plan.statement, scope.values);
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

  sumRow(kind: SumRowKind, count: number, pageStart: number): RowBox | null {
    const plan = this.#plan[kind];
    const scope = this.#scope;
    if (plan === null || !scope.holds(plan.row.conditions)) return null;
    // Cells read their sums from the scope. All rows are recorded, so the counter may be moved.
    const outer = scope.sums;
    this.sums.count = count;
    this.sums.pageStart = pageStart;
    scope.sums = this.sums;
    const row = makeRow(plan, new CellGrid(plan.row.cells.length), scope);
    scope.sums = outer;
    return row;
  }
}
