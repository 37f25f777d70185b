import { entryAt } from '../../../errors.ts';
import { LIMITS } from '../../../limits.ts';
import type { CompiledTemplate, PageSetup } from '../../model/nodes.ts';
import type { SizedBox } from '../box/box.ts';
import { LayoutFault } from '../layout-fault.ts';
import { Region } from './region.ts';
import type { Item, LinkArea } from '../../model/frame.ts';
import type { StructElement } from '../../model/structure.ts';
import type { Tagger } from './tagger.ts';
import type { Box, GraphicBox } from '../box/blocks.ts';
import type { Marker } from '../box/list-box.ts';
import { moveItem } from './move.ts';
import type { Repeatable, Sheet } from './sheet.ts';

/** Tolerance for rounding errors in comparisons. */
export const SLACK_PT = 1e-6;

/** A table row in progress, notified when the content continues at the top of another page. */
export interface PageWatcher {
  /** Height that the row takes from the room of each page that it continues on. */
  readonly takenPt: number;
  pageChanged(fromPage: number, fromY: number, y: number): void;
}

/** Places a box of any kind: boxes with boxes inside are given it. */
export type PlaceBox = (flow: Flow, box: Box) => void;

/** Columns that content flows through one after the other. */
export interface Snake {
  readonly region: Region;
  /** Depth of `region` directly inside it; in deeper groups pages break as usual. */
  readonly depth: number;
  readonly widths: readonly number[];
  readonly gapPt: number;
  readonly x: number;
  /** Number of repeated headers of tables around it; those of tables inside are in each column. */
  readonly repeatablesAround: number;
  /** The page that `column`, `y` and `room` are about. */
  page: number;
  /** Top of the columns on this page, and the room there. */
  y: number;
  room: number;
  column: number;
}

/** Decides whether a block fits on its page, and what to do when it goes to the next page. */
export interface BlockHooks {
  /** Height of what `afterBreak` places above the block. */
  readonly openingPt: number;
  /** What is wrong when the block does not even fit on an empty page. */
  readonly tooTall: string;
  /** Whether the block may stand where `roomPt` is free; it may ask for free room below it. */
  fits(heightPt: number, roomPt: number): boolean;
  /** Called before the page break when the block does not fit. */
  beforeBreak(): void;
  /** Called at the top of the next page, before the block is placed. */
  afterBreak(): void;
}

/** Where the flow was when the block in progress began. */
interface Outer {
  readonly region: Region;
  readonly x: number;
}

/**
 * The state of placing a document: the region that takes the next element, page breaks with
 * repeated table headers, blocks that stay together, and the watchers of page changes.
 */
export class Flow {
  region: Region;
  readonly repeatables: Repeatable[] = [];
  readonly watchers: PageWatcher[] = [];
  /** The marker of the current item of each list in progress; null once it is drawn. */
  readonly markers: (Marker | null)[] = [];
  /** Boxes with an id or outline entry whose first line or picture is not placed yet. */
  readonly anchors: SizedBox[] = [];
  /** Generated ids of boxes without one that a table of contents lists. */
  readonly anchorIds: ReadonlyMap<SizedBox, string>;
  /** Tags what is placed; null when the document is not tagged. */
  readonly tagger: Tagger | null;
  /** In tagged documents: the label elements of `markers`. */
  readonly labels: (StructElement | null)[] = [];
  readonly snakes: Snake[] = [];
  /**
   * On the page: the left and right end of the place that columns or a table in progress reach
   * beyond; null: they keep to their places.
   */
  limit: { readonly left: number; readonly right: number } | null = null;
  /** The columns and tables in progress, from the outermost. */
  readonly around: { readonly hasAmounts: boolean }[] = [];
  /** Headlines that must not stand alone at the end of a page, or null. */
  readonly breakBefore: CompiledTemplate['breakBefore'];
  /** Number of nested placements in progress that may be undone. */
  trialDepth = 0;
  /** Number of positions in progress: of nodes, headers, footers and backgrounds. */
  detachedDepth = 0;
  /** Number of rows of columns in progress whose amounts must not touch. */
  columnWatches = 0;
  /** In a header, footer or background: where the texts and codes that are not positioned end. */
  textEndY = 0;
  /** The code that ends there, as it is placed; null: a text does. */
  codeAtEnd: GraphicBox | null = null;
  /** Content in progress is turned afterwards. */
  isRotated = false;
  /** Number of leaves (lines, pictures, phrase rows) placed so far. */
  leafCount = 0;
  /** Page of the first leaf placed since this was set to -1. */
  leafPage = -1;
  #path = 'document';
  /** Number of nested blocks in progress; only the outermost has a region. */
  #blockDepth = 0;
  #outer: Outer | null = null;
  #stripTop = 0;

  constructor(
    region: Region,
    anchorIds: ReadonlyMap<SizedBox, string>,
    breakBefore: CompiledTemplate['breakBefore'],
    tagger: Tagger | null = null,
  ) {
    this.region = region;
    this.breakBefore = breakBefore;
    this.anchorIds = anchorIds;
    this.tagger = tagger;
  }

  /** Path of the node being placed, for faults; benches see by it which node takes the time. */
  get path(): string {
    return this.#path;
  }

  set path(path: string) {
    this.#path = path;
  }

  /** Called before columns that reach beyond their place: its ends are those of what is in them. */
  limitToPlace(): void {
    const { region, limit } = this;
    const left = region.x + this.blockX;
    const right = left + region.width;
    this.limit = {
      left: limit === null ? left : Math.max(left, limit.left),
      right: limit === null ? right : Math.min(right, limit.right),
    };
  }

  get hasAmountsAround(): boolean {
    return this.around.some(({ hasAmounts }) => hasAmounts);
  }

  get isInBlock(): boolean {
    return this.#blockDepth > 0;
  }

  /** Left edge that the block in progress will have on its page. */
  get blockX(): number {
    return this.#outer?.x ?? 0;
  }

  /** Whether what begins at `x` and is `widthPt` wide reaches beyond neither side of the paper. */
  staysOnPaper(x: number, widthPt: number): boolean {
    const outer = this.#outer;
    const left = x + (outer?.x ?? 0);
    const { sheet } = outer?.region ?? this.region;
    return left >= -SLACK_PT && left + widthPt <= sheet.widthPt + SLACK_PT;
  }

  /** How far what begins at `x` reaches beyond the right edge of the paper. */
  overhangPt(x: number, widthPt: number): number {
    const outer = this.#outer;
    const { sheet } = outer?.region ?? this.region;
    return x + (outer?.x ?? 0) + widthPt - sheet.widthPt;
  }

  addPage(setup: PageSetup, widthPt: number, heightPt: number): void {
    this.region.addPage(setup, widthPt, heightPt);
    this.#checkPageCount();
  }

  /** The innermost snake if the content may continue in its next column, else null. */
  get snake(): Snake | null {
    const snake = this.snakes.at(-1) ?? null;
    if (snake === null || snake.region !== this.region) return null;
    return snake.depth === this.region.depth ? snake : null;
  }

  /** Continues in the next column of a snake, or on the next page. */
  breakPage(): void {
    const { snake } = this;
    if (snake !== null && this.region.page > snake.page) this.#beginColumnsHere(snake);
    if (snake === null || snake.column + 1 >= snake.widths.length) {
      this.turnPage();
      return;
    }
    const { region } = this;
    const width = entryAt(snake.widths, snake.column);
    snake.column++;
    const nextWidth = snake.widths[snake.column] ?? width;
    region.snakeTo(region.x + width + snake.gapPt, snake.y, snake.room, nextWidth);
    this.#repeatInColumn(snake);
  }

  /** Continues at the top of the next page, below the repeated header rows. */
  turnPage(): void {
    const { region, snake } = this;
    // A block is one endless sheet, so that its content stays together.
    if (region.isBlock) return;
    const fromPage = region.page;
    const fromY = Math.max(region.y, region.lowestY);
    if (snake === null) this.#leaveColumn();
    region.advance();
    this.#checkPageCount();
    this.#repeatOnPage(snake?.repeatablesAround ?? this.repeatables.length);
    if (snake !== null) {
      this.#beginColumnsHere(snake);
      region.x = snake.x;
      region.width = snake.widths[0] ?? region.width;
      this.#repeatInColumn(snake);
    }
    const { y } = region;
    for (const watcher of this.watchers) watcher.pageChanged(fromPage, fromY, y);
  }

  /** The content of a snake is in its first column now, on a page after that of `snake.page`. */
  #beginColumnsHere(snake: Snake): void {
    const { region } = this;
    snake.column = 0;
    snake.page = region.page;
    snake.y = region.margins[1] + this.#repeatedPt(0, snake.repeatablesAround);
    snake.room = region.pageRoom - this.#repeatedPt(0, snake.repeatablesAround);
  }

  /**
   * Before a page break inside a row of columns or cells that stands in a later column of a snake:
   * what goes on on the next page does so in the first column.
   */
  #leaveColumn(): void {
    const { region } = this;
    const around = this.snakes.at(-1);
    if (around?.region !== region || around.column === 0) return;
    if (around.page !== region.page || region.isDetachedBelow(around.depth)) return;
    let shiftPt = 0;
    for (let column = 0; column < around.column; column++) {
      shiftPt -= entryAt(around.widths, column) + around.gapPt;
    }
    region.shiftAfterPage(around.depth, shiftPt);
  }

  /** Draws the first `count` repeated headers where they stood, unless this page shows them. */
  #repeatOnPage(count: number): void {
    const { region, repeatables } = this;
    for (let index = 0; index < count; index++) {
      const repeatable = repeatables[index];
      if (repeatable === undefined) break;
      if (!repeatable.pages.has(region.page)) {
        repeatable.pages.add(region.page);
        repeatable.drawOn(region.sheet, repeatable.x, region.y);
      }
      region.moveDown(repeatable.heightPt);
    }
  }

  /** Draws the repeated headers of the tables in a snake at the top of its next column. */
  #repeatInColumn(snake: Snake): void {
    const { region, repeatables } = this;
    for (let index = snake.repeatablesAround; index < repeatables.length; index++) {
      const repeatable = repeatables[index];
      if (repeatable === undefined) break;
      repeatable.pages.add(region.page);
      repeatable.drawOn(region.sheet, region.x, region.y);
      region.moveDown(repeatable.heightPt);
    }
  }

  /** Starts a block that is placed as a whole; a block inside a block is part of it. */
  beginBlock(): void {
    if (this.#blockDepth++ > 0) return;
    const { region } = this;
    this.#outer = { region, x: region.x };
    this.region = Region.block(region.sheet.setup, region.width);
  }

  /** Places the finished block, on the next page when it does not fit on this one. */
  endBlock(path: string, hooks: BlockHooks | null = null): void {
    if (--this.#blockDepth > 0) return;
    const outer = this.#outer;
    if (outer === null) throw new Error('a block ends that was not begun');
    const block = this.region;
    this.#outer = null;
    this.region = outer.region;
    this.#placeBlock(block.sheet, block.y, path, hooks);
  }

  /** Starts a header, footer or background: a block that lies `top` below the top of the page. */
  beginStrip(top: number): void {
    this.#outer = { region: this.region, x: 0 };
    this.#blockDepth = 1;
    this.#stripTop = top;
    this.detachedDepth = 1;
  }

  /** Records a line of text of a strip by its baseline, or a code by its lower edge. */
  endText(y: number, code: GraphicBox | null = null): void {
    if (y <= this.textEndY) return;
    this.textEndY = y;
    this.codeAtEnd = code;
  }

  /** Returns the items drawn since the strip began, in coordinates of the page. */
  endStrip(): { items: readonly Item[]; links: readonly LinkArea[] } {
    const { sheet } = this.region;
    for (const item of sheet.items) moveItem(item, 0, this.#stripTop);
    for (const fill of sheet.fills) moveItem(fill, 0, this.#stripTop);
    for (const link of sheet.links) link.y += this.#stripTop;
    for (const amount of sheet.looseTexts) amount.y += this.#stripTop;
    return { items: [...sheet.fills.toReversed(), ...sheet.items], links: sheet.links };
  }

  /**
   * Discards the block in progress if it does not fit on an empty page below the repeated rows. True
   * when it did: the caller then places the content again without keeping it together.
   */
  retractIfTooTall(hooks: BlockHooks | null = null): boolean {
    const outer = this.#outer;
    if (this.#blockDepth !== 1 || outer === null || outer.region.isBlock) return false;
    let room = outer.region.pageRoom - this.#repeatedPt(0) - (hooks?.openingPt ?? 0);
    for (const watcher of this.watchers) room -= watcher.takenPt;
    if (fitsIn(room, this.region.y, hooks)) return false;
    this.#blockDepth = 0;
    this.#outer = null;
    this.region = outer.region;
    return true;
  }

  /** Called before each leaf is placed: boxes that wait for their first leaf get their position. */
  beginLeaf(): void {
    this.leafCount++;
    this.region.sheet.leafCount++;
    if (this.leafPage < 0) this.leafPage = this.region.isBlock ? -1 : this.region.page;
    if (this.anchors.length > 0) this.#dropAnchors();
  }

  /** Positions boxes without any line or picture at the end of the section. */
  endSection(): void {
    if (this.anchors.length > 0) this.#dropAnchors();
  }

  /** Makes the boxes of `anchors`, a copy of an earlier state, wait for their first leaf again. */
  restoreAnchors(anchors: readonly SizedBox[]): void {
    this.anchors.splice(0, this.anchors.length, ...anchors);
  }

  #dropAnchors(): void {
    const { sheet, x, y } = this.region;
    for (const box of this.anchors) {
      const { outline } = box.node;
      const id = box.node.id ?? this.anchorIds.get(box) ?? null;
      if (id !== null) sheet.places.push({ id, x, y });
      if (outline !== null && box.outlineTitle !== null) {
        const { level, expanded } = outline;
        sheet.outlines.push({ level, expanded, title: box.outlineTitle, y });
      }
    }
    this.anchors.length = 0;
  }

  /** Draws the markers of the list items that begin with this line. */
  drawMarkers(ascentPt: number): void {
    const { markers, region } = this;
    for (let index = 0; index < markers.length; index++) {
      const marker = markers[index];
      if (marker === null || marker === undefined) continue;
      markers[index] = null;
      this.tagger?.mark(region.sheet.items, this.labels[index] ?? null);
      marker.draw(region.sheet, region.x, region.y, ascentPt);
    }
  }

  /** Goes to the next page unless a block that is so high fits on this one. */
  makeRoom(heightPt: number, path: string, hooks: BlockHooks | null): void {
    if (fitsIn(this.region.room, heightPt, hooks)) return;
    hooks?.beforeBreak();
    if (this.#nextColumnIsTooLow(heightPt, hooks)) this.turnPage();
    else this.breakPage();
    hooks?.afterBreak();
    if (fitsIn(this.region.room, heightPt, hooks)) return;
    throw new LayoutFault(path, hooks?.tooTall ?? TOO_TALL);
  }

  /** Whether a block fits in none of the columns on this page, but perhaps in those of the next. */
  #nextColumnIsTooLow(heightPt: number, hooks: BlockHooks | null): boolean {
    const { snake } = this;
    if (snake === null || snake.room > this.region.pageRoom - SLACK_PT) return false;
    const repeatedPt = this.#repeatedPt(snake.repeatablesAround);
    return !fitsIn(snake.room - repeatedPt - (hooks?.openingPt ?? 0), heightPt, hooks);
  }

  /** Height of the header rows that each page repeats here, of those from `first` up to `end`. */
  #repeatedPt(first: number, end = this.repeatables.length): number {
    let height = 0;
    for (let index = first; index < end; index++) {
      height += this.repeatables[index]?.heightPt ?? 0;
    }
    return height;
  }

  #placeBlock(block: Sheet, heightPt: number, path: string, hooks: BlockHooks | null): void {
    this.makeRoom(heightPt, path, hooks);
    const { region } = this;
    if (this.leafPage < 0 && block.leafCount > 0 && !region.isBlock) this.leafPage = region.page;
    region.sheet.take(block, region.x, region.y);
    region.moveDown(heightPt);
  }

  #checkPageCount(): void {
    if (this.region.sheets.length > LIMITS.pagesMax) {
      throw new LayoutFault(this.path, `the document has more than ${LIMITS.pagesMax} pages`);
    }
  }
}

function fitsIn(roomPt: number, heightPt: number, hooks: BlockHooks | null): boolean {
  return hooks === null ? heightPt <= roomPt + SLACK_PT : hooks.fits(heightPt, roomPt);
}

export const TOO_TALL =
  'this block must stay together but is taller than the page; ' +
  'shorten it, or remove "unbreakable", "dontBreakRows" or "keepWithHeaderRows"';
