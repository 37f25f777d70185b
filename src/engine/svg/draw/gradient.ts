import type { SvgElement } from '../tree.ts';
import type { GradientStop, LinearGradient, Matrix, RadialGradient } from '../../model/style.ts';
import type { Drawing } from './drawing.ts';
import { compose, invert, parseTransform, type Rectangle } from './matrix.ts';
import { parseLength, parseShare } from './number.ts';
import { diagonalOf, type Viewport } from './shape.ts';
import { computeStyle, INITIAL } from './presentation.ts';

/** Longest chain of hrefs that is followed. */
const CHAIN_MAX = 16;
const STOPS_MAX = 256;
/** How often a spread linear gradient is repeated at most, and a radial one always. */
const REPEATS_MAX = 64;
const RADIAL_REPEATS = 8;
/** A focus is at most so far from the centre, as a share of the radius. */
const FOCUS_SHARE_MAX = 0.999;

export interface GradientContext {
  readonly drawing: Drawing;
  readonly viewport: Viewport;
  /** Bounds of the painted shape in its own user space. */
  readonly bounds: Rectangle | null;
  /** From the shape's user space to that of the item. */
  readonly matrix: Matrix;
}

/** What a gradient paints with: a single stop is a plain colour. */
export type GradientPaint =
  | { readonly kind: 'gradient'; readonly gradient: LinearGradient | RadialGradient }
  | { readonly kind: 'stop'; readonly stop: GradientStop };

/** A gradient in the item's space; null where nothing is painted: no stops, or a box without area. */
export function resolveGradient(
  element: SvgElement,
  context: GradientContext,
): GradientPaint | null {
  const { drawing } = context;
  const chain = hrefChain(element, drawing.ids);
  const stops = drawing.stopsFor(element, () => readStops(chain, drawing));
  const [first] = stops;
  if (first === undefined) return null;
  if (stops.length === 1) return { kind: 'stop', stop: first };
  const attribute = (name: string): string | undefined =>
    chain.find((one) => one.attributes.has(name))?.attributes.get(name);
  const isBox = attribute('gradientUnits') !== 'userSpaceOnUse';
  const own = parseTransform(attribute('gradientTransform'));
  if (own === null) return null;
  let matrix = compose(context.matrix, own);
  if (isBox) {
    const { bounds } = context;
    if (bounds === null || bounds.width <= 0 || bounds.height <= 0) return null;
    const unit: Matrix = [bounds.width, 0, 0, bounds.height, bounds.x, bounds.y];
    matrix = compose(context.matrix, compose(unit, own));
  }
  const viewport = isBox ? { width: 1, height: 1 } : context.viewport;
  const length = (name: string, fallback: string, whole: number): number =>
    parseLength(attribute(name) ?? fallback, { whole, fontSize: 16 }) ?? 0;
  const spread = attribute('spreadMethod') ?? 'pad';
  if (element.name === 'linearGradient') {
    const from = [length('x1', '0%', viewport.width), length('y1', '0%', viewport.height)] as const;
    const to = [length('x2', '100%', viewport.width), length('y2', '0%', viewport.height)] as const;
    return linear(from, to, stops, spread, matrix, context);
  }
  const cx = length('cx', '50%', viewport.width);
  const cy = length('cy', '50%', viewport.height);
  const r = length('r', '50%', diagonalOf(viewport));
  if (!(r > 0)) return lastStop(stops);
  const fx = attribute('fx') === undefined ? cx : length('fx', '50%', viewport.width);
  const fy = attribute('fy') === undefined ? cy : length('fy', '50%', viewport.height);
  const gradient = radial({ cx, cy, r, fx, fy }, stops, spread, matrix);
  return { kind: 'gradient', gradient };
}

function lastStop(stops: readonly GradientStop[]): GradientPaint | null {
  const stop = stops.at(-1);
  return stop === undefined ? null : { kind: 'stop', stop };
}

/** The gradient and those it refers to: an attribute that one lacks is taken from the next. */
function hrefChain(element: SvgElement, ids: ReadonlyMap<string, SvgElement>): SvgElement[] {
  const chain: SvgElement[] = [];
  for (let one: SvgElement | undefined = element; one !== undefined && chain.length < CHAIN_MAX;) {
    chain.push(one);
    one = ids.get(one.attributes.get('href')?.slice(1) ?? '');
  }
  return chain;
}

/** The stops of the first in the chain that has any; offsets never decrease (SVG 2 §14.2.4). */
function readStops(chain: readonly SvgElement[], drawing: Drawing): GradientStop[] {
  for (const gradient of chain) {
    const parent = computeStyle(drawing.declaredOf(gradient), INITIAL, 0);
    const stops: GradientStop[] = [];
    let reached = 0;
    for (const child of gradient.children) {
      if (typeof child === 'string' || child.name !== 'stop' || stops.length >= STOPS_MAX) continue;
      const style = computeStyle(drawing.declaredOf(child), parent, 0);
      reached = Math.max(reached, parseShare(child.attributes.get('offset')) ?? 0);
      const { rgb, alpha } = style.stopColor;
      stops.push({ offset: reached, color: rgb, opacity: alpha * style.stopOpacity });
    }
    if (stops.length > 0) return stops;
  }
  return [];
}

type Point = readonly [number, number];

/**
 * Maps the axis of a gradient. Its value is a linear function of the position, so under any affine
 * map it is the value along some other axis.
 */
function linear(
  from: Point,
  to: Point,
  stops: readonly GradientStop[],
  spread: string,
  matrix: Matrix,
  context: GradientContext,
): GradientPaint | null {
  const inverse = invert(matrix);
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const square = dx * dx + dy * dy;
  if (inverse === null) return null;
  // Both ends in one place: the last stop's colour (SVG 2 §14.2.2).
  if (square < 1e-12) return lastStop(stops);
  const [a, b, c, d] = inverse;
  const gradX = (dx * a + dy * b) / square;
  const gradY = (dx * c + dy * d) / square;
  const steepness = gradX * gradX + gradY * gradY;
  if (steepness < 1e-18) return null;
  const [m0, m1, m2, m3, m4, m5] = matrix;
  const x1 = m0 * from[0] + m2 * from[1] + m4;
  const y1 = m1 * from[0] + m3 * from[1] + m5;
  const valueAt = (x: number, y: number): number => (x - x1) * gradX + (y - y1) * gradY;
  const [stepX, stepY] = [gradX / steepness, gradY / steepness];
  if (spread === 'pad' || context.bounds === null) {
    const gradient = { kind: 'linear', x1, y1, x2: x1 + stepX, y2: y1 + stepY, stops } as const;
    return { kind: 'gradient', gradient };
  }
  const values = corners(context.bounds, context.matrix).map(([x, y]) => valueAt(x, y));
  const low = Math.max(Math.floor(Math.min(...values)), -REPEATS_MAX / 2);
  const high = Math.min(Math.ceil(Math.max(...values)), REPEATS_MAX / 2);
  const turns = Math.max(1, high - low);
  const repeated = {
    kind: 'linear',
    x1: x1 + low * stepX,
    y1: y1 + low * stepY,
    x2: x1 + (low + turns) * stepX,
    y2: y1 + (low + turns) * stepY,
    stops: repeatStops(stops, low, turns, spread === 'reflect'),
  } as const;
  return { kind: 'gradient', gradient: repeated };
}

function corners({ x, y, width, height }: Rectangle, [a, b, c, d, e, f]: Matrix): Point[] {
  const at = (px: number, py: number): Point => [a * px + c * py + e, b * px + d * py + f];
  return [at(x, y), at(x + width, y), at(x, y + height), at(x + width, y + height)];
}

/** The stops of `turns` periods from period `low` on, squeezed into 0…1. */
function repeatStops(
  stops: readonly GradientStop[],
  low: number,
  turns: number,
  reflects: boolean,
): GradientStop[] {
  const repeated: GradientStop[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const backward = reflects && (low + turn) % 2 !== 0;
    const period = backward
      ? stops.map((stop) => ({ ...stop, offset: 1 - stop.offset })).toReversed()
      : stops;
    const [first] = period;
    const last = period.at(-1);
    if (first === undefined || last === undefined) return repeated;
    const filled = [{ ...first, offset: 0 }, ...period, { ...last, offset: 1 }];
    for (const stop of filled) repeated.push({ ...stop, offset: (turn + stop.offset) / turns });
  }
  return repeated;
}

interface Circle {
  readonly cx: number;
  readonly cy: number;
  readonly r: number;
  readonly fx: number;
  readonly fy: number;
}

function radial(
  circle: Circle,
  stops: readonly GradientStop[],
  spread: string,
  matrix: Matrix,
): RadialGradient {
  const { cx, cy, r } = circle;
  let { fx, fy } = circle;
  // A focus outside moves to just inside the circle (SVG 1.1 §13.2.3): right on it, readers differ.
  const distance = Math.hypot(fx - cx, fy - cy);
  if (distance > r * FOCUS_SHARE_MAX) {
    fx = cx + ((fx - cx) * r * FOCUS_SHARE_MAX) / distance;
    fy = cy + ((fy - cy) * r * FOCUS_SHARE_MAX) / distance;
  }
  const turns = spread === 'pad' || distance > 0 ? 1 : RADIAL_REPEATS;
  const shown = turns === 1 ? stops : repeatStops(stops, 0, turns, spread === 'reflect');
  return { kind: 'radial', cx, cy, r: r * turns, fx, fy, matrix, stops: shown };
}
