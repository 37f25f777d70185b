import type { Item } from '../../model/frame.ts';
import type { Matrix } from '../../model/style.ts';
import { moveItem } from './move.ts';
import type { Region } from './region.ts';
import type { Sheet } from './sheet.ts';

/** What is put on a sheet until `end`, so that it can be aligned or rotated afterwards. */
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

  /** Moves the content down in a space `roomPt` high; content that spans pages stays. */
  align(alignment: 'middle' | 'bottom', roomPt: number): void {
    if (!this.isOnOnePage) return;
    const free = roomPt - this.heightPt;
    const dy = alignment === 'middle' ? free / 2 : free;
    if (dy === 0) return;
    const sheet = this.#sheet;
    const { items, fills, links, places, outlines, looseTexts } = sheet;
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
    for (const mark of looseTexts.slice(this.#from.amounts, this.#to.amounts)) mark.y += dy;
  }

  /** Rotates the content clockwise about (x, y); content that spans pages stays upright. */
  rotate({ x, y, rotate }: { x: number; y: number; rotate: number }): void {
    if (!this.isOnOnePage) return;
    const from = this.#from;
    const matrix = rotationMatrix(rotate);
    const { items, fills, links, places, looseTexts } = this.#sheet;
    // Later fills are painted under earlier ones.
    const under = fills.splice(from.fills, this.#to.fills - from.fills).toReversed();
    const over = items.splice(from.items, this.#to.items - from.items);
    items.push(...rotatedGroups([...under, ...over], x, y, matrix));
    const marks = links.splice(from.links, this.#to.links - from.links);
    links.push(...marks.map((mark) => ({ ...mark, ...rotatedArea(mark, x, y, matrix) })));
    for (const mark of places.slice(from.places, this.#to.places)) {
      const area = rotatedArea({ x: mark.x, y: mark.y, widthPt: 0, heightPt: 0 }, x, y, matrix);
      mark.x = area.x;
      mark.y = area.y;
    }
    for (const amount of looseTexts.slice(from.amounts, this.#to.amounts)) {
      Object.assign(amount, rotatedArea(amount, x, y, matrix));
    }
  }
}

/** Puts items into rotated groups. A tag stays outside: it begins another group. */
function rotatedGroups(
  items: readonly Item[],
  x: number,
  y: number,
  matrix: Matrix,
): readonly Item[] {
  const found: Item[] = [];
  let group: Item[] = [];
  const close = (): void => {
    if (group.length > 0) {
      found.push({ kind: 'group', x, y, matrix, clip: null, opacity: 1, items: group });
    }
    group = [];
  };
  for (const item of items) {
    if (item.kind === 'tag') {
      close();
      const { area } = item;
      if (area !== null) item.area = rotatedArea(area, x, y, matrix);
      found.push(item);
    } else {
      moveItem(item, -x, -y);
      group.push(item);
    }
  }
  close();
  return found;
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
  readonly heightPt: number;
}

/** The bounding box of an area that is rotated about (x, y). */
function rotatedArea(area: Area, x: number, y: number, [a, b, c, d]: Matrix): Area {
  const corners = [0, area.widthPt].flatMap((dx) =>
    [0, area.heightPt].map((dy) => [area.x + dx - x, area.y + dy - y] as const),
  );
  const xs = corners.map(([dx, dy]) => x + a * dx + c * dy);
  const ys = corners.map(([dx, dy]) => y + b * dx + d * dy);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return { x: left, y: top, widthPt: Math.max(...xs) - left, heightPt: Math.max(...ys) - top };
}

/** Rotates clockwise, because y grows downwards; multiples of 90° are exact. */
function rotationMatrix(degrees: number): Matrix {
  const angle = (degrees * Math.PI) / 180;
  const cos = degrees % 90 === 0 ? Math.round(Math.cos(angle)) : Math.cos(angle);
  const sin = degrees % 90 === 0 ? Math.round(Math.sin(angle)) : Math.sin(angle);
  return [cos, sin, -sin, cos, 0, 0];
}

interface Counts {
  readonly items: number;
  readonly fills: number;
  readonly links: number;
  readonly places: number;
  readonly outlines: number;
  readonly amounts: number;
}

function countsOf(sheet: Sheet): Counts {
  return {
    items: sheet.items.length,
    fills: sheet.fills.length,
    links: sheet.links.length,
    places: sheet.places.length,
    outlines: sheet.outlines.length,
    amounts: sheet.looseTexts.length,
  };
}
