import type { Matrix } from '../../model/style.ts';
import type { SvgElement } from '../tree.ts';
import { parseLength, parseNumbers } from './number.ts';

/** Affine maps [a b c d e f]: x' = a·x + c·y + e, y' = b·x + d·y + f. */

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** First `inner`, then `outer`. */
export function compose(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [
    a * g + c * h,
    b * g + d * h,
    a * i + c * j,
    b * i + d * j,
    a * k + c * l + e,
    b * k + d * l + f,
  ];
}

export function determinant([a, b, c, d]: Matrix): number {
  return a * d - b * c;
}

/** Null where the map is not invertible: what it draws has no area. */
export function invert(matrix: Matrix): Matrix | null {
  const det = determinant(matrix);
  if (Math.abs(det) < 1e-12 || !Number.isFinite(det)) return null;
  const [a, b, c, d, e, f] = matrix;
  return [d / det, -b / det, -c / det, a / det, (c * f - d * e) / det, (b * e - a * f) / det];
}

/** The factor by which a map scales lengths, or null if it differs between directions. */
export function uniformScale([a, b, c, d]: Matrix): number | null {
  const across = Math.hypot(a, b);
  const down = Math.hypot(c, d);
  const largest = Math.max(across, down, 1e-9);
  const isSimilar =
    Math.abs(across - down) < 1e-4 * largest && Math.abs(a * c + b * d) < 1e-4 * largest * largest;
  return isSimilar ? (across + down) / 2 : null;
}

/** A `transform` list (CSS Transforms 1 §8), from the left; null where it cannot be read. */
export function parseTransform(text: string | undefined): Matrix | null {
  const source = text?.trim() ?? '';
  if (source === '' || source === 'none') return IDENTITY;
  let matrix = IDENTITY;
  let rest = source;
  for (let count = 0; rest !== ''; count++) {
    const match = /^([a-zA-Z]+)\s*\(([^()]*)\)[\s,]*/.exec(rest);
    if (match === null || count > 100) return null;
    const step = transformStep(match[1] ?? '', parseArguments(match[2] ?? ''));
    if (step === null) return null;
    matrix = compose(matrix, step);
    rest = rest.slice(match[0].length);
  }
  return matrix.every(Number.isFinite) ? matrix : null;
}

/** Lengths in user units, angles in degrees. */
function parseArguments(text: string): number[] {
  return text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => {
      const angle = /^(.*?)(deg|rad|turn|grad)$/i.exec(part);
      if (angle === null) return parseLength(part, { whole: 0, fontSize: 16 }) ?? Number.NaN;
      const factors: Readonly<Record<string, number>> = {
        deg: 1,
        rad: 180 / Math.PI,
        turn: 360,
        grad: 0.9,
      };
      return Number(angle[1]) * (factors[(angle[2] ?? '').toLowerCase()] ?? Number.NaN);
    });
}

function tangent(degrees: number): number {
  return Math.tan((degrees * Math.PI) / 180);
}

function transformStep(name: string, values: readonly number[]): Matrix | null {
  if (values.length === 0 || values.some(Number.isNaN)) return null;
  const [first = 0, second, third = 0] = values;
  switch (name.toLowerCase()) {
    case 'matrix': {
      const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = values;
      return values.length === 6 ? [a, b, c, d, e, f] : null;
    }
    case 'translate':
      return [1, 0, 0, 1, first, second ?? 0];
    case 'translatex':
      return [1, 0, 0, 1, first, 0];
    case 'translatey':
      return [1, 0, 0, 1, 0, first];
    case 'scale':
      return [first, 0, 0, second ?? first, 0, 0];
    case 'scalex':
      return [first, 0, 0, 1, 0, 0];
    case 'scaley':
      return [1, 0, 0, first, 0, 0];
    case 'rotate': {
      const turn = rotation((first * Math.PI) / 180);
      if (second === undefined) return turn;
      return compose(compose([1, 0, 0, 1, second, third], turn), [1, 0, 0, 1, -second, -third]);
    }
    case 'skewx':
      return [1, 0, tangent(first), 1, 0, 0];
    case 'skewy':
      return [1, tangent(first), 0, 1, 0, 0];
    default:
      return null;
  }
}

export function rotation(radians: number): Matrix {
  const cos = Math.cos(radians);
  const sin = Math.sin(radians);
  return [cos, sin, -sin, cos, 0, 0];
}

/** A rectangle in user units. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The viewBox of an element; null where it is absent or has no area. */
export function readViewBox(element: SvgElement): Rectangle | null {
  const [x, y, width, height, ...rest] = parseNumbers(element.attributes.get('viewBox'));
  if (x === undefined || y === undefined || width === undefined || height === undefined) {
    return null;
  }
  return rest.length === 0 && width > 0 && height > 0 ? { x, y, width, height } : null;
}

/** Maps a viewBox onto a viewport (SVG 2 §8.6); null where the viewBox has no area. */
export function fitViewBox(
  viewBox: Rectangle,
  viewport: Rectangle,
  preserveAspectRatio: string | undefined,
): Matrix | null {
  if (!(viewBox.width > 0) || !(viewBox.height > 0)) return null;
  let scaleX = viewport.width / viewBox.width;
  let scaleY = viewport.height / viewBox.height;
  const [align = 'xMidYMid', meet] = (preserveAspectRatio ?? '')
    .replace(/^\s*defer\s+/, '')
    .trim()
    .split(/\s+/)
    .filter((part) => part !== '');
  let [x, y] = [viewport.x, viewport.y];
  if (align !== 'none') {
    scaleX = meet === 'slice' ? Math.max(scaleX, scaleY) : Math.min(scaleX, scaleY);
    scaleY = scaleX;
    x += (viewport.width - viewBox.width * scaleX) * shareOf(align.slice(1, 4));
    y += (viewport.height - viewBox.height * scaleY) * shareOf(align.slice(5, 8));
  }
  const fit: Matrix = [scaleX, 0, 0, scaleY, x - viewBox.x * scaleX, y - viewBox.y * scaleY];
  return fit.every(Number.isFinite) ? fit : null;
}

/** The share of the remaining room that goes before the drawing: none, half or all of it. */
function shareOf(word: string): number {
  if (word === 'Min') return 0;
  return word === 'Max' ? 1 : 0.5;
}
