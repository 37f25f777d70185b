import type { SvgElement } from '../tree.ts';
import type { Matrix, PathData } from '../../model/style.ts';
import type { Item } from '../../model/frame.ts';
import { Bounds } from './bounds.ts';
import { clipRegion } from './clip.ts';
import type { Drawing, Styled } from './drawing.ts';
import { wrapItems } from './group.ts';
import {
  compose,
  fitViewBox,
  invert,
  parseTransform,
  readViewBox,
  type Rectangle,
} from './matrix.ts';
import { parseLength } from './number.ts';
import { transformPath } from './path.ts';
import type { Viewport } from './shape.ts';
import { INITIAL } from './presentation.ts';
import { RECTANGLE } from '../../model/path.ts';

/** Limit of the tiles for one shape; a finer pattern is left out. */
const TILES_MAX = 2_000;
const CHAIN_MAX = 16;

type Attribute = (name: string) => string | undefined;

/** First and last column and row of tiles, the last one not included. */
interface TileRange {
  readonly first: { readonly x: number; readonly y: number };
  readonly last: { readonly x: number; readonly y: number };
}

/** A shape filled with a pattern (SVG 2 §14.3): each tile's content, clipped to tile and shape. */
export function patternItems(
  pattern: SvgElement,
  path: PathData,
  styled: Styled,
  drawing: Drawing,
  opacity: number,
): Item[] {
  const chain = chainOf(pattern, drawing);
  const attribute: Attribute = (name) =>
    chain.find((one) => one.attributes.has(name))?.attributes.get(name);
  const content = chain.find((one) => one.children.some((child) => typeof child !== 'string'));
  const bounds = new Bounds();
  bounds.path(path);
  const box = bounds.rectangle;
  const own = parseTransform(attribute('patternTransform'));
  if (content === undefined || box === null || own === null) return [];
  const { matrix, viewport, depth } = styled.place;
  const tile = tileOf(attribute, viewport, box);
  const inverse = invert(own);
  if (!(tile.width > 0) || !(tile.height > 0) || inverse === null) return [];
  const grid = gridOf(box, tile, inverse);
  const inner = innerMatrix(content, attribute, tile, box);
  if (grid === null || inner === null) return [];

  const space = compose(matrix, own);
  const place = {
    viewport: readViewBox(content) ?? viewport,
    inherited: INITIAL,
    depth: depth + 1,
  };
  const tiles: Item[] = [];
  for (let row = grid.first.y; row < grid.last.y; row++) {
    for (let column = grid.first.x; column < grid.last.x; column++) {
      if (!drawing.spend(0)) return [];
      const shifted = compose(space, [1, 0, 0, 1, column * tile.width, row * tile.height]);
      const shiftedPlace = { ...place, matrix: compose(shifted, inner) };
      const items = drawing.children(content, drawing.styled(content, shiftedPlace).place);
      if (items.length === 0) continue;
      const corners = [RECTANGLE, tile.x, tile.y, tile.width, tile.height];
      const clip = clipRegion([{ path: corners, matrix: shifted }], 'nonzero');
      tiles.push(...wrapItems(items, { clip }));
    }
  }
  if (tiles.length === 0) return [];
  const clip = clipRegion([{ path, matrix }], styled.style.fillRule);
  return wrapItems(tiles, { clip, opacity });
}

/** The pattern and those it refers to: an attribute that one lacks is taken from the next. */
function chainOf(pattern: SvgElement, drawing: Drawing): readonly SvgElement[] {
  const chain: SvgElement[] = [];
  for (let one: SvgElement | undefined = pattern; one !== undefined && chain.length < CHAIN_MAX;) {
    chain.push(one);
    one = drawing.ids.get(one.attributes.get('href')?.slice(1) ?? '');
  }
  return chain;
}

/** The first tile, in the space of the pattern. */
function tileOf(attribute: Attribute, viewport: Viewport, box: Rectangle): Rectangle {
  const isBox = attribute('patternUnits') !== 'userSpaceOnUse';
  const length = (name: string, whole: number, size: number, from: number): number => {
    const value = parseLength(attribute(name) ?? '0', { whole: isBox ? 1 : whole, fontSize: 16 });
    return isBox ? (value ?? 0) * size + from : (value ?? 0);
  };
  return {
    x: length('x', viewport.width, box.width, box.x),
    y: length('y', viewport.height, box.height, box.y),
    width: length('width', viewport.width, box.width, 0),
    height: length('height', viewport.height, box.height, 0),
  };
}

/** The tiles that reach the shape; null when there are none, or too many. */
function gridOf(box: Rectangle, tile: Rectangle, inverse: Matrix): TileRange | null {
  const reach = new Bounds();
  reach.path(transformPath([RECTANGLE, box.x, box.y, box.width, box.height], inverse));
  const area = reach.rectangle;
  if (area === null) return null;
  const first = {
    x: Math.floor((area.x - tile.x) / tile.width),
    y: Math.floor((area.y - tile.y) / tile.height),
  };
  const last = {
    x: Math.ceil((area.x + area.width - tile.x) / tile.width),
    y: Math.ceil((area.y + area.height - tile.y) / tile.height),
  };
  const count = (last.x - first.x) * (last.y - first.y);
  return count > 0 && count <= TILES_MAX ? { first, last } : null;
}

/** From the space of a tile's content to the space of the pattern. */
function innerMatrix(
  content: SvgElement,
  attribute: Attribute,
  tile: Rectangle,
  box: Rectangle,
): Matrix | null {
  const viewBox = readViewBox(content);
  if (viewBox !== null) return fitViewBox(viewBox, tile, attribute('preserveAspectRatio'));
  return attribute('patternContentUnits') === 'objectBoundingBox'
    ? [box.width, 0, 0, box.height, tile.x, tile.y]
    : [1, 0, 0, 1, tile.x, tile.y];
}
