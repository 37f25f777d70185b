import type { SizeBounds } from '../../model/nodes.ts';

export interface GraphicSize {
  readonly widthPt: number;
  readonly heightPt: number;
}

interface SizedNode {
  readonly widthPt: number | null;
  readonly heightPt: number | null;
  readonly fit: readonly [number, number] | null;
  readonly bounds?: SizeBounds | null;
}

/** The size of an image or SVG, from its natural size and what the template asks for. */
export function sizeGraphic(
  node: SizedNode,
  naturalWidth: number,
  naturalHeight: number,
  cover: GraphicSize | null,
): GraphicSize {
  if (node.fit !== null) {
    const scale = Math.min(node.fit[0] / naturalWidth, node.fit[1] / naturalHeight);
    return { widthPt: naturalWidth * scale, heightPt: naturalHeight * scale };
  }
  if (cover !== null) return { widthPt: cover.widthPt, heightPt: cover.heightPt };
  const ratio = naturalWidth / naturalHeight;
  const widthPt = node.widthPt ?? (node.heightPt === null ? naturalWidth : node.heightPt * ratio);
  const heightPt = node.heightPt ?? (node.widthPt === null ? naturalHeight : node.widthPt / ratio);
  return bound({ widthPt, heightPt }, ratio, node.bounds ?? null);
}

function bound(size: GraphicSize, ratio: number, bounds: SizeBounds | null): GraphicSize {
  if (bounds === null) return size;
  let { widthPt, heightPt } = size;
  const setWidth = (width: number) => {
    widthPt = width;
    heightPt = width / ratio;
  };
  const setHeight = (height: number) => {
    heightPt = height;
    widthPt = height * ratio;
  };
  if (bounds.widthMaxPt !== null && bounds.widthMaxPt < widthPt) setWidth(bounds.widthMaxPt);
  if (bounds.heightMaxPt !== null && bounds.heightMaxPt < heightPt) setHeight(bounds.heightMaxPt);
  if (bounds.widthMinPt !== null && bounds.widthMinPt > widthPt) setWidth(bounds.widthMinPt);
  if (bounds.heightMinPt !== null && bounds.heightMinPt > heightPt) setHeight(bounds.heightMinPt);
  return { widthPt, heightPt };
}
