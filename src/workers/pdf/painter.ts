import { assertNever } from '../../errors.ts';
import type { FontStack, Shape } from '../font/font.ts';
import type {
  FillItem,
  GridItem,
  GridText,
  GroupItem,
  ImageItem,
  Item,
  LineItem,
  PathItem,
  QrItem,
  TextItem,
} from '../layout/frame.ts';
import type { Dash, Matrix, Paint, PathData, Rgb, Stroke, TextStyle } from '../template/style.ts';
import type { PaintFont, TemplateFonts } from './fonts.ts';
import {
  colorOperator,
  dashOperator,
  isPlainStroke,
  packBits,
  paintOperator,
  sameDash,
  sameLook,
} from './operators.ts';
import { multiply, paintPattern } from './patterns.ts';
import type { DocumentResources } from './resources.ts';
import { ByteSink } from './sink.ts';
import { decimal, reference } from './syntax.ts';

const encoder = new TextEncoder();
const SHOW_STRING = encoder.encode(')Tj\n');
const OPEN_ARRAY = encoder.encode('[(');
const SHOW_ARRAY = encoder.encode(')]TJ\n');
const MOVE_TEXT = encoder.encode(' Td');
const MOVE = encoder.encode('m ');
const LINE = encoder.encode('l ');
const STROKE = encoder.encode('S\n');

/** Items nested deeper than this are a fault of whoever made them. */
const GROUP_DEPTH_MAX = 64;
/** What /Matrix and patterns start from: the page's own space. */
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/**
 * Items → content stream operators (ISO 32000-2 §8, §9). Items have y down from the top of the page;
 * the page has y up from its foot. Inside a group the axis is turned over once by the matrix, so
 * that everything in it keeps y down; text is turned back by its own matrix.
 */
export class Painter {
  readonly #sink: ByteSink;
  readonly #fonts: TemplateFonts;
  readonly #resources: DocumentResources;
  /** Number of the resource dictionary that forms and patterns refer to. */
  readonly #resourceObject: number;
  #height = 0;
  #depth = 0;
  /** From the items' space to the page's: for patterns, which ignore the current matrix. */
  #matrix: Matrix = IDENTITY;

  // The graphics state as the stream left it, so that only changes are written.
  #inText = false;
  #font: PaintFont | null = null;
  /** The style whose colour and opacity are set, or null when either may have changed since. */
  #style: TextStyle | null = null;
  /** Rules wait for the end of a stretch of text: each would end and begin a text object. */
  readonly #lines: LineItem[] = [];
  #size = 0;
  #fill: Rgb = 0;
  #stroke: Rgb = 0;
  #lineWidth = 1;
  #dash: Dash | null = null;
  #fillOpacity = 1;
  #strokeOpacity = 1;
  #textX = 0;
  #textY = 0;

  constructor(
    sink: ByteSink,
    fonts: TemplateFonts,
    resources: DocumentResources,
    resourceObject: number,
  ) {
    this.#sink = sink;
    this.#fonts = fonts;
    this.#resources = resources;
    this.#resourceObject = resourceObject;
  }

  /**
   * Paints a page's (or overlay's) items into the sink, which is cleared first. The streams of a
   * page share one graphics state: `isolated` leaves it as it was.
   */
  paint(items: readonly Item[], heightPt: number, isolated: boolean): Uint8Array {
    const sink = this.#sink;
    sink.clear();
    this.#height = heightPt;
    this.#matrix = [1, 0, 0, -1, 0, heightPt];
    this.#reset();
    if (isolated) sink.latin('q\n');
    for (const item of items) this.#item(item);
    this.#endText();
    if (isolated) sink.latin('Q\n');
    return sink.view();
  }

  #reset(): void {
    this.#inText = false;
    this.#font = null;
    this.#style = null;
    this.#size = 0;
    this.#fill = 0;
    this.#stroke = 0;
    this.#lineWidth = 1;
    this.#dash = null;
    this.#fillOpacity = 1;
    this.#strokeOpacity = 1;
  }

  #item(item: Item): void {
    switch (item.kind) {
      case 'text':
        return this.#text(item);
      case 'grid':
        return this.#grid(item);
      case 'line':
        this.#lines.push(item);
        return undefined;
      case 'fill':
        return this.#rectangle(item);
      case 'path':
        return this.#path(item);
      case 'image':
        return this.#image(item);
      case 'qr':
        return this.#qr(item);
      case 'group':
        return this.#group(item);
      default:
        return assertNever(item);
    }
  }

  // --- text -----------------------------------------------------------------------------------

  #grid({ x, y, styles, baselines, texts, first, tops, xs }: GridItem): void {
    const count = styles.length;
    let index = 0;
    for (const top of tops) {
      for (let column = 0; column < count; column++, index++) {
        const text = texts[first + index] ?? '';
        const style = styles[column];
        if (text === '' || style === undefined) continue;
        this.#show(style, x + (xs[index] ?? 0), y + top + (baselines[column] ?? 0), text, null);
      }
    }
  }

  #text({ style, x, y, shapes, gaps }: TextItem): void {
    this.#show(style, x, y, shapes, gaps);
  }

  #show(
    style: TextStyle,
    x: number,
    y: number,
    text: GridText,
    gaps: readonly number[] | null,
  ): void {
    const sink = this.#sink;
    if (style !== this.#style) this.#setStyle(style);
    this.#beginText();
    const font = this.#useFont(style);
    this.#moveTo(x, y);
    const direct = style.characterSpacingPt === 0 && font.codes.wholeAscii;
    const plain = gaps === null && direct ? plainText(text) : null;
    if (plain !== null) {
      sink.byte(0x28);
      this.#plain(plain);
      sink.append(SHOW_STRING);
      return;
    }
    const shapes = shapesOf(text, font.stack);
    sink.append(OPEN_ARRAY);
    for (let index = 0; index < shapes.length; index++) {
      const shape = shapes[index];
      if (shape === undefined) continue;
      if (shape.clusters === null && direct) this.#plain(shape.text);
      else this.#shape(shape, font, style.characterSpacingPt);
      const gap = gaps === null ? 0 : (gaps[index] ?? 0);
      if (gap !== 0) this.#advance(gap);
    }
    sink.append(SHOW_ARRAY);
  }

  /** A shape that is painted again is copied: its bytes were kept the second time. */
  #shape(shape: Shape, font: PaintFont, spacingPt: number): void {
    const { sink, size } = { sink: this.#sink, size: this.#size };
    const kept = spacingPt === 0 ? font.kept.find(shape, size) : null;
    if (kept !== null) {
      sink.append(kept);
      return;
    }
    const from = sink.length;
    let extra = false;
    const clusters = shape.clusters ?? font.stack.clusters(shape.text);
    for (let index = 0; index < clusters.length; index++) {
      const cluster = clusters[index];
      if (cluster === undefined) continue;
      const fragment = font.fragments.of(cluster, size);
      if (fragment.extra) {
        extra = true;
        this.#resources.extra(cluster);
      }
      sink.append(fragment.bytes);
      if (spacingPt !== 0) this.#advance(spacingPt);
    }
    if (spacingPt === 0 && !extra) font.kept.note(shape, size, sink.bytes, from, sink.length);
  }

  /** ASCII whose codes are its own. */
  #plain(text: string): void {
    const sink = this.#sink;
    sink.reserve(text.length * 2);
    const { bytes } = sink;
    let at = sink.length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === 0x28 || code === 0x29 || code === 0x5c) bytes[at++] = 0x5c;
      bytes[at++] = code;
    }
    sink.length = at;
  }

  /** Moves the pen inside an open TJ string. */
  #advance(pt: number): void {
    const thousandths = -Math.round((pt * 1000) / this.#size);
    if (thousandths === 0) return;
    this.#sink.byte(0x29);
    this.#sink.integer(thousandths);
    this.#sink.byte(0x28);
  }

  #setStyle(style: TextStyle): void {
    this.#setFill(style.color);
    this.#setOpacity(style.opacity, this.#strokeOpacity);
    this.#style = style;
  }

  #useFont(style: TextStyle): PaintFont {
    const current = this.#font;
    const font =
      current !== null && current.stack === style.stack ? current : this.#fonts.of(style.stack);
    if (font.name !== current?.name || style.sizePt !== this.#size) {
      const sink = this.#sink;
      sink.byte(0x2f);
      sink.latin(font.name);
      sink.byte(0x20);
      sink.number(style.sizePt);
      sink.latin(' Tf\n');
      this.#size = style.sizePt;
    }
    this.#font = font;
    return font;
  }

  /** Moves to a baseline: by Td from the last one, or by a turned matrix inside a group. */
  #moveTo(x: number, y: number): void {
    const sink = this.#sink;
    if (this.#depth > 0) {
      sink.latin(`1 0 0 -1 ${decimal(x, 3)} ${decimal(y, 3)} Tm\n`);
      return;
    }
    const toX = Math.round(x * 100);
    const toY = Math.round((this.#height - y) * 100);
    sink.hundredths(toX - this.#textX);
    sink.byte(0x20);
    sink.hundredths(toY - this.#textY);
    sink.append(MOVE_TEXT);
    this.#textX = toX;
    this.#textY = toY;
  }

  #beginText(): void {
    if (this.#inText) return;
    this.#sink.latin('BT\n');
    this.#inText = true;
    this.#textX = 0;
    this.#textY = 0;
  }

  /** Ends the text object, if there is one, and draws the rules that waited. */
  #endText(): void {
    if (this.#inText) {
      this.#sink.latin('ET\n');
      this.#inText = false;
    }
    if (this.#lines.length > 0) this.#drawLines();
  }

  // --- state ----------------------------------------------------------------------------------

  #setFill(color: Rgb): void {
    this.#style = null;
    if (color === this.#fill) return;
    this.#sink.append(colorOperator(color, true));
    this.#fill = color;
  }

  #setStroke(color: Rgb): void {
    if (color === this.#stroke) return;
    this.#sink.append(colorOperator(color, false));
    this.#stroke = color;
  }

  #setOpacity(fill: number, stroke: number): void {
    if (fill === this.#fillOpacity && stroke === this.#strokeOpacity) return;
    this.#style = null;
    this.#sink.latin(`/${this.#resources.opacity(fill, stroke)} gs\n`);
    this.#fillOpacity = fill;
    this.#strokeOpacity = stroke;
  }

  #setLine(widthPt: number, dash: Dash | null): void {
    const sink = this.#sink;
    if (widthPt !== this.#lineWidth) {
      sink.number(widthPt);
      sink.latin(' w\n');
      this.#lineWidth = widthPt;
    }
    if (!sameDash(dash, this.#dash)) {
      sink.latin(dashOperator(dash));
      this.#dash = dash;
    }
  }

  /** Runs `draw` between q and Q; the state inside does not count afterwards. */
  #isolated(draw: () => void): void {
    this.#endText();
    const saved = {
      font: this.#font,
      style: this.#style,
      size: this.#size,
      fill: this.#fill,
      stroke: this.#stroke,
      lineWidth: this.#lineWidth,
      dash: this.#dash,
      fillOpacity: this.#fillOpacity,
      strokeOpacity: this.#strokeOpacity,
    };
    this.#sink.latin('q\n');
    draw();
    this.#endText();
    this.#sink.latin('Q\n');
    this.#font = saved.font;
    this.#style = saved.style;
    this.#size = saved.size;
    this.#fill = saved.fill;
    this.#stroke = saved.stroke;
    this.#lineWidth = saved.lineWidth;
    this.#dash = saved.dash;
    this.#fillOpacity = saved.fillOpacity;
    this.#strokeOpacity = saved.strokeOpacity;
  }

  // --- shapes ---------------------------------------------------------------------------------

  #x(x: number): void {
    this.#sink.number(x);
    this.#sink.byte(0x20);
  }

  #y(y: number): void {
    this.#sink.number(this.#depth > 0 ? y : this.#height - y);
    this.#sink.byte(0x20);
  }

  /** Rules of one look, one after another, are one path. */
  #drawLines(): void {
    const sink = this.#sink;
    this.#setOpacity(this.#fillOpacity, 1);
    let previous: LineItem | null = null;
    for (const line of this.#lines) {
      if (previous === null || !sameLook(previous, line)) {
        if (previous !== null) sink.append(STROKE);
        this.#setStroke(line.color);
        this.#setLine(line.widthPt, line.dash);
      }
      this.#x(line.x1);
      this.#y(line.y1);
      sink.append(MOVE);
      this.#x(line.x2);
      this.#y(line.y2);
      sink.append(LINE);
      previous = line;
    }
    sink.append(STROKE);
    this.#lines.length = 0;
  }

  #rectangle(item: FillItem): void {
    this.#endText();
    if (typeof item.paint !== 'number') {
      const path = [4, 0, 0, item.widthPt, item.heightPt];
      const fill = { paint: item.paint, opacity: item.opacity, rule: 'nonzero' } as const;
      this.#path({ kind: 'path', x: item.x, y: item.y, path, fill, stroke: null });
      return;
    }
    this.#setFill(item.paint);
    this.#setOpacity(item.opacity, this.#strokeOpacity);
    this.#x(item.x);
    this.#y(this.#depth > 0 ? item.y : item.y + item.heightPt);
    this.#x(item.widthPt);
    this.#x(item.heightPt);
    this.#sink.latin('re f\n');
  }

  #path(item: PathItem): void {
    const { fill, stroke } = item;
    if (fill === null && stroke === null) return;
    const plain =
      (fill === null || typeof fill.paint === 'number') &&
      (stroke === null || (typeof stroke.paint === 'number' && isPlainStroke(stroke)));
    if (plain) {
      this.#endText();
      this.#paintPath(item);
    } else {
      this.#isolated(() => this.#paintPath(item));
    }
  }

  #paintPath(item: PathItem): void {
    const { fill, stroke } = item;
    if (fill !== null) this.#fillPaint(fill.paint, item);
    if (stroke !== null) this.#strokePaint(stroke, item);
    this.#setOpacity(fill?.opacity ?? this.#fillOpacity, stroke?.opacity ?? this.#strokeOpacity);
    this.#outline(item.path, item.x, item.y);
    this.#sink.latin(paintOperator(fill?.rule ?? null, stroke !== null));
  }

  #fillPaint(paint: Paint, at: { x: number; y: number }): void {
    if (typeof paint === 'number') {
      this.#setFill(paint);
      return;
    }
    this.#sink.latin(`/Pattern cs /${this.#pattern(paint, at)} scn\n`);
    this.#fill = -1;
  }

  #strokePaint(stroke: Stroke, at: { x: number; y: number }): void {
    if (typeof stroke.paint === 'number') {
      this.#setStroke(stroke.paint);
    } else {
      this.#sink.latin(`/Pattern CS /${this.#pattern(stroke.paint, at)} SCN\n`);
      this.#stroke = -1;
    }
    this.#setLine(stroke.widthPt, stroke.dash);
    if (stroke.cap !== 0) this.#sink.latin(`${stroke.cap} J\n`);
    if (stroke.join !== 0) this.#sink.latin(`${stroke.join} j\n`);
    if (stroke.miterLimit !== 10) this.#sink.latin(`${decimal(stroke.miterLimit)} M\n`);
  }

  #pattern(paint: Exclude<Paint, Rgb>, at: { x: number; y: number }): string {
    const shift: Matrix = [1, 0, 0, 1, at.x, at.y];
    const matrix = multiply(shift, this.#matrix);
    // A soft mask's form starts from the matrix in force where it is set (§11.6.5.2).
    const maskMatrix = this.#depth > 0 ? shift : matrix;
    const { pattern, state } = paintPattern(paint, matrix, maskMatrix, this.#resources);
    if (state !== null) this.#sink.latin(`/${state} gs\n`);
    return pattern;
  }

  #outline(path: PathData, x: number, y: number): void {
    const sink = this.#sink;
    const at = (index: number): number => path[index] ?? 0;
    const point = (index: number): void => {
      this.#x(x + at(index));
      this.#y(y + at(index + 1));
    };
    for (let index = 0; index < path.length;) {
      const command = at(index);
      if (command === 0 || command === 1) {
        point(index + 1);
        sink.latin(command === 0 ? 'm ' : 'l ');
        index += 3;
      } else if (command === 2) {
        point(index + 1);
        point(index + 3);
        point(index + 5);
        sink.latin('c ');
        index += 7;
      } else if (command === 3) {
        sink.latin('h ');
        index += 1;
      } else {
        this.#x(x + at(index + 1));
        this.#y(this.#depth > 0 ? y + at(index + 2) : y + at(index + 2) + at(index + 4));
        this.#x(at(index + 3));
        this.#x(at(index + 4));
        sink.latin('re ');
        index += 5;
      }
    }
  }

  #image(item: ImageItem): void {
    const name = this.#resources.image(item.image);
    this.#isolated(() => {
      const { clip } = item;
      if (clip !== null) {
        this.#outline([4, 0, 0, clip.widthPt, clip.heightPt], clip.x, clip.y);
        this.#sink.latin('W n\n');
      }
      this.#setOpacity(item.opacity, this.#strokeOpacity);
      this.#unitSquare(item.x, item.y, item.widthPt, item.heightPt);
      this.#sink.latin(`/${name} Do\n`);
    });
  }

  /** Maps the unit square, y up, onto this box. */
  #unitSquare(x: number, y: number, widthPt: number, heightPt: number): void {
    const sink = this.#sink;
    sink.precise(widthPt);
    sink.latin(' 0 0 ');
    sink.precise(this.#depth > 0 ? -heightPt : heightPt);
    sink.byte(0x20);
    this.#x(x);
    this.#y(y + heightPt);
    sink.latin('cm\n');
  }

  /** A QR symbol as an inline image mask (§8.9.7): one bit a module, painted in the foreground. */
  #qr(item: QrItem): void {
    this.#endText();
    if (item.background !== null) {
      this.#setFill(item.background);
      this.#setOpacity(1, this.#strokeOpacity);
      this.#outline([4, 0, 0, item.sizePt, item.sizePt], item.x, item.y);
      this.#sink.latin('f\n');
    }
    this.#isolated(() => {
      const { count, modules } = item;
      const sink = this.#sink;
      this.#setFill(item.foreground);
      this.#setOpacity(1, this.#strokeOpacity);
      this.#unitSquare(item.x, item.y, item.sizePt, item.sizePt);
      const bits = packBits(modules, count);
      // A reader that looks for EI in the data must not find one there: then hexadecimal.
      const hex = Buffer.from(bits.buffer, bits.byteOffset, bits.length).includes('EI');
      sink.latin(`BI /W ${count}/H ${count}/BPC 1/IM true/D[1 0]${hex ? '/F/AHx' : ''} ID `);
      if (hex) sink.latin(`${Buffer.from(bits).toString('hex')}>`);
      else sink.append(bits);
      sink.latin('\nEI\n');
    });
  }

  // --- groups ---------------------------------------------------------------------------------

  #group(item: GroupItem): void {
    if (item.items.length === 0 || item.opacity <= 0) return;
    if (this.#depth >= GROUP_DEPTH_MAX) throw new Error('groups are nested too deeply');
    this.#isolated(() => {
      if (item.opacity < 1) this.#transparencyGroup(item);
      else this.#inside(item);
    });
  }

  #inside(item: GroupItem): void {
    const { sink, outer } = { sink: this.#sink, outer: this.#matrix };
    const turned: Matrix =
      this.#depth > 0 ? [1, 0, 0, 1, item.x, item.y] : [1, 0, 0, -1, item.x, this.#height - item.y];
    const matrix = item.matrix === null ? turned : multiply(item.matrix, turned);
    sink.latin(`${matrix.map((value) => decimal(value, 5)).join(' ')} cm\n`);
    this.#matrix = multiply(item.matrix ?? IDENTITY, multiply([1, 0, 0, 1, item.x, item.y], outer));
    this.#depth++;
    if (item.clip !== null) {
      this.#outline(item.clip.path, 0, 0);
      sink.latin(item.clip.rule === 'evenodd' ? 'W* n\n' : 'W n\n');
    }
    for (const child of item.items) this.#item(child);
    this.#endText();
    this.#depth--;
    this.#matrix = outer;
  }

  /** Composes the items first, then paints them at the group's opacity (§11.6.6). */
  #transparencyGroup(item: GroupItem): void {
    const sink = new ByteSink(4096);
    const painter = new Painter(sink, this.#fonts, this.#resources, this.#resourceObject);
    painter.#height = this.#height;
    painter.#depth = this.#depth;
    // Patterns in a form start from the form's space: the matrix in force where it is painted.
    painter.#matrix = this.#depth > 0 ? IDENTITY : this.#matrix;
    // A form inherits the graphics state around it, but for opacity and mask (§11.6.6).
    painter.#fill = this.#fill;
    painter.#stroke = this.#stroke;
    painter.#lineWidth = this.#lineWidth;
    painter.#dash = this.#dash;
    painter.#inside(item);
    const bounds = 20_000;
    const form = this.#resources.file.addStream(
      `/Type/XObject/Subtype/Form/BBox[${-bounds} ${-bounds} ${bounds} ${bounds}]` +
        `/Group<</S/Transparency>>/Resources ${reference(this.#resourceObject)}`,
      sink.view(),
    );
    this.#setOpacity(item.opacity, item.opacity);
    this.#sink.latin(`/${this.#resources.form(form)} Do\n`);
  }
}

/** The characters of a text that is one plain shape, or null. */
function plainText(text: GridText): string | null {
  if (typeof text === 'string') return text;
  const only = 'text' in text ? text : text.length === 1 ? text[0] : undefined;
  return only !== undefined && only.clusters === null ? only.text : null;
}

function shapesOf(text: GridText, stack: FontStack): readonly Shape[] {
  if (typeof text === 'string') return [stack.shape(text)];
  return 'text' in text ? [text] : text;
}
