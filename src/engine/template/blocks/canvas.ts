import type { Context } from '../context.ts';
import type { JsonObject } from '../../../runtime/json-object.ts';
import { checkIsObject, checkObject } from '../vocabulary/check.ts';
import { isObject } from '../../../runtime/json-object.ts';
import { BLACK, parseColor } from '../../model/color.ts';

import { VECTOR_KEYS } from '../vocabulary/keys.ts';
import type { CanvasNode } from '../../model/nodes.ts';
import type {
  Dash,
  Fill,
  GradientStop,
  LinearGradient,
  PathData,
  Stroke,
} from '../../model/style.ts';
import { rgbOf } from '../style/textstyle.ts';
import type { Checked, PaintSource } from '../vocabulary/values.ts';
import { CLOSE, CURVE, LINE, MOVE, RECTANGLE } from '../../model/path.ts';

type Vector = CanvasNode['vectors'][number];

/** A path and the box it reaches to, from the canvas's own corner. */
interface Outline {
  readonly path: PathData;
  readonly right: number;
  readonly bottom: number;
  /** Left and right end of a gradient along it, or null where pdfmake draws none. */
  readonly gradientX: readonly [number, number] | null;
}

/** Control points of a quarter circle (the usual approximation by one cubic). */
const QUARTER = 0.5522847498307936;

type Kind = keyof typeof VECTOR_KEYS;

/** pdfmake's vectors as ready paths, and the canvas's size: how far they reach right and down. */
export function compileVectors(
  sources: readonly unknown[],
  path: string,
  context: Context,
): Pick<CanvasNode, 'vectors' | 'widthPt' | 'heightPt'> {
  const vectors: Vector[] = [];
  let widthPt = 0;
  let heightPt = 0;
  sources.forEach((source, index) => {
    const at = `${path}[${index}]`;
    const object = checkIsObject(source, at, context.findings);
    const compiled = object === null ? null : compileVector(object, at, context);
    if (compiled === null) return;
    vectors.push(compiled.vector);
    widthPt = Math.max(widthPt, compiled.outline.right);
    heightPt = Math.max(heightPt, compiled.outline.bottom);
  });
  return { vectors, widthPt, heightPt };
}

function compileVector(
  source: JsonObject,
  path: string,
  context: Context,
): { readonly vector: Vector; readonly outline: Outline } | null {
  const { type } = source;
  if (typeof type !== 'string' || !isKind(type)) {
    const kinds = Object.keys(VECTOR_KEYS);
    const hint = typeof type === 'string' ? context.findings.suggestion(type, kinds) : '';
    const message = `"type" must be one of ${kinds.join(', ')}${hint}`;
    context.findings.error(`${path}.type`, message);
    return null;
  }
  const outline = outlineOf(type, source, path, context);
  if (outline === null) return null;
  const fill = fillOf(source, outline, path, context);
  const paint = checkObject(source, path, VECTOR_KEYS[type], context.findings);
  const isStroked = fill === null || paint.lineColor !== undefined;
  const stroke = isStroked ? strokeOf(paint, path, context) : null;
  return { vector: { path: outline.path, fill, stroke }, outline };
}

function isKind(type: string): type is Kind {
  return Object.hasOwn(VECTOR_KEYS, type);
}

function outlineOf(
  kind: Kind,
  source: JsonObject,
  path: string,
  { findings }: Context,
): Outline | null {
  switch (kind) {
    case 'line': {
      const {
        x1 = 0,
        y1 = 0,
        x2 = 0,
        y2 = 0,
      } = checkObject(source, path, VECTOR_KEYS.line, findings);
      const drawn = [MOVE, x1, y1, LINE, x2, y2];
      return { path: drawn, right: Math.max(x1, x2), bottom: Math.max(y1, y2), gradientX: null };
    }
    case 'rect': {
      const checked = checkObject(source, path, VECTOR_KEYS.rect, findings);
      const { x = 0, y = 0, w = 0, h = 0, r = 0 } = checked;
      const drawn = r > 0 ? roundedRectangle(x, y, w, h, r) : [RECTANGLE, x, y, w, h];
      return { path: drawn, right: x + w, bottom: y + h, gradientX: [x, x + w] };
    }
    case 'ellipse': {
      const { x = 0, y = 0, r1 = 0, r2 } = checkObject(source, path, VECTOR_KEYS.ellipse, findings);
      const ry = r2 ?? r1;
      const drawn = ellipse(x, y, r1, ry);
      return { path: drawn, right: x + r1, bottom: y + ry, gradientX: [x - r1, x + r1] };
    }
    case 'polyline': {
      const { points = [], closePath } = checkObject(source, path, VECTOR_KEYS.polyline, findings);
      return polyline(points, closePath ?? false, path, findings);
    }
  }
}

function polyline(
  sources: readonly unknown[],
  isClosed: boolean,
  path: string,
  findings: Context['findings'],
): Outline | null {
  const points: { x: number; y: number }[] = [];
  for (const [index, source] of sources.entries()) {
    const { x, y } = isObject(source) ? source : {};
    if (typeof x !== 'number' || typeof y !== 'number') {
      findings.error(`${path}.points[${index}]`, 'must be {"x": number, "y": number}.');
      return null;
    }
    points.push({ x, y });
  }
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) {
    findings.error(`${path}.points`, 'A polyline needs points.');
    return null;
  }
  const drawn = points.flatMap(({ x, y }, index) => [index === 0 ? MOVE : LINE, x, y]);
  const meets = points.length > 1 && first.x === last.x && first.y === last.y;
  if (isClosed || meets) drawn.push(CLOSE);
  const right = Math.max(0, ...points.map((point) => point.x));
  const bottom = Math.max(0, ...points.map((point) => point.y));
  return { path: drawn, right, bottom, gradientX: null };
}

function roundedRectangle(x: number, y: number, w: number, h: number, radius: number): PathData {
  const r = Math.min(radius, w / 2, h / 2);
  const c = r * (1 - QUARTER);
  const right = x + w;
  const bottom = y + h;
  return [
    [MOVE, x + r, y],
    [LINE, right - r, y],
    [CURVE, right - c, y, right, y + c, right, y + r],
    [LINE, right, bottom - r],
    [CURVE, right, bottom - c, right - c, bottom, right - r, bottom],
    [LINE, x + r, bottom],
    [CURVE, x + c, bottom, x, bottom - c, x, bottom - r],
    [LINE, x, y + r],
    [CURVE, x, y + c, x + c, y, x + r, y],
    [CLOSE],
  ].flat();
}

function ellipse(cx: number, cy: number, rx: number, ry: number): PathData {
  const ox = rx * QUARTER;
  const oy = ry * QUARTER;
  return [
    [MOVE, cx - rx, cy],
    [CURVE, cx - rx, cy - oy, cx - ox, cy - ry, cx, cy - ry],
    [CURVE, cx + ox, cy - ry, cx + rx, cy - oy, cx + rx, cy],
    [CURVE, cx + rx, cy + oy, cx + ox, cy + ry, cx, cy + ry],
    [CURVE, cx - ox, cy + ry, cx - rx, cy + oy, cx - rx, cy],
    [CLOSE],
  ].flat();
}

function fillOf(source: JsonObject, outline: Outline, path: string, context: Context): Fill | null {
  const { color, fillOpacity, linearGradient } = checkFill(source);
  const opacity = fillOpacity ?? 1;
  if (linearGradient !== undefined && outline.gradientX !== null) {
    const gradient = compileGradient(linearGradient, outline.gradientX, path, context);
    if (gradient !== null) return { paint: gradient, opacity, rule: 'nonzero' };
  }
  if (color === undefined) return null;
  const paint = context.patterns.paint(color, `${path}.color`);
  return { paint, opacity, rule: 'nonzero' };
}

/** The paint keys, read separately from the shape's; wrong values were reported with those. */
function checkFill(source: JsonObject): {
  readonly color?: PaintSource;
  readonly fillOpacity?: number;
  readonly linearGradient?: readonly unknown[];
} {
  const { color, fillOpacity, linearGradient } = VECTOR_KEYS.rect;
  return {
    ...(color.accepts(source['color']) ? { color: source['color'] } : {}),
    ...(fillOpacity.accepts(source['fillOpacity']) ? { fillOpacity: source['fillOpacity'] } : {}),
    ...(linearGradient.accepts(source['linearGradient'])
      ? { linearGradient: source['linearGradient'] }
      : {}),
  };
}

function compileGradient(
  sources: readonly unknown[],
  [x1, x2]: readonly [number, number],
  path: string,
  { findings }: Context,
): LinearGradient | null {
  const stops: GradientStop[] = [];
  for (const [index, source] of sources.entries()) {
    const color = parseColor(source);
    if (color === null) {
      findings.error(`${path}.linearGradient[${index}]`, 'must be a colour.');
      return null;
    }
    stops.push({
      offset: sources.length > 1 ? index / (sources.length - 1) : 0,
      color,
      opacity: 1,
    });
  }
  return stops.length === 0 ? null : { kind: 'linear', x1, y1: 0, x2, y2: 0, stops };
}

type StrokeSource = Checked<(typeof VECTOR_KEYS)['line']>;

const CAPS = { butt: 0, round: 1, square: 2 } as const;
const JOINS = { miter: 0, round: 1, bevel: 2 } as const;

function strokeOf(source: StrokeSource, path: string, context: Context): Stroke {
  const { lineWidth, lineColor, lineCap, lineJoin, dash, strokeOpacity } = source;
  return {
    paint: rgbOf(lineColor) ?? BLACK,
    // pdfmake takes 0 for the default.
    widthPt: lineWidth === undefined || lineWidth === 0 ? 1 : lineWidth,
    opacity: strokeOpacity ?? 1,
    cap: wordOf(CAPS, lineCap ?? 'butt', `${path}.lineCap`, context) ?? CAPS.butt,
    join: wordOf(JOINS, lineJoin ?? 'miter', `${path}.lineJoin`, context) ?? JOINS.miter,
    miterLimit: 10,
    dash: dash === undefined ? null : compileDash(dash, `${path}.dash`, context.findings),
  };
}

function wordOf<T extends Readonly<Record<string, 0 | 1 | 2>>>(
  words: T,
  word: string,
  path: string,
  { findings }: Context,
): T[keyof T] | null {
  const value = Object.hasOwn(words, word) ? words[word] : undefined;
  if (value === undefined) {
    findings.error(path, `must be one of ${Object.keys(words).join(', ')}.`);
    return null;
  }
  // Own key of the table: the value is one of its values.
  return value as T[keyof T];
}

/** `{"length", "space", "phase"}` in points; the space is the length unless given. */
export function compileDash(
  source: JsonObject,
  path: string,
  findings: Context['findings'],
): Dash | null {
  const { length, space, phase, ...rest } = source;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    findings.error(`${path}.${unknown}`, 'A dash has "length", "space" and "phase" only.');
  }
  if (!isLength(length) || (space !== undefined && typeof space !== 'number')) {
    findings.error(path, 'must be {"length": points above 0, "space": points}.');
    return null;
  }
  const gap = isLength(space) ? space : length;
  return { lengths: [length, gap], phase: typeof phase === 'number' ? phase : 0 };
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && value > 0;
}
