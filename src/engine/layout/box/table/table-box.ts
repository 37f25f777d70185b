import { entryAt } from '../../../../errors.ts';
import type { TableNode, TextAlignment } from '../../../model/nodes.ts';
import type { Paint, Rgb, TextStyle } from '../../../model/style.ts';
import type { GridText } from '../../../model/frame.ts';
import type { RunStyle } from '../../text/run-style.ts';
import type { Box } from '../blocks.ts';
import { SizedBox } from '../box.ts';
import { narrowWidthOf } from '../fit-columns.ts';
import {
  maxWidthOf,
  minBoundWidthOf,
  minWidthOf,
  resolveWidths,
  type SizedColumn,
  type Surroundings,
} from '../widths.ts';

/** Measured rows and columns of a table, and the slots of its grid. */

/** Whether the left, top, right and bottom borders are drawn. */
export type Border = readonly [boolean, boolean, boolean, boolean];

/**
 * Properties of a slot of the grid that all documents share: where a cell begins, or is covered.
 */
export interface CellSpec {
  /**
   * Number of columns up to the next vertical line: those of the cell, or of the row span in the
   * leftmost slot that the span covers; 1 in the other covered slots.
   */
  readonly colSpan: number;
  /** 1 in covered slots. */
  readonly rowSpan: number;
  /** Null: the table layout decides. */
  readonly border: Border | null;
  readonly borderColor: readonly [Rgb, Rgb, Rgb, Rgb] | null;
  readonly fill: Paint | null;
  readonly fillOpacity: number | null;
  readonly overlay: Paint | null;
  readonly overlayOpacity: number;
  readonly verticalAlignment: 'top' | 'middle' | 'bottom';
  /** A span from a row above covers it. */
  readonly isBelowSpanStart: boolean;
  /** The bottom right slot of a row span. */
  readonly endsSpan: boolean;
}

/** One slot of the grid. */
export interface GridCell {
  readonly spec: CellSpec;
  /** The box of the cell that begins here; null where a span covers the slot. */
  readonly box: Box | null;
}

/** Plan shared by the phrase rows of one row template. */
export interface PhraseRowPlan {
  readonly path: string;
  /** For borders and fills only: their boxes are empty. */
  readonly cells: readonly GridCell[];
  /** No cell sets its own borders or their colors. */
  readonly hasPlainBorders: boolean;
  /** No cell has a fill or an overlay of its own. */
  readonly hasPlainFills: boolean;
  readonly runs: readonly RunStyle[];
  readonly styles: readonly TextStyle[];
  readonly alignments: readonly TextAlignment[];
  /** Left and right margins of each column's cell. */
  readonly marginLeft: readonly number[];
  readonly marginRight: readonly number[];
  /** Baseline of each column's text below the top of the row's content. */
  readonly baselines: readonly number[];
  /** Height of the row's content: the highest line with its margins. */
  readonly contentPt: number;
  /** Height of its lowest line; 0 if a cell has a margin above or below it. */
  readonly leastLinePt: number;
  /** By column: whether its texts are numbers in figures. */
  readonly figures: readonly boolean[];
}

/**
 * Rows made by one `each` whose cells are single-run texts that need no line breaking. The text of
 * row r, column c is at index r · columns + c.
 */
export interface PhraseBlock {
  readonly plan: PhraseRowPlan;
  readonly texts: readonly GridText[];
  /** In points, without trailing spaces. */
  readonly widths: Float64Array;
  /** Makes the cells of one row with boxes, for a row that needs line breaks after all. */
  expand(row: number): readonly GridCell[];
}

/** One row of a table with its bindings filled in. */
export interface RowBox {
  readonly path: string;
  /** In a phrase row, those of its template: their boxes are empty. */
  readonly cells: readonly GridCell[];
  readonly hasPageBreak: boolean;
  /** Null for a row of boxes. */
  readonly phrases: PhraseBlock | null;
  /** Index of the row in its block. */
  readonly phraseRow: number;
  /** The cells with their boxes; a phrase row makes these boxes now. */
  expand(): readonly GridCell[];
}

/** The rows with sums that a statement table adds where a page begins or ends. */
export type SumRowKind = 'broughtForward' | 'carriedForward' | 'pageTotal';

/** Makes the rows that show the sums of a statement table. */
export interface StatementBoxes {
  /** Number of summed rows up to and including row `index` of the table. */
  countAfter(index: number): number;
  /**
   * The row with the sums of the first `count` summed rows, of which the first `pageStart` are on
   * earlier pages; null when the template has no such row.
   */
  sumRow(kind: SumRowKind, count: number, pageStart: number): RowBox | null;
  /** A cell of these rows spans several columns, one of which is as wide as its content. */
  readonly spansAuto: boolean;
  /** These rows with sums at least as wide as on any page; they are measured, never drawn. */
  widestRows(): readonly RowBox[];
}

/** Lines, paddings and offsets of a table's columns: the same for each of its rows. */
export interface ColumnMetrics {
  readonly paddingLeft: readonly number[];
  readonly paddingRight: readonly number[];
  /** Widths of the vertical lines, one more than there are columns. */
  readonly lineWidths: readonly number[];
  /** From the end of one column's content to the start of the next. */
  readonly offsets: readonly number[];
  /** Width of the table without the content of its columns. */
  readonly offsetTotal: number;
}

/** The width limits of a table's columns, as its cells require them. */
export interface ColumnSizes {
  readonly columns: readonly SizedColumn[];
  readonly hasColumnSpan: boolean;
  /** Whether any row, including the rows with sums, has an amount at any depth. */
  readonly hasAmounts: boolean;
  /** Whether there is a code in an `auto` or `*` column of any row. */
  readonly hasCodes: boolean;
}

/** Measured columns and rows of one table. */
export class TableBox extends SizedBox {
  readonly kind = 'table';
  readonly node: TableNode;
  readonly rows: readonly RowBox[];
  readonly metrics: ColumnMetrics;
  readonly statement: StatementBoxes | null;
  readonly columnCount: number;
  readonly #columns: ColumnSizes;

  constructor(
    node: TableNode,
    rows: readonly RowBox[],
    metrics: ColumnMetrics,
    columns: ColumnSizes,
    statement: StatementBoxes | null,
  ) {
    super();
    this.node = node;
    this.rows = rows;
    this.metrics = metrics;
    this.statement = statement;
    this.columnCount = metrics.offsets.length;
    this.#columns = columns;
  }

  /** Widths of the columns' content in a table that is `roomPt` wide. */
  columnWidths(roomPt: number, around: Surroundings): number[] {
    const { paddingLeft, paddingRight, lineWidths, offsetTotal } = this.metrics;
    const room = roomPt - offsetTotal;
    const reservedPt = (index: number, count: number): number => {
      const left = entryAt(lineWidths, index);
      const right = entryAt(lineWidths, index + 1);
      const padding = entryAt(paddingLeft, index) + entryAt(paddingRight, index);
      if (index === 0) return padding + left + right / 2;
      if (index === count - 1) return padding + left / 2 + right;
      return padding + left / 2 + right / 2;
    };
    const { columns } = this.#columns;
    return resolveWidths(columns, room, room + offsetTotal, reservedPt, around);
  }

  get hasAmounts(): boolean {
    return this.#columns.hasAmounts;
  }

  override get hasCodes(): boolean {
    return this.#columns.hasCodes;
  }

  protected minContentPt(): number {
    return minWidthOf(this.#columns.columns) + this.metrics.offsetTotal;
  }

  /** Null with column spans: how they widen columns has no cheap bound. */
  protected override minBoundContentPt(): number | null {
    if (this.#columns.hasColumnSpan) return null;
    return minBoundWidthOf(this.#columns.columns) + this.metrics.offsetTotal;
  }

  protected override leastContentPt(): number {
    const { columns } = this.#columns;
    return narrowWidthOf(columns, ({ leastPt }) => leastPt) + this.metrics.offsetTotal;
  }

  protected override tightContentPt(): number {
    const { columns } = this.#columns;
    return narrowWidthOf(columns, ({ tightPt }) => tightPt) + this.metrics.offsetTotal;
  }

  protected maxContentPt(): number {
    return maxWidthOf(this.#columns.columns) + this.metrics.offsetTotal;
  }
}

/** Calls the functions of a table layout that concern columns, once for all rows. */
export function measureColumns(node: TableNode): ColumnMetrics {
  const { layout, widths } = node;
  const count = widths.length;
  const paddingLeft: number[] = [];
  const paddingRight: number[] = [];
  const lineWidths: number[] = [];
  const offsets: number[] = [];
  let total = 0;
  let before = 0;
  for (let index = 0; index < count; index++) {
    paddingLeft.push(layout.paddingLeft(index, count, 0));
    paddingRight.push(layout.paddingRight(index, count, 0));
    lineWidths.push(layout.vLineWidth(index, count, 0));
    const offset = before + entryAt(lineWidths, index) + entryAt(paddingLeft, index);
    offsets.push(offset);
    total += offset;
    before = entryAt(paddingRight, index);
  }
  lineWidths.push(layout.vLineWidth(count, count, 0));
  total += before + entryAt(lineWidths, count);
  return { paddingLeft, paddingRight, lineWidths, offsets, offsetTotal: total };
}
