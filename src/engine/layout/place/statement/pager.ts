import type { StatementBoxes, SumRowKind, TableBox } from '../../box/table/table-box.ts';
import { LayoutFault } from '../../layout-fault.ts';
import { type BlockHooks, type Flow, SLACK_PT } from '../flow.ts';
import { rowsSpanned } from '../row.ts';
import type { TablePlacer } from '../table.ts';
import { PageSums } from './page-sums.ts';

/**
 * Breaks a statement table into pages. A row, or the rows that must stay together, is measured
 * first; then it is decided on which page it stands; only then do the sums count it. A page takes a
 * row only if the rows with the sums up to it still fit below, in the style of that row. Rows are
 * never split.
 */
export class StatementPager implements BlockHooks {
  readonly tooTall = TOO_TALL;
  readonly #flow: Flow;
  readonly #box: TableBox;
  readonly #statement: StatementBoxes;
  readonly #placer: TablePlacer;
  readonly #sums: PageSums;
  /** A table in a block has no page ends. */
  readonly #isInBlock: boolean;
  /** Index of the row being placed, and of the last row that row spans join to it. */
  #index = 0;
  #groupEnd = -1;
  /** Rows up to this one are known to fit on the page with the rows of sums below them. */
  #fitsUpTo = -1;
  /** Height of the rows of sums that was needed last. */
  #lastClosingPt = 0;

  constructor(flow: Flow, box: TableBox, statement: StatementBoxes, placer: TablePlacer) {
    const { node, rows } = box;
    this.#flow = flow;
    this.#box = box;
    this.#statement = statement;
    this.#placer = placer;
    this.#isInBlock = flow.isInBlock;
    this.#sums = new PageSums(Math.min(node.headerRows, rows.length), node.path);
    placer.hooks = this;
  }

  placeRow(index: number): void {
    const flow = this.#flow;
    const placer = this.#placer;
    this.#index = index;
    const startsGroup = !flow.isInBlock && index < placer.endTogether && this.#beginGroup(index);
    if (startsGroup) flow.beginBlock();
    const isInGroup = startsGroup || index <= this.#groupEnd;
    if (isInGroup) {
      const spanned = rowsSpanned(this.#box.rows[index]);
      this.#groupEnd = Math.max(this.#groupEnd, index + spanned - 1);
    }
    placer.placeRow(index);
    if (isInGroup && index === this.#groupEnd) flow.endBlock(this.#pathOf(this.#sums.end), this);
    this.#count(index);
  }

  /** Draws the total of the last page; called after the last row. */
  end(): void {
    const last = this.#box.rows.length - 1;
    // The block of the last rows has ended, if there is one.
    if (this.#sums.end <= last) this.#count(last);
    this.#draw('pageTotal', last, this.#sums.isOnOnePage);
    this.#sums.finish(this.#box.rows.length);
  }

  /** Counts the rows up to `last`, unless the block that holds them may still move. */
  #count(last: number): void {
    const flow = this.#flow;
    if (flow.isInBlock && !this.#isInBlock) return;
    this.#sums.addRows(last, flow.region.page, flow.snake?.column ?? 0);
  }

  /**
   * Makes room for a row of known height. True when the height of the row, or of those that row
   * spans join to it, is known only after placing it: then it is a block.
   */
  #beginGroup(index: number): boolean {
    const heightPt = this.#placer.knownHeight(index);
    if (heightPt === null) return true;
    if (index > this.#fitsUpTo && !this.#findFitting(index, heightPt)) {
      this.#flow.makeRoom(heightPt, this.#pathOf(index), this);
    }
    return false;
  }

  /**
   * Whether a row of known height fits. Looks for the last of the rows after it that fits, too, with
   * the rows of sums below that: then no row between them needs to be tried.
   */
  #findFitting(index: number, heightPt: number): boolean {
    const placer = this.#placer;
    const { room } = this.#flow.region;
    const end = Math.min(placer.endTogether, this.#box.rows.length - 1);
    let last = index;
    let usedPt = heightPt;
    while (last + 1 < end) {
      const nextPt = placer.knownHeight(last + 1);
      if (nextPt === null || usedPt + nextPt + this.#lastClosingPt > room) break;
      usedPt += nextPt;
      last++;
    }
    while (usedPt + this.#closingPt(last) > room + SLACK_PT / 2) {
      if (last === index) return false;
      usedPt -= placer.knownHeight(last) ?? 0;
      last--;
    }
    this.#fitsUpTo = last;
    return true;
  }

  fits(heightPt: number, roomPt: number): boolean {
    if (heightPt > roomPt + SLACK_PT) return false;
    return heightPt + this.#closingPt(this.#index) <= roomPt + SLACK_PT / 2;
  }

  get openingPt(): number {
    const { end, hasRows } = this.#sums;
    return hasRows ? this.#heightOf('broughtForward', end, end, end) : 0;
  }

  beforeBreak(): void {
    const { end, hasRowsOnPage } = this.#sums;
    if (!hasRowsOnPage) return;
    if (this.#draw('carriedForward', end - 1)) this.#sums.carryForward();
    this.#draw('pageTotal', end - 1);
  }

  afterBreak(): void {
    const { region, snake } = this.#flow;
    const { end, hasRows } = this.#sums;
    this.#fitsUpTo = -1;
    this.#sums.beginNextPage(region.page, snake?.column ?? 0);
    if (hasRows && this.#draw('broughtForward', end)) this.#sums.bringForward();
  }

  /** Height of the rows with the sums up to row `index` that close the page below it. */
  #closingPt(index: number): number {
    const { pageStart } = this.#sums;
    const end = index + 1;
    let height = this.#heightOf('pageTotal', index, end, pageStart);
    if (end < this.#box.rows.length) {
      height += this.#heightOf('carriedForward', index, end, pageStart);
    }
    this.#lastClosingPt = height;
    return height;
  }

  /** Height of a row with the sums of the rows before `end`, in the style of row `styleIndex`. */
  #heightOf(kind: SumRowKind, styleIndex: number, end: number, pageStart: number): number {
    if (this.#isInBlock && kind !== 'pageTotal') return 0;
    const row = this.#statement.sumRow(kind, this.#countBefore(end), this.#countBefore(pageStart));
    return row === null ? 0 : this.#placer.measureAddedRow(styleIndex, row);
  }

  /**
   * Draws a row with the sums so far in the style of row `styleIndex`, if there is such a row. A
   * screen reader knows no pages: `isRead` only for the total of a table that is on one page.
   */
  #draw(kind: SumRowKind, styleIndex: number, isRead = false): boolean {
    const { end, pageStart } = this.#sums;
    const row = this.#statement.sumRow(kind, this.#countBefore(end), this.#countBefore(pageStart));
    if (row === null) return false;
    this.#flow.beginBlock();
    this.#placer.drawAddedRow(styleIndex, row, isRead);
    this.#flow.endBlock(row.path, new StayingRow(row.path));
    return true;
  }

  /** How many of the rows before row `index` are summed. */
  #countBefore(index: number): number {
    return index === 0 ? 0 : this.#statement.countAfter(index - 1);
  }

  #pathOf(index: number): string {
    return this.#box.rows[index]?.path ?? this.#box.node.path;
  }
}

/** A row with sums: it belongs to the page where it is, so it never goes to the next one. */
class StayingRow implements BlockHooks {
  readonly openingPt = 0;
  readonly tooTall = TOO_TALL;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  fits(heightPt: number, roomPt: number): boolean {
    return heightPt <= roomPt + SLACK_PT;
  }

  beforeBreak(): void {
    throw new LayoutFault(this.#path, TOO_TALL);
  }

  afterBreak(): void {
    // Never called: the break before it fails.
  }
}

const TOO_TALL =
  'a row of this statement table, with the header rows, the rows that must stay with it and those ' +
  'that carry the sums from page to page, is taller than the page; shorten it, keep fewer rows ' +
  'together, or use larger pages';
