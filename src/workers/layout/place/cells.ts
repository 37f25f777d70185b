import { entryAt } from '../../../errors.ts';
import type { Box } from '../box/blocks.ts';
import type { CellSpec, GridCell, RowBox, TableBox } from '../box/table/table-box.ts';
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
  /** Its rightmost column. */
  readonly last: number;
  readonly contentTop: number;
  readonly page: number;
}

/** Where a row-spanning cell's content ended. */
interface SpanEnd {
  readonly cursor: Cursor;
  /** Distance from the top of the table, for rows that are placed as separate blocks. */
  readonly belowTop: number;
}

/** How a row is placed. */
export interface RowPlacement {
  /** Top of the row, above its padding. */
  readonly top: number;
  readonly heightMin: number;
  /** If `heightMin` does not fit, the row goes to the next page even if its content would fit. */
  readonly mayMove: boolean;
  /** Null when the document or the table is not tagged. */
  readonly tags: TaggedRow | null;
}

/** Places the cells of a table's rows, each in its column, over as many pages as they need. */
export class CellPlacer {
  readonly #flow: Flow;
  readonly #widths: readonly number[];
  readonly #offsets: readonly number[];
  /** Whether each row is a block by itself, with its own coordinates. */
  readonly #rowsAreBlocks: boolean;
  /** Where the content of each open row span ended, by its rightmost column. */
  readonly #spanEnds: (SpanEnd | null)[];
  /** Height of all rows above this one, for rows placed as blocks. */
  #above = 0;
  readonly #openAlignments: OpenAlignment[] = [];

  constructor(flow: Flow, box: TableBox, widths: readonly number[]) {
    this.#flow = flow;
    this.#widths = widths;
    this.#offsets = box.metrics.offsets;
    this.#rowsAreBlocks = box.node.dontBreakRows;
    this.#spanEnds = Array<SpanEnd | null>(box.columnCount).fill(null);
  }

  /** Records the height of a row that was placed as a separate block. */
  recordRowHeight(heightPt: number): void {
    this.#above += heightPt;
  }

  /** Places a row; returns the page breaks inside it. */
  place(row: RowBox, watcher: RowWatcher, placement: RowPlacement): readonly RowBreak[] {
    const flow = this.#flow;
    const { region } = flow;
    const { top, heightMin, mayMove } = placement;
    const cells = row.expand();
    const isTooHigh = mayMove && heightMin > region.room;
    const contentTop = region.y;
    flow.watchers.push(watcher);
    region.beginColumns();
    const { extents, spanColumn } = this.#placeCells(cells, watcher, placement);
    if (isTooHigh && watcher.breaks.length === 0) {
      region.moveDown(region.room);
      flow.breakPage();
    }
    const spanEnd = region.endColumns(heightMin, spanColumn !== null);
    if (spanEnd !== null && spanColumn !== null) this.#recordSpanEnd(spanColumn, spanEnd, top);
    flow.watchers.pop();
    const breaks = watcher.finish();
    this.#alignCells(cells, extents, breaks, contentTop);
    return breaks;
  }

  /**
   * Places the cells from left to right. Returns their extents, and the rightmost column of the last
   * cell if that begins a row span.
   */
  #placeCells(
    cells: readonly GridCell[],
    watcher: RowWatcher,
    { top, tags }: RowPlacement,
  ): { extents: readonly (Extent | null)[]; spanColumn: number | null } {
    const { region } = this.#flow;
    const extents: (Extent | null)[] = [];
    let spanColumn: number | null = null;
    let column = 0;
    while (column < cells.length) {
      const cell = cells[column];
      if (cell === undefined) break;
      const last = lastColumnOf(cell, column);
      const width = this.#widthOf(column, last);
      const offset = entryAt(this.#offsets, column);
      const spanEnd = region.beginColumn(width, offset, spanColumn !== null);
      if (spanEnd !== null && spanColumn !== null) this.#recordSpanEnd(spanColumn, spanEnd, top);
      watcher.isInCell = true;
      if (cell.box === null) {
        if (cell.spec.endsSpan) this.#moveToSpanEnd(column, top);
        extents.push(null);
      } else {
        extents.push(this.#placeCell(cell.spec, cell.box, tags?.byColumn[column] ?? null));
        watcher.recordEnd(region.page, region.y);
      }
      watcher.isInCell = false;
      spanColumn = cell.spec.rowSpan > 1 ? last : null;
      column = last + 1;
    }
    return { extents, spanColumn };
  }

  /** Width of the columns from `first` to `last` with what lies between them. */
  #widthOf(first: number, last: number): number {
    let width = entryAt(this.#widths, first);
    for (let column = first + 1; column <= last; column++) {
      width += entryAt(this.#widths, column) + entryAt(this.#offsets, column);
    }
    return width;
  }

  /** Places the content of a cell; returns its extent if it is aligned once the row is placed. */
  #placeCell(spec: CellSpec, box: Box, element: StructElement | null): Extent | null {
    const flow = this.#flow;
    const { region, tagger } = flow;
    const extent = spec.verticalAlignment === 'top' ? null : new Extent(region);
    if (tagger === null || element === null) placeBox(flow, box);
    else tagger.within(element, box, () => placeBox(flow, box));
    extent?.end(region);
    return extent;
  }

  /** Continues below the content of the row span that ends in the row at `top`. */
  #moveToSpanEnd(column: number, top: number): void {
    const { region } = this.#flow;
    const end = this.#spanEnds[column] ?? null;
    this.#spanEnds[column] = null;
    if (end === null) return;
    if (!this.#rowsAreBlocks) {
      region.moveTo(end.cursor);
      return;
    }
    // Each block has its own coordinates: add only what the span needs beyond the rows above.
    const y = top + end.belowTop - this.#above;
    if (y > region.y) region.moveDown(y - region.y);
  }

  /** Aligns the cells that end in this row; `extents` has an entry for each cell. */
  #alignCells(
    cells: readonly GridCell[],
    extents: readonly (Extent | null)[],
    breaks: readonly RowBreak[],
    contentTop: number,
  ): void {
    const { region } = this.#flow;
    const [firstBreak] = breaks;
    const height = firstBreak === undefined ? region.rowHeight : firstBreak.fromY - contentTop;
    let column = 0;
    for (const extent of extents) {
      const cell = cells[column];
      if (cell === undefined) break;
      const last = lastColumnOf(cell, column);
      const { verticalAlignment: alignment, rowSpan } = cell.spec;
      if (extent !== null && alignment !== 'top') {
        if (rowSpan === 1) extent.align(alignment, height);
        else this.#openAlignments.push({ extent, alignment, last, contentTop, page: region.page });
      }
      column = last + 1;
    }
    for (const [endColumn, { spec }] of cells.entries()) {
      if (spec.endsSpan) this.#alignSpan(endColumn);
    }
  }

  #recordSpanEnd(column: number, cursor: Cursor, rowTop: number): void {
    this.#spanEnds[column] = { cursor, belowTop: this.#above + cursor.y - rowTop };
  }

  /** Aligns a row-spanning cell between its top and the end of its last row's content. */
  #alignSpan(column: number): void {
    const position = this.#openAlignments.findIndex(({ last }) => last === column);
    if (position < 0) return;
    const [open] = this.#openAlignments.splice(position, 1);
    const { region } = this.#flow;
    // A span that goes over a page break stays where it is.
    if (open?.page === region.page) open.extent.align(open.alignment, region.y - open.contentTop);
  }
}

/** The rightmost column of a cell that begins in `column`; a covered slot is one column wide. */
function lastColumnOf({ box, spec }: GridCell, column: number): number {
  return box === null ? column : column + spec.colSpan - 1;
}
