import type { PathData } from '../../model/style.ts';
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
  const { geometry } = inner;
  const width = geometry.across('markerWidth') ?? 3;
  const height = geometry.down('markerHeight') ?? 3;
  if (!(width > 0) || !(height > 0)) return [];
  const viewBox = readViewBox(marker) ?? { x: 0, y: 0, width, height };
  const fit = fitViewBox(
    viewBox,
    { x: 0, y: 0, width, height },
    marker.attributes.get('preserveAspectRatio'),
  );
  if (fit === null) return [];
  const orient = marker.attributes.get('orient')?.trim() ?? '0';
  const back = orient === 'auto-start-reverse' && isFirst ? Math.PI : 0;
  const fixed = (Number.parseFloat(orient) * Math.PI) / 180;
  const angle = orient.startsWith('auto')
    ? vertex.angle + back
    : Number.isFinite(fixed)
      ? fixed
      : 0;
  const scale =
    marker.attributes.get('markerUnits') === 'userSpaceOnUse' ? 1 : styled.style.strokeWidth;
  // The reference point lies in the viewBox's units and lands on the vertex.
  const refX = (geometry.across('refX') ?? 0) * fit[0] + fit[4];
  const refY = (geometry.down('refY') ?? 0) * fit[3] + fit[5];
  const steps = [
    outer.matrix,
    [1, 0, 0, 1, vertex.x, vertex.y] as const,
    rotation(angle),
    [scale, 0, 0, scale, 0, 0] as const,
    [1, 0, 0, 1, -refX, -refY] as const,
  ] as const;
  const corner = steps.reduce((matrix, step) => compose(matrix, step));
  const place = { ...inner.place, matrix: compose(corner, fit), viewport: viewBox };
  const items = drawing.children(marker, place);
  if (items.length === 0 || !inner.style.overflowHidden) return items;
  const clip = clipRegion([{ path: [4, 0, 0, width, height], matrix: corner }], 'nonzero');
  return wrapItems(items, { clip });
}

/** A vertex while its directions are gathered. */
interface OpenVertex {
  readonly x: number;
  readonly y: number;
  incoming: readonly [number, number] | null;
  outgoing: readonly [number, number] | null;
}

function verticesOf(path: PathData): Vertex[] {
  const vertices: OpenVertex[] = [];
  let start: OpenVertex | null = null;
  const at = (index: number): number => path[index] ?? 0;
  for (let index = 0; index < path.length && vertices.length < MARKERS_MAX;) {
    const last = vertices.at(-1);
    switch (path[index] ?? 3) {
      case 0: {
        start = { x: at(index + 1), y: at(index + 2), incoming: null, outgoing: null };
        vertices.push(start);
        index += 3;
        break;
      }
      case 1:
        arrive(vertices, last, [at(index + 1), at(index + 2)], null, null);
        index += 3;
        break;
      case 2:
        arrive(
          vertices,
          last,
          [at(index + 5), at(index + 6)],
          [at(index + 1), at(index + 2)],
          [at(index + 3), at(index + 4)],
        );
        index += 7;
        break;
      case 3:
        if (start !== null) {
          arrive(vertices, last, [start.x, start.y], null, null);
          // The closing vertex and the first one share their directions.
          const closing = vertices.at(-1);
          if (closing !== undefined) {
            closing.outgoing = start.outgoing;
            start.incoming = closing.incoming;
          }
        }
        index += 1;
        break;
      default:
        index += 5;
    }
  }
  return vertices.map(({ x, y, incoming, outgoing }) => ({
    x,
    y,
    angle: angleOf(incoming, outgoing),
  }));
}

type Point = readonly [number, number];

function arrive(
  vertices: OpenVertex[],
  from: OpenVertex | undefined,
  to: Point,
  control1: Point | null,
  control2: Point | null,
): void {
  if (from === undefined) return;
  const points: Point[] = [[from.x, from.y], control1 ?? to, control2 ?? [from.x, from.y], to];
  const away = (order: readonly number[]): Point | null => {
    const [origin = to, ...others] = order.map((index) => points[index] ?? to);
    const other = others.find((point) => point[0] !== origin[0] || point[1] !== origin[1]);
    return other === undefined ? null : [other[0] - origin[0], other[1] - origin[1]];
  };
  from.outgoing = away([0, 1, 2, 3]);
  const back = away([3, 2, 1, 0]);
  const incoming: Point | null = back === null ? null : [-back[0], -back[1]];
  vertices.push({ x: to[0], y: to[1], incoming, outgoing: null });
}

function angleOf(incoming: Point | null, outgoing: Point | null): number {
  const first = incoming ?? outgoing;
  const second = outgoing ?? incoming;
  if (first === null || second === null) return 0;
  const unit = ([x, y]: Point): Point => [x / Math.hypot(x, y), y / Math.hypot(x, y)];
  const [a, b] = [unit(first), unit(second)];
  const [x, y] = [a[0] + b[0], a[1] + b[1]];
  return Math.hypot(x, y) < 1e-9 ? Math.atan2(b[1], b[0]) : Math.atan2(y, x);
}
