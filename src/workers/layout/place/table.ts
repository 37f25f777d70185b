import type { CellBox, PhraseBlock, PhraseRowPlan, RowBox, TableBox } from '../box/table-box.ts';
import { GridItem } from '../frame.ts';
import { Extent } from './extent.ts';
import { type Flow, SLACK_PT } from './flow.ts';
import { placeBox } from './node.ts';
import type { Cursor } from './region.ts';
import { type RowBreak, RowWatcher } from './row.ts';
import { Repeatable, type Sheet } from './sheet.ts';
import { type RowPart, TableRules } from './table-rules.ts';

/** Places a table row by row. */
export function placeTable(flow: Flow, box: TableBox): void {
  if (box.rows.length === 0) return;
  const placer = new TablePlacer(flow, box);
  placer.begin();
  let rowHeight = 0;
  for (let index = 0; index < box.rows.length; index++) {
    if (index > 0 && flow.snake !== null) placer.snakeRow(index, rowHeight);
    const { page, y } = flow.region;
    placer.placeRow(index);
    if (flow.region.page === page) rowHeight = flow.region.y - y;
  }
  placer.end();
}

/** A row-spanning cell to align when its last row has its height. */
interface OpenAlignment {
  readonly extent: Extent;
  readonly alignment: 'middle' | 'bottom';
  readonly column: number;
  readonly topY: number;
  readonly page: number;
}

/** A grid that the next phrase row may continue. */
interface OpenGrid {
  readonly sheet: Sheet;
  readonly phrases: PhraseBlock;
  /** The row it ends before. */
  next: number;
  readonly item: GridItem;
  readonly tops: number[];
  readonly xs: number[];
}

class TablePlacer {
  readonly #flow: Flow;
  readonly #box: TableBox;
  readonly #rules: TableRules;
  readonly #widths: readonly number[];
  readonly #headerRows: number;
  /** Header rows and those kept with them: one block. */
  readonly #rowsTogether: number;
  readonly #dontBreakRows: boolean;
  /** By rightmost column: where the content of a row span in progress ended. */
  readonly #spanEnds: (Cursor | null)[];
  readonly #openAlignments: OpenAlignment[] = [];
  #header: Repeatable | null = null;
  #repeats = false;
  #ownsBlock = false;
  #topBorderY = 0;
  #grid: OpenGrid | null = null;
  #roomsPlan: PhraseRowPlan | null = null;
  #rooms: readonly number[] = [];

  constructor(flow: Flow, box: TableBox) {
    const { node, rows } = box;
    this.#flow = flow;
    this.#box = box;
    this.#widths = box.columnWidths(flow.region.width);
    this.#rules = new TableRules(flow, box, this.#widths);
    this.#headerRows = Math.min(node.headerRows, rows.length);
    this.#rowsTogether = this.#headerRows > 0 ? this.#headerRows + node.keepWithHeaderRows : 0;
    this.#dontBreakRows = node.dontBreakRows;
    this.#spanEnds = Array<Cursor | null>(box.columnCount).fill(null);
  }

  /** Rows stand one by one: neither a header block nor unbreakable rows. */
  get #isFree(): boolean {
    return this.#rowsTogether === 0 && !this.#dontBreakRows;
  }

  begin(): void {
    const flow = this.#flow;
    if (this.#rowsTogether === 0 && !this.#dontBreakRows) return;
    this.#ownsBlock = !flow.isInBlock;
    flow.beginBlock();
    this.#rules.drawHorizontal(0);
    if (this.#rowsTogether > 0 && this.#dontBreakRows) flow.beginBlock();
  }

  end(): void {
    if (this.#repeats) this.#flow.repeatables.pop();
  }

  /** Columns break between rows, where the next one would hardly fit. */
  snakeRow(index: number, lastRowHeight: number): void {
    if (this.#flow.region.room >= lastRowHeight) return;
    this.#flow.breakPage();
    const rules = this.#rules;
    if (this.#headerRows === 0 && rules.drawsBrokenLines) rules.drawHorizontal(index);
  }

  placeRow(index: number): void {
    const flow = this.#flow;
    const row = this.#box.rows[index];
    if (row === undefined) return;
    const rules = this.#rules;
    const metrics = rules.rowMetrics(index);
    const { topLine, paddingTop, paddingBottom, bottomLine } = metrics;
    const reserved = bottomLine + paddingBottom;
    if (index === 0 && this.#isFree) {
      this.#topBorderY = flow.region.y;
      flow.region.moveDown(topLine);
    }
    const isBlock = this.#dontBreakRows && index > 0 && !row.hasPageBreak;
    if (isBlock) flow.beginBlock();
    const top = flow.region.y;
    const page = flow.region.page;
    flow.region.room -= reserved;
    flow.region.moveDown(paddingTop);
    let breaks: readonly RowBreak[] = NO_BREAKS;
    const { heightPt } = this.#box.node;
    const height = heightPt(index);
    const least = height === 'auto' ? 0 : height;
    if (!this.#placePhrases(row, least)) {
      this.#grid = null;
      const offset = paddingTop + (this.#headerRows > 0 ? 0 : topLine);
      const watcher = new RowWatcher(flow, offset, reserved);
      breaks = this.#placeCells(index, row, least, watcher);
    }
    flow.region.moveDown(paddingBottom);
    flow.region.room += reserved;
    this.#drawRow(index, row, top, page, breaks);
    rules.drawHorizontal(index + 1);
    this.#finishBlocks(index, isBlock);
  }

  /** The quick way for a row whose texts all fit on one line and on this page. */
  #placePhrases(row: RowBox, least: number): boolean {
    const { phrases, phraseRow } = row;
    if (phrases === null) return false;
    const { plan, widths: textWidths } = phrases;
    const { region } = this.#flow;
    const height = Math.max(least, plan.contentPt);
    if (height > region.room + SLACK_PT) return false;
    const widths = this.#widths;
    const count = widths.length;
    const first = phraseRow * count;
    const rooms = this.#roomsOf(plan);
    for (let column = 0; column < count; column++) {
      if ((textWidths[first + column] ?? 0) > (rooms[column] ?? 0) + SLACK_PT) return false;
    }
    const grid = this.#gridFor(phrases, phraseRow);
    const { contentX } = this.#rules;
    const { alignments, marginLeft } = plan;
    for (let column = 0; column < count; column++) {
      let x = (contentX[column] ?? 0) + (marginLeft[column] ?? 0);
      const alignment = alignments[column];
      if (alignment === 'right') x += (rooms[column] ?? 0) - (textWidths[first + column] ?? 0);
      else if (alignment === 'center') {
        x += ((rooms[column] ?? 0) - (textWidths[first + column] ?? 0)) / 2;
      }
      grid.xs.push(x);
    }
    grid.tops.push(region.y - grid.item.y);
    region.moveDown(height);
    region.rowHeight = height;
    if (this.#flow.markers.length > 0) this.#flow.drawMarkers(plan.runs[0]?.ascentPt ?? 0);
    return true;
  }

  /** Widths of the columns' content without the cells' margins. */
  #roomsOf(plan: PhraseRowPlan): readonly number[] {
    if (this.#roomsPlan !== plan) {
      this.#roomsPlan = plan;
      this.#rooms = this.#widths.map(
        (width, column) => width - (plan.marginLeft[column] ?? 0) - (plan.marginRight[column] ?? 0),
      );
    }
    return this.#rooms;
  }

  /** The grid that the row continues, or a new one on another sheet or after another row. */
  #gridFor(phrases: PhraseBlock, phraseRow: number): OpenGrid {
    const { region } = this.#flow;
    const { sheet } = region;
    const open = this.#grid;
    const continues =
      open !== null && open.sheet === sheet && open.phrases === phrases && open.next === phraseRow;
    if (continues) {
      open.next++;
      return open;
    }
    const { styles, baselines, runs } = phrases.plan;
    const tops: number[] = [];
    const xs: number[] = [];
    const first = phraseRow * runs.length;
    const item = new GridItem(
      region.x,
      region.y,
      styles,
      baselines,
      phrases.texts,
      first,
      tops,
      xs,
    );
    sheet.items.push(item);
    this.#grid = { sheet, phrases, next: phraseRow + 1, item, tops, xs };
    return this.#grid;
  }

  /** Places each cell in its column; a cell that does not fit goes on on the next page. */
  #placeCells(index: number, row: RowBox, least: number, watcher: RowWatcher): readonly RowBreak[] {
    const flow = this.#flow;
    const { region } = flow;
    const cells = row.expand();
    const { offsets } = this.#box.metrics;
    const isTogether = this.#dontBreakRows || index < this.#rowsTogether;
    const breaksByHeight = !isTogether && least > region.room;
    const extents: (Extent | null)[] = [];
    flow.watchers.push(watcher);
    region.beginColumns();
    let endsSpan = -1;
    const top = region.y;
    for (let column = 0; column < cells.length; column++) {
      const cell = cells[column];
      if (cell === undefined) break;
      const first = column;
      let width = this.#widths[column] ?? 0;
      if (cell.box !== null) {
        for (let covered = 1; covered < cell.colSpan; covered++) {
          column++;
          width += (this.#widths[column] ?? 0) + (offsets[column] ?? 0);
        }
      }
      const ended = region.beginColumn(width, offsets[first] ?? 0, endsSpan >= 0);
      if (endsSpan >= 0) this.#spanEnds[endsSpan] = ended;
      endsSpan = -1;
      watcher.isInCell = true;
      extents.push(this.#placeCell(cell, first, watcher));
      watcher.isInCell = false;
      if (cell.rowSpan > 1) endsSpan = column;
    }
    if (breaksByHeight && watcher.breaks.length === 0) {
      region.moveDown(region.room);
      flow.breakPage();
    }
    const ended = region.endColumns(least, endsSpan >= 0);
    if (endsSpan >= 0) this.#spanEnds[endsSpan] = ended;
    flow.watchers.pop();
    const breaks = watcher.finish();
    this.#alignCells(cells, extents, breaks, top);
    return breaks;
  }

  #placeCell(cell: CellBox, column: number, watcher: RowWatcher): Extent | null {
    const flow = this.#flow;
    const { region } = flow;
    if (cell.box === null) {
      const end = cell.endsSpan ? (this.#spanEnds[column] ?? null) : null;
      if (end !== null) {
        region.moveTo(end, 0);
        this.#spanEnds[column] = null;
      }
      return null;
    }
    const extent = cell.verticalAlignment === 'top' ? null : new Extent(region);
    placeBox(flow, cell.box);
    extent?.end(region);
    watcher.noteEnd(region.page, region.y);
    return extent;
  }

  #alignCells(
    cells: readonly CellBox[],
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
      if (cell.box !== null) column += cell.colSpan - 1;
      if (extent === null || cell.verticalAlignment === 'top') continue;
      const alignment = cell.verticalAlignment;
      if (cell.rowSpan > 1) {
        this.#openAlignments.push({ extent, alignment, column, topY, page: region.page });
        continue;
      }
      const first = breaks[0];
      extent.align(alignment, first === undefined ? region.rowHeight : first.fromY - topY);
    }
    for (let column = 0; column < cells.length; column++) {
      if (cells[column]?.endsSpan === true) this.#alignSpan(column);
    }
  }

  /** A spanning cell's room ends with the content of its last row. */
  #alignSpan(column: number): void {
    const at = this.#openAlignments.findIndex((open) => open.column === column);
    const [open] = at < 0 ? [] : this.#openAlignments.splice(at, 1);
    if (open === undefined) return;
    const { region } = this.#flow;
    if (open.page === region.page) open.extent.align(open.alignment, region.y - open.topY);
  }

  /** Lines, fills and overlays of a row, on each page that it is on. */
  #drawRow(
    index: number,
    row: RowBox,
    top: number,
    page: number,
    breaks: readonly RowBreak[],
  ): void {
    const { region } = this.#flow;
    const rules = this.#rules;
    const { paddingTop } = rules.rowMetrics(index);
    if (breaks.length === 0 && region.page === page && region.y - top - paddingTop > SLACK_PT) {
      if (index === 0 && this.#isFree) rules.drawHorizontalAt(0, this.#topBorderY);
      rules.drawPart(index, row, top, region.y, false, false, this.#dontBreakRows);
      return;
    }
    const end = region.cursor();
    const parts: RowPart[] = [];
    let from = top;
    let fromPage = breaks[0]?.fromPage ?? end.page;
    for (const one of breaks) {
      parts.push({ page: fromPage, top: from, bottom: one.fromY, isBroken: true });
      from = one.y;
      fromPage = one.fromPage + 1;
    }
    parts.push({ page: fromPage, top: from, bottom: end.y, isBroken: false });
    const isFirstEmpty = Math.abs((parts[0]?.bottom ?? 0) - top - paddingTop) < SLACK_PT;
    if (index === 0 && this.#isFree && !isFirstEmpty) {
      region.page = parts[0]?.page ?? page;
      rules.drawHorizontalAt(0, this.#topBorderY);
    }
    let lost = 0;
    for (let part = isFirstEmpty ? 1 : 0; part < parts.length; part++) {
      const here = parts[part];
      if (here === undefined) break;
      region.page = here.page;
      const isWithoutHeader = part > 0 && this.#headerRows === 0;
      const { top: from, bottom, isBroken } = here;
      lost += rules.drawPart(
        index,
        row,
        from,
        bottom,
        isBroken,
        isWithoutHeader,
        this.#dontBreakRows,
      );
    }
    region.page = end.page;
    // pdfmake takes the lines at the breaks off the room of the last page.
    region.room -= lost;
  }

  #finishBlocks(index: number, isBlock: boolean): void {
    const flow = this.#flow;
    const rules = this.#rules;
    if (this.#headerRows > 0 && index === this.#headerRows - 1 && this.#ownsBlock) {
      this.#header = new Repeatable(flow.region.sheet, flow.blockX, flow.region.y);
    }
    const { path } = this.#box.rows[index] ?? this.#box.node;
    if (this.#dontBreakRows && (index === 0 || isBlock)) {
      const drawsTop = index > 0 && this.#headerRows === 0 && rules.drawsBrokenLines;
      flow.endBlock(path, drawsTop ? () => rules.drawHorizontal(index) : null);
    }
    const isLastTogether = index === this.#rowsTogether - 1;
    const isLast = index === this.#box.rows.length - 1;
    if (this.#rowsTogether > 0 && !this.#repeats && (isLastTogether || isLast)) {
      flow.endBlock(path);
      this.#repeats = true;
      this.#pushHeader();
    }
  }

  /** In a block that moves as a whole, no page begins inside the table. */
  #pushHeader(): void {
    const flow = this.#flow;
    flow.repeatables.push(this.#header ?? new Repeatable(flow.region.sheet, 0, 0));
  }
}

const NO_BREAKS: readonly RowBreak[] = [];
