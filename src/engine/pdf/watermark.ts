import type { WatermarkOption } from '../job.ts';
import type { Item } from '../model/frame.ts';
import { TextItem } from '../model/frame.ts';
import type { CompiledTemplate } from '../model/nodes.ts';
import type { TextStyle } from '../model/style.ts';

/** Share of the page's diagonal that the text may take. */
const DIAGONAL_SHARE = 0.8;
const SIZE_MAX_PT = 120;

/**
 * The watermark of `options.watermark`: one line along the page's diagonal, from lower left to upper
 * right, centred, as large as fits.
 */
export function watermarkItems(
  template: CompiledTemplate,
  watermark: WatermarkOption,
  widthPt: number,
  heightPt: number,
): Item[] {
  const use = template.fontUses[0];
  if (use === undefined || watermark.opacity <= 0 || watermark.text === '') return [];
  const shape = use.stack.shape(watermark.text);
  const diagonal = Math.hypot(widthPt, heightPt);
  // At least 1 em, because a text without width would divide by zero.
  const sizePt = Math.min(SIZE_MAX_PT, (diagonal * DIAGONAL_SHARE) / Math.max(shape.widthEm, 1));
  const style: TextStyle = {
    stack: use.stack,
    sizePt,
    color: 0x80_80_80,
    opacity: 1,
    characterSpacingPt: 0,
  };
  // The items' y axis points down: a negative angle turns the text upwards.
  const angle = -Math.atan2(heightPt, widthPt);
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  // The middle of the capitals, not the baseline, lies on the diagonal.
  const baselinePt = (use.stack.capHeightEm * sizePt) / 2;
  const text = new TextItem(style, (-shape.widthEm * sizePt) / 2, baselinePt, [shape], null);
  return [
    {
      kind: 'group',
      x: widthPt / 2,
      y: heightPt / 2,
      matrix: [cosine, sine, -sine, cosine, 0, 0],
      clip: null,
      opacity: watermark.opacity,
      items: [text],
    },
  ];
}
