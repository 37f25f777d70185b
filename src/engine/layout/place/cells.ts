import { entryAt } from '../../../errors.ts';
import type { Box } from '../box/blocks.ts';
import type { GridCell, RowBox, TableBox } from '../box/table/table-box.ts';
import { Extent } from './extent.ts';
import type { Flow, PlaceBox } from './flow.ts';
import type { Cursor } from './region.ts';
import type { RowBreak, RowWatcher } from './row.ts';
import type { StructElement } from '../../model/structure.ts';
import type { TaggedRow } from './table-tags.ts';

/** A cell that is aligned once its row, or the last row of its span, is placed. */
interface AlignedCell {
  readonly extent: Extent;
  readonly alignment: 'middle' | 'bottom';
  readonly rowSpan: number;
  /** Its rightmost column. */
  readonly last: number;
}

/** A row-spanning cell whose last row is not placed yet. */
interface OpenAlignment extends AlignedCell {
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
  readonly #placeBox: PlaceBox;
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
  /** Cells of the row in progress that are not aligned at the top; null: none. */
  #aligned: AlignedCell[] | null = null;

  constructor(
    flow: Flow,
    box: TableBox,
    widths: readonly number[],
    rowsAreBlocks: boolean,
    placeBox: PlaceBox,
  ) {
    this.#placeBox = placeBox;
    this.#flow = flow;
    this.#widths = widths;
    this.#offsets = box.metrics.offsets;
    this.#rowsAreBlocks = rowsAreBlocks;
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
    // A table adds rows at page breaks, also at those inside a row.
    const outerAligned = this.#aligned;
    this.#aligned = null;
    flow.watchers.push(watcher);
    region.beginColumns();
    const spanColumn = this.#placeCells(cells, watcher, placement);
    if (isTooHigh && !watcher.isSplit) {
      region.moveDown(region.room);
      flow.breakPage();
    }
    const spanEnd = region.endColumns(heightMin, spanColumn !== null);
    if (spanEnd !== null && spanColumn !== null) this.#recordSpanEnd(spanColumn, spanEnd, top);
    flow.watchers.pop();
    const breaks = watcher.finish();
    this.#alignCells(cells, breaks, contentTop);
    this.#aligned = outerAligned;
    return breaks;
  }

  /**
   * Places the cells from left to right and notes those that are not aligned at the top. Returns the
   * rightmost column of the last cell if that begins a row span.
   */
  #placeCells(
    cells: readonly GridCell[],
    watcher: RowWatcher,
    { top, tags }: RowPlacement,
  ): number | null {
    const { region } = this.#flow;
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
      } else {
        const { verticalAlignment: alignment, rowSpan } = cell.spec;
        const extent = alignment === 'top' ? null : new Extent(region);
        this.#placeCell(cell.box, tags?.byColumn[column] ?? null);
        extent?.end(region);
        if (extent !== null && alignment !== 'top') {
          (this.#aligned ??= []).push({ extent, alignment, rowSpan, last });
        }
        watcher.recordEnd(region.page, region.y);
      }
      watcher.isInCell = false;
      spanColumn = cell.spec.rowSpan > 1 ? last : null;
      column = last + 1;
    }
    return spanColumn;
  }

  /** Width of the columns from `first` to `last` with what lies between them. */
  #widthOf(first: number, last: number): number {
    let width = entryAt(this.#widths, first);
    for (let column = first + 1; column <= last; column++) {
      width += entryAt(this.#widths, column) + entryAt(this.#offsets, column);
    }
    return width;
  }

  /** Places the content of a cell. */
  #placeCell(box: Box, element: StructElement | null): void {
    const flow = this.#flow;
    const { tagger } = flow;
    if (tagger === null || element === null) {
      this.#placeBox(flow, box);
      return;
    }
    const { open: outer, direct } = tagger;
    tagger.enter(element, box);
    this.#placeBox(flow, box);
    tagger.enter(outer, direct);
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

  /** Aligns the cells that end in this row, and those whose span ends here. */
  #alignCells(cells: readonly GridCell[], breaks: readonly RowBreak[], contentTop: number): void {
    const { region } = this.#flow;
    const firstBreak = breaks[0];
    const height = firstBreak === undefined ? region.rowHeight : firstBreak.fromY - contentTop;
    for (const cell of this.#aligned ?? NONE) {
      if (cell.rowSpan === 1) cell.extent.align(cell.alignment, height);
      else this.#openAlignments.push({ ...cell, contentTop, page: region.page });
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
    const position = this.#openAlignments.findIndex(({ last }) => last === column);
    if (position < 0) return;
    const [open] = this.#openAlignments.splice(position, 1);
    const { region } = this.#flow;
    // A span that goes over a page break stays where it is.
    if (open?.page === region.page) open.extent.align(open.alignment, region.y - open.contentTop);
  }
}

const NONE: readonly AlignedCell[] = [];

/** The rightmost column of a cell that begins in `column`; a covered slot is one column wide. */
function lastColumnOf({ box, spec }: GridCell, column: number): number {
  return box === null ? column : column + spec.colSpan - 1;
}
