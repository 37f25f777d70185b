import { parseSvg } from '../parse.ts';
import type { SvgElement } from '../tree.ts';
import { loadFonts } from '../../font/library.ts';
import type { TextStyle } from '../../model/style.ts';
import type { GroupItem, Item, PathItem, TextItem } from '../../model/frame.ts';
import { drawSvg, measureSvg } from './draw-svg.ts';

/** Fixtures for the tests of this folder. */

const { library } = loadFonts(null);
export const ROBOTO = library.stack('Roboto', false, false);
export const STACKS = [
  ROBOTO,
  library.stack('Roboto', true, false),
  library.stack('Roboto', false, true),
  library.stack('Sarabun', false, false),
];
export const STYLE: TextStyle = {
  stack: ROBOTO,
  sizePt: 12,
  color: 0xff0000,
  opacity: 1,
  characterSpacingPt: 0,
};

export function rootOf(markup: string): SvgElement {
  const outcome = parseSvg(markup);
  if (!outcome.ok) throw new Error(outcome.fault);
  return outcome.root;
}

/** Draws the inside of a 100 × 100 SVG at its own size. */
export function draw(inside: string, attributes = 'width="100" height="100"'): readonly Item[] {
  const root = rootOf(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);
  return drawSvg(root, { x: 0, y: 0, ...measureSvg(root) }, STYLE, STACKS).items;
}

export function isPath(item: Item): item is PathItem {
  return item.kind === 'path';
}

/** Everything drawn, without its groups. */
export function flat(items: readonly Item[]): Item[] {
  return items.flatMap((item) => (item.kind === 'group' ? flat(item.items) : [item]));
}

export function onlyPath(inside: string, attributes?: string): PathItem {
  const paths = flat(draw(inside, attributes)).filter(isPath);
  const [path] = paths;
  if (path === undefined || paths.length > 1) throw new Error(`${paths.length} paths`);
  return path;
}

export function onlyGroup(inside: string): GroupItem {
  const [item, ...others] = draw(inside);
  if (item?.kind !== 'group' || others.length > 0) throw new Error('not one group');
  return item;
}

export function texts(inside: string): TextItem[] {
  return flat(draw(inside)).filter((item): item is TextItem => item.kind === 'text');
}

export function rounded(values: readonly number[], digits = 3): number[] {
  return values.map((value) => Number(value.toFixed(digits)) + 0);
}
