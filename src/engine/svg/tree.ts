/** An element of a checked SVG: local name, attributes by local name, children in order. */
export interface SvgElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (SvgElement | string)[];
}

/** Why markup is refused as an SVG. */
export type SvgFault =
  | 'notSvg'
  | 'malformed'
  | 'element'
  | 'handler'
  | 'declaration'
  | 'reference'
  | 'style'
  | 'cycle'
  | 'size';

/** Elements by id; if several share an id, the first. */
export function svgIds(root: SvgElement): Map<string, SvgElement> {
  const ids = new Map<string, SvgElement>();
  const open = [root];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    const id = element.attributes.get('id');
    if (id !== undefined && !ids.has(id)) ids.set(id, element);
    for (let index = element.children.length - 1; index >= 0; index--) {
      const child = element.children[index];
      if (typeof child === 'object') open.push(child);
    }
  }
  return ids;
}
