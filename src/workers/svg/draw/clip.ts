import type { Matrix, PathData } from '../../model/style.ts';
import { transformPath } from './path.ts';

/** Clipping region of a group, in the group's own space. */
export interface ClipRegion {
  readonly path: PathData;
  readonly rule: 'nonzero' | 'evenodd';
}

/** Several outlines as one region. */
export function clipRegion(
  outlines: readonly { readonly path: PathData; readonly matrix: Matrix }[],
  rule: 'nonzero' | 'evenodd',
): ClipRegion {
  const path: number[] = [];
  for (const outline of outlines) {
    for (const value of transformPath(outline.path, outline.matrix)) path.push(value);
  }
  return { path, rule };
}
