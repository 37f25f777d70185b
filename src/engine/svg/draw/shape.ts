import type { SvgElement } from '../tree.ts';
import type { PathData } from '../../model/style.ts';
import { parseLength, parseNumbers } from './number.ts';
import { parsePath } from './path.ts';
import { CLOSE, CURVE, LINE, MOVE, RECTANGLE } from '../../model/path.ts';

/** The viewport that percentages refer to, in user units. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** 100 % of a length that is neither across nor down (SVG 2 §8.9). */
export function diagonalOf({ width, height }: Viewport): number {
  return Math.hypot(width, height) / Math.SQRT2;
}

/** Reads an element's geometry attributes as user units. */
export class Geometry {
  readonly #declared: ReadonlyMap<string, string>;
  readonly #viewport: Viewport;
  readonly #fontSize: number;

  constructor(declared: ReadonlyMap<string, string>, viewport: Viewport, fontSize: number) {
    this.#declared = declared;
    this.#viewport = viewport;
    this.#fontSize = fontSize;
  }

  across(name: string): number | null {
    return this.#length(name, this.#viewport.width);
  }

  down(name: string): number | null {
    return this.#length(name, this.#viewport.height);
  }

  slanted(name: string): number | null {
    return this.#length(name, diagonalOf(this.#viewport));
  }

  #length(name: string, whole: number): number | null {
    return parseLength(this.#declared.get(name), { whole, fontSize: this.#fontSize });
  }
}

/** The outline of a basic shape in its own units; empty where it has none; null for other elements. */
export function shapePath(element: SvgElement, geometry: Geometry): PathData | null {
  switch (element.name) {
    case 'path':
      return parsePath(element.attributes.get('d') ?? '');
    case 'rect':
      return rectPath(geometry);
    case 'circle': {
      const r = geometry.slanted('r') ?? 0;
      return ellipsePath(geometry.across('cx') ?? 0, geometry.down('cy') ?? 0, r, r);
    }
    case 'ellipse': {
      const [rx, ry] = [geometry.across('rx'), geometry.down('ry')];
      const [x, y] = [geometry.across('cx') ?? 0, geometry.down('cy') ?? 0];
      return ellipsePath(x, y, rx ?? ry ?? 0, ry ?? rx ?? 0);
    }
    case 'line': {
      const [x1, y1] = [geometry.across('x1') ?? 0, geometry.down('y1') ?? 0];
      return [MOVE, x1, y1, LINE, geometry.across('x2') ?? 0, geometry.down('y2') ?? 0];
    }
    case 'polyline':
      return polyPath(element.attributes.get('points'), false);
    case 'polygon':
      return polyPath(element.attributes.get('points'), true);
    default:
      return null;
  }
}

/** Control points of a quarter circle lie this share of the radius along the tangent. */
const QUARTER = (4 / 3) * (Math.SQRT2 - 1);

function rectPath(geometry: Geometry): PathData {
  const [x, y] = [geometry.across('x') ?? 0, geometry.down('y') ?? 0];
  const [width, height] = [geometry.across('width') ?? 0, geometry.down('height') ?? 0];
  if (width <= 0 || height <= 0) return [];
  const [askedX, askedY] = [geometry.across('rx'), geometry.down('ry')];
  const rx = Math.min(Math.max(0, askedX ?? askedY ?? 0), width / 2);
  const ry = Math.min(Math.max(0, askedY ?? askedX ?? 0), height / 2);
  if (rx === 0 || ry === 0) return [RECTANGLE, x, y, width, height];
  const [kx, ky] = [rx * (1 - QUARTER), ry * (1 - QUARTER)];
  const [right, bottom] = [x + width, y + height];
  // prettier-ignore
  return [
    MOVE, x + rx, y,
    LINE, right - rx, y,
    CURVE, right - kx, y, right, y + ky, right, y + ry,
    LINE, right, bottom - ry,
    CURVE, right, bottom - ky, right - kx, bottom, right - rx, bottom,
    LINE, x + rx, bottom,
    CURVE, x + kx, bottom, x, bottom - ky, x, bottom - ry,
    LINE, x, y + ry,
    CURVE, x, y + ky, x + kx, y, x + rx, y,
    CLOSE,
  ];
}

function ellipsePath(x: number, y: number, rx: number, ry: number): PathData {
  if (rx <= 0 || ry <= 0) return [];
  const [kx, ky] = [rx * QUARTER, ry * QUARTER];
  // prettier-ignore
  return [
    MOVE, x + rx, y,
    CURVE, x + rx, y + ky, x + kx, y + ry, x, y + ry,
    CURVE, x - kx, y + ry, x - rx, y + ky, x - rx, y,
    CURVE, x - rx, y - ky, x - kx, y - ry, x, y - ry,
    CURVE, x + kx, y - ry, x + rx, y - ky, x + rx, y,
    CLOSE,
  ];
}

function polyPath(points: string | undefined, closes: boolean): PathData {
  const numbers = parseNumbers(points);
  const out: number[] = [];
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    out.push(index === 0 ? MOVE : LINE, numbers[index] ?? 0, numbers[index + 1] ?? 0);
  }
  if (closes && out.length > 0) out.push(CLOSE);
  return out;
}
