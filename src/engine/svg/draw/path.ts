import type { Matrix, PathData } from '../../model/style.ts';
import { arcToCubics } from './arc.ts';
import { bounded, Scanner } from './number.ts';
import { CLOSE, COMMAND_LENGTHS, CURVE, LINE, MOVE, RECTANGLE } from '../../model/path.ts';

/**
 * The `d` attribute (SVG 2 §9.3) in absolute moves, lines, cubics and closes. A fault ends the path
 * there: what stands before it is drawn.
 */
export function parsePath(text: string): number[] {
  const reader = new PathReader(text);
  while (reader.next());
  return reader.out;
}

class PathReader {
  readonly out: number[] = [];
  readonly #scanner: Scanner;
  #command = '';
  #x = 0;
  #y = 0;
  #startX = 0;
  #startY = 0;
  /** Control point that S and T reflect, and which of the two kinds set it. */
  #controlX = 0;
  #controlY = 0;
  #controlOf: 'cubic' | 'quadratic' | null = null;

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  /** One segment; false at the end or at a fault. */
  next(): boolean {
    const letter = this.#scanner.letter();
    if (letter !== '') {
      if (this.#command === '' && letter.toLowerCase() !== 'm') return false;
      this.#command = letter;
    } else if (this.#command === '' || this.#command.toLowerCase() === 'z') {
      return false;
    } else if (this.#command === 'm') {
      // Further pairs of a move are lines.
      this.#command = 'l';
    } else if (this.#command === 'M') {
      this.#command = 'L';
    }
    return this.#segment(this.#command);
  }

  #segment(command: string): boolean {
    const upper = command.toUpperCase();
    const isRelative = command !== upper;
    const [baseX, baseY] = isRelative ? [this.#x, this.#y] : [0, 0];
    if (upper === 'A') return this.#arc(baseX, baseY);
    if (upper === 'Z') return this.#close();
    const values = this.#numbers({ M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2 }[upper] ?? 0);
    if (values === null) return false;
    if (upper === 'H') return this.#line((values[0] ?? 0) + baseX, this.#y);
    if (upper === 'V') return this.#line(this.#x, (values[0] ?? 0) + baseY);
    const points = values.map((value, index) => value + (index % 2 === 0 ? baseX : baseY));
    const [p0 = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0] = points;
    const mirrorX = 2 * this.#x - this.#controlX;
    const mirrorY = 2 * this.#y - this.#controlY;
    switch (upper) {
      case 'M':
        return this.#move(p0, p1);
      case 'L':
        return this.#line(p0, p1);
      case 'C':
        return this.#cubic(p0, p1, p2, p3, p4, p5);
      case 'S':
        return this.#controlOf === 'cubic'
          ? this.#cubic(mirrorX, mirrorY, p0, p1, p2, p3)
          : this.#cubic(this.#x, this.#y, p0, p1, p2, p3);
      case 'Q':
        return this.#quadratic(p0, p1, p2, p3);
      default:
        return this.#controlOf === 'quadratic'
          ? this.#quadratic(mirrorX, mirrorY, p0, p1)
          : this.#quadratic(this.#x, this.#y, p0, p1);
    }
  }

  #numbers(count: number): number[] | null {
    if (count === 0) return null;
    const values: number[] = [];
    for (let index = 0; index < count; index++) {
      const value = this.#scanner.number();
      if (value === null) return null;
      values.push(value);
    }
    return values;
  }

  #to(x: number, y: number): true {
    this.#x = bounded(x);
    this.#y = bounded(y);
    this.#controlOf = null;
    return true;
  }

  #move(x: number, y: number): true {
    this.out.push(MOVE, bounded(x), bounded(y));
    this.#to(x, y);
    this.#startX = this.#x;
    this.#startY = this.#y;
    return true;
  }

  #line(x: number, y: number): true {
    this.out.push(LINE, bounded(x), bounded(y));
    return this.#to(x, y);
  }

  #cubic(x1: number, y1: number, x2: number, y2: number, x: number, y: number): true {
    this.out.push(
      CURVE,
      bounded(x1),
      bounded(y1),
      bounded(x2),
      bounded(y2),
      bounded(x),
      bounded(y),
    );
    this.#to(x, y);
    this.#controlX = bounded(x2);
    this.#controlY = bounded(y2);
    this.#controlOf = 'cubic';
    return true;
  }

  #quadratic(cx: number, cy: number, x: number, y: number): true {
    const [fromX, fromY] = [this.#x, this.#y];
    this.#cubic(
      fromX + (2 / 3) * (cx - fromX),
      fromY + (2 / 3) * (cy - fromY),
      x + (2 / 3) * (cx - x),
      y + (2 / 3) * (cy - y),
      x,
      y,
    );
    this.#controlX = bounded(cx);
    this.#controlY = bounded(cy);
    this.#controlOf = 'quadratic';
    return true;
  }

  #close(): true {
    this.out.push(CLOSE);
    return this.#to(this.#startX, this.#startY);
  }

  #arc(baseX: number, baseY: number): boolean {
    const radii = this.#numbers(3);
    const large = this.#scanner.flag();
    const sweep = this.#scanner.flag();
    const end = this.#numbers(2);
    if (radii === null || large === null || sweep === null || end === null) return false;
    const [rx = 0, ry = 0, degrees = 0] = radii;
    const x = bounded((end[0] ?? 0) + baseX);
    const y = bounded((end[1] ?? 0) + baseY);
    const arc = { rx, ry, degrees, large: large === 1, sweep: sweep === 1 };
    for (const value of arcToCubics(this.#x, this.#y, x, y, arc)) this.out.push(value);
    return this.#to(x, y);
  }
}

/** A copy of the path under a map. A rectangle stays one if its sides stay upright. */
export function transformPath(path: PathData, [a, b, c, d, e, f]: Matrix): number[] {
  const out: number[] = [];
  const put = (x: number, y: number): void => {
    out.push(bounded(a * x + c * y + e), bounded(b * x + d * y + f));
  };
  for (let index = 0; index < path.length;) {
    const command = path[index] ?? CLOSE;
    const at = (offset: number): number => path[index + offset] ?? 0;
    if (command === RECTANGLE && b === 0 && c === 0) {
      const [x1, x2] = [a * at(1) + e, a * (at(1) + at(3)) + e];
      const [y1, y2] = [d * at(2) + f, d * (at(2) + at(4)) + f];
      const [width, height] = [Math.abs(x2 - x1), Math.abs(y2 - y1)];
      out.push(RECTANGLE, bounded(Math.min(x1, x2)), bounded(Math.min(y1, y2)));
      out.push(bounded(width), bounded(height));
    } else if (command === RECTANGLE) {
      const [x, y, width, height] = [at(1), at(2), at(3), at(4)];
      out.push(MOVE);
      put(x, y);
      out.push(LINE);
      put(x + width, y);
      out.push(LINE);
      put(x + width, y + height);
      out.push(LINE);
      put(x, y + height);
      out.push(CLOSE);
    } else {
      out.push(command);
      for (let offset = 1; offset < (COMMAND_LENGTHS[command] ?? 1); offset += 2) {
        put(at(offset), at(offset + 1));
      }
    }
    index += COMMAND_LENGTHS[command] ?? 1;
  }
  return out;
}
