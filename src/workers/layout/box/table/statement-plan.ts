import { entryAt } from '../../../../errors.ts';
import type { Statement } from '../../../model/nodes.ts';
import type { DataScope } from '../../scope.ts';
import { CellGrid } from './grid.ts';
import { StatementSums } from './sums.ts';
import type { RowBox, StatementBoxes } from './table-box.ts';
import { makeRow, type PlanOf, RowPlan } from './row-plan.ts';

/** The plan of the rows at the page ends of a statement table, kept between documents. */
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

/** The sums of one document: counted while its rows are measured, shown at page ends afterwards. */
export class StatementRows implements StatementBoxes {
  readonly sums: StatementSums;
  readonly #plan: StatementPlan;
  readonly #scope: DataScope;
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

  row(
    kind: 'broughtForward' | 'carriedForward' | 'pageTotal',
    count: number,
    pageStart: number,
  ): RowBox | null {
    const plan = this.#plan[kind];
    const scope = this.#scope;
    if (plan === null || !scope.holds(plan.row.conditions)) return null;
    const outer = scope.sums;
    this.sums.count = count;
    this.sums.pageStart = pageStart;
    scope.sums = this.sums;
    const row = makeRow(plan, new CellGrid(plan.row.cells.length), scope);
    scope.sums = outer;
    return row;
  }
}
