import type { PhraseBlock, PhraseRowPlan, RowBox } from '../box/table/table-box.ts';
import { GridItem } from '../../model/frame.ts';
import { type Flow, SLACK_PT } from './flow.ts';
import type { Sheet } from './sheet.ts';
import type { PlainRowsPlace } from './tagger.ts';

/** A grid that the next phrase row may continue. */
interface OpenGrid {
  readonly sheet: Sheet;
  readonly phrases: PhraseBlock;
  /** The phrase row that would continue it. */
  next: number;
  readonly item: GridItem;
  readonly tops: number[];
  readonly tags: PlainRowsPlace | null;
}

/** Places the rows of a table whose texts all fit on one line, without boxes or cells. */
export class PhrasePlacer {
  readonly #flow: Flow;
  readonly #widths: readonly number[];
  /** Left edge of each column's content. */
  readonly #contentX: readonly number[];
  /** Right edge of the last column's content. */
  readonly #widthPt: number;
  #grid: OpenGrid | null = null;
  /** The x of each text of the block `#xsOf`; all grids of the block share the array. */
  #xs = new Float64Array(0);
  #xsOf: PhraseBlock | null = null;
  /** Widths of the columns' content without the cells' margins, for the rows of `#roomsOf`. */
  #rooms: readonly number[] = [];
  #roomsOf: PhraseRowPlan | null = null;

  constructor(flow: Flow, widths: readonly number[], contentX: readonly number[]) {
    this.#flow = flow;
    this.#widths = widths;
    this.#contentX = contentX;
    const last = widths.length - 1;
    this.#widthPt = (contentX[last] ?? 0) + (widths[last] ?? 0);
  }

  /** Whether every text of a row fits its column on one line. */
  fits({ phrases, phraseRow }: RowBox): boolean {
    if (phrases === null) return false;
    const count = this.#widths.length;
    const first = phraseRow * count;
    const rooms = this.#roomsFor(phrases.plan);
    for (let column = 0; column < count; column++) {
      const room = (rooms[column] ?? 0) + SLACK_PT;
      if ((phrases.widths[first + column] ?? 0) > room) return false;
    }
    return true;
  }

  /**
   * Whether all of a tagged row goes to the next page, because not even its lowest line has room.
   * Boxes place it there as well, but each of its cells would have an element then. Untagged rows
   * keep their boxes: sums in another order may round a coordinate differently.
   */
  beginsPage(row: RowBox, tags: PlainRowsPlace | null): boolean {
    if (tags === null) return false;
    const { region, snakes, markers, anchors, breakBefore } = this.#flow;
    const leastPt = row.phrases?.plan.leastLinePt ?? 0;
    if (leastPt === 0 || leastPt <= region.room + SLACK_PT) return false;
    const isAlone = region.depth === 0 && snakes.length + markers.length + anchors.length === 0;
    return isAlone && breakBefore === null && this.fits(row);
  }

  /** Places a row, at least `heightMin` high; false when it needs boxes or the next page. */
  place(row: RowBox, heightMin: number, tags: PlainRowsPlace | null): boolean {
    const { phrases, phraseRow } = row;
    if (phrases === null) return false;
    // In a tagged document without row tags, each text needs a paragraph, which only boxes make.
    const { tagger } = this.#flow;
    if (tags === null && tagger !== null && !tagger.isHidden) return false;
    const { plan, widths: textWidths } = phrases;
    const { region } = this.#flow;
    const height = Math.max(heightMin, plan.contentPt);
    // Boxes know where the amounts of their lines are.
    if (!this.#staysOnPaper()) return false;
    if (height > region.room + SLACK_PT || !this.fits(row)) return false;
    const rooms = this.#rooms;
    const count = this.#widths.length;
    const first = phraseRow * count;
    const grid = this.#gridFor(phrases, phraseRow, tags);
    const xs = this.#xs;
    const { alignments, marginLeft } = plan;
    for (let column = 0; column < count; column++) {
      let x = (this.#contentX[column] ?? 0) + (marginLeft[column] ?? 0);
      const free = (rooms[column] ?? 0) - (textWidths[first + column] ?? 0);
      const alignment = alignments[column];
      if (alignment === 'right') x += free;
      else if (alignment === 'center') x += free / 2;
      xs[first + column] = x;
    }
    this.#flow.beginLeaf();
    grid.tops.push(region.y - grid.item.y);
    if (this.#flow.markers.length > 0) {
      this.#flow.drawMarkers(plan.runs[0]?.ascentPt ?? 0);
      this.#flow.tagger?.mark(region.sheet.items, null);
    }
    region.moveDown(height);
    region.rowHeight = height;
    return true;
  }

  /** Called before a row of another kind: later phrase rows begin a new grid, painted after it. */
  close(): void {
    this.#grid = null;
  }

  /** Whether no edge of the paper can cut a row. */
  #staysOnPaper(): boolean {
    const flow = this.#flow;
    if (flow.detachedDepth > 0 || flow.region.y < 0 || flow.limit !== null) return false;
    return flow.staysOnPaper(flow.region.x, this.#widthPt);
  }

  #roomsFor(plan: PhraseRowPlan): readonly number[] {
    if (this.#roomsOf !== plan) {
      this.#roomsOf = plan;
      this.#rooms = this.#widths.map(
        (width, column) => width - (plan.marginLeft[column] ?? 0) - (plan.marginRight[column] ?? 0),
      );
    }
    return this.#rooms;
  }

  /** The open grid if the row continues it, else a new one. */
  #gridFor(phrases: PhraseBlock, phraseRow: number, tags: PlainRowsPlace | null): OpenGrid {
    const { region } = this.#flow;
    const { sheet } = region;
    const open = this.#grid;
    const continues =
      open !== null &&
      open.sheet === sheet &&
      // The next of the columns that content flows through may lie on the same sheet.
      open.item.x === region.x &&
      open.phrases === phrases &&
      open.next === phraseRow &&
      open.tags === tags;
    if (continues) {
      open.next++;
      return open;
    }
    const { styles, baselines, runs } = phrases.plan;
    const tops: number[] = [];
    if (this.#xsOf !== phrases) {
      this.#xsOf = phrases;
      this.#xs = new Float64Array(phrases.widths.length);
    }
    const first = phraseRow * runs.length;
    const item = new GridItem(
      region.x,
      region.y,
      styles,
      baselines,
      phrases.texts,
      first,
      tops,
      this.#xs,
      tags === null ? null : (this.#flow.tagger?.plainRows(tags) ?? null),
    );
    sheet.items.push(item);
    this.#grid = { sheet, phrases, next: phraseRow + 1, item, tops, tags };
    return this.#grid;
  }
}
