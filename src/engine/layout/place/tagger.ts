import type { Item, TagArea, TagItem } from '../../model/frame.ts';
import type { NodeBase } from '../../model/nodes.ts';
import type { CellPlace, PlainRows, StructType } from '../../model/structure.ts';
import { StructElement } from '../../model/structure.ts';
import type { Box } from '../box/blocks.ts';
import type { RunStyle } from '../text/run-style.ts';

/** The parent of plain rows in the structure tree, and the header scopes of their columns. */
export type PlainRowsPlace = Omit<PlainRows, 'order'>;

/**
 * Builds the structure elements during layout. An element is open while its node is placed; a mark
 * among the items of a sheet assigns the items after it to an element.
 */
export class Tagger {
  readonly #root = new StructElement('Document', null, 0);
  readonly #documentLanguage: string;
  #order = 0;
  #open: StructElement = this.#root;
  /** The box whose content is the open element itself: a cell's text needs no paragraph inside. */
  direct: Box | null = null;
  /** Nesting depth of hidden content; above 0 everything is an artifact. */
  #hidden = 0;
  /** The last inline element, and what it was made for. */
  #inlineRun: RunStyle | null = null;
  #inlineParent: StructElement | null = null;
  #inline: StructElement | null = null;

  constructor(documentLanguage: string) {
    this.#documentLanguage = documentLanguage;
  }

  get open(): StructElement {
    return this.#open;
  }

  get isHidden(): boolean {
    return this.#hidden > 0;
  }

  make(type: StructType, parent: StructElement, node: NodeBase | null = null): StructElement {
    const lang = node === null ? null : this.#ownLanguage(parent, node.lang ?? null);
    return new StructElement(type, parent, ++this.#order, lang);
  }

  figure(alt: string, node: NodeBase, parent: StructElement): StructElement {
    const lang = this.#ownLanguage(parent, node.lang ?? null);
    return new StructElement('Figure', parent, ++this.#order, lang, alt);
  }

  /** `node`: the content of the cell, or null where it has none. */
  cell(row: StructElement, cell: CellPlace, node: NodeBase | null): StructElement {
    const type = cell.scope === null ? 'TD' : 'TH';
    const lang = node === null ? null : this.#ownLanguage(row, node.lang ?? null);
    return new StructElement(type, row, ++this.#order, lang, null, cell);
  }

  /** The language that an element states because its parent has another; null: it inherits its own. */
  #ownLanguage(parent: StructElement, lang: string | null): string | null {
    const own = lang ?? this.#documentLanguage;
    for (let at: StructElement | null = parent; at !== null; at = at.parent) {
      if (at.lang !== null) return at.lang === own ? null : own;
    }
    return lang;
  }

  /** The tag of consecutive plain rows. */
  plainRows(place: PlainRowsPlace): PlainRows {
    return { parent: place.parent, scopes: place.scopes, order: ++this.#order };
  }

  /** Runs `place` while `element` is open. */
  within(element: StructElement, direct: Box | null, place: () => void): void {
    const { open: outer, direct: outerDirect } = this;
    this.enter(element, direct);
    place();
    this.enter(outer, outerDirect);
  }

  /** Opens an element; the caller goes back to the one around it. Hot: `within` makes a closure. */
  enter(element: StructElement, direct: Box | null): void {
    this.#open = element;
    this.direct = direct;
  }

  /** Runs `place`; everything it paints is an artifact. */
  hidden(place: () => void): void {
    this.#hidden++;
    place();
    this.#hidden--;
  }

  /**
   * Assigns the items after it to the element; null makes them artifacts. A figure has an area.
   */
  mark(items: Item[], element: StructElement | null, area: TagArea | null = null): void {
    const own = this.isHidden ? null : element;
    items.push({ kind: 'tag', element: own, order: ++this.#order, area } satisfies TagItem);
  }

  /**
   * The element of a run in a paragraph: a link, a span of another language, or the paragraph itself.
   * All lines of the run share it, and all links of an entry of a table of contents: they lead to the
   * same place and are read once.
   */
  elementOf(paragraph: StructElement, run: RunStyle): StructElement {
    const lang = this.#ownLanguage(paragraph, run.lang);
    if (run.link === null && lang === null) return paragraph;
    const isKnown = this.#inlineRun === run || paragraph.type === 'Reference';
    if (this.#inline === null || !isKnown || this.#inlineParent !== paragraph) {
      const type = run.link === null ? 'Span' : 'Link';
      this.#inline = new StructElement(type, paragraph, ++this.#order, lang);
      this.#inlineRun = run;
      this.#inlineParent = paragraph;
    }
    return this.#inline;
  }
}

const HEADINGS = ['H1', 'H2', 'H3', 'H4', 'H5', 'H6'] as const;

/** The structure type of a text node: its role if given, a heading if it is a headline. */
export function textType(node: NodeBase): StructType {
  const { role = null, headlineLevel } = node;
  if (role === 'note') return 'Note';
  if (role === 'p') return 'P';
  const level = role?.startsWith('h') === true ? Number(role.slice(1)) : headlineLevel;
  return level === null ? 'P' : (HEADINGS[level - 1] ?? 'P');
}
