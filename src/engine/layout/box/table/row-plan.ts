import type { TableCell, TableRow } from '../../../model/nodes.ts';
import type { DataScope } from '../../scope.ts';
import type { Box } from '../blocks.ts';
import { isFixedChild, type Plan } from '../plan.ts';
import type { CellGrid } from './grid.ts';
import { type PhrasePlan, planPhrases } from './phrase-plan.ts';
import type { GridCell, RowBox } from './table-box.ts';

export type PlanOf = (node: TableCell['node']) => Plan;

/** The plan of a row, kept between documents. */
export class RowPlan {
  readonly row: TableRow;
  readonly cells: readonly (Plan | null)[];
  readonly hasPageBreak: boolean;
  /** Static, unconditional and not repeated. */
  readonly isFixed: boolean;
  /** Fixed and without row spans, so that all documents share one box. */
  readonly isShared: boolean;
  shared: RowBox | null = null;
  readonly phrases: PhrasePlan | null;

  constructor(row: TableRow, planOf: PlanOf) {
    this.row = row;
    this.cells = row.cells.map((cell) => (cell === null ? null : planOf(cell.node)));
    this.hasPageBreak = row.cells.some((cell) => cell !== null && cell.node.pageBreak !== null);
    this.isFixed =
      row.each === null &&
      row.conditions.length === 0 &&
      this.cells.every((plan) => plan === null || isFixedChild(plan));
    this.isShared = this.isFixed && row.cells.every((cell) => (cell?.rowSpan ?? 1) === 1);
    this.phrases = planPhrases(row, this.cells);
  }

  /** The box of a cell, empty when its conditions do not hold. */
  boxOf(column: number, scope: DataScope): Box {
    const plan = this.cells[column];
    if (plan === null || plan === undefined) throw new Error('a cell has no plan');
    const { conditions } = plan.node;
    if (conditions.length > 0 && !scope.holds(conditions)) return plan.emptyBox();
    return plan.box(scope);
  }
}

/** Makes the boxes of a row; those of a shared row are made once. */
export function makeRow(plan: RowPlan, grid: CellGrid, scope: DataScope): RowBox {
  if (!plan.isShared || !grid.isFree) return buildRow(plan, grid, scope);
  plan.shared ??= buildRow(plan, grid, scope);
  return plan.shared;
}

function buildRow(plan: RowPlan, grid: CellGrid, scope: DataScope): RowBox {
  const cells = grid.addRow(plan.row.cells, (_cell, column) => plan.boxOf(column, scope));
  return new BoxRow(plan, cells);
}

/** A row whose cells have boxes. */
class BoxRow implements RowBox {
  readonly path: string;
  readonly cells: readonly GridCell[];
  readonly hasPageBreak: boolean;
  readonly phrases = null;
  readonly phraseRow = 0;

  constructor(plan: RowPlan, cells: readonly GridCell[]) {
    this.path = plan.row.path;
    this.cells = cells;
    this.hasPageBreak = plan.hasPageBreak;
  }

  expand(): readonly GridCell[] {
    return this.cells;
  }
}
