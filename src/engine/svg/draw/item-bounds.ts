import type { Item } from '../../model/frame.ts';
import { Bounds } from './bounds.ts';
import { compose, IDENTITY, type Rectangle } from './matrix.ts';
import { transformPath } from './path.ts';
import type { Matrix } from '../../model/style.ts';
import { RECTANGLE } from '../../model/path.ts';

/**
 * The bounding box of paths and text, also inside groups: paths without their strokes, text from
 * its ascent to its descent. Null when there are neither.
 */
export function itemBounds(items: readonly Item[]): Rectangle | null {
  const bounds = new Bounds();
  visit(items, IDENTITY, bounds);
  return bounds.rectangle;
}

function visit(items: readonly Item[], matrix: Matrix, bounds: Bounds): void {
  for (const item of items) {
    if (item.kind === 'path') {
      const shift: Matrix = [1, 0, 0, 1, item.x, item.y];
      bounds.path(transformPath(item.path, compose(matrix, shift)));
    } else if (item.kind === 'text') {
      const { stack, sizePt } = item.style;
      const width = item.shapes.reduce((sum, shape) => sum + shape.widthEm, 0) * sizePt;
      const height = (stack.ascentEm - stack.descentEm) * sizePt;
      const box = [RECTANGLE, item.x, item.y - stack.ascentEm * sizePt, width, height];
      bounds.path(transformPath(box, matrix));
    } else if (item.kind === 'group') {
      const shift: Matrix = [1, 0, 0, 1, item.x, item.y];
      visit(item.items, compose(compose(matrix, shift), item.matrix ?? IDENTITY), bounds);
    }
  }
}
