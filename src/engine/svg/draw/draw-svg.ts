import type { SvgElement } from '../tree.ts';
import type { FontStack } from '../../font/font.ts';
import type { TextStyle } from '../../model/style.ts';
import type { GroupItem, Item } from '../../model/frame.ts';
import { SvgDrawing } from './draw-tree.ts';
import { readViewBox } from './matrix.ts';
import { bounded } from './number.ts';
import { RECTANGLE } from '../../model/path.ts';

export interface SvgSize {
  readonly widthPt: number;
  readonly heightPt: number;
}

/** Where the SVG goes on the page. */
export interface SvgBox extends SvgSize {
  readonly x: number;
  readonly y: number;
}

/** Size of an SVG that states none (CSS Images 3 §5.3). */
const DEFAULT_SIZE: SvgSize = { widthPt: 300, heightPt: 150 };

/**
 * The size an SVG asks for. As in pdfmake, units are dropped: `width="20mm"` is 20 pt, `100%` is 100;
 * what is missing comes from the viewBox.
 */
export function measureSvg(root: SvgElement): SvgSize {
  const viewBox = readViewBox(root);
  const widthPt = plainNumber(root.attributes.get('width')) ?? viewBox?.width;
  const heightPt = plainNumber(root.attributes.get('height')) ?? viewBox?.height;
  return {
    widthPt: widthPt ?? heightPt ?? DEFAULT_SIZE.widthPt,
    heightPt: heightPt ?? widthPt ?? DEFAULT_SIZE.heightPt,
  };
}

/** The number at the front, above 0; null for anything else. */
function plainNumber(text: string | undefined): number | null {
  const value = bounded(Number.parseFloat(text ?? ''));
  return value > 1e-3 ? value : null;
}

interface Drawn {
  readonly size: SvgSize;
  readonly textStyle: TextStyle;
  readonly stacks: readonly FontStack[];
  readonly items: readonly Item[];
}

/** Items of static SVGs, which every document draws again, at the sizes in use. */
const drawn = new WeakMap<SvgElement, Drawn[]>();
const DRAWN_PER_ROOT_MAX = 4;

/**
 * An SVG as vectors and text inside its box, clipped to it; 1 px is 1 pt at the SVG's own size.
 * Coordinates are transformed already, so that only opacity, clips and distorted strokes need
 * groups. Never fails: what it cannot draw it leaves out (blocks/svg-findings.ts reports that to
 * the author).
 *
 * `stacks` are the fonts its text may use besides the style's own: each must be among the
 * template's.
 */
export function drawSvg(
  root: SvgElement,
  box: SvgBox,
  textStyle: TextStyle,
  stacks: readonly FontStack[] = [],
): GroupItem {
  const { x, y, widthPt, heightPt } = box;
  const path = [RECTANGLE, 0, 0, widthPt, heightPt];
  return {
    kind: 'group',
    x,
    y,
    matrix: null,
    clip: { path, rule: 'nonzero' },
    opacity: 1,
    items: itemsOf(root, { widthPt, heightPt }, textStyle, stacks),
  };
}

function itemsOf(
  root: SvgElement,
  size: SvgSize,
  textStyle: TextStyle,
  stacks: readonly FontStack[],
): readonly Item[] {
  const known = drawn.get(root) ?? [];
  for (const one of known) {
    const fits =
      one.size.widthPt === size.widthPt &&
      one.size.heightPt === size.heightPt &&
      one.textStyle === textStyle &&
      one.stacks === stacks;
    if (fits) return one.items;
  }
  const own = measureSvg(root);
  const viewBox = readViewBox(root) ?? { x: 0, y: 0, width: own.widthPt, height: own.heightPt };
  const items = new SvgDrawing(root, textStyle, stacks).drawRoot(root, viewBox, {
    width: size.widthPt,
    height: size.heightPt,
  });
  if (known.length < DRAWN_PER_ROOT_MAX) {
    drawn.set(root, [...known, { size, textStyle, stacks, items }]);
  }
  return items;
}
