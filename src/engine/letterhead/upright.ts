import type { ForeignPage } from './parse.ts';

/** Size of the upright page, in points. */
export function uprightSize({ box, turns, unitPt }: ForeignPage): {
  widthPt: number;
  heightPt: number;
} {
  const width = (box[2] - box[0]) * unitPt;
  const height = (box[3] - box[1]) * unitPt;
  return turns % 2 === 0
    ? { widthPt: width, heightPt: height }
    : { widthPt: height, heightPt: width };
}

export type Matrix = readonly [number, number, number, number, number, number];

/** Maps the page's own space to points from the lower left corner of the upright page. */
export function uprightMatrix({ box, turns, unitPt }: ForeignPage): Matrix {
  const [x0, y0, x1, y1] = box;
  const u = unitPt;
  switch (turns) {
    case 1:
      return [0, -u, u, 0, -y0 * u, x1 * u];
    case 2:
      return [-u, 0, 0, -u, x1 * u, y1 * u];
    case 3:
      return [0, u, -u, 0, y1 * u, -x0 * u];
    default:
      return [u, 0, 0, u, -x0 * u, -y0 * u];
  }
}

/** Lower left and upper right corner of a rectangle after a quarter turn or none. */
export function turnedBox(
  [x0, y0, x1, y1]: readonly [number, number, number, number],
  m: Matrix,
): readonly [number, number, number, number] {
  const at = (x: number, y: number): readonly [number, number] => [
    m[0] * x + m[2] * y + m[4],
    m[1] * x + m[3] * y + m[5],
  ];
  const [ax, ay] = at(x0, y0);
  const [bx, by] = at(x1, y1);
  return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
}
