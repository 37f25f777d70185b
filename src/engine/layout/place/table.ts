import type { TableNode } from '../../model/nodes.ts';
import { AmountFault } from '../amounts/fit.ts';
import { LostTextFault } from '../amounts/lost.ts';
import type { SizedBox } from '../box/box.ts';
import type { RowBox, TableBox } from '../box/table/table-box.ts';
import { CellPlacer } from './cells.ts';
import { type BlockHooks, Flow, type PlaceBox, SLACK_PT, TOO_TALL } from './flow.ts';
import { PhrasePlacer } from './phrases.ts';
import { partsOf, type RowBreak, rowsSpanned, RowWatcher } from './row.ts';
import { Repeatable } from './sheet.ts';
import { Region } from './region.ts';
import { StatementPager } from './statement/pager.ts';
import { TableRules } from './table-rules.ts';
import { TableTags } from './table-tags.ts';

/** Which rows at the start of a table stay on one page: header and kept rows, the header, or none. */
const TOGETHER = ['kept', 'header', 'none'] as const;
type Together = (typeof TOGETHER)[number];

/**
 * Places a table row by row. If the header rows and the rows kept with them are taller than a page,
 * the table is placed again: first without the kept rows, then without repeating header rows.
 */
export function placeTable(flow: Flow, box: TableBox, placeBox: PlaceBox): void {
  if (box.rows.length === 0) return;
  const anchors = [...flow.anchors];
  const markers = [...flow.markers];
  for (const together of TOGETHER) {
    const tags = TableTags.of(flow.tagger, box);
    const placer = new TablePlacer(flow, box, together, tags, placeBox);
    const outerLimit = flow.limit;
    if (placer.isBeyondPlace) flow.limitToPlace();
    flow.around.push(box);
    const isPlaced = placeRows(flow, box, placer);
    flow.around.pop();
    flow.limit = outerLimit;
    if (isPlaced) return;
    flow.restoreAnchors(anchors);
    flow.markers.splice(0, flow.markers.length, ...markers);
  }
}

/**
 * False when the first rows should stay together but are taller than a page; they are discarded.
 */
function placeRows(flow: Flow, box: TableBox, placer: TablePlacer): boolean {
  const { statement } = box;
  const pager = statement === null ? null : new StatementPager(flow, box, statement, placer);
  const placeRow = (index: number): void => {
    if (pager === null) placer.placeRow(index);
    else pager.placeRow(index);
  };
  placer.begin();
  let rowHeight = 0;
  for (let index = 0; index < box.rows.length; index++) {
    if (index > 0 && pager === null && flow.snake !== null) placer.snakeRow(index, rowHeight);
    const { page, y } = flow.region;
    placeRow(index);
    if (placer.wasTakenBack) return false;
    if (flow.region.page === page) rowHeight = flow.region.y - y;
  }
  placer.endRows(placeRow);
  pager?.end();
  placer.end();
  return true;
}

/** Places the rows of one table: their content, lines and fills, and the blocks that they form. */
export class TablePlacer {
  readonly #placeBox: PlaceBox;
  readonly #flow: Flow;
  readonly #box: TableBox;
  readonly #tags: TableTags | null;
  readonly #rules: TableRules;
  readonly #phrases: PhrasePlacer;
  readonly #cells: CellPlacer;
  readonly #watcher: RowWatcher;
  readonly #headerRows: number;
  /** Number of header rows and rows kept with them, which form one block. */
  readonly #rowsTogether: number;
  /** From this row on, all rows are one block, so that enough rows end the table. */
  #endTogether: number;
  #endAnchors: Flow['anchors'] = [];
  readonly #dontBreakRows: boolean;
  /** Each row is a block by itself. The pager of a statement keeps its rows whole instead. */
  readonly #rowsAreBlocks: boolean;
  /** Called when a block of rows is placed; null without rows at page ends. */
  hooks: BlockHooks | null = null;
  /** The rows that should begin the table together were too tall for a page and are discarded. */
  wasTakenBack = false;
  /** The block of the last rows is in progress. */
  #endIsOpen = false;
  /** The header rows, once they are placed. */
  #header: Repeatable | null = null;
  /** The table began the block in progress: it is not inside a block of a parent. */
  #ownsBlock = false;
  readonly #widthPt: number;
  /** The table is wider than its place. */
  readonly isBeyondPlace: boolean;
  /** Places rows that are only measured; null until it is needed. */
  #measuring: TablePlacer | null = null;
  /** Upper edge of the first line, which is drawn after the first row. */
  #topBorderY = 0;

  constructor(
    flow: Flow,
    box: TableBox,
    together: Together,
    tags: TableTags | null,
    placeBox: PlaceBox,
  ) {
    this.#placeBox = placeBox;
    const { node, rows } = box;
    this.#widthPt = flow.region.width;
    const widths = box.columnWidths(this.#widthPt, flow);
    let totalPt = box.metrics.offsetTotal;
    for (let column = 0; column < widths.length; column++) totalPt += widths[column] ?? 0;
    this.isBeyondPlace = totalPt > this.#widthPt + SLACK_PT;
    this.#flow = flow;
    this.#box = box;
    this.#tags = tags;
    this.#rules = new TableRules(flow, box, widths);
    this.#phrases = new PhrasePlacer(flow, widths, this.#rules.contentX);
    // The rest of a row that is split goes to the next page: the columns after it would be empty.
    const snakes = flow.snake !== null && box.statement === null;
    const dontBreakRows = node.dontBreakRows || snakes;
    this.#cells = new CellPlacer(flow, box, widths, dontBreakRows, placeBox);
    this.#watcher = new RowWatcher(flow);
    this.#dontBreakRows = dontBreakRows;
    this.#rowsAreBlocks = dontBreakRows && box.statement === null;
    this.#headerRows = together === 'none' ? 0 : Math.min(node.headerRows, rows.length);
    const kept = together === 'kept' ? rowsKeptAtStart(node) : 0;
    const joined = Math.min(this.#headerRows + kept, rows.length);
    const atEnd = node.rowsAtEndMin ?? 1;
    const lastStart = rows.length - (atEnd > 1 ? atEnd : 0);
    // Where each row is a block, row spans go from block to block.
    this.#rowsTogether = this.#rowsAreBlocks ? joined : endOfSpans(rows, joined);
    const endStart = this.#rowsAreBlocks ? lastStart : startOfSpans(rows, lastStart);
    this.#endTogether = endStart >= this.#rowsTogether ? endStart : rows.length;
  }

  /** Rows from this one on are placed as one block. */
  get endTogether(): number {
    return this.#endTogether;
  }

  /** Whether rows are placed one by one: there is neither a header block nor unbreakable rows. */
  get #isFree(): boolean {
    return this.#rowsTogether === 0 && !this.#rowsAreBlocks;
  }

  /** Begins the block of the first row, if it has one, with the line above it. */
  begin(): void {
    const flow = this.#flow;
    if (this.#isFree) return;
    this.#ownsBlock = !flow.isInBlock;
    flow.beginBlock();
    this.#rules.drawHorizontal(0);
    if (this.#rowsTogether > 0 && this.#rowsAreBlocks) flow.beginBlock();
  }

  /**
   * Places the block of the last rows, if there is one. If it is taller than a page, its rows are
   * placed one by one with `placeRow`.
   */
  endRows(placeRow: (index: number) => void): void {
    if (!this.#endIsOpen) return;
    const flow = this.#flow;
    this.#endIsOpen = false;
    if (!flow.retractIfTooTall(this.hooks)) {
      flow.endBlock(this.#box.node.path, this.hooks);
      return;
    }
    flow.restoreAnchors(this.#endAnchors);
    const from = this.#endTogether;
    this.#endTogether = this.#box.rows.length;
    // The discarded block was that of the first row, too.
    if (from === 0) this.begin();
    for (let index = from; index < this.#endTogether; index++) placeRow(index);
  }

  /** Stops repeating the header rows. */
  end(): void {
    if (this.#header !== null) this.#flow.repeatables.pop();
  }

  /** Continues in the next column if row `index`, as high as the last one, would not fit here. */
  snakeRow(index: number, lastRowHeight: number): void {
    if (this.#flow.region.room >= lastRowHeight) return;
    this.#flow.breakPage();
    const rules = this.#rules;
    if (this.#headerRows === 0 && rules.drawsLinesAtBreaks) rules.drawHorizontal(index);
  }

  /** The height of a row with its lower line; null when it is known only after placing the row. */
  knownHeight(index: number): number | null {
    const row = this.#box.rows[index];
    if (row?.phrases === null || row === undefined || !this.#phrases.fits(row)) return null;
    const { topLine, paddingTop, paddingBottom, bottomLine } = this.#rules.rowMetrics(index);
    const content = Math.max(this.#leastHeight(index), row.phrases.plan.contentPt);
    const above = index === 0 && this.#isFree ? topLine : 0;
    return above + paddingTop + content + paddingBottom + bottomLine;
  }

  /** Places a row; one that must not break is a block, unless it is taller than a page. */
  placeRow(index: number): void {
    const flow = this.#flow;
    const row = this.#box.rows[index];
    if (row === undefined) return;
    if (index === this.#endTogether) this.#beginEndRows();
    const isPartOfStart = index === 0 && this.#rowsTogether > 0;
    if (isPartOfStart || !this.#isUnbreakable(index, row)) {
      this.drawRow(index, row);
      this.#finishBlocks(index, row);
      return;
    }
    const anchors = [...flow.anchors];
    // The block of the first row was begun by `begin`, which draws the line above it.
    if (index > 0) flow.beginBlock();
    this.drawRow(index, row);
    if (!flow.retractIfTooTall()) {
      this.#finishBlocks(index, row);
      return;
    }
    // A row taller than a page is split after all, so that none of it is lost.
    flow.restoreAnchors(anchors);
    if (index === 0) this.#rules.drawHorizontal(0);
    this.drawRow(index, row);
  }

  /** Begins the block of the last rows. */
  #beginEndRows(): void {
    this.#endIsOpen = true;
    this.#endAnchors = [...this.#flow.anchors];
    this.#flow.beginBlock();
  }

  /** Whether the row is a block by itself. */
  #isUnbreakable(index: number, row: RowBox): boolean {
    return this.#rowsAreBlocks && (index === 0 || !row.hasPageBreak);
  }

  /** Places a row of the table, below the line that is above the table if it is the first one. */
  drawRow(index: number, row: RowBox): void {
    const { region } = this.#flow;
    const drawsTop = index === 0 && this.#isFree;
    if (drawsTop) {
      this.#topBorderY = region.y;
      region.moveDown(this.#rules.rowMetrics(0).topLine);
    }
    this.#drawBelowLine(index, row, drawsTop);
  }

  /**
   * Places a row that the table adds at a page break, with lines and paddings of row `index`;
   * `isRead`: it is a row of the table in a tagged document, too, not an artifact.
   */
  drawAddedRow(index: number, row: RowBox, isRead: boolean): void {
    const { tagger } = this.#flow;
    if (tagger === null || isRead) this.#drawBelowLine(index, row, false);
    else tagger.hidden(() => this.#drawBelowLine(index, row, false));
  }

  /**
   * Height of a row that the table adds. It is placed on a sheet of its own and without tags, so
   * that neither anchors, markers nor the structure tree of the document know about it.
   */
  measureAddedRow(index: number, row: RowBox): number {
    const { setup } = this.#flow.region.sheet;
    const region = Region.block(setup, this.#widthPt);
    if (this.#measuring === null) {
      const flow = new Flow(region, NO_IDS, null);
      flow.around.push(...this.#flow.around);
      this.#measuring = new TablePlacer(flow, this.#box, 'none', null, this.#placeBox);
    } else {
      this.#measuring.#flow.region = region;
    }
    try {
      this.#measuring.drawAddedRow(index, row, true);
    } catch (error) {
      if (!(error instanceof AmountFault || error instanceof LostTextFault)) throw error;
      // Most rows that are measured are never drawn. Drawing this one will refuse the document.
      this.#measuring = null;
    }
    return region.y;
  }

  #drawBelowLine(index: number, row: RowBox, hasTopBorder: boolean): void {
    const { region } = this.#flow;
    const rules = this.#rules;
    const { paddingTop, paddingBottom, bottomLine } = rules.rowMetrics(index);
    const reserved = bottomLine + paddingBottom;
    const { page, y: top } = region;
    region.room -= reserved;
    region.moveDown(paddingTop);
    const breaks = this.#drawContent(index, row, top);
    region.moveDown(paddingBottom);
    region.room += reserved;
    this.#drawRules(index, row, page, top, hasTopBorder, breaks);
    rules.drawHorizontal(index + 1);
    if (this.#dontBreakRows) this.#cells.recordRowHeight(region.y - top);
  }

  /** Draws the content of a row whose padding begins at `top`; returns the breaks inside it. */
  #drawContent(index: number, row: RowBox, top: number): readonly RowBreak[] {
    const flow = this.#flow;
    // Rows that the table adds at a page break are not read.
    const tags = flow.tagger?.isHidden === true ? null : this.#tags;
    const plainTags = tags?.plain(index) ?? null;
    const heightMin = this.#leastHeight(index);
    if (this.#phrases.place(row, heightMin, plainTags)) return NO_BREAKS;
    this.#phrases.close();
    const { topLine, paddingTop, paddingBottom, bottomLine } = this.#rules.rowMetrics(index);
    const paddingOnPage = paddingTop + (this.#headerRows > 0 ? 0 : topLine);
    const watcher = this.#watcher;
    watcher.begin(paddingOnPage, bottomLine + paddingBottom);
    if (heightMin === 0 && this.#phrases.beginsPage(row, plainTags)) {
      turnPage(flow, watcher);
      if (this.#phrases.place(row, 0, plainTags)) return watcher.finish();
    }
    const breaks = this.#cells.place(row, watcher, {
      top,
      heightMin,
      mayMove: !this.#dontBreakRows && index >= this.#rowsTogether,
      tags: tags?.row(index, row) ?? null,
    });
    // Rules and overlays are painted next and belong to no cell.
    flow.tagger?.mark(flow.region.sheet.items, null);
    return breaks;
  }

  #leastHeight(index: number): number {
    const height = this.#box.node.heightPt(index);
    return height === 'auto' ? 0 : height;
  }

  /** Draws lines, fills and overlays of a row on each of its pages. */
  #drawRules(
    index: number,
    row: RowBox,
    page: number,
    top: number,
    hasTopBorder: boolean,
    breaks: readonly RowBreak[],
  ): void {
    const { region } = this.#flow;
    const rules = this.#rules;
    const { paddingTop } = rules.rowMetrics(index);
    if (breaks.length === 0 && region.page === page && region.y - top - paddingTop > SLACK_PT) {
      if (hasTopBorder) rules.drawHorizontalAt(0, this.#topBorderY);
      rules.drawWhole(index, row, top, region.y);
      return;
    }
    const end = region.cursor();
    const parts = partsOf(top, breaks, end, this.#headerRows > 0);
    const [first] = parts;
    if (first !== undefined && Math.abs(first.bottom - top - paddingTop) < SLACK_PT) {
      // All of the row's content is on the pages after this one.
      parts.shift();
    } else if (first !== undefined && hasTopBorder) {
      region.goToPage(first.page);
      rules.drawHorizontalAt(0, this.#topBorderY);
    }
    let linesPt = 0;
    for (const part of parts) {
      region.goToPage(part.page);
      linesPt += rules.drawPart(index, row, part);
    }
    region.goToPage(end.page);
    // As in pdfmake, the lines at the breaks reduce the room on the last page.
    region.room -= linesPt;
  }

  /** Ends the blocks whose last row is this one. */
  #finishBlocks(index: number, row: RowBox): void {
    const flow = this.#flow;
    const rules = this.#rules;
    // Inside a block of a parent, no page begins within the table, so its header is not repeated.
    if (this.#headerRows > 0 && index === this.#headerRows - 1 && this.#ownsBlock) {
      this.#header = new Repeatable(flow.region.sheet, flow.blockX, flow.region.y);
    }
    if (this.#isUnbreakable(index, row)) {
      const drawsTop = index > 0 && this.#headerRows === 0 && rules.drawsLinesAtBreaks;
      flow.endBlock(row.path, drawsTop ? new TopLine(rules, index) : null);
    }
    if (index !== this.#rowsTogether - 1) return;
    if (flow.retractIfTooTall(this.hooks)) {
      this.wasTakenBack = true;
      return;
    }
    flow.endBlock(row.path, this.hooks);
    if (this.#header !== null) flow.repeatables.push(this.#header);
  }
}

/** Goes to the next page before the first cell of a row. */
function turnPage(flow: Flow, watcher: RowWatcher): void {
  flow.watchers.push(watcher);
  watcher.isInCell = true;
  flow.turnPage();
  watcher.isInCell = false;
  flow.watchers.pop();
}

/** Number of rows that the template keeps with the header rows, or at the start without a header. */
function rowsKeptAtStart({
  headerRows,
  keepWithHeaderRows,
  rowsAtStartMin = 1,
}: TableNode): number {
  const withHeader = headerRows > 0 ? keepWithHeaderRows : 0;
  const atStart = rowsAtStartMin > 1 ? rowsAtStartMin : 0;
  return Math.max(withHeader, atStart);
}

/** End of the first rows that contain the first `count` rows and their row spans. */
function endOfSpans(rows: readonly RowBox[], count: number): number {
  let end = count;
  for (let index = 0; index < end; index++) {
    end = Math.max(end, index + rowsSpanned(rows[index]));
  }
  return end;
}

/** Start of the last rows that contain the rows from `start` on and the row spans into them. */
function startOfSpans(rows: readonly RowBox[], start: number): number {
  if (start === rows.length) return start;
  let first = start;
  for (let index = start - 1; index >= 0; index--) {
    if (index + rowsSpanned(rows[index]) > first) first = index;
  }
  return first;
}

/** Draws the line above a row that begins a page: the line before it stayed on the last page. */
class TopLine implements BlockHooks {
  readonly openingPt = 0;
  readonly tooTall = TOO_TALL;
  readonly #rules: TableRules;
  readonly #index: number;

  constructor(rules: TableRules, index: number) {
    this.#rules = rules;
    this.#index = index;
  }

  fits(heightPt: number, roomPt: number): boolean {
    return heightPt <= roomPt + SLACK_PT;
  }

  beforeBreak(): void {
    // The page ends with the row before, whose lower line is drawn already.
  }

  afterBreak(): void {
    this.#rules.drawHorizontal(this.#index);
  }
}

const NO_IDS: ReadonlyMap<SizedBox, string> = new Map();
const NO_BREAKS: readonly RowBreak[] = [];
