import assert from 'node:assert';
import { assertNever } from '../../errors.ts';
import type {
  FillItem,
  GridItem,
  GroupItem,
  ImageItem,
  Item,
  LineItem,
  PathItem,
  QrItem,
  TagArea,
} from '../model/frame.ts';
import type { Matrix, Paint, Rgb, Stroke } from '../model/style.ts';
import type { TemplateFonts } from './fonts.ts';
import { isPlainStroke, paintOperator, sameLook } from './operators.ts';
import { Marks } from './tags/marks.ts';
import { multiply, paintPattern } from './patterns.ts';
import type { DocumentResources } from './resources.ts';
import { ByteSink, ShortBytes } from './sink.ts';
import { GraphicsState } from './state.ts';
import { decimal, reference } from './syntax.ts';
import type { PageTags } from './tags/structure.ts';
import { TextPainter } from './text-painter.ts';
import { RECTANGLE } from '../model/path.ts';

const encoder = new TextEncoder();
const MOVE = new ShortBytes('m ');
const LINE = new ShortBytes('l ');
const STROKE = new ShortBytes('S\n');
const MARKED_CONTENT_ENDS = encoder.encode('EMC\n');

/** An archive document may nest 28 saved graphics states at most (ISO 19005-2, 6.1.13). */
const ARCHIVE_NESTING_MAX = 24;
/** Items that are nested deeper are a bug of the code that made them. */
const GROUP_DEPTH_MAX = 64;
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/**
 * Items → content stream operators (ISO 32000-2 §8, §9). Items have y down from the top of the
 * page; the page has y up from its foot. Inside a group the matrix flips the axis once, so that
 * everything in it keeps y down; text is flipped back by its own matrix.
 */
export class Painter {
  readonly #sink: ByteSink;
  readonly #fonts: TemplateFonts;
  readonly #resources: DocumentResources;
  /** Number of the resource dictionary that forms and patterns refer to. */
  readonly #resourceObject: number;
  readonly #state: GraphicsState;
  readonly #text: TextPainter;
  /** Rules wait for the end of a stretch of text: each would interrupt the text object. */
  readonly #lines: LineItem[] = [];
  /** In tagged documents: the marked content that is open. */
  #marks: Marks | null = null;
  /** Saved graphics states around the current item in this stream. */
  #nesting = 0;

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
    this.#state = new GraphicsState(sink, resources);
    this.#text = new TextPainter(this.#state, fonts, resources);
  }

  /**
   * Paints a page's (or overlay's) items into the sink, which is cleared first. The streams of a
   * page share one graphics state: `isolated` leaves it as it was. `mark` begins marked content
   * around all of them (§14.6); null: none.
   */
  paint(
    items: readonly Item[],
    heightPt: number,
    isolated: boolean,
    tags: PageTags | null = null,
    mark: Uint8Array | null = null,
  ): Uint8Array {
    const sink = this.#sink;
    sink.clear();
    if (mark !== null) sink.append(mark);
    this.#state.reset(heightPt);
    this.#text.reset();
    this.#marks = tags === null ? null : new Marks(sink, this.#text, tags);
    if (isolated) sink.latin('q\n');
    for (const item of items) this.#item(item);
    this.#endText();
    this.#marks?.close();
    if (isolated) sink.latin('Q\n');
    if (mark !== null) sink.append(MARKED_CONTENT_ENDS);
    return sink.view();
  }

  #item(item: Item): void {
    if (item.kind === 'tag') {
      const { element, order, area } = item;
      if (this.#nesting > 0) return undefined;
      if (element !== null && area !== null) element.boundingBox = this.#corners(area);
      this.#marks?.want(element, order);
      return undefined;
    }
    // Layout must give finite positions: a NaN would be written, which no reader accepts.
    assert(item.kind === 'line' || Number.isFinite(item.x + item.y), item.kind);
    switch (item.kind) {
      case 'text':
        if (this.#nesting === 0) this.#marks?.beforeText();
        return this.#text.show(item.style, item.x, item.y, item.shapes, item.gaps);
      case 'grid':
        return this.#grid(item);
      case 'line':
        this.#lines.push(item);
        return undefined;
      case 'fill':
        this.#beforeShape();
        return this.#rectangle(item);
      case 'path':
        this.#beforeShape();
        return this.#path(item);
      case 'image':
        this.#beforeShape();
        return this.#image(item);
      case 'qr':
        this.#beforeShape();
        return this.#qr(item);
      case 'group':
        this.#beforeShape();
        return this.#group(item);
      default:
        return assertNever(item);
    }
  }

  /** An array of the left, lower, right and upper edge of an area, y up from the page's foot. */
  #corners({ x, y, widthPt, heightPt }: TagArea): string {
    const foot = this.#state.height - y - heightPt;
    const edges = [x, foot, x + widthPt, foot + heightPt];
    return `[${edges.map((edge) => decimal(edge)).join(' ')}]`;
  }

  /** In tagged documents: opens the wanted element for the shape that is painted next. */
  #beforeShape(): void {
    if (this.#marks === null || this.#nesting > 0) return;
    this.#endText();
    this.#marks.beforeShape();
  }

  #grid({ x, y, styles, baselines, texts, first, tops, xs, rows }: GridItem): void {
    const count = styles.length;
    const { depth, height } = this.#state;
    const marks = this.#nesting === 0 ? this.#marks : null;
    marks?.beginRows(rows, tops.length);
    let index = 0;
    for (const top of tops) {
      for (let column = 0; column < count; column++, index++) {
        const text = texts[first + index] ?? '';
        const style = styles[column];
        if (text === '' && (marks === null || rows === null)) continue;
        marks?.beginCell(index, (rows?.scopes[column] ?? null) !== null);
        if (text === '' || style === undefined) continue;
        const left = x + (xs[first + index] ?? 0);
        const baseline = y + top + (baselines[column] ?? 0);
        if (depth > 0) {
          this.#text.show(style, left, baseline, text, null);
        } else {
          const up = Math.round((height - baseline) * 100);
          this.#text.showAt(style, Math.round(left * 100), up, text);
        }
      }
    }
    marks?.endRows();
  }

  /** Ends the text object, if there is one, and draws the rules that waited. */
  #endText(): void {
    if (this.#nesting === 0) this.#marks?.beforeTextEnds();
    this.#text.end();
    if (this.#lines.length === 0) return;
    if (this.#nesting === 0) this.#marks?.beforeRules();
    this.#drawLines();
  }

  /** Runs `draw` between q and Q, and restores the known state afterwards. */
  #isolated(draw: () => void): void {
    this.#endText();
    const state = this.#state.save();
    const font = this.#text.save();
    this.#sink.latin('q\n');
    this.#nesting++;
    draw();
    this.#nesting--;
    this.#endText();
    this.#sink.latin('Q\n');
    this.#state.restore(state);
    this.#text.restore(font);
  }

  /** Draws consecutive rules of the same look as one path. */
  #drawLines(): void {
    const sink = this.#sink;
    this.#state.setStrokeOpacity(1);
    let previous: LineItem | null = null;
    for (const line of this.#lines) {
      if (previous === null || !sameLook(previous, line)) {
        if (previous !== null) sink.appendShort(STROKE);
        this.#state.setStroke(line.color);
        this.#state.setLine(line.widthPt, line.dash);
      }
      this.#state.x(line.x1);
      this.#state.y(line.y1);
      sink.appendShort(MOVE);
      this.#state.x(line.x2);
      this.#state.y(line.y2);
      sink.appendShort(LINE);
      previous = line;
    }
    sink.appendShort(STROKE);
    this.#lines.length = 0;
  }

  #rectangle(item: FillItem): void {
    this.#endText();
    if (typeof item.paint !== 'number') {
      const path = [RECTANGLE, 0, 0, item.widthPt, item.heightPt];
      const fill = { paint: item.paint, opacity: item.opacity, rule: 'nonzero' } as const;
      this.#path({ kind: 'path', x: item.x, y: item.y, path, fill, stroke: null });
      return;
    }
    this.#state.setFill(item.paint);
    this.#state.setFillOpacity(item.opacity);
    this.#state.x(item.x);
    this.#state.y(this.#state.depth > 0 ? item.y : item.y + item.heightPt);
    this.#state.x(item.widthPt);
    this.#state.x(item.heightPt);
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
    if (fill !== null) this.#state.setFillOpacity(fill.opacity);
    if (stroke !== null) this.#state.setStrokeOpacity(stroke.opacity);
    this.#state.outline(item.path, item.x, item.y);
    this.#sink.latin(paintOperator(fill?.rule ?? null, stroke !== null));
  }

  #fillPaint(paint: Paint, at: { x: number; y: number }): void {
    if (typeof paint === 'number') {
      this.#state.setFill(paint);
      return;
    }
    this.#sink.latin(`/Pattern cs /${this.#pattern(paint, at)} scn\n`);
    this.#state.fillIsPattern();
  }

  #strokePaint(stroke: Stroke, at: { x: number; y: number }): void {
    if (typeof stroke.paint === 'number') {
      this.#state.setStroke(stroke.paint);
    } else {
      this.#sink.latin(`/Pattern CS /${this.#pattern(stroke.paint, at)} SCN\n`);
      this.#state.strokeIsPattern();
    }
    this.#state.setLine(stroke.widthPt, stroke.dash);
    if (stroke.cap !== 0) this.#sink.latin(`${stroke.cap} J\n`);
    if (stroke.join !== 0) this.#sink.latin(`${stroke.join} j\n`);
    if (stroke.miterLimit !== 10) this.#sink.latin(`${decimal(stroke.miterLimit)} M\n`);
  }

  #pattern(paint: Exclude<Paint, Rgb>, at: { x: number; y: number }): string {
    const shift: Matrix = [1, 0, 0, 1, at.x, at.y];
    const matrix = multiply(shift, this.#state.matrix);
    // A soft mask's form starts from the matrix in force where it is set (§11.6.5.2).
    const maskMatrix = this.#state.depth > 0 ? shift : matrix;
    const { pattern, state } = paintPattern(paint, matrix, maskMatrix, this.#resources);
    if (state !== null) this.#sink.latin(`/${state} gs\n`);
    return pattern;
  }

  #image(item: ImageItem): void {
    const name = this.#resources.image(item.image);
    this.#isolated(() => {
      const { clip } = item;
      if (clip !== null) {
        this.#state.outline([RECTANGLE, 0, 0, clip.widthPt, clip.heightPt], clip.x, clip.y);
        this.#sink.latin('W n\n');
      }
      this.#state.setFillOpacity(item.opacity);
      if ('form' in item.image) this.#state.page(item.image, item);
      else this.#state.unitSquare(item.x, item.y, item.widthPt, item.heightPt);
      this.#sink.latin(`/${name} Do\n`);
    });
  }

  /** A QR symbol as an inline image mask (§8.9.7): one bit a module, painted in the foreground. */
  #qr(item: QrItem): void {
    this.#endText();
    if (item.background !== null) {
      this.#state.setFill(item.background);
      this.#state.setFillOpacity(1);
      this.#state.outline([RECTANGLE, 0, 0, item.sizePt, item.sizePt], item.x, item.y);
      this.#sink.latin('f\n');
    }
    this.#isolated(() => {
      const { count, bits } = item;
      const sink = this.#sink;
      this.#state.setFill(item.foreground);
      this.#state.setFillOpacity(1);
      this.#state.unitSquare(item.x, item.y, item.sizePt, item.sizePt);
      // Readers that search the data for EI must not find one: such data is written in hexadecimal.
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
    if (this.#state.depth >= GROUP_DEPTH_MAX) throw new Error('groups are nested too deeply');
    this.#isolated(() => {
      // A form is a separate stream, in which the count of saved states restarts.
      const isDeep = this.#resources.file.isStrict && this.#nesting > ARCHIVE_NESTING_MAX;
      if (item.opacity < 1 || isDeep) this.#transparencyGroup(item);
      else this.#inside(item);
    });
  }

  #inside(item: GroupItem): void {
    const { sink, outer } = { sink: this.#sink, outer: this.#state.matrix };
    const turned: Matrix =
      this.#state.depth > 0
        ? [1, 0, 0, 1, item.x, item.y]
        : [1, 0, 0, -1, item.x, this.#state.height - item.y];
    const matrix = item.matrix === null ? turned : multiply(item.matrix, turned);
    sink.latin(`${matrix.map((value) => decimal(value, 5)).join(' ')} cm\n`);
    this.#state.matrix = multiply(
      item.matrix ?? IDENTITY,
      multiply([1, 0, 0, 1, item.x, item.y], outer),
    );
    this.#state.depth++;
    if (item.clip !== null) {
      this.#state.outline(item.clip.path, 0, 0);
      sink.latin(item.clip.rule === 'evenodd' ? 'W* n\n' : 'W n\n');
    }
    for (const child of item.items) this.#item(child);
    this.#endText();
    this.#state.depth--;
    this.#state.matrix = outer;
  }

  /** Composes the items first, then paints them at the group's opacity (§11.6.6). */
  #transparencyGroup(item: GroupItem): void {
    const sink = new ByteSink(4096);
    const painter = new Painter(sink, this.#fonts, this.#resources, this.#resourceObject);
    painter.#state.inherit(this.#state);
    // Patterns in a form start from the form's space: the matrix in force where it is painted.
    painter.#state.matrix = this.#state.depth > 0 ? IDENTITY : this.#state.matrix;
    painter.#inside(item);
    const bounds = 20_000;
    const form = this.#resources.file.addStream(
      `/Type/XObject/Subtype/Form/BBox[${-bounds} ${-bounds} ${bounds} ${bounds}]` +
        `/Group<</S/Transparency>>/Resources ${reference(this.#resourceObject)}`,
      sink.view(),
    );
    this.#state.setOpacity(item.opacity, item.opacity);
    this.#sink.latin(`/${this.#resources.form(form)} Do\n`);
  }
}
