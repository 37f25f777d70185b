import { entryAt } from '../../../errors.ts';
import type { GridCell, RowBox, TableBox } from '../box/table/table-box.ts';
import { LineItem } from '../../model/frame.ts';
import type { Dash, Rgb } from '../../model/style.ts';
import { CellBorders } from './cell-borders.ts';
import type { Flow } from './flow.ts';
import type { RowPart } from './row.ts';
import type { Sheet } from './sheet.ts';
import { TableFills, TOUCH_PT } from './table-fills.ts';

/** Thickness of the lines and height of the paddings above and below a row's content. */
export interface RowMetrics {
  readonly topLine: number;
  readonly paddingTop: number;
  readonly paddingBottom: number;
  readonly bottomLine: number;
}

/** How a line is drawn. */
interface Pen {
  readonly widthPt: number;
  readonly color: Rgb;
  readonly dash: Dash | null;
}

/** A vertical line that the next row may extend downwards, and the sheet that it is on. */
interface GrowingLine {
  readonly line: LineItem;
  readonly sheet: Sheet;
}

/** Draws the lines and fills of one table; x relative to the region's left edge. */
export class TableRules {
  readonly #flow: Flow;
  readonly #box: TableBox;
  readonly #rowCount: number;
  readonly #columnCount: number;
  readonly #headerRows: number;
  readonly #borders: CellBorders;
  readonly #fills: TableFills;
  /** Left edge of the line before each column, and of the line after the last. */
  readonly #lineLefts: readonly number[];
  /** Left edge of each column's content. */
  readonly contentX: readonly number[];
  /** For each column boundary, the vertical line drawn last, which the next row may extend. */
  readonly #growing: (GrowingLine | null)[];
  readonly #hasVerticals: boolean;
  /** The metrics of row `#metricsOf`: a row needs them several times, and the layout computes them. */
  readonly #metrics = { topLine: 0, paddingTop: 0, paddingBottom: 0, bottomLine: 0 };
  #metricsOf = -1;

  constructor(flow: Flow, box: TableBox, widths: readonly number[]) {
    const { metrics, node } = box;
    this.#flow = flow;
    this.#box = box;
    this.#rowCount = box.rows.length;
    this.#columnCount = box.columnCount;
    this.#headerRows = node.headerRows;
    this.#hasVerticals = metrics.lineWidths.some((width) => width > 0);
    const lineLefts: number[] = [];
    const contentX: number[] = [];
    let x = 0;
    for (let column = 0; column < box.columnCount; column++) {
      const line = entryAt(metrics.lineWidths, column);
      const paddingLeft = entryAt(metrics.paddingLeft, column);
      lineLefts.push(x);
      contentX.push(x + line + paddingLeft);
      x += line + paddingLeft + entryAt(widths, column) + entryAt(metrics.paddingRight, column);
    }
    lineLefts.push(x);
    this.#lineLefts = lineLefts;
    this.contentX = contentX;
    this.#growing = Array<GrowingLine | null>(box.columnCount + 1).fill(null);
    this.#borders = new CellBorders(node.layout.defaultBorder);
    this.#fills = new TableFills(flow, box, this.#borders, lineLefts);
  }

  /** Whether a row that a page break splits has lines before and after the break. */
  get drawsLinesAtBreaks(): boolean {
    return this.#box.node.layout.hLineWhenBroken ?? true;
  }

  /**
   * Thickness of the lines and height of the paddings above and below a row's content. The returned
   * object is reused.
   */
  rowMetrics(index: number): RowMetrics {
    const metrics = this.#metrics;
    if (index === this.#metricsOf) return metrics;
    const { layout } = this.#box.node;
    const follows = index === this.#metricsOf + 1 && index > 0;
    metrics.topLine = follows ? metrics.bottomLine : this.#lineWidth(index);
    metrics.paddingTop = layout.paddingTop(index, this.#rowCount, this.#headerRows);
    metrics.paddingBottom = layout.paddingBottom(index, this.#rowCount, this.#headerRows);
    metrics.bottomLine = this.#lineWidth(index + 1);
    this.#metricsOf = index;
    return metrics;
  }

  /** Thickness of the line above row `index`. */
  #lineWidth(index: number): number {
    return this.#box.node.layout.hLineWidth(index, this.#rowCount, this.#headerRows);
  }

  /** Draws the line above row `index` at the current position and moves below it. */
  drawHorizontal(index: number): void {
    const { region } = this.#flow;
    region.moveDown(this.drawHorizontalAt(index, region.y));
  }

  /** Draws the line above row `index` with its upper edge at `y`; returns its thickness. */
  drawHorizontalAt(index: number, y: number): number {
    const { layout } = this.#box.node;
    const isBelowLast = index === this.#metricsOf + 1 && index > 0;
    const widthPt = isBelowLast ? this.#metrics.bottomLine : this.#lineWidth(index);
    if (widthPt === 0) return 0;
    const dash = layout.hLineDash(index, this.#rowCount, this.#headerRows);
    const color = layout.hLineColor(index, this.#rowCount, this.#headerRows);
    const pen: Pen = { widthPt, color, dash };
    const middle = y + widthPt / 2;
    const above = this.#box.rows[index - 1];
    const below = this.#box.rows[index];
    if (layout.defaultBorder && hasPlainBorders(above) && hasPlainBorders(below)) {
      this.#addHorizontal(0, this.#columnCount, middle, pen);
    } else {
      this.#drawAlongBorders(above?.cells ?? [], below?.cells ?? [], middle, pen);
    }
    return widthPt;
  }

  /** Draws a horizontal line where the cells have a border: a piece for each change of color. */
  #drawAlongBorders(
    above: readonly GridCell[],
    below: readonly GridCell[],
    y: number,
    pen: Pen,
  ): void {
    let first = 0;
    let color: Rgb | null = null;
    for (let column = 0; column <= this.#columnCount; column++) {
      const next =
        column < this.#columnCount
          ? this.#colorBetween(above[column] ?? null, below[column] ?? null, pen.color)
          : null;
      if (next === color) continue;
      if (color !== null) this.#addHorizontal(first, column, y, { ...pen, color });
      first = column;
      color = next;
    }
  }

  /** Color of the border between two rows in one column; null where none is drawn. */
  #colorBetween(above: GridCell | null, below: GridCell | null, byDefault: Rgb): Rgb | null {
    const isInsideSpan = below?.spec.isBelowSpanStart === true;
    if (isInsideSpan || !this.#borders.isBetweenRows(above, below)) return null;
    return this.#borders.colorBetweenRows(above, below) ?? byDefault;
  }

  /** Adds a line from the left of column `from` to the left of column `to`. */
  #addHorizontal(from: number, to: number, y: number, { widthPt, color, dash }: Pen): void {
    const { region } = this.#flow;
    const x1 = region.x + entryAt(this.#lineLefts, from);
    const x2 = region.x + entryAt(this.#lineLefts, to);
    region.sheet.items.push(new LineItem(x1, y, x2, y, widthPt, color, dash));
  }

  /** Draws the lines and fills of a row that is on one page, from `top` to `bottom`. */
  drawWhole(index: number, row: RowBox, top: number, bottom: number): void {
    const { topLine, bottomLine } = this.rowMetrics(index);
    this.#drawAround(index, row, top, bottom, topLine, bottomLine);
  }

  /**
   * Draws the lines and fills of a part of a row on the current page. Returns the height of the
   * lines drawn at page breaks.
   */
  drawPart(index: number, row: RowBox, part: RowPart): number {
    const { paddingBottom, bottomLine, topLine } = this.rowMetrics(index);
    const bottom = part.isBroken ? part.bottom + paddingBottom : part.bottom;
    let linesPt = 0;
    // The break is closed by the row's own bottom line and opened again by its top line.
    if (this.drawsLinesAtBreaks) {
      if (part.isBroken) linesPt += this.drawHorizontalAt(index + 1, bottom);
      if (part.opensPage) linesPt += this.drawHorizontalAt(index, part.top);
    }
    // `part.top` is below the line above the row, but above the line that opens a page: fills and
    // vertical lines that begin there cover it already. Lines below are always below the bottom.
    const lineAbove = part.opensPage ? 0 : topLine;
    this.#drawAround(index, row, part.top, bottom, lineAbove, bottomLine);
    return linesPt;
  }

  /** Draws fills and vertical lines between two horizontal lines of the given thickness. */
  #drawAround(
    index: number,
    row: RowBox,
    top: number,
    bottom: number,
    lineAbove: number,
    lineBelow: number,
  ): void {
    const { cells } = row;
    const fills = this.#fills;
    if (fills.mayHave(index, row)) {
      fills.draw(index, cells, fills.topEdge(top, lineAbove), fills.bottomEdge(bottom, lineBelow));
    }
    if (this.#hasVerticals) this.#drawVerticals(cells, top - lineAbove, bottom + lineBelow);
  }

  #drawVerticals(cells: readonly GridCell[], y1: number, y2: number): void {
    const { layout } = this.#box.node;
    const { lineWidths } = this.#box.metrics;
    let column = 0;
    while (column <= this.#columnCount) {
      const left = cells[column - 1] ?? null;
      const right = cells[column] ?? null;
      const widthPt = entryAt(lineWidths, column);
      if (widthPt > 0 && this.#borders.isBetweenColumns(left, right)) {
        const color =
          this.#borders.colorBetweenColumns(left, right) ??
          layout.vLineColor(column, this.#columnCount, 0);
        const dash = layout.vLineDash(column, this.#columnCount, 0);
        this.#addVertical(column, y1, y2, { widthPt, color, dash });
      }
      column += right?.spec.colSpan ?? 1;
    }
  }

  /** Draws a vertical line before a column, or extends the line above it if they touch. */
  #addVertical(column: number, y1: number, y2: number, { widthPt, color, dash }: Pen): void {
    const { region } = this.#flow;
    const { sheet } = region;
    const x = region.x + entryAt(this.#lineLefts, column) + widthPt / 2;
    const above = this.#growing[column] ?? null;
    if (above !== null && above.sheet === sheet && dash === null) {
      const { line } = above;
      const touches = y1 >= line.y1 && y1 <= line.y2 + TOUCH_PT;
      if (touches && line.color === color && line.x1 === x) {
        line.y2 = Math.max(line.y2, y2);
        return;
      }
    }
    const line = new LineItem(x, y1, x, y2, widthPt, color, dash);
    this.#growing[column] = { line, sheet };
    sheet.items.push(line);
  }
}

function hasPlainBorders(row: RowBox | undefined): boolean {
  return row?.phrases?.plan.hasPlainBorders ?? false;
}
