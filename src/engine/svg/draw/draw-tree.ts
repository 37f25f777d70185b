import type { SvgElement } from '../tree.ts';
import { svgIds } from '../tree.ts';
import { declaredValues, readStyleSheet, type StyleSheet } from '../css.ts';
import { LIMITS } from '../../../limits.ts';
import type { FontStack } from '../../font/font.ts';
import type { GradientStop, Matrix, TextStyle } from '../../model/style.ts';
import type { Item } from '../../model/frame.ts';
import { type ClipRegion, clipRegion } from './clip.ts';
import type { Drawing, DrawingContext, Styled } from './drawing.ts';
import { wrapItems } from './group.ts';
import {
  compose,
  determinant,
  fitViewBox,
  IDENTITY,
  readViewBox,
  type Rectangle,
} from './matrix.ts';
import { markerItems } from './marker.ts';
import { itemBounds } from './item-bounds.ts';
import { shapeItems } from './paint.ts';
import { diagonalOf, Geometry, shapePath, type Viewport } from './shape.ts';
import { computeStyle, INITIAL, type Style } from './presentation.ts';
import { textItems } from './text.ts';
import { RECTANGLE } from '../../model/path.ts';

/** Limit of the stops of all painted gradients: each shape writes its gradient again. */
const STOPS_MAX = 100_000;

/**
 * Draws one SVG, element by element. The tree is checked (svg/parse.ts); the bounds here hold whatever
 * the tree is.
 */
export class SvgDrawing implements Drawing {
  readonly ids: ReadonlyMap<string, SvgElement>;
  readonly sheet: StyleSheet;
  readonly textStyle: TextStyle;
  readonly stacks: readonly FontStack[];
  readonly textStyles = new Map<string, TextStyle>();
  #elements = 0;
  #characters = 0;
  #stops = 0;
  readonly #declared = new Map<SvgElement, ReadonlyMap<string, string>>();
  readonly #stacksOf = new Map<Style, FontStack>();
  readonly #gradientStops = new Map<SvgElement, readonly GradientStop[]>();
  /** True while a bounding box is measured: clips do not count then, and could need that box. */
  #isMeasuring = false;

  constructor(root: SvgElement, textStyle: TextStyle, stacks: readonly FontStack[]) {
    this.ids = svgIds(root);
    this.sheet = readStyleSheet(root);
    this.textStyle = textStyle;
    this.stacks = stacks;
  }

  /** The root's content in a box of this size whose corner is the origin. */
  drawRoot(root: SvgElement, viewBox: Rectangle, box: Viewport): Item[] {
    const place = {
      matrix: IDENTITY,
      viewport: box,
      inherited: INITIAL,
      depth: 0,
    };
    const styled = this.styled(root, place);
    if (!styled.style.displayed) return [];
    const viewport = { x: 0, y: 0, ...box };
    const fit = fitViewBox(viewBox, viewport, root.attributes.get('preserveAspectRatio'));
    if (fit === null) return [];
    const inside = { ...styled.place, matrix: fit, viewport: viewBox };
    return this.#grouped(styled, this.children(root, inside));
  }

  spend(characters: number): boolean {
    this.#elements++;
    this.#characters += characters;
    return (
      this.#elements <= LIMITS.svgExpandedElementsMax &&
      this.#characters <= LIMITS.svgExpandedCharactersMax
    );
  }

  stopsFor(element: SvgElement, read: () => readonly GradientStop[]): readonly GradientStop[] {
    let stops = this.#gradientStops.get(element);
    if (stops === undefined) {
      stops = read();
      this.#gradientStops.set(element, stops);
    }
    this.#stops += stops.length;
    return this.#stops > STOPS_MAX ? stops.slice(0, 1) : stops;
  }

  stackFor(style: Style, choose: () => FontStack): FontStack {
    let stack = this.#stacksOf.get(style);
    if (stack === undefined) {
      stack = choose();
      this.#stacksOf.set(style, stack);
    }
    return stack;
  }

  declaredOf(element: SvgElement): ReadonlyMap<string, string> {
    let declared = this.#declared.get(element);
    if (declared === undefined) {
      declared = declaredValues(element, this.sheet);
      this.#declared.set(element, declared);
    }
    return declared;
  }

  styled(element: SvgElement, place: DrawingContext): Styled {
    const declared = this.declaredOf(element);
    const style = computeStyle(declared, place.inherited, diagonalOf(place.viewport));
    const matrix =
      style.transform === IDENTITY ? place.matrix : compose(place.matrix, style.transform);
    return {
      element,
      declared,
      style,
      geometry: new Geometry(declared, place.viewport, style.fontSize),
      place: { ...place, matrix, inherited: style, depth: place.depth + 1 },
    };
  }

  children(element: SvgElement, place: DrawingContext): Item[] {
    const items: Item[] = [];
    for (const child of element.children) {
      if (typeof child !== 'string') for (const item of this.draw(child, place)) items.push(item);
    }
    return items;
  }

  /** The items of one element, in the space that `place.matrix` leads to. */
  draw(element: SvgElement, place: DrawingContext): Item[] {
    if (!DRAWN.has(element.name) || place.depth > LIMITS.svgExpandedDepthMax) return [];
    if (!this.spend(lengthOf(element))) return [];
    const styled = this.styled(element, place);
    if (!styled.style.displayed) return [];
    if (!isDrawable(styled.place.matrix)) return [];
    switch (element.name) {
      case 'g':
      case 'a':
        return this.#grouped(styled, this.children(element, styled.place));
      case 'switch': {
        const first = element.children.find((child) => typeof child !== 'string' && applies(child));
        if (first === undefined || typeof first === 'string') return [];
        return this.#grouped(styled, this.draw(first, styled.place));
      }
      case 'svg':
        return this.#grouped(styled, this.#viewport(styled, null));
      case 'use':
        return this.#grouped(styled, this.#use(styled));
      case 'text':
        return this.#grouped(styled, textItems(styled, this));
      default:
        return this.#shape(styled);
    }
  }

  /** A basic shape with its markers. */
  #shape(styled: Styled): Item[] {
    const path = shapePath(styled.element, styled.geometry);
    if (path === null || path.length === 0) return [];
    const { style } = styled;
    const items = style.visible ? shapeItems(path, styled, this) : [];
    if (MARKED.has(styled.element.name) && style.visible) {
      for (const item of markerItems(path, styled, this)) items.push(item);
    }
    const [only] = items;
    const isPlain = style.opacity < 1 && style.clipPath === null && items.length === 1;
    if (isPlain && only?.kind === 'path' && (only.fill === null || only.stroke === null)) {
      const { fill, stroke } = only;
      const faded = {
        ...only,
        fill: fill === null ? null : { ...fill, opacity: fill.opacity * style.opacity },
        stroke: stroke === null ? null : { ...stroke, opacity: stroke.opacity * style.opacity },
      };
      return [faded];
    }
    return this.#grouped(styled, items);
  }

  /** A copy of what `href` names, moved by x and y (SVG 2 §5.5). */
  #use(styled: Styled): Item[] {
    const target = this.ids.get(styled.element.attributes.get('href')?.slice(1) ?? '');
    if (target === undefined) return [];
    const { geometry } = styled;
    const shift: Matrix = [1, 0, 0, 1, geometry.across('x') ?? 0, geometry.down('y') ?? 0];
    const place = { ...styled.place, matrix: compose(styled.place.matrix, shift) };
    if (target.name !== 'symbol' && target.name !== 'svg') return this.draw(target, place);
    if (place.depth > LIMITS.svgExpandedDepthMax || !this.spend(0)) return [];
    const inner = this.styled(target, place);
    if (!inner.style.displayed) return [];
    return this.#grouped(inner, this.#viewport(inner, geometry));
  }

  /** A nested `svg` or a used `symbol`, with its own viewport. `asked`: the use element's sizes. */
  #viewport({ element, geometry, style, place }: Styled, asked: Geometry | null): Item[] {
    const isSymbol = element.name === 'symbol';
    const width = asked?.across('width') ?? geometry.across('width') ?? place.viewport.width;
    const height = asked?.down('height') ?? geometry.down('height') ?? place.viewport.height;
    if (!(width > 0) || !(height > 0)) return [];
    const x = isSymbol ? 0 : (geometry.across('x') ?? 0);
    const y = isSymbol ? 0 : (geometry.down('y') ?? 0);
    const box = { x, y, width, height };
    const viewBox = readViewBox(element) ?? { x: 0, y: 0, width, height };
    const fit = fitViewBox(viewBox, box, element.attributes.get('preserveAspectRatio'));
    if (fit === null) return [];
    const inside = { ...place, matrix: compose(place.matrix, fit), viewport: viewBox };
    const items = this.children(element, inside);
    if (!style.overflowHidden || items.length === 0) return items;
    const corners = [RECTANGLE, x, y, width, height];
    const clip = clipRegion([{ path: corners, matrix: place.matrix }], 'nonzero');
    return wrapItems(items, { clip });
  }

  /** The items under the element's own opacity and clip path. */
  #grouped(styled: Styled, items: Item[]): Item[] {
    const { style } = styled;
    if (items.length === 0 || !needsGroup(style)) return items;
    let clip: ClipRegion | null = null;
    if (style.clipPath !== null) {
      const region = this.#clip(style.clipPath, styled);
      if (region === 'nothing') return [];
      clip = region;
    }
    // Text carries its opacity in its own style.
    const opacity = styled.element.name === 'text' ? 1 : style.opacity;
    return wrapItems(items, { clip, opacity });
  }

  /**
   * The region of a `clipPath`. Null where the reference is broken: then nothing is clipped.
   * 'nothing' where the region is empty: then nothing is drawn.
   */
  #clip(id: string, { element, place }: Styled): ClipRegion | 'nothing' | null {
    const clip = this.ids.get(id);
    if (clip?.name !== 'clipPath' || this.#isMeasuring) return null;
    let { matrix } = this.styled(clip, place).place;
    if (clip.attributes.get('clipPathUnits') === 'objectBoundingBox') {
      const box = this.boundsOf(element, place);
      if (box === null || box.width <= 0 || box.height <= 0) return 'nothing';
      matrix = compose(matrix, [box.width, 0, 0, box.height, box.x, box.y]);
    }
    const inner = { ...this.styled(clip, place).place, matrix };
    const paths: { path: readonly number[]; matrix: Matrix }[] = [];
    let rule: 'nonzero' | 'evenodd' | null = null;
    for (const child of clip.children) {
      if (typeof child === 'string' || !this.spend(lengthOf(child))) continue;
      const shape = this.#clipShape(child, inner);
      if (shape === null) continue;
      rule ??= shape.style.clipRule;
      paths.push({ path: shape.path, matrix: shape.matrix });
    }
    return paths.length === 0 ? 'nothing' : clipRegion(paths, rule ?? 'nonzero');
  }

  /** The outline of a child of a `clipPath`; null where it clips nothing. */
  #clipShape(
    child: SvgElement,
    place: DrawingContext,
  ): { path: readonly number[]; matrix: Matrix; style: Style } | null {
    let styled = this.styled(child, place);
    if (!styled.style.displayed || !styled.style.visible) return null;
    if (child.name === 'use') {
      const target = this.ids.get(child.attributes.get('href')?.slice(1) ?? '');
      if (target === undefined) return null;
      const { geometry } = styled;
      const shift: Matrix = [1, 0, 0, 1, geometry.across('x') ?? 0, geometry.down('y') ?? 0];
      styled = this.styled(target, {
        ...styled.place,
        matrix: compose(styled.place.matrix, shift),
      });
    }
    const path = shapePath(styled.element, styled.geometry);
    if (path === null || path.length === 0) return null;
    return { path, matrix: styled.place.matrix, style: styled.style };
  }

  /** The box around an element's geometry in its own user space (SVG 2 §8.10). */
  boundsOf(element: SvgElement, place: DrawingContext): Rectangle | null {
    const attributes = new Map(element.attributes);
    attributes.delete('transform');
    const wasMeasuring = this.#isMeasuring;
    this.#isMeasuring = true;
    const items = this.draw({ ...element, attributes }, { ...place, matrix: IDENTITY });
    this.#isMeasuring = wasMeasuring;
    return itemBounds(items);
  }
}

const DRAWN: ReadonlySet<string> = new Set([
  'g',
  'a',
  'switch',
  'svg',
  'use',
  'text',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
]);
/** Shapes that have markers (SVG 2 §13.7.1). */
const MARKED: ReadonlySet<string> = new Set(['path', 'line', 'polyline', 'polygon']);

/** False for a map that flattens everything onto a line, or leads beyond any page. */
function isDrawable(matrix: Matrix): boolean {
  return matrix.every((value) => Math.abs(value) <= 1e9) && Math.abs(determinant(matrix)) > 1e-12;
}

/** Characters of an element's geometry. */
function lengthOf({ attributes }: SvgElement): number {
  return (attributes.get('d') ?? attributes.get('points') ?? '').length;
}

function needsGroup(style: Style): boolean {
  return style.opacity < 1 || style.clipPath !== null;
}

/** `switch` takes the first child that asks for no language and no extension. */
function applies(element: SvgElement): boolean {
  return (
    !element.attributes.has('systemLanguage') &&
    !element.attributes.has('requiredExtensions') &&
    DRAWN.has(element.name)
  );
}
