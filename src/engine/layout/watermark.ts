import type { CompiledTemplate } from '../model/nodes.ts';
import type { TextStyle } from '../model/style.ts';
import { type GroupItem, TextItem } from '../model/frame.ts';
import { isStaticText, type DataScope } from './scope.ts';

type Source = NonNullable<CompiledTemplate['watermark']>;

/** Limit of the size that fits, as in pdfmake. */
const SIZE_MAX_PT = 1000;

/** The template's watermark: one line across the page, as large as fits when no size is given. */
export class Watermark {
  readonly #source: Source;
  readonly #isStatic: boolean;
  /** Cached by page size, for a text without bindings. */
  readonly #drawn = new Map<string, GroupItem>();

  constructor(source: Source) {
    this.#source = source;
    this.#isStatic = isStaticText(source.text);
  }

  /** The watermark of a page, or null when its text is empty. */
  draw(widthPt: number, heightPt: number, scope: DataScope): GroupItem | null {
    const key = `${widthPt} ${heightPt}`;
    const known = this.#drawn.get(key);
    if (known !== undefined) return known;
    const text = scope.text(this.#source.text);
    if (text === '') return null;
    const item = drawWatermark(this.#source, text, widthPt, heightPt);
    if (this.#isStatic) this.#drawn.set(key, item);
    return item;
  }
}

function drawWatermark(source: Source, text: string, widthPt: number, heightPt: number): GroupItem {
  const { angle, opacity } = source;
  const degrees = angle ?? (Math.atan2(heightPt, widthPt) * -180) / Math.PI;
  const size =
    source.style.sizePt > 0
      ? source.style.sizePt
      : fittingSize(source.style, text, degrees, widthPt, heightPt);
  const style: TextStyle = { ...source.style, sizePt: size };
  const { width, height } = sizeOf(style, text, size);
  const radians = (degrees * Math.PI) / 180;
  const cos = Math.cos(radians);
  const sin = Math.sin(radians);
  const baseline = -height / 2 + style.stack.ascentEm * size;
  const shapes = [style.stack.shape(text)];
  return {
    kind: 'group',
    x: widthPt / 2,
    y: heightPt / 2,
    matrix: [cos, sin, -sin, cos, 0, 0],
    clip: null,
    opacity,
    items: [new TextItem(style, -width / 2, baseline, shapes, null)],
  };
}

function sizeOf(
  style: TextStyle,
  text: string,
  sizePt: number,
): { readonly width: number; readonly height: number } {
  const { stack, characterSpacingPt } = style;
  const shape = stack.shape(text);
  return {
    width: shape.widthEm * sizePt + characterSpacingPt * (shape.clusterCount - 1),
    height: (stack.ascentEm - stack.descentEm) * sizePt,
  };
}

/** Searches the size by bisection down to one point, which gives the same sizes as in pdfmake. */
function fittingSize(
  style: TextStyle,
  text: string,
  degrees: number,
  widthPt: number,
  heightPt: number,
): number {
  const radians = (degrees * Math.PI) / -180;
  const sin = Math.abs(Math.sin(radians));
  const cos = Math.abs(Math.cos(radians));
  let low = 0;
  let high = SIZE_MAX_PT;
  let middle = (low + high) / 2;
  while (high - low > 1) {
    const { width, height } = sizeOf(style, text, middle);
    const fits = height * sin + width * cos <= widthPt && width * sin + height * cos <= heightPt;
    if (fits) low = middle;
    else high = middle;
    middle = (low + high) / 2;
  }
  return middle;
}
