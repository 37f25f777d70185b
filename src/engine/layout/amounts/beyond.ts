import { type GridItem, type Item, TextItem } from '../../model/frame.ts';
import type { Shape } from '../../font/font.ts';
import type { TextStyle } from '../../model/style.ts';
import type { AmountPolicy } from './amounts.ts';
import type { LooseText } from './loose.ts';
import { lostText } from './lost.ts';

/**
 * A line without line ends (`noWrap`), and columns of fixed widths, may reach beyond their place. A
 * value that is printed over another text there can be read no more than that text.
 */

/** How far two texts may overlap: glyphs have room at their sides. */
const TOUCH_PT = 0.5;
/** How far a letter reaches above its baseline, in shares of its size. */
const LETTER_RISE = 0.6;

export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface TextArea extends Area {
  readonly item: Item;
}

/** Throws `LostTextFault` for the first value that is printed over another of the texts. */
export function demandReadable(texts: readonly LooseText[], items: readonly Item[]): void {
  let bands: Bands | null = null;
  for (const { x, y, widthPt, heightPt, line } of texts) {
    if (line === null || !line.isValue || line.beforePt + line.afterPt === 0) continue;
    bands ??= new Bands(items);
    const right = x + widthPt;
    const bottom = y + heightPt;
    const before = { left: x, right: x + line.beforePt, top: y, bottom };
    const after = { left: right - line.afterPt, right, top: y, bottom };
    if (bands.cover(before, line.items) || bands.cover(after, line.items)) {
      throw lostText(line.of);
    }
  }
}

/** Notes the lines that reach beyond their places, for findings of samples. */
export function noteBeyond(texts: readonly LooseText[], { beyond }: AmountPolicy): void {
  for (const { path, line } of texts) {
    if (line === null) continue;
    const widthPt = Math.max(line.beforePt, line.afterPt);
    if (widthPt > 0 && widthPt > (beyond.get(path) ?? 0)) beyond.set(path, widthPt);
  }
}

const BAND_PT = 32;

/** The texts of a page by bands of its height, so that few are compared. */
class Bands {
  readonly #bands = new Map<number, TextArea[]>();

  constructor(items: readonly Item[]) {
    for (const item of items) {
      if (item.kind === 'text') this.#add(areaOf(item));
      if (item.kind !== 'grid') continue;
      for (const text of textsOf(item)) this.#add({ ...areaOf(text), item });
    }
  }

  #add(area: TextArea): void {
    if (area.right <= area.left) return;
    for (let band = bandOf(area.top); band <= bandOf(area.bottom); band++) {
      const known = this.#bands.get(band);
      if (known === undefined) this.#bands.set(band, [area]);
      else known.push(area);
    }
  }

  /** Whether a text that is not one of `own` lies in an area. */
  cover({ left, right, top, bottom }: Area, own: readonly Item[]): boolean {
    if (right - left <= TOUCH_PT) return false;
    for (let band = bandOf(top); band <= bandOf(bottom); band++) {
      for (const area of this.#bands.get(band) ?? []) {
        const isBeside =
          Math.min(area.right, right) - Math.max(area.left, left) > TOUCH_PT &&
          Math.min(area.bottom, bottom) - Math.max(area.top, top) > TOUCH_PT;
        if (isBeside && !own.includes(area.item)) return true;
      }
    }
    return false;
  }
}

function bandOf(y: number): number {
  return Math.floor(y / BAND_PT);
}

/** The texts of a grid whose baselines are wanted. */
export function* textsOf(
  item: GridItem,
  isWanted: (y: number) => boolean = () => true,
): Generator<TextItem> {
  const columns = item.styles.length;
  for (let row = 0; row < item.tops.length; row++) {
    for (const [column, style] of item.styles.entries()) {
      const y = item.y + (item.tops[row] ?? 0) + (item.baselines[column] ?? 0);
      if (!isWanted(y)) continue;
      const at = item.first + row * columns + column;
      const cell = item.texts[at] ?? '';
      const single = typeof cell === 'string' ? style.stack.shape(cell) : cell;
      const shapes = 'text' in single ? [single] : single;
      yield new TextItem(style, item.x + (item.xs[at] ?? 0), y, shapes, null);
    }
  }
}

/** The letters of a text without the spaces at its end. */
export function areaOf(item: TextItem): TextArea {
  const { style, x, y, shapes, gaps } = item;
  const { sizePt, stack, characterSpacingPt } = style;
  let width = 0;
  for (const shape of shapes) width += advanceOf(shape, style);
  for (const gap of gaps?.slice(0, -1) ?? []) width += gap;
  const last = shapes.at(-1)?.text ?? '';
  const spaces = last.length - last.trimEnd().length;
  if (spaces > 0) width -= advanceOf(stack.shape(last.slice(-spaces)), style);
  const right = x + Math.max(0, width - characterSpacingPt);
  return { left: x, right, top: y - sizePt * LETTER_RISE, bottom: y, item };
}

function advanceOf({ widthEm, clusterCount }: Shape, style: TextStyle): number {
  return widthEm * style.sizePt + clusterCount * style.characterSpacingPt;
}

/** Characters that paint nothing, in runs. */
const BLANKS = /([\s\u200b-\u200f\u2060]+)/;
/** Letters that are painted from right to left: where the blanks of such a shape are is not known. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** The parts of a text that are painted: its words. Spaces that indent it or stand in it are none. */
export function lettersOf(item: TextItem): readonly Area[] {
  const { style, shapes, gaps } = item;
  const { top, bottom } = areaOf(item);
  const words: Area[] = [];
  let left = item.x;
  for (const [index, shape] of shapes.entries()) {
    const isWhole = RIGHT_TO_LEFT.test(shape.text);
    for (const part of isWhole ? [shape.text] : shape.text.split(BLANKS)) {
      if (part === '') continue;
      const right = left + advanceOf(part === shape.text ? shape : style.stack.shape(part), style);
      if (part.replace(BLANKS, '') !== '') words.push({ left, right, top, bottom });
      left = right;
    }
    left += gaps?.[index] ?? 0;
  }
  return words;
}
