import type { PageSetup } from '../../model/nodes.ts';
import type { FillItem, Item, LinkTarget, TextItem } from '../../model/frame.ts';
import type { StructElement } from '../../model/structure.ts';
import type { LooseText } from '../amounts/loose.ts';
import { copyItem, moveItem } from './move.ts';

/** A link that may still move with its block. */
export interface LinkMark {
  x: number;
  y: number;
  readonly widthPt: number;
  readonly heightPt: number;
  readonly target: LinkTarget;
  readonly element?: StructElement | null;
}

/** A named position that links and page references refer to. */
export interface PlaceMark {
  readonly id: string;
  x: number;
  y: number;
}

export interface OutlineMark {
  readonly level: number;
  readonly title: string;
  readonly expanded: boolean;
  y: number;
}

/** A page number that is known only after layout; its shape is added to `shapes` then. */
export interface ReferenceMark {
  readonly id: string;
  readonly item: TextItem;
  /** The list of shapes in `item`, empty until then. */
  readonly shapes: TextItem['shapes'][number][];
  /** Width reserved for the number, and its alignment in it. */
  readonly widthPt: number;
  readonly alignment: 'left' | 'center' | 'right';
}

/**
 * A page while it is filled, or a block that will be moved onto one. Fills are painted under
 * everything else, later ones under earlier ones: an outer table is filled after its inner table.
 */
export class Sheet {
  readonly setup: PageSetup;
  readonly widthPt: number;
  readonly heightPt: number;
  readonly fills: FillItem[] = [];
  readonly items: Item[] = [];
  readonly links: LinkMark[] = [];
  readonly places: PlaceMark[] = [];
  readonly outlines: OutlineMark[] = [];
  readonly references: ReferenceMark[] = [];
  /** Amounts, lines and codes that the edges of the page may cut or that may share their places. */
  readonly looseTexts: LooseText[] = [];
  /** Where the content ends, for a page whose height follows its content. */
  contentEndY = 0;
  /** Number of lines, pictures and phrase rows placed. */
  leafCount = 0;

  constructor(setup: PageSetup, widthPt: number, heightPt: number) {
    this.setup = setup;
    this.widthPt = widthPt;
    this.heightPt = heightPt;
  }

  get isEmpty(): boolean {
    return this.items.length === 0 && this.fills.length === 0;
  }

  /** Moves everything of `block` here, shifted by (dx, dy); `block` must not be used afterwards. */
  take(block: Sheet, dx: number, dy: number): void {
    for (const fill of block.fills) {
      moveItem(fill, dx, dy);
      this.fills.push(fill);
    }
    for (const item of block.items) {
      moveItem(item, dx, dy);
      this.items.push(item);
    }
    for (const mark of block.links) {
      mark.x += dx;
      mark.y += dy;
      this.links.push(mark);
    }
    for (const mark of block.places) {
      mark.x += dx;
      mark.y += dy;
      this.places.push(mark);
    }
    for (const mark of block.outlines) {
      mark.y += dy;
      this.outlines.push(mark);
    }
    for (const mark of block.references) this.references.push(mark);
    for (const amount of block.looseTexts) {
      amount.x += dx;
      amount.y += dy;
      this.looseTexts.push(amount);
    }
    this.leafCount += block.leafCount;
  }
}

/** Header rows that a table repeats on each page, relative to their top left corner. */
export class Repeatable {
  readonly fills: readonly FillItem[];
  readonly items: readonly Item[];
  readonly links: readonly LinkMark[];
  /** The codes in it, each with the index of its item. */
  readonly #codes: readonly { readonly at: number; readonly text: LooseText }[];
  readonly heightPt: number;
  /** Left edge on the page. */
  readonly x: number;
  /** Pages that show it already, so that another column that enters the page does not draw it. */
  readonly pages = new Set<number>();
  readonly #isTagged: boolean;

  constructor(block: Sheet, x: number, heightPt: number) {
    this.fills = block.fills.map((fill) => copyItem(fill, 0, 0) as FillItem);
    // It is tagged on one page; its repetitions on other pages are artifacts.
    const painted = block.items.filter(({ kind }) => kind !== 'tag');
    this.items = painted.map((item) => copyItem(item, 0, 0));
    this.links = block.links.map((mark) => ({ ...mark, element: null }));
    this.#codes = block.looseTexts.flatMap((text) => {
      const at = text.code === null ? -1 : painted.indexOf(text.code.item);
      return at < 0 ? [] : [{ at, text: { ...text } }];
    });
    this.#isTagged = painted.length < block.items.length;
    this.x = x;
    this.heightPt = heightPt;
  }

  /** Draws a copy with its corner at (x, y). */
  drawOn(sheet: Sheet, x: number, y: number): void {
    for (const fill of this.fills) sheet.fills.push(copyItem(fill, x, y) as FillItem);
    if (this.#isTagged) sheet.items.push({ kind: 'tag', element: null, order: 0, area: null });
    const first = sheet.items.length;
    for (const item of this.items) sheet.items.push(copyItem(item, x, y));
    for (const { at, text } of this.#codes) {
      const item = sheet.items[first + at];
      if (text.code === null || item === undefined) continue;
      const code = { ...text.code, item };
      sheet.looseTexts.push({ ...text, x: text.x + x, y: text.y + y, code });
    }
    for (const mark of this.links) sheet.links.push({ ...mark, x: mark.x + x, y: mark.y + y });
  }
}
