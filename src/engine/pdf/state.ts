import type { Dash, Matrix, PathData, Rgb } from '../model/style.ts';
import { colorOperator, dashOperator, sameDash } from './operators.ts';
import { CLOSE, CURVE, LINE, MOVE } from '../model/path.ts';
import type { DocumentResources } from './resources.ts';
import type { ByteSink } from './sink.ts';

/** Where something stands on a page: corner and size, y down. */
interface PageBox {
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
  readonly heightPt: number;
}

/** Graphics state that `q` saves and `Q` restores, as far as painting changes it. */
export interface SavedState {
  readonly fill: Rgb;
  readonly stroke: Rgb;
  readonly lineWidth: number;
  readonly dash: Dash | null;
  readonly fillOpacity: number;
  readonly strokeOpacity: number;
}

const START: SavedState = {
  fill: 0,
  stroke: 0,
  lineWidth: 1,
  dash: null,
  fillOpacity: 1,
  strokeOpacity: 1,
};

/** A colour that no style has: a pattern is set. */
const PATTERN: Rgb = -1;

/**
 * The graphics state as the stream left it (ISO 32000-2 §8.4), so that only changes are written,
 * and the space that coordinates are in: the page's own, or a group's with the axis flipped.
 */
export class GraphicsState {
  readonly sink: ByteSink;
  readonly #resources: DocumentResources;
  /** Height of the page, by which y is flipped outside groups. */
  height = 0;
  /** Groups around the current item. */
  depth = 0;
  /** From the items' space to the page's: for patterns, which ignore the current matrix. */
  matrix: Matrix = [1, 0, 0, 1, 0, 0];
  /** Counts up when fill colour or opacity changes. */
  version = 0;
  #fill = START.fill;
  #stroke = START.stroke;
  #lineWidth = START.lineWidth;
  #dash = START.dash;
  #fillOpacity = START.fillOpacity;
  #strokeOpacity = START.strokeOpacity;

  constructor(sink: ByteSink, resources: DocumentResources) {
    this.sink = sink;
    this.#resources = resources;
  }

  /** Begins a stream, in the state that a page starts with. */
  reset(heightPt: number): void {
    this.height = heightPt;
    this.depth = 0;
    this.matrix = [1, 0, 0, -1, 0, heightPt];
    this.restore(START);
  }

  save(): SavedState {
    return {
      fill: this.#fill,
      stroke: this.#stroke,
      lineWidth: this.#lineWidth,
      dash: this.#dash,
      fillOpacity: this.#fillOpacity,
      strokeOpacity: this.#strokeOpacity,
    };
  }

  restore(saved: SavedState): void {
    this.#fill = saved.fill;
    this.#stroke = saved.stroke;
    this.#lineWidth = saved.lineWidth;
    this.#dash = saved.dash;
    this.#fillOpacity = saved.fillOpacity;
    this.#strokeOpacity = saved.strokeOpacity;
    this.version++;
  }

  /** Takes over the state around a form: all but opacity and mask (§11.6.6). */
  inherit(outer: GraphicsState): void {
    this.height = outer.height;
    this.depth = outer.depth;
    this.restore({ ...outer.save(), fillOpacity: 1, strokeOpacity: 1 });
  }

  setFill(color: Rgb): void {
    if (color === this.#fill) return;
    this.sink.append(colorOperator(color, true));
    this.#fill = color;
    this.version++;
  }

  setStroke(color: Rgb): void {
    if (color === this.#stroke) return;
    this.sink.append(colorOperator(color, false));
    this.#stroke = color;
  }

  /** Records that a pattern was set instead of a colour. */
  fillIsPattern(): void {
    this.#fill = PATTERN;
    this.version++;
  }

  strokeIsPattern(): void {
    this.#stroke = PATTERN;
  }

  setFillOpacity(opacity: number): void {
    if (opacity !== this.#fillOpacity) this.setOpacity(opacity, this.#strokeOpacity);
  }

  setStrokeOpacity(opacity: number): void {
    if (opacity !== this.#strokeOpacity) this.setOpacity(this.#fillOpacity, opacity);
  }

  setOpacity(fill: number, stroke: number): void {
    if (fill === this.#fillOpacity && stroke === this.#strokeOpacity) return;
    this.sink.latin(`/${this.#resources.opacity(fill, stroke)} gs\n`);
    this.#fillOpacity = fill;
    this.#strokeOpacity = stroke;
    this.version++;
  }

  setLine(widthPt: number, dash: Dash | null): void {
    const { sink } = this;
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

  x(x: number): void {
    this.sink.number(x);
    this.sink.byte(0x20);
  }

  y(y: number): void {
    this.sink.number(this.depth > 0 ? y : this.height - y);
    this.sink.byte(0x20);
  }

  /** Maps the unit square, y up, onto this box. */
  unitSquare(x: number, y: number, widthPt: number, heightPt: number): void {
    const { sink } = this;
    sink.precise(widthPt);
    sink.latin(' 0 0 ');
    sink.precise(this.depth > 0 ? -heightPt : heightPt);
    sink.byte(0x20);
    this.x(x);
    this.y(y + heightPt);
    sink.latin('cm\n');
  }

  /** Maps the space of an upright page, y up from its foot, onto a box. */
  page(page: { readonly widthPx: number; readonly heightPx: number }, box: PageBox): void {
    const { sink } = this;
    const down = box.heightPt / page.heightPx;
    sink.precise(box.widthPt / page.widthPx);
    sink.latin(' 0 0 ');
    sink.precise(this.depth > 0 ? -down : down);
    sink.byte(0x20);
    this.x(box.x);
    this.y(box.y + box.heightPt);
    sink.latin('cm\n');
  }

  /** Path construction operators (§8.5.2). */
  outline(path: PathData, x: number, y: number): void {
    const { sink } = this;
    for (let index = 0; index < path.length;) {
      const command = path[index] ?? CLOSE;
      if (command === MOVE || command === LINE) {
        this.#point(path, index + 1, x, y);
        sink.latin(command === MOVE ? 'm ' : 'l ');
        index += 3;
      } else if (command === CURVE) {
        this.#point(path, index + 1, x, y);
        this.#point(path, index + 3, x, y);
        this.#point(path, index + 5, x, y);
        sink.latin('c ');
        index += 7;
      } else if (command === CLOSE) {
        sink.latin('h ');
        index += 1;
      } else {
        const [top, height] = [y + (path[index + 2] ?? 0), path[index + 4] ?? 0];
        this.x(x + (path[index + 1] ?? 0));
        this.y(this.depth > 0 ? top : top + height);
        this.x(path[index + 3] ?? 0);
        this.x(height);
        sink.latin('re ');
        index += 5;
      }
    }
  }

  #point(path: PathData, index: number, x: number, y: number): void {
    this.x(x + (path[index] ?? 0));
    this.y(y + (path[index + 1] ?? 0));
  }
}
