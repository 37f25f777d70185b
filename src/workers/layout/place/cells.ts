import { entryAt } from '../../../errors.ts';
import type { GridCell, RowBox, TableBox } from '../box/table/table-box.ts';
import { Extent } from './extent.ts';
import type { Flow } from './flow.ts';
import { placeBox } from './node.ts';
import type { Cursor } from './region.ts';
import type { RowBreak, RowWatcher } from './row.ts';
import type { StructElement } from '../../model/structure.ts';
import type { TaggedRow } from './table-tags.ts';

/** A row-spanning cell that is aligned once its last row is placed. */
interface OpenAlignment {
  readonly extent: Extent;
  readonly alignment: 'middle' | 'bottom';
  readonly column: number;
  readonly topY: number;
  readonly page: number;
}

/** Where a row-spanning cell's content ended. */
interface SpanEnd {
  readonly cursor: Cursor;
  /** Distance from the top of the table, for rows that are placed as separate blocks. */
  readonly belowTop: number;
}

/** Places the cells of a table's rows, each in its column, over as many pages as they need. */
export class CellPlacer {
  readonly #flow: Flow;
  readonly #widths: readonly number[];
  readonly #offsets: readonly number[];
  /** Where the content of each open row span ended, by its rightmost column. */
  readonly #spanEnds: (SpanEnd | null)[];
  /** Height of all rows above this one, for rows placed as blocks. */
  #above = 0;
  readonly #openAlignments: OpenAlignment[] = [];

  constructor(flow: Flow, box: TableBox, widths: readonly number[]) {
    this.#flow = flow;
    this.#widths = widths;
    this.#offsets = box.metrics.offsets;
    this.#spanEnds = Array<SpanEnd | null>(box.columnCount).fill(null);
  }

  /** Records the height of a row that was placed as a separate block. */
  recordRowHeight(heightPt: number): void {
    this.#above += heightPt;
  }

  /**
   * Places a row at least `least` high; returns the page breaks inside it. `mayBreakByHeight`: a
   * row whose least height does not fit goes to the next page even if its content would fit here.
   */
  place(
    row: RowBox,
    least: number,
    mayBreakByHeight: boolean,
    isBlock: boolean,
    rowTop: number,
    watcher: RowWatcher,
    tagged: TaggedRow | null,
  ): readonly RowBreak[] {
    const flow = this.#flow;
    const { region } = flow;
    const cells = row.expand();
    const breaksByHeight = mayBreakByHeight && least > region.room;
    const extents: (Extent | null)[] = [];
    flow.watchers.push(watcher);
    region.beginColumns();
    let endsSpan = -1;
    const top = region.y;
    for (let column = 0; column < cells.length; column++) {
      const cell = cells[column];
      if (cell === undefined) break;
      const first = column;
      let width = entryAt(this.#widths, column);
      if (cell.box !== null) {
        for (let covered = 1; covered < cell.spec.colSpan; covered++) {
          column++;
          width += entryAt(this.#widths, column) + entryAt(this.#offsets, column);
        }
      }
      const ended = region.beginColumn(width, entryAt(this.#offsets, first), endsSpan >= 0);
      if (ended !== null) this.#recordSpanEnd(endsSpan, ended, rowTop);
      endsSpan = -1;
      watcher.isInCell = true;
      const element = tagged?.byColumn[first] ?? null;
      extents.push(this.#placeCell(cell, first, isBlock ? rowTop : null, watcher, element));
      watcher.isInCell = false;
      if (cell.spec.rowSpan > 1) endsSpan = column;
    }
    if (breaksByHeight && watcher.breaks.length === 0) {
      region.moveDown(region.room);
      flow.breakPage();
    }
    const ended = region.endColumns(least, endsSpan >= 0);
    if (ended !== null) this.#recordSpanEnd(endsSpan, ended, rowTop);
    flow.watchers.pop();
    const breaks = watcher.finish();
    this.#alignCells(cells, extents, breaks, top);
    return breaks;
  }

  #placeCell(
    cell: GridCell,
    column: number,
    blockTop: number | null,
    watcher: RowWatcher,
    element: StructElement | null,
  ): Extent | null {
    const flow = this.#flow;
    const { region } = flow;
    if (cell.box === null) {
      const end = cell.spec.endsSpan ? (this.#spanEnds[column] ?? null) : null;
      if (end !== null && blockTop === null) region.moveTo(end.cursor);
      else if (end !== null && blockTop !== null) {
        // Each block has its own coordinates: add only what the span needs beyond the rows above.
        const y = blockTop + end.belowTop - this.#above;
        if (y > region.y) region.moveDown(y - region.y);
      }
      if (cell.spec.endsSpan) this.#spanEnds[column] = null;
      return null;
    }
    const extent = cell.spec.verticalAlignment === 'top' ? null : new Extent(region);
    const { box } = cell;
    const { tagger } = flow;
    if (tagger === null || element === null) placeBox(flow, box);
    else tagger.within(element, box, () => placeBox(flow, box));
    extent?.end(region);
    watcher.recordEnd(region.page, region.y);
    return extent;
  }

  #alignCells(
    cells: readonly GridCell[],
    extents: readonly (Extent | null)[],
    breaks: readonly RowBreak[],
    topY: number,
  ): void {
    const { region } = this.#flow;
    let slot = 0;
    for (let column = 0; column < cells.length; column++) {
      const cell = cells[column];
      if (cell === undefined) break;
      const extent = extents[slot++] ?? null;
      if (cell.box !== null) column += cell.spec.colSpan - 1;
      if (extent === null || cell.spec.verticalAlignment === 'top') continue;
      const alignment = cell.spec.verticalAlignment;
      if (cell.spec.rowSpan > 1) {
        this.#openAlignments.push({ extent, alignment, column, topY, page: region.page });
        continue;
      }
      const first = breaks[0];
      extent.align(alignment, first === undefined ? region.rowHeight : first.fromY - topY);
    }
    for (let column = 0; column < cells.length; column++) {
      if (cells[column]?.spec.endsSpan === true) this.#alignSpan(column);
    }
  }

  #recordSpanEnd(column: number, cursor: Cursor, rowTop: number): void {
    this.#spanEnds[column] = { cursor, belowTop: this.#above + cursor.y - rowTop };
  }

  /** Aligns a row-spanning cell between its top and the end of its last row's content. */
  #alignSpan(column: number): void {
    const at = this.#openAlignments.findIndex((open) => open.column === column);
    const [open] = at < 0 ? [] : this.#openAlignments.splice(at, 1);
    if (open === undefined) return;
    const { region } = this.#flow;
    if (open.page === region.page) open.extent.align(open.alignment, region.y - open.topY);
  }
}
