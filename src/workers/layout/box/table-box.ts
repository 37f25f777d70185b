import type { Shape } from '../../font/font.ts';
import type { TableNode } from '../../template/nodes.ts';
import type { Paint, Rgb } from '../../template/style.ts';
import type { RunStyle } from '../text/run-style.ts';
import type { Box } from './blocks.ts';
import { SizedBox } from './box.ts';
import type { TableColumns } from './table-columns.ts';
import { maxWidthOf, minWidthOf, resolveWidths } from './widths.ts';

/** Left, top, right, bottom: drawn or not. */
export type Border = readonly [boolean, boolean, boolean, boolean];

/** One cell of the grid, or a place that another cell's span covers. */
export interface CellBox {
  /** Null where a span covers the place. */
  readonly box: Box | null;
  /** Columns that the lines beside it skip; of a covered place: 1, or its span's in column one. */
  readonly colSpan: number;
  /** 1 in covered places. */
  readonly rowSpan: number;
  /** Null: as the layout says. */
  readonly border: Border | null;
  readonly borderColor: readonly [Rgb, Rgb, Rgb, Rgb] | null;
  readonly fill: Paint | null;
  readonly fillOpacity: number | null;
  readonly overlay: Paint | null;
  readonly overlayOpacity: number;
  readonly verticalAlignment: 'top' | 'middle' | 'bottom';
  /** Covered by a span from a row above. */
  readonly isBelowSpanStart: boolean;
  /** The last place, bottom right, of a row span. */
  readonly endsSpan: boolean;
}

/** A row whose cells are single-run texts that need no line breaking, measured side by side. */
export interface PhraseRow {
  /** For each column the shapes of its text and their advance and trailing spaces in points. */
  readonly shapes: readonly (readonly Shape[])[];
  readonly advances: Float64Array;
  readonly cuts: Float64Array;
}

/** What phrase rows of one row template share. */
export interface PhraseRowPlan {
  readonly runs: readonly RunStyle[];
  readonly alignments: readonly ('left' | 'right' | 'center' | 'justify')[];
  /** Left and right margins of each cell. */
  readonly margins: readonly (readonly [number, number, number, number])[];
  /** Height of the row's content: the highest line with its margins. */
  readonly contentPt: number;
}

export interface RowBox {
  readonly path: string;
  /** For a phrase row shared by all rows of its template, and without boxes. */
  readonly cells: readonly CellBox[];
  readonly phrases: PhraseRow | null;
  readonly phrasePlan: PhraseRowPlan | null;
  /** The cells with boxes, made when a phrase row must be broken after all. */
  expand(): readonly CellBox[];
  readonly hasPageBreak: boolean;
}

/** Lines, paddings and offsets of a table's columns: the same for each of its rows. */
export interface ColumnMetrics {
  readonly paddingLeft: readonly number[];
  readonly paddingRight: readonly number[];
  /** One more than there are columns. */
  readonly lineWidths: readonly number[];
  /** From the end of one column's content to the start of the next. */
  readonly offsets: readonly number[];
  /** Everything but the columns' content. */
  readonly offsetTotal: number;
}

/** Measured columns and rows of one table. */
export class TableBox extends SizedBox {
  readonly kind = 'table';
  readonly node: TableNode;
  readonly rows: readonly RowBox[];
  readonly metrics: ColumnMetrics;
  readonly columnCount: number;
  readonly #columns: TableColumns;

  constructor(
    node: TableNode,
    rows: readonly RowBox[],
    metrics: ColumnMetrics,
    columns: TableColumns,
  ) {
    super();
    this.node = node;
    this.rows = rows;
    this.metrics = metrics;
    this.columnCount = metrics.offsets.length;
    this.#columns = columns;
  }

  /** Widths of the columns' content in a room for the whole table. */
  columnWidths(roomPt: number): number[] {
    const { paddingLeft, paddingRight, lineWidths, offsetTotal } = this.metrics;
    const room = roomPt - offsetTotal;
    return resolveWidths(this.#columns.columns, room, room + offsetTotal, (index, count) => {
      const left = lineWidths[index] ?? 0;
      const right = lineWidths[index + 1] ?? 0;
      const padding = (paddingLeft[index] ?? 0) + (paddingRight[index] ?? 0);
      if (index === 0) return padding + left + right / 2;
      if (index === count - 1) return padding + left / 2 + right;
      return padding + left / 2 + right / 2;
    });
  }

  protected minContentPt(): number {
    return minWidthOf(this.#columns.columns) + this.metrics.offsetTotal;
  }

  protected maxContentPt(): number {
    return maxWidthOf(this.#columns.columns) + this.metrics.offsetTotal;
  }
}

/** Reads the column side of a table layout once. */
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
    paddingLeft.push(layout.paddingLeft(index, count));
    paddingRight.push(layout.paddingRight(index, count));
    lineWidths.push(layout.vLineWidth(index, count));
    const offset = before + (lineWidths[index] ?? 0) + (paddingLeft[index] ?? 0);
    offsets.push(offset);
    total += offset;
    before = paddingRight[index] ?? 0;
  }
  lineWidths.push(layout.vLineWidth(count, count));
  total += before + (lineWidths[count] ?? 0);
  return { paddingLeft, paddingRight, lineWidths, offsets, offsetTotal: total };
}
