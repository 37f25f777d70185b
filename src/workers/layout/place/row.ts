import type { Flow, PageWatcher } from './flow.ts';

/** A page break inside a row: where its content stopped, and where it goes on. */
export interface RowBreak {
  readonly fromPage: number;
  fromY: number;
  y: number;
}

/**
 * A table row in progress. On every page that one of its cells enters, it takes the row's padding
 * off the top and keeps room for its lower padding and line.
 */
export class RowWatcher implements PageWatcher {
  readonly #flow: Flow;
  readonly #paddingTop: number;
  readonly #reservedPt: number;
  readonly breaks: RowBreak[] = [];
  /** Only what happens inside a cell tears the row. */
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

  /** A cell ended on `page` at `y`: lines of the part above the break reach at least so far. */
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
