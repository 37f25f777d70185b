import type { Flow } from './flow.ts';
import type { Sheet } from './sheet.ts';

/** A saved state of the flow: restoring it removes everything placed since. */
export class Checkpoint {
  readonly #page: number;
  readonly #sheetCount: number;
  readonly #x: number;
  readonly #y: number;
  readonly #width: number;
  readonly #room: number;
  readonly #sheet: Sheet;
  readonly #counts: readonly number[];
  readonly #anchors: Flow['anchors'];
  readonly #markers: Flow['markers'];
  readonly #sheetLeaves: number;
  readonly #leafCount: number;

  constructor(flow: Flow) {
    const { region } = flow;
    this.#page = region.page;
    this.#sheetCount = region.sheets.length;
    this.#x = region.x;
    this.#y = region.y;
    this.#width = region.width;
    this.#room = region.room;
    this.#sheet = region.sheet;
    this.#counts = listsOf(region.sheet).map((list) => list.length);
    this.#anchors = [...flow.anchors];
    this.#markers = [...flow.markers];
    this.#sheetLeaves = region.sheet.leafCount;
    this.#leafCount = flow.leafCount;
  }

  /** Number of leaves on a page when the state was saved. */
  leavesOn(page: number): number {
    return page === this.#page ? this.#sheetLeaves : 0;
  }

  restore(flow: Flow): void {
    const { region } = flow;
    region.sheets.length = this.#sheetCount;
    region.page = this.#page;
    region.x = this.#x;
    region.y = this.#y;
    region.width = this.#width;
    region.room = this.#room;
    for (const [index, list] of listsOf(this.#sheet).entries()) {
      list.length = this.#counts[index] ?? 0;
    }
    this.#sheet.leafCount = this.#sheetLeaves;
    flow.leafCount = this.#leafCount;
    flow.restoreAnchors(this.#anchors);
    flow.markers.splice(0, flow.markers.length, ...this.#markers);
  }
}

function listsOf(sheet: Sheet): unknown[][] {
  const { items, fills, links, places, outlines, references, looseTexts } = sheet;
  return [items, fills, links, places, outlines, references, looseTexts];
}
