import { REASONS } from '../../contract/reasons.ts';
import type { GridItem, Item, LineItem, TextItem } from '../../model/frame.ts';
import type { PrintedCode } from '../box/printed-code.ts';
import { isStaticText } from '../scope.ts';
import { type Area, areaOf, textsOf } from './beyond.ts';
import { lostCode } from './codes.ts';
import type { LooseCode, LooseText } from './loose.ts';

/**
 * A code that shares its place with a text, a line of a table or another code: nobody can read a code
 * that something is painted over, and the white ground of a code hides what it is painted over. Columns
 * of fixed widths, a position or a header may put a code there, and codes grow with their values.
 */

/** What is painted together on a page: its background, its content, its header or its footer. */
export interface Layer {
  readonly texts: readonly LooseText[];
  readonly items: readonly Item[];
  /** Codes may be painted over its texts, as over a letterhead. */
  readonly isBackground: boolean;
}

/** How far two things may overlap: glyphs have room at their sides. */
const TOUCH_PT = 0.5;

/** A code and the areas that must be free. */
class PlacedCode {
  readonly code: LooseCode;
  /** No other thing may be painted over it. Of bars, a strip in the middle is enough. */
  readonly modules: Area;
  /** All of its modules; of bars, their whole height. */
  readonly symbol: Area;
  /** It hides what it is painted over here. */
  readonly painted: Area;

  constructor({ x, y, widthPt, heightPt }: LooseText, code: LooseCode) {
    const { aroundXPt, aroundYPt } = code;
    const isBars = heightPt < TOUCH_PT;
    const place = { left: x, right: x + widthPt, top: y, bottom: y + heightPt };
    this.code = code;
    this.modules = isBars ? grown(place, 0, TOUCH_PT) : place;
    this.symbol = isBars ? grown(place, 0, aroundYPt) : place;
    const isPainted = code.of.node.background !== null;
    this.painted = isPainted ? grown(place, aroundXPt, aroundYPt) : this.symbol;
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

/** Throws `LostTextFault` for the first code of a page that shares its place; lowest layer first. */
export function demandCodesClear(layers: readonly Layer[]): void {
  const placed: PlacedCode[] = [];
  for (const { texts } of layers) {
    for (const text of texts) {
      const { code } = text;
      if (code !== null && !code.isTurned) placed.push(new PlacedCode(text, code));
    }
  }
  for (const [index, upper] of placed.entries()) {
    for (const lower of placed.slice(0, index)) {
      if (overlap(upper.painted, lower.modules) || overlap(upper.modules, lower.symbol)) {
        const { of } = isStatic(upper.code.of) ? lower.code : upper.code;
        throw lostCode(of, REASONS.codeCovered);
      }
    }
    if (sharesPlace(upper, layers)) throw lostCode(upper.code.of, REASONS.codeCovered);
  }
}

/** Whether a code is painted over a text, or a text or line over it. */
function sharesPlace(placed: PlacedCode, layers: readonly Layer[]): boolean {
  const own = layers.findIndex(({ items }) => items.includes(placed.code.item));
  for (const [index, { items, isBackground }] of layers.entries()) {
    const mayHide = isBackground && index < own;
    let isAbove = index > own;
    for (const item of items) {
      if (item === placed.code.item) isAbove = true;
      if (!isAbove && mayHide) continue;
      if (isAbove && item.kind === 'line' && placed.isSpoiledBy(areaOfLine(item))) return true;
      if (item.kind === 'text' && isShared(placed, item, isAbove)) return true;
      if (item.kind !== 'grid') continue;
      const { top, bottom } = placed.painted;
      for (const text of textsOf(item, top, bottom + largestPt(item))) {
        if (isShared(placed, text, isAbove)) return true;
      }
    }
  }
  return false;
}

function isShared(placed: PlacedCode, text: TextItem, isAbove: boolean): boolean {
  const { painted } = placed;
  // Most texts are far from it.
  if (text.y < painted.top || text.y - text.style.sizePt > painted.bottom) return false;
  return isAbove
    ? text.style.opacity >= FAINT_OPACITY && placed.isSpoiledBy(areaOf(text))
    : !isFaint(text) && overlap(areaOf(text), painted);
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
