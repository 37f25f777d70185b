import type { PathData } from '../../model/style.ts';
import type { Rectangle } from './matrix.ts';
import { CLOSE, CURVE, LINE, MOVE, RECTANGLE } from '../../model/path.ts';

/** A rectangle that grows to enclose points and curves. */
export class Bounds {
  #left = Infinity;
  #top = Infinity;
  #right = -Infinity;
  #bottom = -Infinity;

  point(x: number, y: number): void {
    if (x < this.#left) this.#left = x;
    if (x > this.#right) this.#right = x;
    if (y < this.#top) this.#top = y;
    if (y > this.#bottom) this.#bottom = y;
  }

  /** Adds a path without its stroke, as objectBoundingBox means it (SVG 2 §8.10). */
  path(path: PathData): void {
    let [x, y] = [0, 0];
    for (let index = 0; index < path.length;) {
      const at = (offset: number): number => path[index + offset] ?? 0;
      switch (path[index] ?? CLOSE) {
        case MOVE:
        case LINE:
          [x, y] = [at(1), at(2)];
          this.point(x, y);
          index += 3;
          break;
        case CURVE:
          this.#cubic([x, at(1), at(3), at(5)], [y, at(2), at(4), at(6)]);
          [x, y] = [at(5), at(6)];
          index += 7;
          break;
        case RECTANGLE:
          this.point(at(1), at(2));
          this.point(at(1) + at(3), at(2) + at(4));
          index += 5;
          break;
        default:
          index += 1;
      }
    }
  }

  #cubic(xs: Cubic, ys: Cubic): void {
    this.point(xs[3], ys[3]);
    for (const t of [...extremes(xs), ...extremes(ys)]) this.point(valueAt(xs, t), valueAt(ys, t));
  }

  get rectangle(): Rectangle | null {
    if (this.#left > this.#right) return null;
    const [width, height] = [this.#right - this.#left, this.#bottom - this.#top];
    return { x: this.#left, y: this.#top, width, height };
  }
}

type Cubic = readonly [number, number, number, number];

/** Where the derivative of a cubic is 0, inside its span. */
function extremes([p0, p1, p2, p3]: Cubic): number[] {
  const a = 3 * (p3 - 3 * p2 + 3 * p1 - p0);
  const b = 6 * (p2 - 2 * p1 + p0);
  const c = 3 * (p1 - p0);
  const roots: number[] = [];
  if (Math.abs(a) < 1e-9) {
    if (Math.abs(b) > 1e-9) roots.push(-c / b);
  } else {
    const square = b * b - 4 * a * c;
    if (square >= 0) {
      roots.push((-b + Math.sqrt(square)) / (2 * a), (-b - Math.sqrt(square)) / (2 * a));
    }
  }
  return roots.filter((t) => t > 0 && t < 1);
}

function valueAt([p0, p1, p2, p3]: Cubic, t: number): number {
  const s = 1 - t;
  return s * s * s * p0 + 3 * s * s * t * p1 + 3 * s * t * t * p2 + t * t * t * p3;
}
