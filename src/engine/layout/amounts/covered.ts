import { REASONS } from '../../contract/reasons.ts';
import type { GridItem, Item, LineItem, TextItem } from '../../model/frame.ts';
import type { PrintedCode } from '../box/printed-code.ts';
import { type CompiledTemplate, childrenOf, type Node } from '../../model/nodes.ts';
import { isStaticText } from '../scope.ts';
import { type Area, areaOf, lettersOf, textsOf } from './beyond.ts';
import { lostCode } from './codes.ts';
import type { LooseCode, LooseText } from './loose.ts';

/**
 * A code that shares its place with a text, a line of a table or another code: nobody can read a code
 * that something is painted over, and the white ground of a code hides what it is painted over. Columns
 * of fixed widths, a position or a header may put a code there, and codes grow with their values.
 */

/** A part of a page that is painted at once: background, content, header or footer. */
export interface Layer {
  readonly texts: readonly LooseText[];
  readonly items: readonly Item[];
  /** Codes may be painted over its texts, as over a letterhead. */
  readonly isBackground: boolean;
}

/** How far two things may overlap: glyphs have room at their sides. */
const TOUCH_PT = 0.5;

/** When something is painted. */
interface Order {
  /** Among the codes of the page. */
  readonly number: number;
  readonly layer: number;
  /** Among the items of its layer. */
  readonly order: number;
}

/** A code and the areas that must be free. */
class PlacedCode {
  readonly code: LooseCode;
  readonly at: Order;
  /** No other thing may be painted over it. Of bars, a strip in the middle is enough. */
  readonly modules: Area;
  /** All of its modules; of bars, their whole height. */
  readonly symbol: Area;
  /** It hides what it is painted over here. */
  readonly painted: Area;

  constructor({ x, y, widthPt, heightPt }: LooseText, code: LooseCode, at: Order) {
    const { aroundXPt, aroundYPt } = code;
    const isBars = heightPt < TOUCH_PT;
    const place = { left: x, right: x + widthPt, top: y, bottom: y + heightPt };
    this.code = code;
    this.at = at;
    this.modules = isBars ? grown(place, 0, TOUCH_PT) : place;
    this.symbol = isBars ? grown(place, 0, aroundYPt) : place;
    const isPainted = code.of.node.background !== null;
    this.painted = isPainted ? grown(place, aroundXPt, aroundYPt) : this.symbol;
  }

  get number(): number {
    return this.at.number;
  }

  /** Whether an item is painted after it. */
  isBelow(layer: number, order: number): boolean {
    return layer > this.at.layer || (layer === this.at.layer && order > this.at.order);
  }

  /**
   * Whether a text or line that is painted over it makes it unreadable. One in the middle of a QR code
   * does not: templates put a label there and choose an `eccLevel` that allows for it.
   */
  isSpoiledBy(area: Area): boolean {
    const { modules, code } = this;
    if (!overlap(area, modules)) return false;
    if (!isQr(code.of)) return true;
    const quarterPt = (modules.right - modules.left) / 4;
    return (
      area.left < modules.left + quarterPt ||
      area.right > modules.right - quarterPt ||
      area.top < modules.top + quarterPt ||
      area.bottom > modules.bottom - quarterPt
    );
  }
}

const drawingCodes = new WeakMap<CompiledTemplate, boolean>();

/** Whether any node of a template is a code: most templates have none. */
export function mayDrawCodes(template: CompiledTemplate): boolean {
  const known = drawingCodes.get(template);
  if (known !== undefined) return known;
  const found = template.sections.some(({ content, setup }) => {
    const elements = [setup.header, setup.footer, setup.background];
    const running = elements.flatMap((element) =>
      element === null ? [] : [element.first, element.rest, element.last],
    );
    return [content, ...running].some((node) => node !== null && hasCode(node));
  });
  drawingCodes.set(template, found);
  return found;
}

function hasCode(node: Node): boolean {
  return node.kind === 'qr' || node.kind === 'barcode' || childrenOf(node).some(hasCode);
}

/** Throws `LostTextFault` for the first code of a page that shares its place; lowest layer first. */
export function demandCodesClear(layers: readonly Layer[]): void {
  const placed = placedCodes(layers);
  if (placed.length === 0) return;
  const bands = new CodeBands(placed);
  const pair = firstPair(placed, bands);
  const shared = firstShared(layers, bands);
  if (pair !== null && (shared === null || pair.upper.number <= shared.number)) {
    const { upper, lower } = pair;
    throw lostCode((isStatic(upper.code.of) ? lower : upper).code.of, REASONS.codeCovered);
  }
  if (shared !== null) throw lostCode(shared.code.of, REASONS.codeCovered);
}

/** Above so many codes of a layer, their items are looked up instead of searched. */
const SEARCHED_MAX = 8;

function placedCodes(layers: readonly Layer[]): PlacedCode[] {
  const placed: PlacedCode[] = [];
  for (const [layer, { texts, items }] of layers.entries()) {
    const codes = texts.filter(({ code }) => code !== null && !code.isTurned);
    const orderOf =
      codes.length > SEARCHED_MAX ? new Map(items.map((item, order) => [item, order])) : null;
    for (const text of codes) {
      const { code } = text;
      if (code === null) continue;
      const order = orderOf === null ? items.indexOf(code.item) : (orderOf.get(code.item) ?? -1);
      placed.push(new PlacedCode(text, code, { number: placed.length, layer, order }));
    }
  }
  return placed;
}

const BAND_PT = 32;

/** The codes of a page by bands of its height: most texts are far from most codes. */
class CodeBands {
  readonly #bands = new Map<number, PlacedCode[]>();
  #top = Number.POSITIVE_INFINITY;
  #bottom = Number.NEGATIVE_INFINITY;

  constructor(placed: readonly PlacedCode[]) {
    for (const code of placed) {
      const { top, bottom } = code.painted;
      this.#top = Math.min(this.#top, top - TOUCH_PT);
      this.#bottom = Math.max(this.#bottom, bottom + TOUCH_PT);
      for (let band = bandOf(top - TOUCH_PT); band <= bandOf(bottom + TOUCH_PT); band++) {
        const known = this.#bands.get(band);
        if (known === undefined) this.#bands.set(band, [code]);
        else known.push(code);
      }
    }
  }

  /** Some code may lie between two heights. */
  hasNear(top: number, bottom: number): boolean {
    if (bottom < this.#top || top > this.#bottom) return false;
    for (let band = bandOf(top); band <= bandOf(bottom); band++) {
      if (this.#bands.has(band)) return true;
    }
    return false;
  }

  /** The first code that lies between two heights and of which `isHit` holds. */
  first(top: number, bottom: number, isHit: (code: PlacedCode) => boolean): PlacedCode | null {
    let first: PlacedCode | null = null;
    for (let band = bandOf(top); band <= bandOf(bottom); band++) {
      for (const code of this.#bands.get(band) ?? []) {
        if (first !== null && code.number >= first.number) break;
        if (isHit(code)) first = code;
      }
    }
    return first;
  }
}

function bandOf(y: number): number {
  return Math.floor(y / BAND_PT);
}

interface Pair {
  readonly upper: PlacedCode;
  readonly lower: PlacedCode;
}

/** The first code that shares its place with an earlier one. */
function firstPair(placed: readonly PlacedCode[], bands: CodeBands): Pair | null {
  for (const upper of placed) {
    const { top, bottom } = upper.painted;
    const lower = bands.first(
      top,
      bottom,
      (code) =>
        code.number < upper.number &&
        (overlap(upper.painted, code.modules) || overlap(upper.modules, code.symbol)),
    );
    if (lower !== null) return { upper, lower };
  }
  return null;
}

/** The first code that is painted over a text, or a text or line over it. */
function firstShared(layers: readonly Layer[], bands: CodeBands): PlacedCode | null {
  let first: PlacedCode | null = null;
  const note = (code: PlacedCode | null): void => {
    if (code !== null && (first === null || code.number < first.number)) first = code;
  };
  for (const [layer, { items, isBackground }] of layers.entries()) {
    const hits = (text: TextItem, order: number): PlacedCode | null =>
      bands.first(text.y - text.style.sizePt, text.y, (code) => {
        const isAbove = code.isBelow(layer, order);
        return (
          (isAbove || !isBackground || layer >= code.at.layer) && isShared(code, text, isAbove)
        );
      });
    for (const [order, item] of items.entries()) {
      if (item.kind === 'line') {
        const area = areaOfLine(item);
        if (!bands.hasNear(area.top, area.bottom)) continue;
        note(
          bands.first(
            area.top,
            area.bottom,
            (code) => code.isBelow(layer, order) && code.isSpoiledBy(area),
          ),
        );
      } else if (item.kind === 'text') {
        if (bands.hasNear(item.y - item.style.sizePt, item.y)) note(hits(item, order));
      } else if (item.kind === 'grid') {
        const largest = largestPt(item);
        for (const text of textsOf(item, (y) => bands.hasNear(y - largest, y))) {
          note(hits(text, order));
        }
      }
    }
  }
  return first;
}

function isShared(placed: PlacedCode, text: TextItem, isAbove: boolean): boolean {
  const { painted } = placed;
  // Most texts are far from it.
  if (text.y < painted.top || text.y - text.style.sizePt > painted.bottom) return false;
  if (isAbove ? text.style.opacity < FAINT_OPACITY : isFaint(text)) return false;
  const isHit = (area: Area): boolean =>
    isAbove ? placed.isSpoiledBy(area) : overlap(area, painted);
  return isHit(areaOf(text)) && lettersOf(text).some(isHit);
}

function largestPt({ styles }: GridItem): number {
  return styles.reduce((most, { sizePt }) => Math.max(most, sizePt), 0);
}

/** A line is as thin as it likes, but one at the edge of a code does no harm. */
const LINE_PT = 0.49;

function areaOfLine({ x1, y1, x2, y2 }: LineItem): Area {
  const [left, right] = x1 < x2 ? [x1, x2] : [x2, x1];
  const [top, bottom] = y1 < y2 ? [y1, y2] : [y2, y1];
  return grown({ left, right, top, bottom }, LINE_PT, LINE_PT);
}

/** Texts that let so much through, and such light ones, are decoration: nobody misses a part. */
const FAINT_OPACITY = 0.5;
const FAINT_LIGHT = 0.6 * 3 * 255;

function isFaint({ style: { color, opacity } }: TextItem): boolean {
  const light = ((color >> 16) & 255) + ((color >> 8) & 255) + (color & 255);
  return opacity < FAINT_OPACITY || light > FAINT_LIGHT;
}

function isQr({ node }: PrintedCode): boolean {
  if (node.kind === 'qr') return true;
  return node.symbology === 'promptPay' || node.symbology === 'billPaymentQr';
}

/** Whether no value is in a code. */
function isStatic({ node }: PrintedCode): boolean {
  const texts = node.kind === 'qr' ? [node.text] : node.parts.map(({ text }) => text);
  return texts.every(isStaticText);
}

function grown({ left, right, top, bottom }: Area, acrossPt: number, downPt: number): Area {
  return {
    left: left - acrossPt,
    right: right + acrossPt,
    top: top - downPt,
    bottom: bottom + downPt,
  };
}

function overlap(one: Area, other: Area): boolean {
  return (
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > TOUCH_PT &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > TOUCH_PT
  );
}
