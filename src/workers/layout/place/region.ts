import type { Margin, PageSetup } from '../../model/nodes.ts';
import { Sheet } from './sheet.ts';

/** Where something ended, the room left below it included. */
export interface Cursor {
  page: number;
  x: number;
  y: number;
  room: number;
}

/** A row of columns, or a detached block, in progress: what to come back to. */
interface Group {
  x: number;
  y: number;
  room: number;
  width: number;
  page: number;
  lastColumnWidth: number;
  /** The lowest end of a finished column; null in a detached block. */
  lowest: Cursor | null;
}

const NO_MARGIN: Margin = [0, 0, 0, 0];

/**
 * A sequence of sheets and the place on them where the next thing goes: the document's pages, or one
 * endless sheet for a block that moves as a whole. Coordinates in points from the sheet's corner.
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
  readonly #groups: Group[] = [];

  constructor(isBlock: boolean) {
    this.isBlock = isBlock;
  }

  /** An endless sheet of one width, for a block. */
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

  /** Room on an empty page of the current kind. */
  get pageRoom(): number {
    return this.sheet.heightPt - this.margins[1] - this.margins[3];
  }

  /** Appends a page and stands at its top left corner. */
  addPage(setup: PageSetup, widthPt: number, heightPt: number): void {
    this.sheets.push(new Sheet(setup, widthPt, heightPt));
    this.margins = setup.margins;
    this.page = this.sheets.length - 1;
    this.x = setup.margins[0];
    this.width = widthPt - setup.margins[0] - setup.margins[2];
    this.goToTop();
  }

  /** Goes to the top of the next sheet, made like this one when there is none yet. */
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
    const { x, y, room, width, page } = this;
    const lowest = { page, x, y, room };
    const lastColumnWidth = this.#lastColumnWidth;
    this.#groups.push({ x, y, room, width, page, lastColumnWidth, lowest });
    this.#lastColumnWidth = 0;
  }

  /**
   * Starts the next column at the top of the group, `offset` right of the one before. With `span`
   * the column before is the start of a row span: its end counts where the span ends.
   */
  beginColumn(width: number, offset: number, endsSpan: boolean): Cursor | null {
    const group = this.#top;
    const ended = endsSpan ? this.cursor() : null;
    if (ended === null) this.#recordLowest(group);
    this.page = group.page;
    this.x += this.#lastColumnWidth + offset;
    this.y = group.y;
    this.width = width;
    this.room = group.room;
    this.#lastColumnWidth = width;
    return ended;
  }

  /** How many rows of columns and detached blocks are in progress. */
  get depth(): number {
    return this.#groups.length;
  }

  /** Goes on in another column of the innermost group, `width` wide, with its top at (x, y). */
  snakeTo(x: number, y: number, room: number, width: number): void {
    this.#recordLowest(this.#top);
    this.x = x;
    this.y = y;
    this.room = room;
    this.width = width;
  }

  /** Goes on below the lowest column, at least `height` below the group's top. */
  endColumns(height: number, endsSpan: boolean): Cursor | null {
    const group = this.#top;
    const ended = endsSpan ? this.cursor() : null;
    if (ended === null) this.#recordLowest(group);
    this.#groups.pop();
    const lowest = group.lowest ?? this.cursor();
    let { y } = lowest;
    if (height > 0) {
      if (group.page === lowest.page) y = Math.max(y, group.y + height);
      else y += height;
    }
    this.x = group.x;
    this.y = y;
    this.page = lowest.page;
    this.width = group.width;
    this.room = lowest.room - (y - lowest.y);
    this.rowHeight = Math.max(height, lowest.y - group.y);
    this.#lastColumnWidth = group.lastColumnWidth;
    return ended;
  }

  /** Takes the end of a row span as the end of the current column. */
  moveTo(cursor: Cursor): void {
    this.page = cursor.page;
    this.y = cursor.y;
    this.room = cursor.room;
  }

  cursor(): Cursor {
    return { page: this.page, x: this.x, y: this.y, room: this.room };
  }

  /** Lowest end so far in the innermost row of columns, for the lines of a broken row. */
  get lowestY(): number {
    return this.#groups.at(-1)?.lowest?.y ?? this.y;
  }

  /** Leaves the flow for a block placed by its coordinates. */
  beginDetached(): void {
    const { x, y, room, width, page } = this;
    const lastColumnWidth = this.#lastColumnWidth;
    this.#groups.push({ x, y, room, width, page, lastColumnWidth, lowest: null });
  }

  endDetached(): void {
    const group = this.#top;
    this.#groups.pop();
    this.x = group.x;
    this.y = group.y;
    this.room = group.room;
    this.width = group.width;
    this.page = group.page;
    this.#lastColumnWidth = group.lastColumnWidth;
  }

  get #top(): Group {
    const group = this.#groups.at(-1);
    if (group === undefined) throw new Error('a column ends that was not begun');
    return group;
  }

  #recordLowest(group: Group): void {
    const { lowest } = group;
    if (lowest === null) return;
    if (this.page < lowest.page || (this.page === lowest.page && this.y <= lowest.y)) return;
    lowest.page = this.page;
    lowest.x = this.x;
    lowest.y = this.y;
    lowest.room = this.room;
  }
}
