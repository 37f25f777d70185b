import type { Shape } from '../../font/font.ts';
import type { TableCell, TableNode, TableRow } from '../../template/nodes.ts';
import { LayoutFault } from '../fault.ts';
import type { Scope } from '../scope.ts';
import type { RunStyle } from '../text/run-style.ts';
import type { Box } from './blocks.ts';
import { Grid } from './grid.ts';
import { isFixedChild, Plan } from './plan.ts';
import {
  type CellBox,
  type ColumnMetrics,
  measureColumns,
  type PhraseRow,
  type PhraseRowPlan,
  type RowBox,
  TableBox,
} from './table-box.ts';
import { TableColumns } from './table-columns.ts';
import { allowsPhrases, scanned, scanPhrase } from './text-box.ts';
import { type RunPlan, TextPlan } from './text-plan.ts';

export type PlanOf = (node: TableCell['node']) => Plan;

/** A row template between documents. */
class RowPlan {
  readonly row: TableRow;
  readonly cells: readonly (Plan | null)[];
  readonly hasPageBreak: boolean;
  /** Static and always there, once. */
  readonly isFixed: boolean;
  readonly phrases: PhrasePlan | null;

  constructor(row: TableRow, planOf: PlanOf) {
    this.row = row;
    this.cells = row.cells.map((cell) => (cell === null ? null : planOf(cell.node)));
    this.hasPageBreak = row.cells.some((cell) => cell !== null && cell.node.pageBreak !== null);
    this.isFixed =
      row.each === null &&
      row.conditions.length === 0 &&
      this.cells.every((plan) => plan === null || isFixedChild(plan));
    this.phrases = planPhrases(row, this.cells);
  }

  /** The cell's box; empty where its conditions do not hold. */
  boxOf(column: number, scope: Scope): Box {
    const plan = this.cells[column];
    if (plan === null || plan === undefined) throw new Error('a cell has no plan');
    const { conditions } = plan.node;
    if (conditions.length > 0 && !scope.holds(conditions)) return plan.emptyBox();
    return plan.box(scope);
  }
}

/** What all rows of a template share when their cells are single-run texts. */
interface PhrasePlan extends PhraseRowPlan {
  readonly sources: readonly RunPlan[];
  readonly runs: readonly RunStyle[];
  readonly cells: readonly CellBox[];
}

export class TablePlan extends Plan {
  declare readonly node: TableNode;
  readonly #rows: readonly RowPlan[];
  readonly #metrics: ColumnMetrics;

  constructor(node: TableNode, planOf: PlanOf) {
    const rows = node.rows.map((row) => new RowPlan(row, planOf));
    const statement = node.statement ?? null;
    super(node, statement === null && rows.every((row) => row.isFixed));
    this.#rows = rows;
    this.#metrics = measureColumns(node);
  }

  protected makeBox(scope: Scope): TableBox {
    const { node } = this;
    const grid = new Grid(node.widths.length);
    const rows: RowBox[] = [];
    for (const plan of this.#rows) {
      const { conditions, each } = plan.row;
      if (conditions.length > 0 && !scope.holds(conditions)) continue;
      if (each === null) {
        rows.push(makeRow(plan, grid, scope));
        continue;
      }
      const outer = scope.row;
      for (const row of scope.rows(each)) {
        scope.row = row;
        rows.push(makePhraseRow(plan, grid, scope, row) ?? makeRow(plan, grid, scope));
      }
      scope.row = outer;
    }
    if (!grid.isFree) {
      throw new LayoutFault(node.path, 'a rowSpan reaches beyond the last row of the table');
    }
    const columns = new TableColumns(node.widths, rows, this.#metrics);
    return new TableBox(node, rows, this.#metrics, columns);
  }
}

function makeRow(plan: RowPlan, grid: Grid, scope: Scope): RowBox {
  const cells = grid.addRow(plan.row.cells, (_cell, column) => plan.boxOf(column, scope));
  return {
    path: plan.row.path,
    cells,
    phrases: null,
    phrasePlan: null,
    expand: () => cells,
    hasPageBreak: plan.hasPageBreak,
  };
}

/** A row as phrases, or null where one of its texts needs more than that. */
function makePhraseRow(
  plan: RowPlan,
  grid: Grid,
  scope: Scope,
  data: readonly string[],
): RowBox | null {
  const { phrases } = plan;
  if (phrases === null || !grid.isFree) return null;
  const { sources, runs } = phrases;
  const count = runs.length;
  const shapes: (readonly Shape[])[] = [];
  const advances = new Float64Array(count);
  const cuts = new Float64Array(count);
  for (let column = 0; column < count; column++) {
    const source = sources[column];
    const run = runs[column];
    if (source === undefined || run === undefined) return null;
    if (!scanPhrase(run, source.staticText ?? scope.text(source.text))) return null;
    shapes.push(scanned.shapes);
    advances[column] = scanned.advancePt;
    cuts[column] = scanned.trailingCutPt;
  }
  return new PhraseRowBox(plan, phrases, { shapes, advances, cuts }, scope, data);
}

class PhraseRowBox implements RowBox {
  readonly path: string;
  readonly cells: readonly CellBox[];
  readonly phrases: PhraseRow;
  readonly phrasePlan: PhraseRowPlan;
  readonly hasPageBreak = false;
  readonly #plan: RowPlan;
  readonly #scope: Scope;
  readonly #data: readonly string[];
  #expanded: readonly CellBox[] | null = null;

  constructor(
    plan: RowPlan,
    phrasePlan: PhrasePlan,
    phrases: PhraseRow,
    scope: Scope,
    data: readonly string[],
  ) {
    this.path = plan.row.path;
    this.cells = phrasePlan.cells;
    this.phrases = phrases;
    this.phrasePlan = phrasePlan;
    this.#plan = plan;
    this.#scope = scope;
    this.#data = data;
  }

  expand(): readonly CellBox[] {
    if (this.#expanded !== null) return this.#expanded;
    const scope = this.#scope;
    const outer = scope.row;
    scope.row = this.#data;
    const grid = new Grid(this.#plan.row.cells.length);
    const plan = this.#plan;
    const cells = grid.addRow(plan.row.cells, (_cell, column) => plan.boxOf(column, scope));
    scope.row = outer;
    this.#expanded = cells;
    return cells;
  }
}

/** Null unless every cell is a plain text of one run, in one place, with nothing special to it. */
function planPhrases(row: TableRow, plans: readonly (Plan | null)[]): PhrasePlan | null {
  if (row.each === null) return null;
  const sources: RunPlan[] = [];
  const runs: RunStyle[] = [];
  for (const [column, cell] of row.cells.entries()) {
    const plan = plans[column];
    if (cell === null || !(plan instanceof TextPlan) || !isPlainCell(cell, plan)) return null;
    const source = plan.single;
    const run = source?.style ?? null;
    if (source === null || run === null || !allowsPhrases(run)) return null;
    sources.push(source);
    runs.push(run);
  }
  const margins = row.cells.map((cell) => cell?.node.margin ?? NO_MARGIN);
  let contentPt = 0;
  for (const [column, run] of runs.entries()) {
    const [, top, , bottom] = margins[column] ?? NO_MARGIN;
    contentPt = Math.max(contentPt, top + run.heightPt + bottom);
  }
  const alignments = plans.map((plan) => (plan instanceof TextPlan ? plan.node.alignment : 'left'));
  // The boxes are never asked for: a phrase row paints its shapes.
  const cells = new Grid(row.cells.length).addRow(row.cells, (_cell, column) => {
    const plan = plans[column];
    if (plan === null || plan === undefined) throw new Error('a cell has no plan');
    return plan.emptyBox();
  });
  return { sources, runs, cells, alignments, margins, contentPt };
}

const NO_MARGIN = [0, 0, 0, 0] as const;

function isPlainCell(cell: TableCell, plan: TextPlan): boolean {
  const { node } = plan;
  return (
    cell.colSpan === 1 &&
    cell.rowSpan === 1 &&
    cell.verticalAlignment === 'top' &&
    node.conditions.length === 0 &&
    node.each === null &&
    node.pageBreak === null &&
    !node.unbreakable &&
    node.absolutePosition === null &&
    node.relativePosition === null &&
    node.id === null &&
    node.headlineLevel === null &&
    node.outline === null &&
    node.tocItem === null &&
    node.leadingIndentPt === 0 &&
    node.maxHeightPt === null
  );
}
