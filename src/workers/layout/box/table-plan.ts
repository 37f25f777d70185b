import type { Margin, TableCell, TableNode, TableRow, TextAlignment } from '../../model/nodes.ts';
import { LayoutFault } from '../layout-fault.ts';
import type { GridText } from '../../model/frame.ts';
import type { Scope, SumSource } from '../scope.ts';
import type { RunStyle } from '../text/run-style.ts';
import type { Box } from './blocks.ts';
import { Grid } from './grid.ts';
import { isFixedChild, Plan } from './plan.ts';
import {
  type CellBox,
  type ColumnMetrics,
  measureColumns,
  type PhraseBlock,
  type PhraseRowPlan,
  type RowBox,
  TableBox,
} from './table-box.ts';
import { StatementPlan, type StatementRows } from './statement-plan.ts';
import { TableColumns } from './table-columns.ts';
import { allowsPhrases, scanned, scanPhrase } from './text-box.ts';
import { type RunPlan, TextPlan } from './text-plan.ts';

export type PlanOf = (node: TableCell['node']) => Plan;

/** A row template between documents. */
export class RowPlan {
  readonly row: TableRow;
  readonly cells: readonly (Plan | null)[];
  readonly hasPageBreak: boolean;
  /** Static and always there, once. */
  readonly isFixed: boolean;
  /** Static, and no span reaches out of it: one box serves every document. */
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

  /** The cell's box; empty where its conditions do not hold. */
  boxOf(column: number, scope: Scope): Box {
    const plan = this.cells[column];
    if (plan === null || plan === undefined) throw new Error('a cell has no plan');
    const { conditions } = plan.node;
    if (conditions.length > 0 && !scope.holds(conditions)) return plan.emptyBox();
    return plan.box(scope);
  }
}

export class TablePlan extends Plan {
  declare readonly node: TableNode;
  readonly #rows: readonly RowPlan[];
  readonly #metrics: ColumnMetrics;
  readonly #statement: StatementPlan | null;

  constructor(node: TableNode, planOf: PlanOf) {
    const rows = node.rows.map((row) => new RowPlan(row, planOf));
    const statement = node.statement ?? null;
    super(node, statement === null && rows.every((row) => row.isFixed));
    this.#rows = rows;
    this.#metrics = measureColumns(node);
    this.#statement = statement === null ? null : new StatementPlan(statement, planOf);
  }

  protected makeBox(scope: Scope): TableBox {
    const { node } = this;
    const statement = this.#statement?.begin(scope) ?? null;
    const outerSums = scope.sums;
    if (statement !== null) scope.sums = statement.sums;
    const grid = new Grid(node.widths.length);
    const rows: RowBox[] = [];
    for (const plan of this.#rows) {
      const { conditions, each } = plan.row;
      if (conditions.length > 0 && !scope.holds(conditions)) continue;
      if (each === null) {
        rows.push(makeRow(plan, grid, scope));
        statement?.noteRow(false);
      } else {
        this.#makeRows(plan, each, grid, scope, statement, rows);
      }
    }
    if (!grid.isFree) {
      throw new LayoutFault(node.path, 'a rowSpan reaches beyond the last row of the table');
    }
    scope.sums = outerSums;
    const columns = new TableColumns(node.widths, rows, this.#metrics);
    return new TableBox(node, rows, this.#metrics, columns, statement);
  }

  #makeRows(
    plan: RowPlan,
    field: number,
    grid: Grid,
    scope: Scope,
    statement: StatementRows | null,
    rows: RowBox[],
  ): void {
    const { phrases } = plan;
    const isSummed = field === this.node.statement?.field;
    const block = phrases === null || !grid.isFree ? null : new Block(plan, phrases, scope);
    const outer = scope.row;
    for (const row of scope.rows(field)) {
      scope.row = row;
      statement?.noteRow(isSummed);
      rows.push(block?.add(row) ?? makeRow(plan, grid, scope));
    }
    scope.row = outer;
  }
}

/** One row of boxes; of a static row always the same. */
export function makeRow(plan: RowPlan, grid: Grid, scope: Scope): RowBox {
  if (!plan.isShared || !grid.isFree) return buildRow(plan, grid, scope);
  plan.shared ??= buildRow(plan, grid, scope);
  return plan.shared;
}

function buildRow(plan: RowPlan, grid: Grid, scope: Scope): RowBox {
  const cells = grid.addRow(plan.row.cells, (_cell, column) => plan.boxOf(column, scope));
  return {
    path: plan.row.path,
    cells,
    hasPageBreak: plan.hasPageBreak,
    phrases: null,
    phraseRow: 0,
    expand: () => cells,
  };
}

/** Phrase rows while they are measured, and afterwards. */
class Block implements PhraseBlock {
  readonly plan: PhrasePlan;
  readonly texts: GridText[] = [];
  widths: Float64Array;
  readonly #rowPlan: RowPlan;
  readonly #scope: Scope;
  readonly #sums: SumSource | null;
  readonly #data: (readonly string[])[] = [];
  /** Statement rows up to each row, where the table is a statement. */
  readonly #counts: number[] = [];

  constructor(rowPlan: RowPlan, plan: PhrasePlan, scope: Scope) {
    this.plan = plan;
    this.#rowPlan = rowPlan;
    this.#scope = scope;
    this.#sums = scope.sums;
    const rowCount = scope.rows(rowPlan.row.each ?? -1).length;
    this.widths = new Float64Array(rowCount * plan.runs.length);
  }

  /** Measures the scope's row; null where one of its texts needs more than a phrase. */
  add(data: readonly string[]): RowBox | null {
    const { texts, widths } = this;
    const { sources, runs } = this.plan;
    const first = texts.length;
    for (let column = 0; column < runs.length; column++) {
      const source = sources[column];
      const run = runs[column];
      if (source === undefined || run === undefined) return null;
      if (!scanPhrase(run, source.staticText ?? this.#scope.text(source.text))) {
        texts.length = first;
        return null;
      }
      widths[first + column] = scanned.advancePt - scanned.trailingCutPt;
      texts.push(scanned.text);
    }
    this.#data.push(data);
    if (this.#scope.sums !== null) this.#counts.push(this.#scope.sums.count);
    return new PhraseRowBox(this, this.#data.length - 1);
  }

  expand(row: number): readonly CellBox[] {
    const scope = this.#scope;
    const outer = scope.row;
    scope.row = this.#data[row] ?? null;
    if (this.#sums !== null) this.#sums.count = this.#counts[row] ?? 0;
    const outerSums = scope.sums;
    scope.sums = this.#sums;
    const plan = this.#rowPlan;
    const grid = new Grid(plan.row.cells.length);
    const cells = grid.addRow(plan.row.cells, (_cell, column) => plan.boxOf(column, scope));
    scope.row = outer;
    scope.sums = outerSums;
    return cells;
  }
}

/** One row of a block: two words of memory, because there are thousands. */
class PhraseRowBox implements RowBox {
  readonly phrases: PhraseBlock;
  readonly phraseRow: number;

  constructor(phrases: PhraseBlock, phraseRow: number) {
    this.phrases = phrases;
    this.phraseRow = phraseRow;
  }

  get path(): string {
    return this.phrases.plan.path;
  }

  get cells(): readonly CellBox[] {
    return this.phrases.plan.cells;
  }

  get hasPageBreak(): boolean {
    return false;
  }

  expand(): readonly CellBox[] {
    return this.phrases.expand(this.phraseRow);
  }
}

interface PhrasePlan extends PhraseRowPlan {
  readonly sources: readonly RunPlan[];
}

/** Null unless every cell is a plain text of one run, in one place, with nothing special to it. */
function planPhrases(row: TableRow, plans: readonly (Plan | null)[]): PhrasePlan | null {
  if (row.each === null) return null;
  const sources: RunPlan[] = [];
  const runs: RunStyle[] = [];
  const alignments: TextAlignment[] = [];
  const margins: Margin[] = [];
  for (const [column, cell] of row.cells.entries()) {
    const plan = plans[column];
    if (cell === null || !(plan instanceof TextPlan) || !isPlainCell(cell, plan)) return null;
    const source = plan.single;
    const run = source?.style ?? null;
    if (source === null || run === null || !allowsPhrases(run)) return null;
    sources.push(source);
    runs.push(run);
    alignments.push(plan.node.alignment);
    margins.push(plan.node.margin);
  }
  const contentPt = runs.map((run, index) => run.heightPt + verticalMargin(margins[index]));
  // The boxes are never asked for: a phrase row paints its texts.
  const cells = new Grid(row.cells.length).addRow(row.cells, (_cell, column) => {
    const plan = plans[column];
    if (plan === null || plan === undefined) throw new Error('a cell has no plan');
    return plan.emptyBox();
  });
  return {
    path: row.path,
    cells,
    hasPlainBorders: cells.every((cell) => cell.border === null && cell.borderColor === null),
    sources,
    runs,
    styles: runs.map((run) => run.style),
    alignments,
    marginLeft: margins.map((margin) => margin[0]),
    marginRight: margins.map((margin) => margin[2]),
    baselines: runs.map((run, index) => (margins[index]?.[1] ?? 0) + run.ascentPt + run.shiftPt),
    contentPt: Math.max(...contentPt),
  };
}

function verticalMargin(margin: Margin | undefined): number {
  return margin === undefined ? 0 : margin[1] + margin[3];
}

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
