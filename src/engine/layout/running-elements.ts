import { LIMITS } from '../../limits.ts';
import type { FieldValues } from '../contract/types.ts';
import type { CompiledTemplate, RunningElement, Node, PageSetup } from '../model/nodes.ts';
import type { GraphicBox } from './box/blocks.ts';
import type { Plan } from './box/plan.ts';
import type { Plans } from './box/plans.ts';
import type { AmountPolicy, OverfullElement } from './amounts/amounts.ts';
import { lostCode } from './amounts/codes.ts';
import { demandCodesClear, type Layer, mayDrawCodes } from './amounts/covered.ts';
import { LostTextFault, shortestValues } from './amounts/lost.ts';
import type { LooseText } from './amounts/loose.ts';
import { demandReadable, noteBeyond } from './amounts/beyond.ts';
import { demandOnPaper } from './amounts/paper.ts';
import { LayoutFault } from './layout-fault.ts';
import type { Item, OverlayPart, OverlayRequest, PageSize } from '../model/frame.ts';
import { Flow } from './place/flow.ts';
import { placeBox } from './place/node.ts';
import { Region } from './place/region.ts';
import type { Sheet } from './place/sheet.ts';
import { DataScope } from './scope.ts';

/** In a document of so many pages, headers and footers may hold whatever they like. */
const UNWEIGHED_PAGES_MAX = 20;

interface DrawnElement {
  readonly items: OverlayPart['items'];
  readonly links: OverlayPart['links'];
  /** Where its text ends, below its top. */
  readonly textEndPt: number;
  /** The code that ends there; null: a text does. */
  readonly codeAtEnd: GraphicBox | null;
  readonly looseTexts: readonly LooseText[];
}

/** A page as running elements see it. */
interface PageInDocument {
  readonly setup: PageSetup;
  readonly pageIndex: number;
  readonly pageCount: number;
  readonly widthPt: number;
  readonly heightPt: number;
}

/** A header or footer of a page. */
interface PlacedElement {
  readonly role: OverlayPart['role'];
  readonly node: Node;
  /** Below the top of the page. */
  readonly top: number;
}

/** The place of an element on its page. */
interface ElementRoom {
  /** Below the top of the page. */
  readonly top: number;
  readonly roomPt: number;
  /** Its drawing with the shortest values, if it is longer than its room; else itself. */
  readonly least: DrawnElement;
}

/** A drawing and the page that it is for. */
interface Drawing {
  readonly page: PageInDocument;
  readonly top: number;
  readonly drawn: DrawnElement;
}

/** The drawings of a running element that differ by the size of the page only. */
class DrawnBySize {
  /** By page size and position. */
  readonly #drawings = new Map<string, DrawnElement>();
  /** Most pages are as large as the one before: they need no key. */
  #last: Drawing | null = null;

  get size(): number {
    return this.#drawings.size;
  }

  find(page: PageInDocument, top: number): DrawnElement | undefined {
    const last = this.#last;
    if (last !== null && last.top === top && isSameSize(last.page, page)) return last.drawn;
    const drawn = this.#drawings.get(keyOf(page, top));
    if (drawn !== undefined) this.#last = { page, top, drawn };
    return drawn;
  }

  add(page: PageInDocument, top: number, drawn: DrawnElement): void {
    this.#drawings.set(keyOf(page, top), drawn);
    this.#last = { page, top, drawn };
  }
}

function isSameSize(one: PageInDocument, other: PageInDocument): boolean {
  return one.widthPt === other.widthPt && one.heightPt === other.heightPt;
}

function keyOf({ widthPt, heightPt }: PageInDocument, top: number): string {
  return `${widthPt} ${heightPt} ${top}`;
}

/** Drawings of running elements without bindings, shared by all documents of a template. */
const drawnForAll = new WeakMap<Plan, DrawnBySize>();
/**
 * Page sizes of which a drawing is shared; documents draw further ones for themselves. A page may be
 * as high as its content, so that a template can have any number of sizes.
 */
const SHARED_SIZES_MAX = 64;

/** Draws header, footer and background of a document's pages. */
export class RunningElements {
  readonly #template: CompiledTemplate;
  readonly #plans: Plans;
  readonly #scope: DataScope;
  readonly #sheets: readonly Sheet[];
  /** Drawings of running elements with bindings, for this document. */
  readonly #drawn = new Map<Plan, DrawnBySize>();
  /** Drawings of running elements with page numbers, by the index of the page. */
  readonly #numbered = new Map<Plan, (Drawing | undefined)[]>();

  constructor(
    template: CompiledTemplate,
    plans: Plans,
    values: FieldValues,
    sheets: readonly Sheet[],
  ) {
    this.#template = template;
    this.#plans = plans;
    this.#scope = new DataScope(values);
    this.#sheets = sheets;
  }

  get amounts(): AmountPolicy {
    return this.#plans.amounts;
  }

  /**
   * Throws `LayoutFault` if headers, footers and backgrounds that are drawn again for each page
   * hold too much for the number of pages.
   */
  demandBounded(attachedPages: number): void {
    const own = this.#sheets.length;
    if (own + attachedPages <= UNWEIGHED_PAGES_MAX) return;
    const weights = new Map<Node, number>();
    let weight = 0;
    for (let index = 0; index < own + attachedPages; index++) {
      const isOwn = index < own;
      const setup = this.#setupOf(isOwn ? index : own - 1);
      if (setup === null) continue;
      const elements = isOwn
        ? [setup.header, setup.footer, setup.background]
        : [setup.header, setup.footer];
      for (const element of elements) {
        const node = nodeOnPage(element, index, own + attachedPages);
        // Elements that are the same on all own pages are drawn once for them.
        if (node === null || (isOwn && !this.#plans.isNumbered(node))) continue;
        const known = weights.get(node) ?? this.#weigh(node, setup);
        weights.set(node, known);
        weight += known;
        if (weight > LIMITS.runningElementsWeightMax) {
          const message = 'it holds too much to be drawn again on each of so many pages';
          throw new LayoutFault(this.#plans.of(node).node.path, message);
        }
      }
    }
  }

  #weigh(node: Node, setup: PageSetup): number {
    const { widthPt, heightPt } = setup;
    const drawn = this.#draw(node, { setup, pageIndex: 0, pageCount: 1, widthPt, heightPt }, 0);
    return drawn.items.reduce((sum, item) => sum + weightOf(item), 0);
  }

  /** Header and footer of one page of the merged document. */
  overlay(request: OverlayRequest): readonly OverlayPart[] {
    const { attached, pageIndex, pageCount, widthPt, heightPt } = request;
    const setup = this.#setupOf(attached ? this.#sheets.length - 1 : pageIndex);
    if (setup === null) return [];
    const page: PageInDocument = { setup, pageIndex, pageCount, widthPt, heightPt };
    return this.#elementsOn(page, attached).map(({ role, node, top }) =>
      this.#part(role, node, page, top),
    );
  }

  /** The header and footer of a page, each with its distance from the top of the page. */
  #elementsOn(
    { setup, pageIndex, pageCount, heightPt }: PageInDocument,
    isAttached: boolean,
  ): readonly PlacedElement[] {
    const { attachedPages } = this.#template;
    const placed: PlacedElement[] = [];
    if (!isAttached || attachedPages.header) {
      const node = nodeOnPage(setup.header, pageIndex, pageCount);
      if (node !== null) placed.push({ role: 'header', node, top: 0 });
    }
    if (!isAttached || attachedPages.footer) {
      const node = nodeOnPage(setup.footer, pageIndex, pageCount);
      if (node !== null) placed.push({ role: 'footer', node, top: heightPt - setup.margins[3] });
    }
    return placed;
  }

  /** The background of one of the document's own pages, or null. */
  background(pageIndex: number, widthPt: number, heightPt: number): DrawnElement | null {
    const setup = this.#setupOf(pageIndex);
    const pageCount = this.#sheets.length;
    const node = nodeOnPage(setup?.background ?? null, pageIndex, pageCount);
    if (setup === null || node === null) return null;
    const page = { setup, pageIndex, pageCount, widthPt, heightPt };
    const drawn = this.#draw(node, page, 0);
    // A large text of a background may begin or end beyond the paper.
    const amounts = drawn.looseTexts.filter(({ line }) => line === null);
    const least = this.#leastOf(node, page, drawn, 0, heightPt);
    const room = { top: 0, roomPt: heightPt, least };
    this.#demandRoom(node, page, { ...drawn, looseTexts: amounts }, room);
    return drawn;
  }

  /** The layers of one of the document's own pages, the lowest first. */
  #layersOf(page: PageInDocument): readonly Layer[] {
    const { setup, pageIndex, widthPt, heightPt } = page;
    const sheet = this.#sheets[pageIndex];
    const background = nodeOnPage(setup.background, pageIndex, this.#sheets.length);
    const layers: Layer[] = [];
    if (background !== null) {
      const own = { setup, pageIndex, pageCount: this.#sheets.length, widthPt, heightPt };
      const { looseTexts: texts, items } = this.#draw(background, own, 0);
      layers.push({ texts, items, isBackground: true });
    }
    if (sheet !== undefined) {
      const { looseTexts: texts, items } = sheet;
      layers.push({ texts, items, isBackground: false });
    }
    for (const { node, top } of this.#elementsOn(page, false)) {
      const { looseTexts: texts, items } = this.#draw(node, page, top);
      layers.push({ texts, items, isBackground: false });
    }
    return layers;
  }

  /** Draws headers and footers of the document's own pages, so that faults of values show now. */
  demandFitting(pages: readonly PageSize[], attached: readonly PageSize[]): void {
    const pageCount = pages.length + attached.length;
    for (const [pageIndex, { widthPt, heightPt }] of pages.entries()) {
      const setup = this.#setupOf(pageIndex);
      if (setup === null) continue;
      const page = { setup, pageIndex, pageCount, widthPt, heightPt };
      const [, above, , below] = setup.margins;
      const header = nodeOnPage(setup.header, pageIndex, pageCount);
      if (header !== null) this.#demandMargin('header', header, page, 0, above);
      const footer = nodeOnPage(setup.footer, pageIndex, pageCount);
      if (footer !== null) this.#demandMargin('footer', footer, page, heightPt - below, below);
      if (mayDrawCodes(this.#template)) demandCodesClear(this.#layersOf(page));
    }
    if (attached.length > 0) this.#demandOnAttached(attached, pages.length, pageCount);
  }

  /**
   * The same for the attached pages. Their content ends where their own templates say, so only the
   * paper bounds what is drawn over it.
   */
  #demandOnAttached(attached: readonly PageSize[], first: number, pageCount: number): void {
    const setup = this.#setupOf(first - 1);
    if (setup === null) return;
    for (const [index, { widthPt, heightPt }] of attached.entries()) {
      const page = { setup, pageIndex: first + index, pageCount, widthPt, heightPt };
      for (const { node, top } of this.#elementsOn(page, true)) {
        const { looseTexts, items } = this.#draw(node, page, top);
        demandOnPaper(looseTexts, widthPt, heightPt);
        demandReadable(looseTexts, items);
      }
    }
  }

  #setupOf(pageIndex: number): PageSetup | null {
    return this.#sheets[pageIndex]?.setup ?? null;
  }

  #part(role: OverlayPart['role'], node: Node, page: PageInDocument, top: number): OverlayPart {
    const { items, links } = this.#draw(node, page, top);
    return { role, numbered: this.#plans.isNumbered(node), items, links };
  }

  /** The same for a header or footer; notes it where its text ends beyond its margin all the same. */
  #demandMargin(
    role: OverfullElement['role'],
    node: Node,
    page: PageInDocument,
    top: number,
    roomPt: number,
  ): void {
    const drawn = this.#draw(node, page, top);
    const { textEndPt } = drawn;
    const least = this.#leastOf(node, page, drawn, top, roomPt);
    const leastEndPt = least.textEndPt;
    // Before the demand: a check tells by it whether the values are to blame.
    if (textEndPt > roomPt) this.#noteOverfull(node, { role, textEndPt, leastEndPt, roomPt });
    this.#demandRoom(node, page, drawn, { top, roomPt, least });
  }

  #noteOverfull(node: Node, element: OverfullElement): void {
    const { path } = this.#plans.of(node).node;
    const known = this.#plans.amounts.overfull.get(path);
    if (known !== undefined && known.textEndPt >= element.textEndPt) return;
    this.#plans.amounts.overfull.set(path, element);
  }

  /**
   * Throws a fault if values, or amounts among them, have no room in an element: if they make it
   * longer than its room. An element that has no room even with short values is as high as its
   * template wants; it must not leave the paper.
   */
  #demandRoom(
    node: Node,
    page: PageInDocument,
    drawn: DrawnElement,
    { top, roomPt, least }: ElementRoom,
  ): void {
    const { textEndPt, looseTexts, items } = drawn;
    if (textEndPt > roomPt && textEndPt > least.textEndPt) {
      const leavesPaper = textEndPt > page.heightPt - top;
      if (least.textEndPt <= roomPt || leavesPaper) throw tooHigh(node, drawn, least);
    }
    if (looseTexts.length === 0) return;
    noteBeyond(looseTexts, this.#plans.amounts);
    demandOnPaper(looseTexts, page.widthPt, page.heightPt);
    demandReadable(looseTexts, items);
  }

  /** The drawing of an element that is longer than its room with the shortest values. */
  #leastOf(
    node: Node,
    page: PageInDocument,
    drawn: DrawnElement,
    top: number,
    roomPt: number,
  ): DrawnElement {
    const plan = this.#plans.of(node);
    const isStatic = plan.isStatic && node.conditions.length === 0;
    if (drawn.textEndPt <= roomPt || isStatic) return drawn;
    const scope = new DataScope(shortestValues(node, this.#scope.values));
    scope.page = this.#scope.page;
    scope.pages = this.#scope.pages;
    return drawAt(plan, scope, page, top);
  }

  /** Draws a running element `top` below the top of a page, or takes an earlier drawing of it. */
  #draw(node: Node, page: PageInDocument, top: number): DrawnElement {
    const plan = this.#plans.of(node);
    if (this.#plans.isNumbered(node)) return this.#drawNumbered(plan, page, top);
    const isStatic = plan.isStatic && node.conditions.length === 0;
    const shared = isStatic ? drawingsOf(drawnForAll, plan) : null;
    const known = shared?.find(page, top);
    if (known !== undefined) return known;
    const isShared = shared !== null && shared.size < SHARED_SIZES_MAX;
    const drawings = isShared ? shared : drawingsOf(this.#drawn, plan);
    let drawn = drawings.find(page, top);
    if (drawn === undefined) {
      drawn = drawAt(plan, this.#scope, page, top);
      drawings.add(page, top, drawn);
    }
    return drawn;
  }

  #drawNumbered(plan: Plan, page: PageInDocument, top: number): DrawnElement {
    const { pageIndex, pageCount } = page;
    const scope = this.#scope;
    scope.page = String(pageIndex + 1);
    scope.pages = String(pageCount);
    let drawings = this.#numbered.get(plan);
    if (drawings === undefined) {
      drawings = [];
      this.#numbered.set(plan, drawings);
    }
    const known = drawings[pageIndex];
    const isSame =
      known !== undefined &&
      known.top === top &&
      known.page.pageCount === pageCount &&
      isSameSize(known.page, page);
    if (isSame) return known.drawn;
    const drawn = drawAt(plan, scope, page, top);
    drawings[pageIndex] = { page, top, drawn };
    return drawn;
  }
}

/** The fault of an element that values make too high: of a code at its end that grew, or of its texts. */
function tooHigh(node: Node, { codeAtEnd }: DrawnElement, least: DrawnElement): LostTextFault {
  const code = codeAtEnd?.code ?? null;
  const leastPt = least.codeAtEnd?.heightPt ?? 0;
  if (code === null || codeAtEnd === null || codeAtEnd.heightPt <= leastPt) {
    return new LostTextFault(node, null);
  }
  return lostCode(code);
}

function drawingsOf(
  cache: Map<Plan, DrawnBySize> | WeakMap<Plan, DrawnBySize>,
  plan: Plan,
): DrawnBySize {
  let drawings = cache.get(plan);
  if (drawings === undefined) {
    drawings = new DrawnBySize();
    cache.set(plan, drawings);
  }
  return drawings;
}

/** About how much an item adds to the work of a page: roughly its characters or path commands. */
function weightOf(item: Item): number {
  switch (item.kind) {
    case 'text':
      return item.shapes.reduce((sum, { text }) => sum + text.length, 1);
    case 'grid':
      return item.texts.length;
    case 'group':
      return item.items.reduce((sum, inner) => sum + weightOf(inner), 1);
    case 'path':
      return item.path.length;
    case 'line':
    case 'fill':
    case 'image':
    case 'qr':
    case 'tag':
      return 1;
  }
}

/** The node for a page by its position in the document; a single page counts as the first. */
function nodeOnPage(
  element: RunningElement | null,
  pageIndex: number,
  pageCount: number,
): Node | null {
  if (element === null) return null;
  if (pageIndex === 0) return element.first;
  return pageIndex === pageCount - 1 ? element.last : element.rest;
}

/** Places a node in a strip as wide as the page, `top` below the top of the page. */
function drawAt(
  plan: Plan,
  scope: DataScope,
  { setup, widthPt }: PageInDocument,
  top: number,
): DrawnElement {
  const { conditions } = plan.node;
  if (conditions.length > 0 && !scope.holds(conditions)) return NOTHING;
  const region = Region.block(setup, widthPt);
  const flow = new Flow(region, NO_IDS, null);
  flow.beginStrip(top);
  placeBox(flow, plan.box(scope));
  const drawn = flow.endStrip();
  const { textEndY: textEndPt, codeAtEnd } = flow;
  return { ...drawn, textEndPt, codeAtEnd, looseTexts: region.sheet.looseTexts };
}

const NOTHING: DrawnElement = {
  items: [],
  links: [],
  textEndPt: 0,
  codeAtEnd: null,
  looseTexts: [],
};
const NO_IDS = new Map<never, never>();
