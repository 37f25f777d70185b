import type { Margin, PageSetup } from '../../model/nodes.ts';
import { Sheet } from './sheet.ts';

/** A position on a page, and the height that is free below it. */
export interface Cursor {
  page: number;
  x: number;
  y: number;
  room: number;
}

/** A row of columns or a detached block in progress: the state to restore at its end. */
interface Group {
  x: number;
  y: number;
  room: number;
  width: number;
  page: number;
  lastColumnWidth: number;
  /** The lowest end of a finished column; a detached block has none. */
  readonly lowest: Cursor;
  isDetached: boolean;
}

const NO_MARGIN: Margin = [0, 0, 0, 0];

/**
 * A sequence of sheets and the current position on them: the pages of the document, or one endless
 * sheet for a block that moves as a whole. Coordinates are in points from the top left corner.
 */
export class Region {
  readonly sheets: Sheet[] = [];
  /** Index of the current sheet. */
  page = -1;
  x = 0;
  y = 0;
  /** Width and height still free from (x, y) on. */
  width = 0;
  room = 0;
  margins: Margin = NO_MARGIN;
  /** Height of the row that `endColumns` finished last. */
  rowHeight = 0;
  readonly isBlock: boolean;
  #lastColumnWidth = 0;
  /** Groups by depth; those from `#depth` on have ended and are used again for the next rows. */
  readonly #groups: Group[] = [];
  #depth = 0;
  /** Rows of columns from depth `#shiftDepth` on lie `#shiftPt` further right after `#shiftPage`. */
  #shiftPage = -1;
  #shiftDepth = 0;
  #shiftPt = 0;

  constructor(isBlock: boolean) {
    this.isBlock = isBlock;
  }

  /** A region with one endless sheet, for a block. */
  static block(setup: PageSetup, widthPt: number): Region {
    const region = new Region(true);
    region.sheets.push(new Sheet(setup, widthPt, Number.POSITIVE_INFINITY));
    region.page = 0;
    region.width = widthPt;
    region.room = Number.POSITIVE_INFINITY;
    return region;
  }

  get sheet(): Sheet {
    const sheet = this.sheets[this.page];
    if (sheet === undefined) throw new Error('a region is used before its first page');
    return sheet;
  }

  /** Height for content on an empty page like the current one. */
  get pageRoom(): number {
    return this.sheet.heightPt - this.margins[1] - this.margins[3];
  }

  /** Appends a page and moves to its top left corner, inside the margins. */
  addPage(setup: PageSetup, widthPt: number, heightPt: number): void {
    this.sheets.push(new Sheet(setup, widthPt, heightPt));
    this.margins = setup.margins;
    this.page = this.sheets.length - 1;
    this.x = setup.margins[0];
    this.width = widthPt - setup.margins[0] - setup.margins[2];
    this.goToTop();
  }

  /** Moves to the top of the next sheet; if there is none, one like the current is appended. */
  advance(): void {
    const { setup, widthPt, heightPt } = this.sheet;
    if (this.page + 1 >= this.sheets.length) this.sheets.push(new Sheet(setup, widthPt, heightPt));
    this.page++;
    this.goToTop();
  }

  goToTop(): void {
    this.y = this.margins[1];
    this.room = this.pageRoom;
  }

  moveDown(distance: number): void {
    this.y += distance;
    this.room -= distance;
  }

  indent(left: number, right: number): void {
    this.x += left;
    this.width -= left + right;
  }

  beginColumns(): void {
    const { lowest } = this.#begin(false);
    lowest.page = this.page;
    lowest.x = this.x;
    lowest.y = this.y;
    lowest.room = this.room;
    this.#lastColumnWidth = 0;
  }

  /**
   * Starts the next column at the top of the group, `offset` right of the previous one. With
   * `endsSpan` the previous column began a row span: its end is returned and does not count for the
   * height of this row.
   */
  beginColumn(width: number, offset: number, endsSpan = false): Cursor | null {
    const group = this.#top;
    const ended = endsSpan ? this.cursor() : null;
    if (ended === null) this.#recordLowest(group);
    if (this.page !== group.page) this.goToPage(group.page);
    this.x += this.#lastColumnWidth + offset;
    this.y = group.y;
    this.width = width;
    this.room = group.room;
    this.#lastColumnWidth = width;
    return ended;
  }

  /** Whether content at coordinates is in progress, and no columns inside it. */
  get isDetached(): boolean {
    return this.#depth > 0 && this.#top.isDetached;
  }

  /** Number of rows of columns and detached blocks in progress. */
  get depth(): number {
    return this.#depth;
  }

  /** Continues in another column of the innermost group, `width` wide, with its top at (x, y). */
  snakeTo(x: number, y: number, room: number, width: number): void {
    this.#recordLowest(this.#top);
    this.x = x;
    this.y = y;
    this.room = room;
    this.width = width;
  }

  /**
   * Continues below the lowest column, at least `height` below the top of the group. `endsSpan` is
   * about the last column, as in `beginColumn`.
   */
  endColumns(height = 0, endsSpan = false): Cursor | null {
    const group = this.#top;
    const ended = endsSpan ? this.cursor() : null;
    if (ended === null) this.#recordLowest(group);
    this.#depth--;
    const lowest = group.isDetached ? this.cursor() : group.lowest;
    let { y } = lowest;
    if (height > 0) {
      if (group.page === lowest.page) y = Math.max(y, group.y + height);
      else y += height;
    }
    this.x = group.x;
    this.y = y;
    this.page = group.page;
    if (lowest.page !== group.page) this.goToPage(lowest.page);
    this.width = group.width;
    this.room = lowest.room - (y - lowest.y);
    this.rowHeight = Math.max(height, lowest.y - group.y);
    this.#lastColumnWidth = group.lastColumnWidth;
    return ended;
  }

  /** Moves to where the content of a row span ended. */
  moveTo(cursor: Cursor): void {
    if (this.page !== cursor.page) this.goToPage(cursor.page);
    this.y = cursor.y;
    this.room = cursor.room;
  }

  /** Goes to a page of the row in progress, to the left edge that the row has there. */
  goToPage(page: number): void {
    const wasShifted = this.page > this.#shiftPage;
    const isShifted = page > this.#shiftPage;
    this.page = page;
    if (wasShifted === isShifted || this.#depth < this.#shiftDepth) return;
    this.x += isShifted ? this.#shiftPt : -this.#shiftPt;
  }

  /** Moves what follows this page in rows of columns from `depth` on to the right by `shiftPt`. */
  shiftAfterPage(depth: number, shiftPt: number): void {
    this.#shiftPage = this.page;
    this.#shiftDepth = depth;
    this.#shiftPt = shiftPt;
    this.x += shiftPt;
  }

  /** Ends `shiftAfterPage`. */
  endShift(): void {
    this.#shiftPage = -1;
  }

  /** Whether content at coordinates is in progress in a group from `depth` on. */
  isDetachedBelow(depth: number): boolean {
    for (let index = depth; index < this.#depth; index++) {
      if (this.#groups[index]?.isDetached === true) return true;
    }
    return false;
  }

  cursor(): Cursor {
    return { page: this.page, x: this.x, y: this.y, room: this.room };
  }

  /** Lowest end so far in the innermost row of columns, for the lines of a split row. */
  get lowestY(): number {
    const group = this.#groups[this.#depth - 1];
    return group === undefined || group.isDetached ? this.y : group.lowest.y;
  }

  /** Saves the position for content placed at coordinates; `endDetached` restores it. */
  beginDetached(): void {
    this.#begin(true);
  }

  endDetached(): void {
    const group = this.#top;
    this.#depth--;
    this.x = group.x;
    this.y = group.y;
    this.room = group.room;
    this.width = group.width;
    this.page = group.page;
    this.#lastColumnWidth = group.lastColumnWidth;
  }

  /** Saves the position in the next group; an ended one is overwritten, if there is one. */
  #begin(isDetached: boolean): Group {
    const group = this.#groups[this.#depth] ?? newGroup();
    this.#groups[this.#depth++] = group;
    group.x = this.x;
    group.y = this.y;
    group.room = this.room;
    group.width = this.width;
    group.page = this.page;
    group.lastColumnWidth = this.#lastColumnWidth;
    group.isDetached = isDetached;
    return group;
  }

  get #top(): Group {
    const group = this.#groups[this.#depth - 1];
    if (group === undefined) throw new Error('a column ends that was not begun');
    return group;
  }

  #recordLowest({ lowest, isDetached }: Group): void {
    if (isDetached) return;
    if (this.page < lowest.page || (this.page === lowest.page && this.y <= lowest.y)) return;
    lowest.page = this.page;
    lowest.x = this.x;
    lowest.y = this.y;
    lowest.room = this.room;
  }
}

function newGroup(): Group {
  const lowest: Cursor = { page: 0, x: 0, y: 0, room: 0 };
  return { x: 0, y: 0, room: 0, width: 0, page: 0, lastColumnWidth: 0, lowest, isDetached: false };
}
