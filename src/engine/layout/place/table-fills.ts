import { entryAt } from '../../../errors.ts';
import type { GridCell, RowBox, TableBox } from '../box/table/table-box.ts';
import { FillItem } from '../../model/frame.ts';
import type { Paint } from '../../model/style.ts';
import type { CellBorders } from './cell-borders.ts';
import type { Flow } from './flow.ts';

/** Lines and fills that are closer than this are joined. */
export const TOUCH_PT = 0.01;

/** A rectangle between two pairs of edges; x relative to the region's left edge. */
interface Area {
  readonly x1: number;
  readonly x2: number;
  readonly y1: number;
  readonly y2: number;
}

/**
 * Draws the fills and overlays of a table's cells. A fill reaches to the middle of the lines around
 * its cell. With `dontBreakRows`, as in pdfmake, it begins at the inner edges of the lines above and
 * on the left, and covers the line below.
 */
export class TableFills {
  readonly #flow: Flow;
  readonly #box: TableBox;
  readonly #borders: CellBorders;
  /** Left edge of the line before each column, and of the line after the last. */
  readonly #lineLefts: readonly number[];
  readonly #dontBreakRows: boolean;

  constructor(flow: Flow, box: TableBox, borders: CellBorders, lineLefts: readonly number[]) {
    this.#flow = flow;
    this.#box = box;
    this.#borders = borders;
    this.#lineLefts = lineLefts;
    this.#dontBreakRows = box.node.dontBreakRows;
  }

  /** Upper edge of the fills of a row that begins at `top`, below a line. */
  topEdge(top: number, linePt: number): number {
    return this.#dontBreakRows ? top : top - linePt / 2;
  }

  /** Lower edge of the fills of a row that ends at `bottom`, above a line. */
  bottomEdge(bottom: number, linePt: number): number {
    return this.#dontBreakRows ? bottom + linePt : bottom + linePt / 2;
  }

  /** Whether a cell of row `index` may have a fill or an overlay. */
  mayHave(index: number, row: RowBox): boolean {
    return row.phrases?.plan.hasPlainFills !== true || this.#rowPaint(index) !== null;
  }

  /** Fills the cells of row `index` between two edges. */
  draw(index: number, cells: readonly GridCell[], y1: number, y2: number): void {
    const rowPaint = this.#rowPaint(index);
    const { items } = this.#flow.region.sheet;
    const { x } = this.#flow.region;
    let left: FillItem | null = null;
    let column = 0;
    while (column < this.#box.columnCount) {
      const cell = cells[column];
      if (cell === undefined) break;
      const { colSpan, overlay, overlayOpacity } = cell.spec;
      const paint = cell.spec.fill ?? rowPaint;
      if (paint !== null || overlay !== null) {
        const { x1, x2 } = this.#edges(cells, column, column + colSpan);
        if (paint !== null) {
          const opacity = cell.spec.fillOpacity ?? this.#rowOpacity(index);
          left = this.#addFill({ x1, x2, y1, y2 }, paint, opacity, left);
        }
        if (overlay !== null) {
          items.push(new FillItem(x + x1, y1, x2 - x1, y2 - y1, overlay, overlayOpacity));
        }
      }
      column += colSpan;
    }
  }

  /** Adds a fill, or widens the fill to its `left` if they touch in the same paint. */
  #addFill(area: Area, paint: Paint, opacity: number, left: FillItem | null): FillItem {
    const { x, sheet } = this.#flow.region;
    const x1 = x + area.x1;
    const height = area.y2 - area.y1;
    const continues = left !== null && touches(left, x1, paint, opacity);
    const fill = continues
      ? new FillItem(left.x, area.y1, x + area.x2 - left.x, height, paint, opacity)
      : new FillItem(x1, area.y1, area.x2 - area.x1, height, paint, opacity);
    if (continues) sheet.fills.pop();
    sheet.fills.push(fill);
    return fill;
  }

  #rowPaint(index: number): Paint | null {
    const { layout, headerRows } = this.#box.node;
    return layout.fillColor(index, this.#box.rows.length, headerRows);
  }

  #rowOpacity(index: number): number {
    const { layout, headerRows } = this.#box.node;
    return layout.fillOpacity(index, this.#box.rows.length, headerRows);
  }

  /** Left and right edges of the fill of a cell that covers the columns from `first` to `next`. */
  #edges(cells: readonly GridCell[], first: number, next: number): { x1: number; x2: number } {
    const { lineWidths } = this.#box.metrics;
    const cell = cells[first] ?? null;
    const hasLine = this.#borders.isBetweenColumns(cells[first - 1] ?? null, cell);
    const lineLeft = hasLine ? entryAt(lineWidths, first) : 0;
    const inset = this.#dontBreakRows ? lineLeft : lineLeft / 2;
    return {
      x1: entryAt(this.#lineLefts, first) + inset,
      x2: entryAt(this.#lineLefts, next) + this.#overlapRight(cells, first, next),
    };
  }

  /** The width by which the fill overlaps the line at its right. */
  #overlapRight(cells: readonly GridCell[], first: number, next: number): number {
    const line = entryAt(this.#box.metrics.lineWidths, next);
    if (this.#borders.isBetweenColumns(cells[first] ?? null, cells[next] ?? null)) return line / 2;
    // As in pdfmake, cells in the first and last column cover the place of a line that is not drawn.
    const isAtEdge = first === 0 || next === this.#box.columnCount;
    return isAtEdge ? line : 0;
  }
}

/** Whether a fill at `x` continues `left` in the same paint. */
function touches(left: FillItem, x: number, paint: Paint, opacity: number): boolean {
  return (
    left.paint === paint &&
    left.opacity === opacity &&
    Math.abs(left.x + left.widthPt - x) < TOUCH_PT
  );
}
