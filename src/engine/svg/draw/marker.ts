import { CLOSE, COMMAND_LENGTHS, CURVE, LINE, MOVE, RECTANGLE } from '../../model/path.ts';
import type { Matrix, PathData } from '../../model/style.ts';
import type { Item } from '../../model/frame.ts';
import { clipRegion } from './clip.ts';
import type { Drawing, Styled } from './drawing.ts';
import { wrapItems } from './group.ts';
import { compose, fitViewBox, readViewBox, rotation } from './matrix.ts';
import { INITIAL } from './presentation.ts';

/** Limit of the vertices of one path that carry markers. */
const MARKERS_MAX = 5_000;

interface Vertex {
  readonly x: number;
  readonly y: number;
  /** Direction in radians, halfway between the incoming and outgoing ones (SVG 2 §13.7.4). */
  readonly angle: number;
}

/** The markers of a path, in drawing order (SVG 2 §13.7). */
export function markerItems(path: PathData, styled: Styled, drawing: Drawing): Item[] {
  const { markerStart, markerMid, markerEnd } = styled.style;
  if (markerStart === null && markerMid === null && markerEnd === null) return [];
  const vertices = verticesOf(path);
  const items: Item[] = [];
  for (const [index, vertex] of vertices.entries()) {
    const isFirst = index === 0;
    const isLast = index === vertices.length - 1;
    const ids = [
      isFirst ? markerStart : null,
      isFirst || isLast ? null : markerMid,
      isLast ? markerEnd : null,
    ];
    for (const id of ids) {
      if (id === null) continue;
      for (const item of oneMarker(id, vertex, isFirst, styled, drawing)) items.push(item);
    }
  }
  return items;
}

/** Draws the marker `id` at a vertex of the path that `styled` is about. */
function oneMarker(
  id: string,
  vertex: Vertex,
  isFirst: boolean,
  styled: Styled,
  drawing: Drawing,
): Item[] {
  const marker = drawing.ids.get(id);
  if (marker?.name !== 'marker' || !drawing.spend(0)) return [];
  const outer = styled.place;
  const inner = drawing.styled(marker, { ...outer, inherited: INITIAL });
  if (!inner.style.displayed) return [];
  const { attributes } = marker;
  const { geometry } = inner;
  const width = geometry.across('markerWidth') ?? 3;
  const height = geometry.down('markerHeight') ?? 3;
  if (!(width > 0) || !(height > 0)) return [];
  const box = { x: 0, y: 0, width, height };
  const viewBox = readViewBox(marker) ?? box;
  const fit = fitViewBox(viewBox, box, attributes.get('preserveAspectRatio'));
  if (fit === null) return [];
  const scale = attributes.get('markerUnits') === 'userSpaceOnUse' ? 1 : styled.style.strokeWidth;
  const [fitX, , , fitY, fitLeft, fitTop] = fit;
  // The reference point lies in the viewBox's units and lands on the vertex.
  const refX = (geometry.across('refX') ?? 0) * fitX + fitLeft;
  const refY = (geometry.down('refY') ?? 0) * fitY + fitTop;
  const steps = [
    translation(vertex.x, vertex.y),
    rotation(angleOfMarker(attributes.get('orient'), vertex, isFirst)),
    [scale, 0, 0, scale, 0, 0] as const,
    translation(-refX, -refY),
  ];
  const corner = steps.reduce((matrix, step) => compose(matrix, step), outer.matrix);
  const place = { ...inner.place, matrix: compose(corner, fit), viewport: viewBox };
  const items = drawing.children(marker, place);
  if (items.length === 0 || !inner.style.overflowHidden) return items;
  const clip = clipRegion([{ path: [RECTANGLE, 0, 0, width, height], matrix: corner }], 'nonzero');
  return wrapItems(items, { clip });
}

/** The angle that `orient` gives a marker, in radians: the path's direction, or a fixed one. */
function angleOfMarker(orient: string | undefined, vertex: Vertex, isFirst: boolean): number {
  const value = orient?.trim() ?? '0';
  if (value.startsWith('auto')) {
    return value === 'auto-start-reverse' && isFirst ? vertex.angle + Math.PI : vertex.angle;
  }
  const degrees = Number.parseFloat(value);
  return Number.isFinite(degrees) ? (degrees * Math.PI) / 180 : 0;
}

function translation(x: number, y: number): Matrix {
  return [1, 0, 0, 1, x, y];
}

/** A vertex while its directions are gathered. */
interface OpenVertex {
  readonly x: number;
  readonly y: number;
  incoming: Point | null;
  outgoing: Point | null;
}

function verticesOf(path: PathData): Vertex[] {
  const vertices: OpenVertex[] = [];
  let start: OpenVertex | null = null;
  const pointAt = (index: number): Point => [path[index] ?? 0, path[index + 1] ?? 0];
  for (let index = 0; index < path.length && vertices.length < MARKERS_MAX;) {
    const command = path[index] ?? CLOSE;
    switch (command) {
      case MOVE: {
        const [x, y] = pointAt(index + 1);
        start = { x, y, incoming: null, outgoing: null };
        vertices.push(start);
        break;
      }
      case LINE:
        addSegment(vertices, pointAt(index + 1), []);
        break;
      case CURVE:
        addSegment(vertices, pointAt(index + 5), [pointAt(index + 1), pointAt(index + 3)]);
        break;
      case CLOSE:
        if (start !== null) closeSubpath(vertices, start);
        break;
      default:
        // Markers are not drawn on rectangles.
        break;
    }
    index += COMMAND_LENGTHS[command] ?? 1;
  }
  return vertices.map(({ x, y, incoming, outgoing }) => ({
    x,
    y,
    angle: angleOf(incoming, outgoing),
  }));
}

function closeSubpath(vertices: OpenVertex[], start: OpenVertex): void {
  addSegment(vertices, [start.x, start.y], []);
  const closing = vertices.at(-1);
  if (closing === undefined) return;
  // The closing vertex and the first one share their directions.
  closing.outgoing = start.outgoing;
  start.incoming = closing.incoming;
}

type Point = readonly [number, number];

/** Adds the end of a segment, and the directions of the segment to the vertices at both ends. */
function addSegment(vertices: OpenVertex[], to: Point, controls: readonly Point[]): void {
  const from = vertices.at(-1);
  if (from === undefined) return;
  const points: readonly Point[] = [[from.x, from.y], ...controls, to];
  from.outgoing = direction(points);
  const back = direction(points.toReversed());
  const incoming: Point | null = back === null ? null : [-back[0], -back[1]];
  vertices.push({ x: to[0], y: to[1], incoming, outgoing: null });
}

/** From the first point to the next one that lies elsewhere; null if all are the same. */
function direction([origin, ...others]: readonly Point[]): Point | null {
  if (origin === undefined) return null;
  const [x, y] = origin;
  const other = others.find((point) => point[0] !== x || point[1] !== y);
  return other === undefined ? null : [other[0] - x, other[1] - y];
}

/** Halfway between two directions, in radians. */
function angleOf(incoming: Point | null, outgoing: Point | null): number {
  const first = incoming ?? outgoing;
  const second = outgoing ?? incoming;
  if (first === null || second === null) return 0;
  const unit = ([x, y]: Point): Point => [x / Math.hypot(x, y), y / Math.hypot(x, y)];
  const [a, b] = [unit(first), unit(second)];
  const [x, y] = [a[0] + b[0], a[1] + b[1]];
  return Math.hypot(x, y) < 1e-9 ? Math.atan2(b[1], b[0]) : Math.atan2(y, x);
}
