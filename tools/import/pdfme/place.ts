import type { Frame, SchemaReader, Sides } from './schema-reader.ts';
import { round } from './schema-reader.ts';

/**
 * Positions a node on a page, `offset` from the corner of its frame. Rotation is about the middle
 * of the frame, as in pdfme.
 */
export function placed(
  node: object,
  { x, y, width, height }: Frame,
  degrees: number,
  offset: { readonly x: number; readonly y: number } = { x: 0, y: 0 },
): object {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  // The offset from the middle.
  const [dx, dy] = [offset.x - width / 2, offset.y - height / 2];
  const at = {
    x: round(x + width / 2 + dx * cos - dy * sin),
    y: round(y + height / 2 + dx * sin + dy * cos),
    ...(degrees % 360 === 0 ? {} : { rotate: degrees }),
  };
  return { absolutePosition: at, ...node };
}

/** Puts a node at the top, middle or bottom of a box of fixed size. */
export function boxed(
  node: object,
  { width, height }: Pick<Frame, 'width' | 'height'>,
  verticalAlignment: string,
): object {
  return {
    table: {
      widths: [width],
      heights: [height],
      body: [[{ ...node, verticalAlignment }]],
    },
    layout: NO_LINES,
  };
}

/** A table layout without rules and paddings, so that a cell is as large as its content. */
export const NO_LINES = {
  hLineWidth: 0,
  vLineWidth: 0,
  paddingLeft: 0,
  paddingRight: 0,
  paddingTop: 0,
  paddingBottom: 0,
} as const;

/** The rectangle behind a text, with fill and borders; null when it has neither. */
export function decoration(schema: SchemaReader, frame: Frame): object | null {
  const fill = schema.text('backgroundColor');
  const color = schema.text('borderColor');
  const borders = schema.sides('borderWidth');
  const shapes: object[] = [];
  if (fill !== '') {
    const { width: w, height: h } = frame;
    shapes.push({ type: 'rect', x: 0, y: 0, w, h, lineWidth: 0, color: fill });
  }
  if (color !== '') {
    for (const side of sideRectangles(frame, borders)) {
      shapes.push({ type: 'rect', ...side, lineWidth: 0, color });
    }
  }
  return shapes.length === 0 ? null : { canvas: shapes };
}

function sideRectangles({ width: w, height: h }: Frame, borders: Sides): readonly object[] {
  return [
    { x: 0, y: 0, w, h: borders.top },
    { x: round(w - borders.right), y: 0, w: borders.right, h },
    { x: 0, y: round(h - borders.bottom), w, h: borders.bottom },
    { x: 0, y: 0, w: borders.left, h },
  ].filter((side) => side.w > 0 && side.h > 0);
}
