import type { FileMetadata, FileRelationship, PlainRows, StructElement } from './structure.ts';
import type { Picture } from './letterhead.ts';
import type { Shape } from '../font/font.ts';
import type { Dash, Fill, Matrix, Paint, PathData, Rgb, Stroke, TextStyle } from './style.ts';

/**
 * The result of layout, for pdf: pages of painted items, in points, origin top left, y down.
 * The items are simple on purpose: the writer has nothing left to decide.
 */

/**
 * Text in one style on one line. Hot: a 2,000-row statement makes ten thousand, so this is a class
 * (one hidden class), and its arrays may be shared with caches of layout and must not be changed.
 */
export class TextItem {
  readonly kind = 'text';
  readonly style: TextStyle;
  /** Left edge of the first shape. */
  x: number;
  /** Baseline. */
  y: number;
  readonly shapes: readonly Shape[];
  /** Extra advance after each shape in points (justified text), or null. */
  readonly gaps: readonly number[] | null;

  constructor(
    style: TextStyle,
    x: number,
    y: number,
    shapes: readonly Shape[],
    gaps: readonly number[] | null,
  ) {
    this.style = style;
    this.x = x;
    this.y = y;
    this.shapes = shapes;
    this.gaps = gaps;
  }
}

/** A cell's text: a string whose shape is plain, one shape, or several in a row. */
export type GridText = string | Shape | readonly Shape[];

/**
 * Consecutive table rows of one-line texts: a few arrays instead of thousands of text items. Text
 * `first + r * columns + c` stands at (x + xs[…], y + tops[r] + baselines[c]); an empty string
 * draws nothing. Painted row by row.
 */
export class GridItem {
  readonly kind = 'grid';
  x: number;
  y: number;
  /** One per column. */
  readonly styles: readonly TextStyle[];
  readonly baselines: readonly number[];
  /** Texts of the whole table; this item draws those from `first` on. */
  readonly texts: readonly GridText[];
  readonly first: number;
  /** One per row. */
  readonly tops: readonly number[];
  /** Parallel to `texts`. */
  readonly xs: Float64Array;
  /** In tagged documents: the rows in the structure tree; null: artifacts. */
  readonly rows: PlainRows | null;

  constructor(
    x: number,
    y: number,
    styles: readonly TextStyle[],
    baselines: readonly number[],
    texts: readonly GridText[],
    first: number,
    tops: readonly number[],
    xs: Float64Array,
    rows: PlainRows | null = null,
  ) {
    this.x = x;
    this.y = y;
    this.styles = styles;
    this.baselines = baselines;
    this.texts = texts;
    this.first = first;
    this.tops = tops;
    this.xs = xs;
    this.rows = rows;
  }
}

/** A straight line from (x1, y1) to (x2, y2): table rules, decorations. */
export class LineItem {
  readonly kind = 'line';
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  readonly widthPt: number;
  readonly color: Rgb;
  readonly dash: Dash | null;

  constructor(
    x1: number,
    y1: number,
    x2: number,
    y2: number,
    widthPt: number,
    color: Rgb,
    dash: Dash | null,
  ) {
    this.x1 = x1;
    this.y1 = y1;
    this.x2 = x2;
    this.y2 = y2;
    this.widthPt = widthPt;
    this.color = color;
    this.dash = dash;
  }
}

/** A filled rectangle: cell fills, text backgrounds. */
export class FillItem {
  readonly kind = 'fill';
  x: number;
  y: number;
  readonly widthPt: number;
  heightPt: number;
  readonly paint: Paint;
  readonly opacity: number;

  constructor(
    x: number,
    y: number,
    widthPt: number,
    heightPt: number,
    paint: Paint,
    opacity: number,
  ) {
    this.x = x;
    this.y = y;
    this.widthPt = widthPt;
    this.heightPt = heightPt;
    this.paint = paint;
    this.opacity = opacity;
  }
}

/** A path with a fill, a stroke or both. */
export interface PathItem {
  readonly kind: 'path';
  x: number;
  y: number;
  readonly path: PathData;
  readonly fill: Fill | null;
  readonly stroke: Stroke | null;
}

/** An image, or a page of another PDF. */
export interface ImageItem {
  readonly kind: 'image';
  x: number;
  y: number;
  readonly widthPt: number;
  readonly heightPt: number;
  readonly image: Picture;
  readonly opacity: number;
  /** Clip to this box first (`cover`), in page points, or null. */
  readonly clip: { x: number; y: number; widthPt: number; heightPt: number } | null;
}

/**
 * A QR symbol, `count` modules a side, without quiet zone: `bits` are its rows, 1 dark, 0 light, most
 * significant first; each row is padded to whole bytes.
 */
export interface QrItem {
  readonly kind: 'qr';
  x: number;
  y: number;
  readonly sizePt: number;
  readonly count: number;
  readonly bits: Uint8Array;
  readonly foreground: Rgb;
  /** null: transparent. */
  readonly background: Rgb | null;
}

/** Items under one transform, clip and opacity. (x, y) is where the group's origin lies. */
export interface GroupItem {
  readonly kind: 'group';
  x: number;
  y: number;
  /** Applied inside, y down. */
  readonly matrix: Matrix | null;
  readonly clip: { readonly path: PathData; readonly rule: 'nonzero' | 'evenodd' } | null;
  /** Below 1 the items are composed as one transparency group (ISO 32000-2 §11.6.6). */
  readonly opacity: number;
  readonly items: readonly Item[];
}

/** In tagged documents: the items after it belong to this element; null: they are artifacts. */
export interface TagItem {
  readonly kind: 'tag';
  readonly element: StructElement | null;
  /** Reading order: the contents and child elements of an element are read in ascending order. */
  readonly order: number;
  /** The area of a figure, which moves with its items; null for other content. */
  area: TagArea | null;
}

/** An area of a sheet in points, y down. */
export interface TagArea {
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
  readonly heightPt: number;
}

export type Item =
  TextItem | GridItem | LineItem | FillItem | PathItem | ImageItem | QrItem | GroupItem | TagItem;

export type LinkTarget =
  | { readonly kind: 'uri'; readonly uri: string }
  | { readonly kind: 'page'; readonly pageIndex: number }
  | { readonly kind: 'destination'; readonly name: string };

/** A rectangle of a page that opens a target. */
export interface LinkArea {
  x: number;
  y: number;
  readonly widthPt: number;
  readonly heightPt: number;
  readonly target: LinkTarget;
  /** In tagged documents: the element that contains it. Absent: none. */
  readonly element?: StructElement | null;
}

/** A page of the document after layout. */
export interface Page {
  readonly widthPt: number;
  readonly heightPt: number;
  /** Everything but header and footer, in painting order. */
  readonly body: Item[];
  readonly links: LinkArea[];
}

/** A named position that links lead to. */
export interface Destination {
  readonly name: string;
  readonly pageIndex: number;
  readonly x: number;
  readonly y: number;
}

/** An entry of the outline, which readers show as bookmarks. */
export interface OutlineEntry {
  readonly title: string;
  readonly pageIndex: number;
  readonly y: number;
  readonly expanded: boolean;
  readonly children: readonly OutlineEntry[];
}

/**
 * A page's header or footer: a content stream separate from the body, so that a merge can drop or
 * replace it.
 */
export interface OverlayPart {
  readonly role: 'header' | 'footer';
  /** It shows `{{page}}` or `{{pages}}`, which are wrong once the page is in another document. */
  readonly numbered: boolean;
  /** If nothing depends on the page, all pages have the same array and share its stream. */
  readonly items: readonly Item[];
  readonly links: readonly LinkArea[];
}

/** The size of a page after its rotation, in points. */
export interface PageSize {
  readonly widthPt: number;
  readonly heightPt: number;
}

/** A page of the merged document whose header and footer are wanted. */
export interface OverlayRequest extends PageSize {
  /** 0-based, over the merged document. */
  readonly pageIndex: number;
  /** Pages of the merged document. */
  readonly pageCount: number;
  /** An attached page: the template's `attachedPages` decides which parts are drawn. */
  readonly attached: boolean;
}

/** Document information that readers show; '' for what is not given. */
export interface DocumentInfo {
  readonly title: string;
  readonly subject: string;
  readonly author: string;
  readonly keywords: string;
}

/** A file that the document embeds. */
export interface EmbeddedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly relationship: FileRelationship;
  readonly about: string;
  readonly bytes: Uint8Array;
  readonly metadata: FileMetadata<string> | null;
}

/** Appearance of a signature on a page. */
export interface SignatureAppearance {
  readonly pageIndex: number;
  /** Top left corner of the field relative to that of the page, y down. */
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
  readonly heightPt: number;
  /** Relative to the top left corner of the field. */
  readonly items: readonly Item[];
  readonly signer: string;
  /** '' when it is not given. */
  readonly reason: string;
  readonly location: string;
  /** Name for screen readers. */
  readonly alt: string;
}

/** The document after layout. */
export interface LaidOutDocument {
  readonly pages: readonly Page[];
  readonly destinations: readonly Destination[];
  readonly outline: readonly OutlineEntry[];
  /** BCP 47, for the catalog's /Lang. */
  readonly language: string;
  /** null: the template has none. */
  readonly info: DocumentInfo | null;
  readonly files: readonly EmbeddedFile[];
  /** null: no signature follows, or it is invisible. */
  readonly signature: SignatureAppearance | null;
  /** Draws header and footer of one page, in that order; empty if it has neither. */
  overlay(request: OverlayRequest): readonly OverlayPart[];
}
