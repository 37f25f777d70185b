import { entryAt } from '../../../errors.ts';
import type { RowBox } from '../box/table/table-box.ts';
import type { Flow, PageWatcher } from './flow.ts';
import type { Cursor } from './region.ts';

/** A page break inside a row: where its content stopped, and where it continues. */
export interface RowBreak {
  readonly fromPage: number;
  fromY: number;
  /** On the next page. */
  y: number;
}

/** The part of a row that is on one page. */
export interface RowPart {
  readonly page: number;
  /** Above the row's padding. */
  readonly top: number;
  /** Below the row's padding on its last page; where the content stops on the others. */
  readonly bottom: number;
  /** It continues from the page before, and no repeated header row is above it. */
  readonly opensPage: boolean;
  /** The row continues on the next page. */
  readonly isBroken: boolean;
}

/**
 * Splits a row at its breaks. `isUnderHeader`: the table repeats its header rows on each page.
 */
export function partsOf(
  top: number,
  breaks: readonly RowBreak[],
  end: Cursor,
  isUnderHeader: boolean,
): RowPart[] {
  const parts: RowPart[] = [];
  let page = breaks[0]?.fromPage ?? end.page;
  let partTop = top;
  for (const { fromPage, fromY, y } of breaks) {
    const opensPage = parts.length > 0 && !isUnderHeader;
    parts.push({ page, top: partTop, bottom: fromY, opensPage, isBroken: true });
    page = fromPage + 1;
    partTop = y;
  }
  const opensPage = parts.length > 0 && !isUnderHeader;
  parts.push({ page, top: partTop, bottom: end.y, opensPage, isBroken: false });
  return parts;
}

/** Number of rows that the cells of a row span, itself included. */
export function rowsSpanned(row: RowBox | undefined): number {
  let rows = 1;
  for (const { spec } of row?.cells ?? []) rows = Math.max(rows, spec.rowSpan);
  return rows;
}

/**
 * Watches the row of a table that is in progress. On every page that one of its cells enters, it
 * leaves room for the padding above, and for the padding and line below. All rows of a table use
 * the same watcher, one after the other.
 */
export class RowWatcher implements PageWatcher {
  readonly #flow: Flow;
  #paddingTop = 0;
  #reservedPt = 0;
  #breaks: RowBreak[] = [];
  /** Where each of the `#endCount` finished cells ended; entries beyond are of earlier rows. */
  readonly #endPages: number[] = [];
  readonly #endYs: number[] = [];
  #endCount = 0;
  /** Only page breaks inside a cell split the row. */
  isInCell = false;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  /** Begins the next row. The breaks of the row before stay as they were returned. */
  begin(paddingTop: number, reservedPt: number): void {
    this.#paddingTop = paddingTop;
    this.#reservedPt = reservedPt;
    this.#endCount = 0;
    if (this.#breaks.length > 0) this.#breaks = [];
  }

  /** Whether a page break has split the row. */
  get isSplit(): boolean {
    return this.#breaks.length > 0;
  }

  get takenPt(): number {
    return this.#paddingTop + this.#reservedPt;
  }

  pageChanged(fromPage: number, fromY: number, y: number): void {
    const { region } = this.#flow;
    region.room -= this.#reservedPt;
    region.moveDown(this.#paddingTop);
    if (!this.isInCell) return;
    const known = this.#breaks.find((one) => one.fromPage === fromPage);
    if (known === undefined) {
      this.#breaks.push({ fromPage, fromY, y });
      this.#breaks.sort((one, other) => one.fromPage - other.fromPage);
    } else {
      known.fromY = Math.max(known.fromY, fromY);
      known.y = Math.min(known.y, y);
    }
  }

  /** Records where a cell ended; the vertical lines on that page reach at least down to there. */
  recordEnd(page: number, y: number): void {
    this.#endPages[this.#endCount] = page;
    this.#endYs[this.#endCount++] = y;
  }

  /** The breaks of the finished row, each below every cell that ended on its page. */
  finish(): readonly RowBreak[] {
    for (const rowBreak of this.#breaks) {
      for (let cell = 0; cell < this.#endCount; cell++) {
        if (this.#endPages[cell] !== rowBreak.fromPage) continue;
        rowBreak.fromY = Math.max(rowBreak.fromY, entryAt(this.#endYs, cell));
      }
    }
    return this.#breaks;
  }
}
