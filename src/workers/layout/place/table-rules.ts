import { entryAt } from '../../../errors.ts';
import type { GridCell, RowBox, TableBox } from '../box/table/table-box.ts';
import { FillItem, LineItem } from '../../model/frame.ts';
import type { Dash, Paint, Rgb } from '../../model/style.ts';
import type { Flow } from './flow.ts';
import type { Sheet } from './sheet.ts';

/** The part of a row that is on one page. */
export interface RowPart {
  readonly page: number;
  /** Above the row's padding. */
  readonly top: number;
  /** Below the row's padding on its last page; where the content stops on the others. */
  readonly bottom: number;
  /** The row continues on the next page. */
  readonly isBroken: boolean;
}

export interface RowMetrics {
  readonly topLine: number;
  readonly paddingTop: number;
  readonly paddingBottom: number;
  readonly bottomLine: number;
}

/** Lines and fills that are closer than this are joined. */
const TOUCH_PT = 0.01;

/** Draws the lines and fills of one table; x relative to the region's left edge. */
export class TableRules {
  readonly #flow: Flow;
  readonly #box: TableBox;
  readonly #rowCount: number;
  readonly #columnCount: number;
  readonly #headerRows: number;
  /** Left edge of the line before each column, and of the line after the last. */
  readonly #lefts: readonly number[];
  /** Left edge of each column's content. */
  readonly contentX: readonly number[];
  /** The last line at each column edge, which may still be extended downwards, and its sheet. */
  readonly #growing: (LineItem | null)[];
  readonly #growingOn: (Sheet | null)[];
  readonly #hasVerticals: boolean;
  readonly #metrics = { topLine: 0, paddingTop: 0, paddingBottom: 0, bottomLine: 0 };

  constructor(flow: Flow, box: TableBox, widths: readonly number[]) {
    const { metrics, node } = box;
    this.#flow = flow;
    this.#box = box;
    this.#rowCount = box.rows.length;
    this.#columnCount = box.columnCount;
    this.#headerRows = node.headerRows;
    this.#hasVerticals = metrics.lineWidths.some((width) => width > 0);
    const lefts: number[] = [];
    const contentX: number[] = [];
    let x = 0;
    for (let column = 0; column < box.columnCount; column++) {
      const line = entryAt(metrics.lineWidths, column);
      const paddingLeft = entryAt(metrics.paddingLeft, column);
      lefts.push(x);
      contentX.push(x + line + paddingLeft);
      x += line + paddingLeft + entryAt(widths, column) + entryAt(metrics.paddingRight, column);
    }
    lefts.push(x);
    this.#lefts = lefts;
    this.contentX = contentX;
    this.#growing = Array<LineItem | null>(box.columnCount + 1).fill(null);
    this.#growingOn = Array<Sheet | null>(box.columnCount + 1).fill(null);
  }

  get drawsBrokenLines(): boolean {
    return this.#box.node.layout.hLineWhenBroken ?? true;
  }

  /** Heights of lines and paddings around a row's content; the returned object is reused. */
  rowMetrics(index: number): RowMetrics {
    const { layout } = this.#box.node;
    const metrics = this.#metrics;
    metrics.topLine = layout.hLineWidth(index, this.#rowCount, this.#headerRows);
    metrics.paddingTop = layout.paddingTop(index, this.#rowCount, this.#headerRows);
    metrics.paddingBottom = layout.paddingBottom(index, this.#rowCount, this.#headerRows);
    metrics.bottomLine = layout.hLineWidth(index + 1, this.#rowCount, this.#headerRows);
    return metrics;
  }

  /** Draws the line above row `index` at the current position and moves below it. */
  drawHorizontal(index: number): void {
    const { region } = this.#flow;
    region.moveDown(this.drawHorizontalAt(index, region.y));
  }

  /** Draws the line above row `index` with its upper edge at `y`; returns its width. */
  drawHorizontalAt(index: number, y: number): number {
    const { layout } = this.#box.node;
    const width = layout.hLineWidth(index, this.#rowCount, this.#headerRows);
    if (width === 0) return 0;
    const dash = layout.hLineDash(index, this.#rowCount, this.#headerRows);
    const color = layout.hLineColor(index, this.#rowCount, this.#headerRows);
    const rowAbove = this.#box.rows[index - 1];
    const rowBelow = this.#box.rows[index];
    if (layout.defaultBorder && hasPlainBorders(rowAbove) && hasPlainBorders(rowBelow)) {
      this.#addHorizontal(0, this.#columnCount, y + width / 2, width, color, dash);
      return width;
    }
    const above = rowAbove?.cells ?? null;
    const below = rowBelow?.cells ?? null;
    let from = -1;
    let lineColor = color;
    for (let column = 0; column < this.#columnCount; column++) {
      const cellAbove = above?.[column] ?? null;
      const cellBelow = below?.[column] ?? null;
      const isDrawn =
        cellBelow?.spec.isBelowSpanStart !== true && this.#hasLine(cellAbove, cellBelow);
      const here = isDrawn ? this.#horizontalColor(cellAbove, cellBelow, color) : color;
      if (from >= 0 && (!isDrawn || here !== lineColor)) {
        this.#addHorizontal(from, column, y + width / 2, width, lineColor, dash);
        from = -1;
      }
      if (isDrawn && from < 0) {
        from = column;
        lineColor = here;
      }
    }
    if (from >= 0) {
      this.#addHorizontal(from, this.#columnCount, y + width / 2, width, lineColor, dash);
    }
    return width;
  }

  #hasLine(above: GridCell | null, below: GridCell | null): boolean {
    const { defaultBorder } = this.#box.node.layout;
    return draws(above, BOTTOM, defaultBorder) || draws(below, TOP, defaultBorder);
  }

  #horizontalColor(above: GridCell | null, below: GridCell | null, color: Rgb): Rgb {
    const { defaultBorder } = this.#box.node.layout;
    return colorAt(above, BOTTOM, defaultBorder) ?? colorAt(below, TOP, defaultBorder) ?? color;
  }

  #addHorizontal(
    from: number,
    to: number,
    y: number,
    width: number,
    color: Rgb,
    dash: Dash | null,
  ): void {
    const { region } = this.#flow;
    const x1 = region.x + entryAt(this.#lefts, from);
    const x2 = region.x + entryAt(this.#lefts, to);
    region.sheet.items.push(new LineItem(x1, y, x2, y, width, color, dash));
  }

  /**
   * Draws lines and fills of the part of a row on one page. Returns the height of the lines drawn
   * at page breaks.
   */
  drawPart(
    index: number,
    row: RowBox,
    top: number,
    contentBottom: number,
    isBroken: boolean,
    isWithoutHeader: boolean,
    dontBreakRows: boolean,
  ): number {
    const { paddingBottom, bottomLine, topLine } = this.rowMetrics(index);
    const bottom = isBroken ? contentBottom + paddingBottom : contentBottom;
    let lost = 0;
    if (this.drawsBrokenLines) {
      if (isBroken) lost += this.drawHorizontalAt(index + 1, bottom);
      if (isWithoutHeader) lost += this.drawHorizontalAt(index, top);
    }
    const overlap = isWithoutHeader ? 0 : topLine;
    this.#drawFills(index, row.cells, top, bottom, overlap, bottomLine, dontBreakRows);
    this.#drawVerticals(row.cells, top - overlap, bottom + bottomLine);
    return lost;
  }

  #drawVerticals(cells: readonly GridCell[], y1: number, y2: number): void {
    if (!this.#hasVerticals) return;
    const { layout } = this.#box.node;
    const { lineWidths } = this.#box.metrics;
    let skip = 0;
    for (let column = 0; column <= this.#columnCount; column++) {
      if (skip > 0) {
        skip--;
        continue;
      }
      const cell = cells[column] ?? null;
      skip = (cell?.spec.colSpan ?? 1) - 1;
      const width = entryAt(lineWidths, column);
      if (width === 0) continue;
      const before = cells[column - 1] ?? null;
      if (!this.#hasLeft(before, cell)) continue;
      const color = this.#verticalColor(before, cell, column);
      const dash = layout.vLineDash(column, this.#columnCount);
      this.#addVertical(column, y1, y2, width, color, dash);
    }
  }

  #hasLeft(before: GridCell | null, cell: GridCell | null): boolean {
    const { defaultBorder } = this.#box.node.layout;
    return draws(cell, LEFT, defaultBorder) || draws(before, RIGHT, defaultBorder);
  }

  #verticalColor(before: GridCell | null, cell: GridCell | null, column: number): Rgb {
    const { layout } = this.#box.node;
    const { defaultBorder } = layout;
    const color = colorAt(before, RIGHT, defaultBorder) ?? colorAt(cell, LEFT, defaultBorder);
    return color ?? layout.vLineColor(column, this.#columnCount);
  }

  /** Draws a vertical line, or extends the line above it if they touch. */
  #addVertical(
    column: number,
    y1: number,
    y2: number,
    width: number,
    color: Rgb,
    dash: Dash | null,
  ): void {
    const { region } = this.#flow;
    const { sheet } = region;
    const x = region.x + entryAt(this.#lefts, column) + width / 2;
    const last = this.#growing[column] ?? null;
    if (
      last !== null &&
      this.#growingOn[column] === sheet &&
      last.color === color &&
      dash === null &&
      last.x1 === x &&
      y1 >= last.y1 &&
      y1 <= last.y2 + TOUCH_PT
    ) {
      last.y2 = Math.max(last.y2, y2);
      return;
    }
    const line = new LineItem(x, y1, x, y2, width, color, dash);
    this.#growing[column] = line;
    this.#growingOn[column] = sheet;
    sheet.items.push(line);
  }

  #drawFills(
    index: number,
    cells: readonly GridCell[],
    top: number,
    bottom: number,
    overlap: number,
    bottomLine: number,
    dontBreakRows: boolean,
  ): void {
    const { layout } = this.#box.node;
    const { region } = this.#flow;
    let last: FillItem | null = null;
    for (let column = 0; column < this.#columnCount; column++) {
      const cell = cells[column];
      if (cell === undefined) break;
      const first = column;
      column += cell.spec.colSpan - 1;
      const paint = cell.spec.fill ?? this.#layoutFill(index, first);
      if (paint === null && cell.spec.overlay === null) continue;
      const { x1, x2 } = this.#fillEdges(cells, first, column, dontBreakRows);
      const y1 = dontBreakRows ? top : top - overlap / 2;
      const y2 = bottom + (dontBreakRows ? bottomLine : bottomLine / 2);
      if (paint !== null) {
        const opacity =
          cell.spec.fillOpacity ??
          layout.fillOpacity(index, this.#rowCount, this.#headerRows, first);
        const x = region.x + x1;
        if (last !== null && touches(last, x, paint, opacity)) {
          region.sheet.fills.pop();
          last = new FillItem(last.x, y1, region.x + x2 - last.x, y2 - y1, paint, opacity);
        } else {
          last = new FillItem(x, y1, x2 - x1, y2 - y1, paint, opacity);
        }
        region.sheet.fills.push(last);
      }
      if (cell.spec.overlay !== null) {
        const { overlay, overlayOpacity } = cell.spec;
        region.sheet.items.push(
          new FillItem(region.x + x1, y1, x2 - x1, y2 - y1, overlay, overlayOpacity),
        );
      }
    }
  }

  #layoutFill(index: number, column: number): Paint | null {
    const { layout } = this.#box.node;
    return layout.fillColor(index, this.#rowCount, this.#headerRows, column);
  }

  /**
   * From the middle of the left line (with `dontBreakRows` its right edge) to that of the right.
   */
  #fillEdges(
    cells: readonly GridCell[],
    first: number,
    last: number,
    dontBreakRows: boolean,
  ): { x1: number; x2: number } {
    const { lineWidths } = this.#box.metrics;
    const cell = cells[first] ?? null;
    const next = cells[last + 1] ?? null;
    const left = this.#hasLeft(cells[first - 1] ?? null, cell) ? entryAt(lineWidths, first) : 0;
    const line = entryAt(lineWidths, last + 1);
    const hasRight = this.#hasLeft(cell, next);
    const isOuter = first === 0 || last + 1 === this.#columnCount;
    const right = hasRight ? line / 2 : isOuter ? line : 0;
    const x1 = entryAt(this.#lefts, first) + (dontBreakRows ? left : left / 2);
    return { x1, x2: entryAt(this.#lefts, last + 1) + right };
  }
}

function hasPlainBorders(row: RowBox | undefined): boolean {
  return row?.phrases?.plan.hasPlainBorders ?? false;
}

/** Whether a fill at `x` continues `last` in the same paint. */
function touches(last: FillItem, x: number, paint: Paint, opacity: number): boolean {
  return (
    last.paint === paint &&
    last.opacity === opacity &&
    Math.abs(last.x + last.widthPt - x) < TOUCH_PT
  );
}

/** Indices of the sides in the border of a cell. */
const LEFT = 0;
const TOP = 1;
const RIGHT = 2;
const BOTTOM = 3;
type Side = typeof LEFT | typeof TOP | typeof RIGHT | typeof BOTTOM;

/** Whether the cell has a border on this side. */
function draws(cell: GridCell | null, side: Side, byDefault: boolean): boolean {
  if (cell === null) return false;
  const { border } = cell.spec;
  return border === null ? byDefault : border[side];
}

/** The color that the cell gives to its border on this side; null without border or color. */
function colorAt(cell: GridCell | null, side: Side, byDefault: boolean): Rgb | null {
  const colors = cell?.spec.borderColor ?? null;
  return colors !== null && draws(cell, side, byDefault) ? colors[side] : null;
}
