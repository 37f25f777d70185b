import type { SvgElement } from '../tree.ts';
import type { Fill, Matrix, Paint, PathData, Stroke } from '../../model/style.ts';
import type { Item } from '../../model/frame.ts';
import { Bounds } from './bounds.ts';
import type { PaintValue } from './color.ts';
import type { Drawing, Styled } from './drawing.ts';
import { resolveGradient } from './gradient.ts';
import { wrapItems } from './group.ts';
import { IDENTITY, uniformScale } from './matrix.ts';
import { bounded } from './number.ts';
import { transformPath } from './path.ts';
import { patternItems } from './tiling.ts';
import type { Style } from './presentation.ts';

/** A shape's fill and stroke as items, in the space of `styled.place.matrix`. */
export function shapeItems(path: PathData, styled: Styled, drawing: Drawing): Item[] {
  const { style, place } = styled;
  const scale = style.scalesStroke ? uniformScale(place.matrix) : 1;
  // A line has no inside.
  const filled = styled.element.name === 'line' ? null : style.fill;
  const tiles = patternOf(filled, drawing);
  const items: Item[] =
    tiles === null ? [] : patternItems(tiles, path, styled, drawing, style.fillOpacity);
  const hasStroke = style.stroke.kind !== 'none' && style.strokeWidth > 0;
  if (!hasStroke || scale !== null) {
    const fill = tiles === null ? fillOf(filled, path, place.matrix, styled, drawing) : null;
    const stroke = hasStroke ? strokeOf(path, place.matrix, scale ?? 1, styled, drawing) : null;
    if (fill !== null || stroke !== null) {
      const moved = transformPath(path, place.matrix);
      items.push({ kind: 'path', x: 0, y: 0, path: moved, fill, stroke });
    }
    return items;
  }
  // The map distorts the pen, so the stroke is drawn in the shape's own space.
  const fill = tiles === null ? fillOf(filled, path, IDENTITY, styled, drawing) : null;
  const stroke = strokeOf(path, IDENTITY, 1, styled, drawing);
  if (fill === null && stroke === null) return items;
  const own: Item = { kind: 'path', x: 0, y: 0, path, fill, stroke };
  items.push(...wrapItems([own], { matrix: place.matrix }));
  return items;
}

function patternOf(value: PaintValue | null, drawing: Drawing): SvgElement | null {
  if (value?.kind !== 'server') return null;
  const element = drawing.ids.get(value.id);
  return element?.name === 'pattern' ? element : null;
}

function fillOf(
  value: PaintValue | null,
  path: PathData,
  matrix: Matrix,
  styled: Styled,
  drawing: Drawing,
): Fill | null {
  if (value === null) return null;
  const { style } = styled;
  const resolved = resolvePaint(value, path, matrix, styled, drawing);
  if (resolved === null) return null;
  const opacity = resolved.opacity * style.fillOpacity;
  return opacity > 0 ? { paint: resolved.paint, opacity, rule: style.fillRule } : null;
}

function strokeOf(
  path: PathData,
  matrix: Matrix,
  scale: number,
  styled: Styled,
  drawing: Drawing,
): Stroke | null {
  const { style } = styled;
  const resolved = resolvePaint(style.stroke, path, matrix, styled, drawing);
  const widthPt = bounded(style.strokeWidth * scale);
  // Width 0 would be the thinnest line a device can draw (ISO 32000-2 §8.4.3.2).
  if (resolved === null || widthPt < 1e-4) return null;
  const opacity = resolved.opacity * style.strokeOpacity;
  if (opacity <= 0) return null;
  return {
    paint: resolved.paint,
    widthPt,
    opacity,
    cap: style.cap,
    join: style.join,
    miterLimit: style.miterLimit,
    dash: dashOf(style, scale),
  };
}

function dashOf(style: Style, scale: number): Stroke['dash'] {
  if (style.dashes.length === 0) return null;
  const lengths = style.dashes.map((length) => bounded(length * scale));
  const period = lengths.reduce((sum, length) => sum + length, 0) * (1 + (lengths.length % 2));
  // Dashes far below a device's pixel are a solid line to the eye and endless work to a reader.
  if (period < 0.01) return null;
  const offset = (style.dashOffset * scale) % period;
  return { lengths, phase: offset < 0 ? offset + period : offset };
}

/** A paint with every reference resolved. */
interface ResolvedPaint {
  readonly paint: Paint;
  readonly opacity: number;
}

/** The paint of a shape with this path and map; null where nothing is painted. */
function resolvePaint(
  value: PaintValue,
  path: PathData,
  matrix: Matrix,
  styled: Styled,
  drawing: Drawing,
): ResolvedPaint | null {
  switch (value.kind) {
    case 'none':
      return null;
    case 'color':
      return { paint: value.color.rgb, opacity: value.color.alpha };
    case 'current':
      return { paint: styled.style.color.rgb, opacity: styled.style.color.alpha };
    case 'server': {
      const element = drawing.ids.get(value.id);
      const fallback = (): ResolvedPaint | null =>
        value.fallback === null
          ? null
          : resolvePaint(value.fallback, path, matrix, styled, drawing);
      if (element?.name !== 'linearGradient' && element?.name !== 'radialGradient') {
        return fallback();
      }
      const bounds = new Bounds();
      bounds.path(path);
      const gradient = resolveGradient(element, {
        drawing,
        viewport: styled.place.viewport,
        bounds: bounds.rectangle,
        matrix,
      });
      if (gradient === null) return fallback();
      if (gradient.kind === 'gradient') return { paint: gradient.gradient, opacity: 1 };
      return { paint: gradient.stop.color, opacity: gradient.stop.opacity };
    }
  }
}
