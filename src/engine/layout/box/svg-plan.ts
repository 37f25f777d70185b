import type { SvgElement } from '../../svg/tree.ts';
import type { FontStack } from '../../font/font.ts';
import type { SvgNode } from '../../model/nodes.ts';
import { isStaticLink, resolveLink } from '../link.ts';
import type { DataScope } from '../scope.ts';
import { drawSvg, measureSvg } from '../../svg/draw/draw-svg.ts';
import { type Box, GraphicBox } from './blocks.ts';
import { Plan } from './plan.ts';
import { sizeGraphic } from './size.ts';

export class SvgPlan extends Plan {
  declare readonly node: SvgNode;

  readonly #stacks: readonly FontStack[];

  /** `stacks`: the fonts of the template, which text in the SVG may use. */
  constructor(node: SvgNode, stacks: readonly FontStack[]) {
    super(node, node.source.kind === 'static' && isStaticLink(node.link));
    this.#stacks = stacks;
  }

  protected makeBox(scope: DataScope): Box {
    const { node } = this;
    const root = svgOf(node, scope);
    if (root === null) return this.emptyBox();
    const natural = measureSvg(root);
    const size = sizeGraphic(node, natural.widthPt, natural.heightPt, null);
    const link = resolveLink(node.link, scope);
    return new GraphicBox(node, size.widthPt, size.heightPt, node.alignment, link, (x, y) => [
      drawSvg(
        root,
        { x, y, widthPt: size.widthPt, heightPt: size.heightPt },
        node.textStyle,
        this.#stacks,
      ),
    ]);
  }
}

function svgOf(node: SvgNode, scope: DataScope): SvgElement | null {
  if (node.source.kind === 'static') return node.source.root;
  const value = scope.values[node.source.field];
  return value?.type === 'svg' ? value.root : null;
}
