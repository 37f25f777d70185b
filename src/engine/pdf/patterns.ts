import { COMMAND_LENGTHS } from '../model/path.ts';
import type {
  GradientStop,
  LinearGradient,
  Matrix,
  RadialGradient,
  Rgb,
  TilePattern,
} from '../model/style.ts';
import type { DocumentResources } from './resources.ts';
import { decimal, reference } from './syntax.ts';

/**
 * How far a mask's form reaches from the origin of its space. A page is at most 14,400 pt high and
 * wide, so the form covers it from any origin on the page, unless the space is scaled down.
 */
const MASK_REACH = 20_000;

/** Operator of each command of `PathData`, by the number of the command. */
const PATH_OPERATORS: readonly string[] = ['m', 'l', 'c', 'h', 're'];

/** Color of a gradient without stops. */
const BLACK: GradientStop = { offset: 0, color: 0, opacity: 1 };

export interface PaintedPattern {
  /** Resource name of the pattern. */
  readonly pattern: string;
  /** Resource name of a graphics state that masks by the stops' opacities, or null. */
  readonly state: string | null;
}

/**
 * A gradient or tile as a pattern (ISO 32000-2 §8.7). Patterns ignore the current matrix: `matrix`
 * maps the paint's space to the page's default space. `maskMatrix` maps it to the current user
 * space, where its opacity mask is placed.
 */
export function paintPattern(
  paint: LinearGradient | RadialGradient | TilePattern,
  matrix: Matrix,
  maskMatrix: Matrix,
  resources: DocumentResources,
): PaintedPattern {
  if (paint.kind === 'tile') {
    return { pattern: resources.pattern(writeTile(paint, matrix, resources)), state: null };
  }
  const paintMatrix = paint.kind === 'radial' ? paint.matrix : null;
  const patternMatrix = paintMatrix === null ? matrix : multiply(paintMatrix, matrix);
  const colors = gradientFunction(paint.stops, (stop) => rgbComponents(stop.color));
  const object = resources.file.add(
    `<</PatternType 2/Matrix${matrixArray(patternMatrix)}` +
      `/Shading<</ColorSpace/DeviceRGB${geometry(paint)}/Function${colors}>>>>`,
  );
  const translucent = paint.stops.some((stop) => stop.opacity < 1);
  return {
    pattern: resources.pattern(object),
    state: translucent
      ? writeMask(
          paint,
          paintMatrix === null ? maskMatrix : multiply(paintMatrix, maskMatrix),
          resources,
        )
      : null,
  };
}

function numbers(values: readonly number[]): string {
  return values.map((value) => decimal(value, 4)).join(' ');
}

function geometry(paint: LinearGradient | RadialGradient): string {
  return paint.kind === 'linear'
    ? `/ShadingType 2/Coords[${numbers([paint.x1, paint.y1, paint.x2, paint.y2])}]/Extend[true true]`
    : `/ShadingType 3/Coords[${numbers([paint.fx, paint.fy, 0, paint.cx, paint.cy, paint.r])}]/Extend[true true]`;
}

/** A soft mask whose luminosity is the gradient's opacity (§11.5.3). */
function writeMask(
  paint: LinearGradient | RadialGradient,
  matrix: Matrix,
  resources: DocumentResources,
): string {
  const opacities = gradientFunction(paint.stops, (stop) => [stop.opacity]);
  const pattern =
    `<</PatternType 2/Matrix${matrixArray(matrix)}` +
    `/Shading<</ColorSpace/DeviceGray${geometry(paint)}/Function${opacities}>>>>`;
  const reach = MASK_REACH;
  const form = resources.file.addStream(
    `/Type/XObject/Subtype/Form/BBox[${-reach} ${-reach} ${reach} ${reach}]` +
      '/Group<</S/Transparency/CS/DeviceGray>>' +
      `/Resources<</Pattern<</P0 ${reference(resources.file.add(pattern))}>>>>`,
    new TextEncoder().encode(
      `/Pattern cs /P0 scn ${-reach} ${-reach} ${2 * reach} ${2 * reach} re f`,
    ),
  );
  return resources.state(`/SMask<</S/Luminosity/G ${reference(form)}>>`);
}

/** Stops → one function over 0…1: exponential pieces stitched together (§7.10.3, §7.10.4). */
function gradientFunction(
  stops: readonly GradientStop[],
  components: (stop: GradientStop) => readonly number[],
): string {
  const monotonic = withEnds(stops);
  const list = (stop: GradientStop): string =>
    components(stop)
      .map((value) => decimal(value, 4))
      .join(' ');
  const pieces: string[] = [];
  const bounds: string[] = [];
  for (let index = 1; index < monotonic.length; index++) {
    const from = monotonic[index - 1];
    const to = monotonic[index];
    if (from === undefined || to === undefined) continue;
    pieces.push(`<</FunctionType 2/Domain[0 1]/C0[${list(from)}]/C1[${list(to)}]/N 1>>`);
    if (index < monotonic.length - 1) bounds.push(decimal(to.offset, 5));
  }
  if (pieces.length === 1) return pieces[0] ?? '';
  const encode = pieces.map(() => '0 1').join(' ');
  return (
    `<</FunctionType 3/Domain[0 1]/Functions[${pieces.join('')}]` +
    `/Bounds[${bounds.join(' ')}]/Encode[${encode}]>>`
  );
}

/** The stops with offsets that never decrease, and with a first stop at 0 and a last at 1. */
function withEnds(stops: readonly GradientStop[]): GradientStop[] {
  const first = stops[0];
  const last = stops.at(-1);
  if (first === undefined || last === undefined) return [BLACK, { ...BLACK, offset: 1 }];
  const monotonic: GradientStop[] = [];
  let reached = 0;
  for (const stop of stops) {
    reached = Math.min(1, Math.max(reached, stop.offset));
    monotonic.push({ ...stop, offset: reached });
  }
  if (first.offset > 0) monotonic.unshift({ ...first, offset: 0 });
  if (reached < 1) monotonic.push({ ...last, offset: 1 });
  return monotonic;
}

function writeTile(tile: TilePattern, matrix: Matrix, resources: DocumentResources): number {
  const [red, green, blue] = rgbComponents(tile.color).map((value) => decimal(value, 3));
  let content = `${red} ${green} ${blue} RG ${red} ${green} ${blue} rg ${decimal(tile.lineWidthPt)} w\n`;
  const { path } = tile;
  const operands = (start: number, end: number): string =>
    path
      .slice(start, end)
      .map((value) => decimal(value, 3))
      .join(' ');
  for (let index = 0; index < path.length;) {
    const command = path[index] ?? 0;
    const end = index + (COMMAND_LENGTHS[command] ?? 1);
    content += `${operands(index + 1, end)} ${PATH_OPERATORS[command] ?? 'h'}\n`;
    index = end;
  }
  content += 'S\n';
  return resources.file.addStream(
    '/PatternType 1/PaintType 1/TilingType 1' +
      `/BBox[0 0 ${decimal(tile.widthPt)} ${decimal(tile.heightPt)}]` +
      `/XStep ${decimal(tile.widthPt)}/YStep ${decimal(tile.heightPt)}` +
      `/Resources<<>>/Matrix${matrixArray(matrix)}`,
    new TextEncoder().encode(content),
  );
}

function rgbComponents(color: Rgb): number[] {
  return [(color >> 16) / 255, ((color >> 8) & 0xff) / 255, (color & 0xff) / 255];
}

function matrixArray(matrix: Matrix): string {
  return `[${matrix.map((value) => decimal(value, 5)).join(' ')}]`;
}

/** First `a`, then `b` (row vectors, §8.3.4). */
export function multiply(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] * b[0] + a[1] * b[2],
    a[0] * b[1] + a[1] * b[3],
    a[2] * b[0] + a[3] * b[2],
    a[2] * b[1] + a[3] * b[3],
    a[4] * b[0] + a[5] * b[2] + b[4],
    a[4] * b[1] + a[5] * b[3] + b[5],
  ];
}
