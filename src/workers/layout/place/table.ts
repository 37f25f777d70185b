import type { RowBox, TableBox } from '../box/table/table-box.ts';
import { CellPlacer } from './cells.ts';
import { type BlockHooks, type Flow, SLACK_PT } from './flow.ts';
import { PhrasePlacer } from './phrases.ts';
import { type RowBreak, RowWatcher } from './row.ts';
import { Repeatable } from './sheet.ts';
import { StatementPager } from './statement.ts';
import { type RowPart, TableRules } from './table-rules.ts';
import { TableTags } from './table-tags.ts';

/**
 * Places a table row by row. If the header rows and the rows kept with them are taller than a page,
 * the table is placed again: first without the kept rows, then without repeating header rows.
 */
export function placeTable(flow: Flow, box: TableBox): void {
  if (box.rows.length === 0) return;
  const anchors = [...flow.anchors];
  const markers = [...flow.markers];
  for (const together of ['kept', 'header', 'none'] as const) {
    const tags = TableTags.of(flow.tagger, box);
    if (placeRows(flow, box, new TablePlacer(flow, box, together, tags))) return;
    flow.anchors.splice(0, flow.anchors.length, ...anchors);
    flow.markers.splice(0, flow.markers.length, ...markers);
  }
}

/**
 * False when the first rows should stay together but are taller than a page; they are discarded.
 */
function placeRows(flow: Flow, box: TableBox, placer: TablePlacer): boolean {
  const pager = box.statement === null ? null : new StatementPager(flow, box, placer);
  const placeRow = (index: number): void => {
    if (pager === null) placer.placeRow(index);
    else pager.placeRow(index);
  };
  placer.begin();
  let rowHeight = 0;
  for (let index = 0; index < box.rows.length; index++) {
    if (index > 0 && flow.snake !== null) placer.snakeRow(index, rowHeight);
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

export class TablePlacer {
  readonly #flow: Flow;
  readonly #box: TableBox;
  readonly #tags: TableTags | null;
  readonly #rules: TableRules;
  readonly #phrases: PhrasePlacer;
  readonly #cells: CellPlacer;
  readonly #headerRows: number;
  /** Number of header rows and rows kept with them, which form one block. */
  readonly #rowsTogether: number;
  /** From this row on, all rows are one block, so that enough rows end the table. */
  #endTogether: number;
  #endAnchors: Flow['anchors'] = [];
  readonly #dontBreakRows: boolean;
  /** Called when a block of rows is placed; null without rows at page ends. */
  hooks: BlockHooks | null = null;
  /** The rows that should begin the table together were too tall for a page and are discarded. */
  wasTakenBack = false;
  #endIsOpen = false;
  #header: Repeatable | null = null;
  #ownsBlock = false;
  #topBorderY = 0;

  /** `together`: which rows at the start of the table should stay on one page. */
  constructor(
    flow: Flow,
    box: TableBox,
    together: 'kept' | 'header' | 'none',
    tags: TableTags | null = null,
  ) {
    const { node, rows } = box;
    const widths = box.columnWidths(flow.region.width);
    this.#flow = flow;
    this.#box = box;
    this.#tags = tags;
    this.#rules = new TableRules(flow, box, widths);
    this.#phrases = new PhrasePlacer(flow, widths, this.#rules.contentX);
    this.#cells = new CellPlacer(flow, box, widths);
    this.#headerRows = together === 'none' ? 0 : Math.min(node.headerRows, rows.length);
    this.#dontBreakRows = node.dontBreakRows;
    const atStart = node.rowsAtStartMin ?? 1;
    const wanted = Math.max(
      this.#headerRows > 0 ? node.keepWithHeaderRows : 0,
      atStart > 1 ? atStart : 0,
    );
    const kept = together === 'kept' ? wanted : 0;
    this.#rowsTogether =
      this.#headerRows > 0 || kept > 0 ? Math.min(this.#headerRows + kept, rows.length) : 0;
    const atEnd = node.rowsAtEndMin ?? 1;
    const lastStart = rows.length - atEnd;
    this.#endTogether = atEnd > 1 && lastStart >= this.#rowsTogether ? lastStart : rows.length;
  }

  get headerRows(): number {
    return this.#headerRows;
  }

  /** Rows before this one are placed as one block with the header. */
  get rowsTogether(): number {
    return this.#rowsTogether;
  }

  get endTogether(): number {
    return this.#endTogether;
  }

  /** Whether rows are placed one by one: there is neither a header block nor unbreakable rows. */
  get #isFree(): boolean {
    return this.#rowsTogether === 0 && !this.#dontBreakRows;
  }

  begin(): void {
    const flow = this.#flow;
    if (this.#isFree) return;
    this.#ownsBlock = !flow.isInBlock;
    flow.beginBlock();
    this.#rules.drawHorizontal(0);
    if (this.#rowsTogether > 0 && this.#dontBreakRows) flow.beginBlock();
  }

  /**
   * Places the block of the last rows, if there is one. If it is taller than a page, its rows are
   * placed one by one with `placeRow`.
   */
  endRows(placeRow: (index: number) => void): void {
    if (!this.#endIsOpen) return;
    const flow = this.#flow;
    this.#endIsOpen = false;
    if (!flow.retractIfTooTall()) {
      flow.endBlock(this.#box.node.path, this.hooks);
      return;
    }
    flow.anchors.splice(0, flow.anchors.length, ...this.#endAnchors);
    const from = this.#endTogether;
    this.#endTogether = this.#box.rows.length;
    for (let index = from; index < this.#endTogether; index++) placeRow(index);
  }

  end(): void {
    if (this.#header !== null) this.#flow.repeatables.pop();
  }

  /** Continues in the next column if row `index`, as high as the last one, would not fit here. */
  snakeRow(index: number, lastRowHeight: number): void {
    if (this.#flow.region.room >= lastRowHeight) return;
    this.#flow.breakPage();
    const rules = this.#rules;
    if (this.#headerRows === 0 && rules.drawsBrokenLines) rules.drawHorizontal(index);
  }

  /** The height of a row with its lower line; null when it is known only after placing the row. */
  knownHeight(index: number): number | null {
    const row = this.#box.rows[index];
    if (row?.phrases === null || row === undefined || !this.#phrases.fits(row)) return null;
    const { paddingTop, paddingBottom, bottomLine } = this.#rules.rowMetrics(index);
    const content = Math.max(this.#leastHeight(index), row.phrases.plan.contentPt);
    return paddingTop + content + paddingBottom + bottomLine;
  }

  placeRow(index: number): void {
    const flow = this.#flow;
    const row = this.#box.rows[index];
    if (row === undefined) return;
    if (index === this.#endTogether) {
      this.#endIsOpen = true;
      this.#endAnchors = [...flow.anchors];
      flow.beginBlock();
    }
    const isBlock = this.#dontBreakRows && index > 0 && !row.hasPageBreak;
    const isFirstBlock = index === 0 && this.#dontBreakRows && this.#rowsTogether === 0;
    if (!isBlock && !isFirstBlock) {
      this.drawRow(index, row);
      this.#finishBlocks(index, row, false);
      return;
    }
    const anchors = [...flow.anchors];
    if (isBlock) flow.beginBlock();
    this.drawRow(index, row);
    if (!flow.retractIfTooTall()) {
      this.#finishBlocks(index, row, true);
      return;
    }
    // A row taller than a page is split after all, so that none of it is lost.
    flow.anchors.splice(0, flow.anchors.length, ...anchors);
    if (isFirstBlock) this.#rules.drawHorizontal(0);
    this.drawRow(index, row);
  }

  /** Places a row of the table, or a row at a page end, with lines and paddings of row `index`. */
  drawRow(index: number, row: RowBox): void {
    const flow = this.#flow;
    const rules = this.#rules;
    const { topLine, paddingTop, paddingBottom, bottomLine } = rules.rowMetrics(index);
    const reserved = bottomLine + paddingBottom;
    if (index === 0 && this.#isFree) {
      this.#topBorderY = flow.region.y;
      flow.region.moveDown(topLine);
    }
    const top = flow.region.y;
    const { page } = flow.region;
    flow.region.room -= reserved;
    flow.region.moveDown(paddingTop);
    let breaks: readonly RowBreak[] = NO_BREAKS;
    const least = this.#leastHeight(index);
    const tags = this.#tags;
    if (!this.#phrases.place(row, least, tags?.plain(index) ?? null)) {
      this.#phrases.close();
      const offset = paddingTop + (this.#headerRows > 0 ? 0 : topLine);
      const watcher = new RowWatcher(flow, offset, reserved);
      const isTogether = this.#dontBreakRows || index < this.#rowsTogether;
      const isBlock = this.#dontBreakRows;
      const tagged = tags?.row(index, row) ?? null;
      breaks = this.#cells.place(row, least, !isTogether, isBlock, top, watcher, tagged);
      // Rules and overlays are painted next and belong to no cell.
      flow.tagger?.mark(flow.region.sheet.items, null);
    }
    flow.region.moveDown(paddingBottom);
    flow.region.room += reserved;
    this.#drawLines(index, row, top, page, breaks);
    rules.drawHorizontal(index + 1);
    if (this.#dontBreakRows) this.#cells.recordRowHeight(flow.region.y - top);
  }

  #leastHeight(index: number): number {
    const height = this.#box.node.heightPt(index);
    return height === 'auto' ? 0 : height;
  }

  /** Draws lines, fills and overlays of a row on each of its pages. */
  #drawLines(
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
      const { bottom, isBroken } = here;
      lost += rules.drawPart(
        index,
        row,
        here.top,
        bottom,
        isBroken,
        isWithoutHeader,
        this.#dontBreakRows,
      );
    }
    region.page = end.page;
    // As in pdfmake, the lines at the breaks reduce the room on the last page.
    region.room -= lost;
  }

  #finishBlocks(index: number, row: RowBox, isBlock: boolean): void {
    const flow = this.#flow;
    const rules = this.#rules;
    // Inside a block of a parent, no page begins within the table, so its header is not repeated.
    if (this.#headerRows > 0 && index === this.#headerRows - 1 && this.#ownsBlock) {
      this.#header = new Repeatable(flow.region.sheet, flow.blockX, flow.region.y);
    }
    if (isBlock || (index === 0 && this.#dontBreakRows)) {
      const drawsTop = index > 0 && this.#headerRows === 0 && rules.drawsBrokenLines;
      flow.endBlock(row.path, drawsTop ? new TopLine(rules, index) : null);
    }
    if (index === this.#rowsTogether - 1) {
      if (flow.retractIfTooTall()) {
        this.wasTakenBack = true;
        return;
      }
      flow.endBlock(row.path, this.hooks);
      if (this.#header !== null) flow.repeatables.push(this.#header);
    }
  }
}

/** Draws the line above a row that begins a page: the line before it stayed on the last page. */
class TopLine implements BlockHooks {
  readonly reservePt = 0;
  readonly #rules: TableRules;
  readonly #index: number;

  constructor(rules: TableRules, index: number) {
    this.#rules = rules;
    this.#index = index;
  }

  beforeBreak(): void {
    // The page ends with the row before, whose lower line is drawn already.
  }

  afterBreak(): void {
    this.#rules.drawHorizontal(this.#index);
  }
}

const NO_BREAKS: readonly RowBreak[] = [];
