import { CURVE, LINE } from '../../model/path.ts';

export interface Arc {
  readonly rx: number;
  readonly ry: number;
  /** Rotation of the ellipse's x axis. */
  readonly degrees: number;
  readonly large: boolean;
  readonly sweep: boolean;
}

/**
 * An elliptical arc as cubics (SVG 2 appendix B.2), each at most a quarter turn, in PathData
 * commands. Radii out of range are corrected as the standard says.
 */
export function arcToCubics(x1: number, y1: number, x2: number, y2: number, arc: Arc): number[] {
  if (x1 === x2 && y1 === y2) return [];
  let rx = Math.abs(arc.rx);
  let ry = Math.abs(arc.ry);
  if (rx < 1e-9 || ry < 1e-9) return [LINE, x2, y2];
  const phi = ((arc.degrees % 360) * Math.PI) / 180;
  const cos = Math.cos(phi);
  const sin = Math.sin(phi);
  // The start in the ellipse's own axes, around the chord's middle.
  const px = (cos * (x1 - x2) + sin * (y1 - y2)) / 2;
  const py = (-sin * (x1 - x2) + cos * (y1 - y2)) / 2;
  const excess = (px / rx) ** 2 + (py / ry) ** 2;
  if (excess > 1) {
    rx *= Math.sqrt(excess);
    ry *= Math.sqrt(excess);
  }
  const chord = rx * rx * py * py + ry * ry * px * px;
  const sign = arc.large === arc.sweep ? -1 : 1;
  const root = sign * Math.sqrt(Math.max(0, (rx * rx * ry * ry - chord) / chord));
  const cx = (root * rx * py) / ry;
  const cy = (-root * ry * px) / rx;
  const centreX = cos * cx - sin * cy + (x1 + x2) / 2;
  const centreY = sin * cx + cos * cy + (y1 + y2) / 2;
  const from = Math.atan2((py - cy) / ry, (px - cx) / rx);
  let turn = Math.atan2((-py - cy) / ry, (-px - cx) / rx) - from;
  if (arc.sweep && turn < 0) turn += 2 * Math.PI;
  if (!arc.sweep && turn > 0) turn -= 2 * Math.PI;

  const pieces = Math.max(1, Math.ceil(Math.abs(turn) / (Math.PI / 2) - 1e-9));
  const step = turn / pieces;
  const reach = (4 / 3) * Math.tan(step / 4);
  const out: number[] = [];
  const put = (u: number, v: number): void => {
    out.push(centreX + cos * rx * u - sin * ry * v, centreY + sin * rx * u + cos * ry * v);
  };
  for (let piece = 0; piece < pieces; piece++) {
    const [a, b] = [from + piece * step, from + (piece + 1) * step];
    out.push(CURVE);
    put(Math.cos(a) - reach * Math.sin(a), Math.sin(a) + reach * Math.cos(a));
    put(Math.cos(b) + reach * Math.sin(b), Math.sin(b) - reach * Math.cos(b));
    if (piece === pieces - 1) out.push(x2, y2);
    else put(Math.cos(b), Math.sin(b));
  }
  return out.every(Number.isFinite) ? out : [LINE, x2, y2];
}
