import { moveItem } from './move.ts';
import type { Region } from './region.ts';
import type { Sheet } from './sheet.ts';

/** What was put on a sheet since a moment: so that a cell's content can be aligned afterwards. */
export class Extent {
  readonly #sheet: Sheet;
  readonly #page: number;
  readonly #top: number;
  readonly #from: Counts;
  #to: Counts;
  /** Height of the content, margins included. */
  heightPt = 0;
  isOnOnePage = true;

  constructor(region: Region) {
    this.#sheet = region.sheet;
    this.#page = region.page;
    this.#top = region.y;
    this.#from = countsOf(region.sheet);
    this.#to = this.#from;
  }

  end(region: Region): void {
    this.isOnOnePage = region.page === this.#page;
    this.heightPt = region.y - this.#top;
    this.#to = countsOf(this.#sheet);
  }

  /** Moves the content down inside a room of `roomPt`; content over two pages stays. */
  align(alignment: 'middle' | 'bottom', roomPt: number): void {
    if (!this.isOnOnePage) return;
    const free = roomPt - this.heightPt;
    const dy = alignment === 'middle' ? free / 2 : free;
    if (dy === 0) return;
    const sheet = this.#sheet;
    const { items, fills, links, places, outlines } = sheet;
    for (let i = this.#from.items; i < this.#to.items; i++) {
      const item = items[i];
      if (item !== undefined) moveItem(item, 0, dy);
    }
    for (let i = this.#from.fills; i < this.#to.fills; i++) {
      const fill = fills[i];
      if (fill !== undefined) moveItem(fill, 0, dy);
    }
    for (const mark of links.slice(this.#from.links, this.#to.links)) mark.y += dy;
    for (const mark of places.slice(this.#from.places, this.#to.places)) mark.y += dy;
    for (const mark of outlines.slice(this.#from.outlines, this.#to.outlines)) mark.y += dy;
  }
}

interface Counts {
  readonly items: number;
  readonly fills: number;
  readonly links: number;
  readonly places: number;
  readonly outlines: number;
}

function countsOf(sheet: Sheet): Counts {
  return {
    items: sheet.items.length,
    fills: sheet.fills.length,
    links: sheet.links.length,
    places: sheet.places.length,
    outlines: sheet.outlines.length,
  };
}
