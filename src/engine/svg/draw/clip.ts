import type { Matrix, PathData } from '../../model/style.ts';
import { transformPath } from './path.ts';

/** Clipping region of a group, in the group's own space. */
export interface ClipRegion {
  readonly path: PathData;
  readonly rule: 'nonzero' | 'evenodd';
}

/** Joins outlines into one region; each `matrix` maps its outline into the space of the group. */
export function clipRegion(
  outlines: readonly { readonly path: PathData; readonly matrix: Matrix }[],
  rule: 'nonzero' | 'evenodd',
): ClipRegion {
  return { path: outlines.flatMap(({ path, matrix }) => transformPath(path, matrix)), rule };
}
