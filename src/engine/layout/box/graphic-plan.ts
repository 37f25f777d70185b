import type { LetterheadPage, Picture } from '../../model/letterhead.ts';
import type { CanvasNode, ImageNode, QrNode } from '../../model/nodes.ts';
import type { AmountPolicy } from '../amounts/amounts.ts';
import { LayoutFault } from '../layout-fault.ts';
import type { Item, LinkArea } from '../../model/frame.ts';
import { isStaticLink, resolveLink } from '../link.ts';
import { encodeQr } from '../../qr/qr.ts';
import { isStaticText, type DataScope } from '../scope.ts';
import { type Box, GraphicBox } from './blocks.ts';
import { paintImage } from './image.ts';
import { Plan } from './plan.ts';
import type { PrintedCode } from './printed-code.ts';
import { type GraphicSize, sizeGraphic } from './size.ts';
import { RECTANGLE } from '../../model/path.ts';

/** The plans of images, QR codes and canvases. */

/** Module size without `fit`, in points; the same as in pdfmake. */
const QR_MODULE_PT = 5;

export class ImagePlan extends Plan {
  declare readonly node: ImageNode;

  constructor(node: ImageNode) {
    super(node, node.source.kind === 'static' && isStaticLink(node.link));
  }

  protected makeBox(scope: DataScope): Box {
    const { node } = this;
    const image = imageOf(node, scope);
    if (image === null) return this.emptyBox();
    const size = sizeGraphic(node, image.widthPx, image.heightPx, node.cover);
    const link = resolveLink(node.link, scope);
    return new GraphicBox(
      node,
      size.widthPt,
      size.heightPt,
      node.alignment,
      link,
      (x, y) => [paintImage(node, image, x, y, size)],
      link === null && 'form' in image ? areasOf(image, node, size) : [],
    );
  }
}

/** The links of a placed page, scaled with it; none when `cover` crops the page. */
function areasOf(page: LetterheadPage, node: ImageNode, size: GraphicSize): readonly LinkArea[] {
  if (node.cover !== null) return [];
  const across = size.widthPt / page.widthPx;
  const down = size.heightPt / page.heightPx;
  return page.links.map(({ x, y, widthPt, heightPt, uri }) => ({
    x: x * across,
    y: y * down,
    widthPt: widthPt * across,
    heightPt: heightPt * down,
    target: { kind: 'uri', uri },
  }));
}

function imageOf(node: ImageNode, scope: DataScope): Picture | null {
  if (node.source.kind === 'static') return node.source.image;
  const value = scope.values[node.source.field];
  return value?.type === 'image' ? value.image : null;
}

export class QrPlan extends Plan {
  declare readonly node: QrNode;
  readonly #amounts: AmountPolicy;

  constructor(node: QrNode, amounts: AmountPolicy) {
    super(node, isStaticText(node.text));
    this.#amounts = amounts;
  }

  protected makeBox(scope: DataScope): Box {
    const { node } = this;
    const text = scope.text(node.text);
    if (text === '') return this.emptyBox();
    const symbol = encodeQr(text, node);
    if (symbol === null) {
      throw new LayoutFault(node.path, 'the text does not fit the QR version, level or mode');
    }
    const { count, bits } = symbol;
    const modulePt = qrModulePt(node, count);
    const paddingPt = (node.paddingModules ?? 0) * modulePt;
    const sizePt = count * modulePt;
    const boxPt = sizePt + 2 * paddingPt;
    const { foreground, background } = node;
    const paint = (x: number, y: number): Item[] => {
      const items: Item[] = [];
      if (paddingPt > 0 && background !== null) {
        const path = [RECTANGLE, 0, 0, boxPt, boxPt];
        const fill = { paint: background, opacity: 1, rule: 'nonzero' } as const;
        items.push({ kind: 'path', x, y, path, fill, stroke: null });
      }
      const at = { x: x + paddingPt, y: y + paddingPt };
      items.push({ kind: 'qr', ...at, sizePt, count, bits, foreground, background });
      return items;
    };
    const code: PrintedCode = {
      node,
      text,
      modulePt,
      blankXPt: paddingPt,
      blankYPt: paddingPt,
      policy: this.#amounts,
    };
    return new GraphicBox(node, boxPt, boxPt, node.alignment, null, paint, [], code);
  }
}

/**
 * Rounds a module down to whole points, unless that would be zero. `fit` leaves the padding out. Both
 * as pdfmake does.
 */
function qrModulePt({ fitPt }: QrNode, count: number): number {
  if (fitPt === null) return QR_MODULE_PT;
  const modulePt = fitPt / count;
  return modulePt >= 1 ? Math.floor(modulePt) : modulePt;
}

export class CanvasPlan extends Plan {
  declare readonly node: CanvasNode;

  constructor(node: CanvasNode) {
    super(node, true);
  }

  protected makeBox(): Box {
    const { node } = this;
    const paint = (x: number, y: number): Item[] =>
      node.vectors.map(({ path, fill, stroke }) => ({ kind: 'path', x, y, path, fill, stroke }));
    return new GraphicBox(node, node.widthPt, node.heightPt, node.alignment, null, paint);
  }
}
