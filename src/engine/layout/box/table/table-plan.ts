import { entryAt } from '../../../../errors.ts';
import type { TableNode } from '../../../model/nodes.ts';
import { LayoutFault } from '../../layout-fault.ts';
import type { GridText } from '../../../model/frame.ts';
import type { DataPlace, DataScope, SumSource } from '../../scope.ts';
import { Plan } from '../plan.ts';
import { lastScan, scanPhrase } from '../phrase.ts';
import { CellGrid } from './grid.ts';
import type { PhrasePlan } from './phrase-plan.ts';
import { makeRow, type PlanOf, RowPlan } from './row-plan.ts';
import { StatementPlan, type StatementRows } from './statement-plan.ts';
import {
  type GridCell,
  type ColumnMetrics,
  measureColumns,
  type PhraseBlock,
  type RowBox,
  TableBox,
} from './table-box.ts';
import { TableColumns } from './table-columns.ts';

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
    this.#statement = statement === null ? null : new StatementPlan(statement, planOf, node.widths);
  }

  protected makeBox(scope: DataScope): TableBox {
    const { node } = this;
    const statement = this.#statement?.begin(scope) ?? null;
    const outerSums = scope.sums;
    if (statement !== null) scope.sums = statement.sums;
    const grid = new CellGrid(node.widths.length);
    const rows: RowBox[] = [];
    for (const [at, plan] of this.#rows.entries()) {
      const { conditions, each } = plan.row;
      if (each !== null && scope.isView(each)) {
        if (this.#rows[at - 1]?.row.each !== each) {
          this.#makeTurns(at, each, grid, scope, statement, rows);
        }
        continue;
      }
      if (conditions.length > 0 && !scope.holds(conditions)) continue;
      if (each === null) {
        rows.push(makeRow(plan, grid, scope));
        statement?.recordRow(false);
      } else {
        this.#makeRows(plan, each, grid, scope, statement, rows);
      }
    }
    if (!grid.isFree) {
      throw new LayoutFault(node.path, 'a rowSpan reaches beyond the last row of the table');
    }
    scope.sums = outerSums;
    const columns = new TableColumns(node.widths, rows, this.#metrics, statement);
    return new TableBox(node, rows, this.#metrics, columns, statement);
  }

  /**
   * Makes the rows over a view. Consecutive rows over the same view are repeated together, entry by
   * entry.
   */
  #makeTurns(
    first: number,
    field: number,
    grid: CellGrid,
    scope: DataScope,
    statement: StatementRows | null,
    rows: RowBox[],
  ): void {
    const end = this.#rows.findIndex(({ row }, at) => at > first && row.each !== field);
    const turns = this.#rows.slice(first, end < 0 ? undefined : end).map((plan) => {
      const { phrases } = plan;
      const isPlain = phrases === null || !grid.isFree;
      return { plan, block: isPlain ? null : new PhraseRows(plan, phrases, field, scope) };
    });
    const isSummed = this.#isSummed(field, statement);
    const summed = turns.findIndex(({ plan }) => plan.row.isGroupEnd !== true);
    scope.forEach(field, (index) => {
      for (const [turn, { plan, block }] of turns.entries()) {
        if (!scope.holds(plan.row.conditions)) continue;
        statement?.recordRow(isSummed && turn === summed);
        rows.push(block?.add(index) ?? makeRow(plan, grid, scope));
      }
    });
  }

  /** Makes a row for each row of a table field: as a phrase row if possible, else with boxes. */
  #makeRows(
    plan: RowPlan,
    field: number,
    grid: CellGrid,
    scope: DataScope,
    statement: StatementRows | null,
    rows: RowBox[],
  ): void {
    const { phrases } = plan;
    const isSummed = this.#isSummed(field, statement);
    const block =
      phrases === null || !grid.isFree ? null : new PhraseRows(plan, phrases, field, scope);
    scope.forEach(field, (index) => {
      statement?.recordRow(isSummed);
      rows.push(block?.add(index) ?? makeRow(plan, grid, scope));
    });
  }

  /**
   * Whether the rows repeated over `field` add to the sums. Each entry counts once: only in the
   * first row that is repeated for it.
   */
  #isSummed(field: number, statement: StatementRows | null): boolean {
    return field === this.node.statement?.field && statement?.sums.count === 0;
  }
}

/** The phrase rows of one `each` in one document. */
class PhraseRows implements PhraseBlock {
  readonly plan: PhrasePlan;
  readonly texts: GridText[] = [];
  widths: Float64Array;
  readonly #rowPlan: RowPlan;
  readonly #scope: DataScope;
  readonly #sums: SumSource | null;
  /** The table or list that is repeated over, and where the scope was when that began. */
  readonly #field: number;
  readonly #place: DataPlace;
  /** What `goTo` takes, by row. */
  readonly #indexes: number[] = [];
  /** In a statement table: the number of summed rows up to and including each row. */
  readonly #counts: number[] = [];

  constructor(rowPlan: RowPlan, plan: PhrasePlan, field: number, scope: DataScope) {
    this.plan = plan;
    this.#rowPlan = rowPlan;
    this.#scope = scope;
    this.#sums = scope.sums;
    this.#field = field;
    this.#place = scope.place;
    this.widths = new Float64Array(scope.rowCount(field) * plan.runs.length);
  }

  /** Measures the row that the scope is at; null when one of its texts is not a phrase. */
  add(index: number): RowBox | null {
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
      widths[first + column] = lastScan.advancePt - lastScan.trailingCutPt;
      texts.push(lastScan.text);
    }
    this.#indexes.push(index);
    if (this.#scope.sums !== null) this.#counts.push(this.#scope.sums.count);
    return new PhraseRowBox(this, this.#indexes.length - 1);
  }

  expand(row: number): readonly GridCell[] {
    const scope = this.#scope;
    const outer = scope.place;
    scope.place = this.#place;
    scope.goTo(this.#field, entryAt(this.#indexes, row));
    if (this.#sums !== null) this.#sums.count = entryAt(this.#counts, row);
    const outerSums = scope.sums;
    scope.sums = this.#sums;
    const plan = this.#rowPlan;
    const grid = new CellGrid(plan.row.cells.length);
    const cells = grid.addRow(plan.row.cells, (_cell, column) => plan.boxOf(column, scope));
    scope.place = outer;
    scope.sums = outerSums;
    return cells;
  }
}

/** One row of a block. It has two fields only, because there are thousands of rows. */
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

  get cells(): readonly GridCell[] {
    return this.phrases.plan.cells;
  }

  get hasPageBreak(): boolean {
    return false;
  }

  expand(): readonly GridCell[] {
    return this.phrases.expand(this.phraseRow);
  }
}
