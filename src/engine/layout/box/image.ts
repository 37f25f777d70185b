import type { Picture } from '../../model/letterhead.ts';
import type { ImageNode } from '../../model/nodes.ts';
import type { ImageItem } from '../../model/frame.ts';
import type { GraphicSize } from './size.ts';

/** Makes the item of an image whose box has its top left corner at (x, y). */
export function paintImage(
  node: ImageNode,
  image: Picture,
  x: number,
  y: number,
  box: GraphicSize,
): ImageItem {
  const { opacity, cover, fit } = node;
  if (cover === null || fit !== null) {
    return { kind: 'image', x, y, ...box, image, opacity, clip: null };
  }
  const ratio = image.widthPx / image.heightPx;
  const isWider = ratio > box.widthPt / box.heightPt;
  const widthPt = isWider ? box.heightPt * ratio : box.widthPt;
  const heightPt = isWider ? box.heightPt : box.widthPt / ratio;
  return {
    kind: 'image',
    x: x + (box.widthPt - widthPt) * SHARE[cover.align],
    y: y + (box.heightPt - heightPt) * SHARE[cover.valign],
    widthPt,
    heightPt,
    image,
    opacity,
    clip: { x, y, ...box },
  };
}

/** The share of the cropped excess that lies left of the box or above it. */
const SHARE = { left: 0, top: 0, center: 0.5, right: 1, bottom: 1 } as const;
