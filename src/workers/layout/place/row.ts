import type { Flow, PageWatcher } from './flow.ts';

/** A page break inside a row: where its content stopped, and where it continues. */
export interface RowBreak {
  readonly fromPage: number;
  fromY: number;
  y: number;
}

/**
 * Watches a table row in progress. On every page that one of its cells enters, it leaves room for
 * the padding above, and for the padding and line below.
 */
export class RowWatcher implements PageWatcher {
  readonly #flow: Flow;
  readonly #paddingTop: number;
  readonly #reservedPt: number;
  readonly breaks: RowBreak[] = [];
  /** Only page breaks inside a cell split the row. */
  isInCell = false;

  constructor(flow: Flow, paddingTop: number, reservedPt: number) {
    this.#flow = flow;
    this.#paddingTop = paddingTop;
    this.#reservedPt = reservedPt;
  }

  pageChanged(fromPage: number, fromY: number, y: number): void {
    const { region } = this.#flow;
    region.room -= this.#reservedPt;
    region.moveDown(this.#paddingTop);
    if (!this.isInCell) return;
    const known = this.breaks.find((one) => one.fromPage === fromPage);
    if (known === undefined) {
      this.breaks.push({ fromPage, fromY, y });
      this.breaks.sort((one, other) => one.fromPage - other.fromPage);
    } else {
      known.fromY = Math.max(known.fromY, fromY);
      known.y = Math.min(known.y, y);
    }
  }

  /** Records where a cell ended; the vertical lines on that page reach at least down to there. */
  recordEnd(page: number, y: number): void {
    this.#ends.push(page, y);
  }

  readonly #ends: number[] = [];

  finish(): readonly RowBreak[] {
    for (const one of this.breaks) {
      for (let index = 0; index < this.#ends.length; index += 2) {
        if (this.#ends[index] === one.fromPage) {
          one.fromY = Math.max(one.fromY, this.#ends[index + 1] ?? 0);
        }
      }
    }
    return this.breaks;
  }
}
