import type { SumRowKind, TableBox } from '../box/table/table-box.ts';
import type { BlockHooks, Flow } from './flow.ts';
import { rowsSpanned } from './row.ts';
import type { TablePlacer } from './table.ts';

/**
 * Breaks a statement table into pages. It keeps room for the rows that carry the sums forward,
 * draws them at page ends, and brings the sums forward on the next page. Table rows are never
 * split.
 */
export class StatementPager implements BlockHooks {
  readonly #flow: Flow;
  readonly #box: TableBox;
  readonly #placer: TablePlacer;
  readonly #carriedPt: number;
  readonly #totalPt: number;
  /** A table in a block has no page ends. */
  readonly #isInBlock: boolean;
  /** Number of summed rows placed so far, and of those on earlier pages. */
  #count = 0;
  #pageStart = 0;
  /** Index of the row being placed, and of the first and last row of the row spans it is in. */
  #index = 0;
  #groupStart = 0;
  #groupEnd = -1;

  constructor(flow: Flow, box: TableBox, placer: TablePlacer) {
    this.#flow = flow;
    this.#box = box;
    this.#placer = placer;
    this.#isInBlock = flow.isInBlock;
    this.#carriedPt = this.#heightOf('carriedForward');
    this.#totalPt = this.#heightOf('pageTotal');
    placer.hooks = this;
  }

  /** Room that must stay free below the row being placed. */
  get reservePt(): number {
    if (this.#isInBlock) return 0;
    const isLast = this.#index === this.#box.rows.length - 1;
    return isLast ? this.#totalPt : this.#carriedPt + this.#totalPt;
  }

  placeRow(index: number): void {
    const placer = this.#placer;
    this.#index = index;
    const isInGroup = index <= this.#groupEnd;
    const heightPt = this.#heightBefore(index);
    if (isInGroup || heightPt === null) {
      this.#placeInGroup(index, isInGroup);
    } else {
      this.#groupStart = index;
      const mustTurn = heightPt > 0 && heightPt + this.reservePt > this.#flow.region.room;
      if (mustTurn) this.#turn();
      placer.placeRow(index);
    }
    if (index < placer.endTogether) this.#count = this.#box.statement?.countAfter(index) ?? 0;
  }

  /**
   * The height of a row before it is placed: null when it is not known yet, 0 when it does not
   * matter, because the block that the row is in decides about the page break.
   */
  #heightBefore(index: number): number | null {
    const placer = this.#placer;
    const isInBlock = index < placer.rowsTogether || index >= placer.endTogether;
    return isInBlock || this.#isInBlock ? 0 : placer.knownHeight(index);
  }

  /** Places a row, with those that its row spans reach into, as one block. */
  #placeInGroup(index: number, continuesGroup: boolean): void {
    const flow = this.#flow;
    if (!continuesGroup) {
      this.#groupStart = index;
      flow.beginBlock();
    }
    this.#groupEnd = Math.max(this.#groupEnd, index + rowsSpanned(this.#box.rows[index]) - 1);
    this.#placer.placeRow(index);
    if (index === this.#groupEnd) flow.endBlock(this.#path(this.#groupStart), this);
  }

  /** Draws the total of the last page; called after the last row. */
  end(): void {
    const last = this.#box.rows.length - 1;
    this.#index = last;
    this.#count = this.#box.statement?.countAfter(last) ?? 0;
    this.#draw('pageTotal', last);
  }

  beforeBreak(): void {
    if (this.#count === this.#pageStart) return;
    const above = Math.max(0, Math.min(this.#groupStart, this.#placer.endTogether) - 1);
    this.#draw('carriedForward', above);
    this.#draw('pageTotal', above);
  }

  afterBreak(): void {
    this.#pageStart = this.#count;
    if (this.#count > 0) this.#draw('broughtForward', this.#index);
  }

  #path(index: number): string {
    return this.#box.rows[index]?.path ?? this.#box.node.path;
  }

  /** Goes to the next page, with the rows of sums at its page break. */
  #turn(): void {
    this.beforeBreak();
    this.#flow.breakPage();
    this.afterBreak();
  }

  /** Draws a row of sums in the style of the table's row `styleIndex`. */
  #draw(kind: SumRowKind, styleIndex: number): void {
    const row = this.#box.statement?.sumRow(kind, this.#count, this.#pageStart) ?? null;
    if (row !== null) this.#placer.drawRow(styleIndex, row);
  }

  /** Height of a row at page ends, measured with the sums of the whole table. */
  #heightOf(kind: SumRowKind): number {
    const last = this.#box.rows.length - 1;
    const count = this.#box.statement?.countAfter(last) ?? 0;
    const row = this.#box.statement?.sumRow(kind, count, 0) ?? null;
    if (row === null) return 0;
    return this.#flow.measure(() => {
      this.#placer.drawRow(last, row);
    });
  }
}
