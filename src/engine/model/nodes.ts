import type {
  FileTemplate,
  InfoTemplate,
  NodeRole,
  Profile,
  SignatureField,
  SignaturePart,
} from './structure.ts';
import type { FieldDescriptor, PlainField } from '../contract/types.ts';
import type { Picture } from './letterhead.ts';
import type { OpeningBalance, PrintedData } from './printed.ts';
import type { BarcodeKind, BarcodePart } from '../barcode/barcode.ts';
import type { SvgElement } from '../svg/tree.ts';
import type { FontUse } from './font-use.ts';
import type { Fill, Paint, PathData, Rgb, Stroke, TextStyle } from './style.ts';
import type { TableLayout } from './table-layout.ts';

/**
 * The compiled template: pdfmake's document definition with styles, defaults and bindings (to field
 * indexes) resolved. Immutable; shared in this worker. Layout sees neither style names nor JSON.
 */

/** A string with bindings, in order. Static text is one part. */
export type TextTemplate = readonly TextPart[];

export type TextPart =
  | { readonly kind: 'static'; readonly text: string }
  /** The field's display text; empty when absent. */
  | { readonly kind: 'field'; readonly field: number }
  /** The field's value in another format than its own; empty when absent. */
  | {
      readonly kind: 'formatted';
      readonly field: number;
      readonly format: CellFormatter;
      /** Every piece of text that the format can print; null when it may print any. */
      readonly repertoire: readonly string[] | null;
    }
  /** A cell of the row that the nearest `each` is at; formatted when `format` is given. */
  | { readonly kind: 'cell'; readonly column: number; readonly format: CellFormatter | null }
  /** A value of the entry that the `each` over the list `field` is at. */
  | {
      readonly kind: 'entry';
      readonly field: number;
      readonly column: number;
      readonly format: CellFormatter | null;
      readonly of: PlainField;
    }
  /** A sum of the statement table that the row stands in, up to and including that row. */
  | { readonly kind: 'sum'; readonly sum: StatementSum; readonly format: CellFormatter }
  /** The sum of a column of a table field, over all its rows; empty when the field is absent. */
  | {
      readonly kind: 'columnSum';
      readonly field: number;
      readonly column: number;
      readonly format: CellFormatter;
    }
  /** Only in header, footer, background. */
  | { readonly kind: 'page' | 'pages' }
  | SignaturePart;

/** `balance` runs from the opening field; `page…` start again on each page. */
export type StatementSum =
  'balance' | 'credits' | 'debits' | 'pageCredits' | 'pageDebits' | 'rows' | 'pageRows';

/** Formats a table cell as a number or date; text that is neither stays as it is. */
export type CellFormatter = (cell: string) => string;

/** `if` and `unless`: a value that must, or must not, be present for the node to be drawn. */
export type Condition = FieldCondition | EntryCondition;

interface FieldCondition {
  readonly field: number;
  readonly present: boolean;
}

/** The same for a cell of the entry that the `each` over `list` is at. */
interface EntryCondition {
  readonly list: number;
  readonly column: number;
  readonly present: boolean;
}

export type Alignment = 'left' | 'right' | 'center' | 'justify';
/** `start`, when none is given: the side where the paragraph's script begins. */
export type TextAlignment = Alignment | 'start';
/** Left, top, right, bottom in points. */
export type Margin = readonly [number, number, number, number];
export type PageBreak = 'before' | 'after' | 'beforeOdd' | 'beforeEven' | 'afterOdd' | 'afterEven';

export interface NodeBase {
  /** Where the node stands in the template file: `document.content[3].table.body[0][1]`. */
  readonly path: string;
  /** All must hold. */
  readonly conditions: readonly Condition[];
  /** One copy of the node per row of this table field, or entry of this list; or null. */
  readonly each: number | null;
  readonly margin: Margin;
  readonly pageBreak: PageBreak | null;
  readonly unbreakable: boolean;
  /** `rotate`: clockwise about this point, in degrees. */
  readonly absolutePosition: Readonly<{ x: number; y: number; rotate: number }> | null;
  readonly relativePosition: { readonly x: number; readonly y: number } | null;
  readonly id: string | null;
  readonly headlineLevel: number | null;
  readonly keepWithNext: boolean;
  readonly outline: {
    readonly level: number;
    readonly title: TextTemplate | null;
    readonly expanded: boolean;
  } | null;
  readonly tocItem: TocItem | null;
  /** Its role in a tagged document; absent or null: the role of its kind. */
  readonly role?: NodeRole | null;
  /** BCP 47, if it differs from the document's language; else absent or null. */
  readonly lang?: string | null;
  /** Alternate description of a picture; '' for mere decoration. */
  readonly alt?: TextTemplate | null;
}

/** The properties of a node for which the template sets none. */
export const PLAIN_NODE: Omit<NodeBase, 'path'> = {
  conditions: [],
  each: null,
  margin: [0, 0, 0, 0],
  pageBreak: null,
  unbreakable: false,
  absolutePosition: null,
  relativePosition: null,
  id: null,
  headlineLevel: null,
  keepWithNext: false,
  outline: null,
  tocItem: null,
};

export interface TocItem {
  readonly tocs: readonly string[];
  readonly style: TextStyle | null;
  readonly numberStyle: TextStyle | null;
  readonly margin: Margin | null;
}

export interface Decoration {
  readonly lines: readonly ('underline' | 'lineThrough' | 'overline')[];
  readonly style: 'solid' | 'dashed' | 'dotted' | 'double' | 'wavy';
  readonly color: Rgb;
  readonly thicknessPt: number | null;
}

/** One inline run: text in one style. */
export interface Run {
  readonly conditions: readonly Condition[];
  readonly each: number | null;
  readonly text: TextTemplate;
  readonly style: TextStyle;
  readonly lineHeight: number;
  readonly background: Rgb | null;
  readonly decoration: Decoration | null;
  readonly noWrap: boolean;
  readonly wordBreak: 'normal' | 'break-all';
  /** Words that institution and template add to the lexicon; absent: none. */
  readonly words?: readonly string[];
  readonly preserveLeadingSpaces: boolean;
  /** Absent: false, trailing spaces of a line take no room. */
  readonly preserveTrailingSpaces?: boolean;
  /** Superscript / subscript shift. */
  readonly script: 'sup' | 'sub' | null;
  readonly link: {
    readonly kind: 'uri' | 'page' | 'destination';
    readonly to: TextTemplate;
  } | null;
  /** Page number of the node with this id, or its text. */
  readonly reference: { readonly kind: 'page' | 'text'; readonly id: string } | null;
  readonly id: string | null;
  /** BCP 47, if it differs from the document's language; else absent or null. */
  readonly lang?: string | null;
}

export interface TextNode extends NodeBase {
  readonly kind: 'text';
  readonly runs: readonly Run[];
  readonly alignment: TextAlignment;
  readonly leadingIndentPt: number;
  /** Absent: best for justified text of scripts without spaces, otherwise greedy. */
  readonly lineBreaking?: 'greedy' | 'best';
  readonly maxHeightPt: number | null;
  /** Least size of a text that shrinks to fit its width and `maxHeightPt`; null: it does not. */
  readonly shrinkPt: number | null;
  /** Least lines left before a page break, and carried over it. Absent: 1 (pdfmake). */
  readonly orphans?: number;
  readonly widows?: number;
}

export interface StackNode extends NodeBase {
  readonly kind: 'stack';
  readonly children: readonly Node[];
}

/** Points, `*`, `auto` or a share of the room in percent. */
export type Width =
  | { readonly kind: 'fixed'; readonly pt: number }
  | { readonly kind: 'star' }
  | { readonly kind: 'auto' }
  | { readonly kind: 'percent'; readonly percent: number };

export interface ColumnsNode extends NodeBase {
  readonly kind: 'columns';
  readonly columns: readonly Column[];
  readonly gapPt: number;
  readonly snaking: boolean;
}

export interface Column {
  readonly width: Width;
  readonly node: Node;
  /** Absent: top. */
  readonly verticalAlignment?: 'top' | 'middle' | 'bottom';
}

export interface TableNode extends NodeBase {
  readonly kind: 'table';
  readonly widths: readonly Width[];
  readonly rows: readonly TableRow[];
  readonly headerRows: number;
  /** Number of columns with row headers; absent: 0. */
  readonly headerColumns?: number;
  readonly keepWithHeaderRows: number;
  readonly dontBreakRows: boolean;
  /** Least height of a row in points; index counts the rows as drawn. */
  readonly heightPt: (rowIndex: number) => number | 'auto';
  readonly layout: TableLayout;
  /** Least body rows before the first page break and after the last one. Absent: 1. */
  readonly rowsAtStartMin?: number;
  readonly rowsAtEndMin?: number;
  /** Running sums and the rows at page ends that show them; absent or null: a plain table. */
  readonly statement?: Statement | null;
}

/**
 * A statement table: every row made by `each` over `field` adds its credit cell to the balance and
 * subtracts its debit cell. These rows, and those at page ends, print the sums with a `sum` text part.
 */
export interface Statement {
  /** The table, the list, or the view of a list whose amounts are summed. */
  readonly field: number;
  /** Null if the balance starts from zero. */
  readonly opening: OpeningBalance | null;
  readonly creditColumn: number | null;
  readonly debitColumn: number | null;
  /** Last body row of every page but the last, and first body row of every page but the first. */
  readonly carriedForward: TableRow | null;
  readonly broughtForward: TableRow | null;
  /** Last row of every page, the last one too, below `carriedForward`. */
  readonly pageTotal: TableRow | null;
}

export interface TableRow {
  readonly path: string;
  readonly conditions: readonly Condition[];
  readonly each: number | null;
  /** The row is the header or the footer of a group. */
  readonly isGroupEnd?: boolean;
  /** As many as there are columns; `null` is covered by a span. */
  readonly cells: readonly (TableCell | null)[];
}

export interface TableCell {
  readonly node: Node;
  readonly colSpan: number;
  readonly rowSpan: number;
  readonly fill: Paint | null;
  readonly fillOpacity: number | null;
  readonly overlay: Paint | null;
  readonly overlayOpacity: number;
  /** Left, top, right, bottom: drawn or not; null: the layout's default. */
  readonly border: readonly [boolean, boolean, boolean, boolean] | null;
  readonly borderColor: readonly [Rgb, Rgb, Rgb, Rgb] | null;
  readonly verticalAlignment: 'top' | 'middle' | 'bottom';
}

export interface ListNode extends NodeBase {
  readonly kind: 'list';
  readonly ordered: boolean;
  /** `disc`, `square`, `circle`, `none`; or `decimal`, `lower-alpha`, `upper-roman`, … */
  readonly type: string;
  readonly start: number;
  readonly reversed: boolean;
  readonly separator: readonly [string, string];
  readonly markerStyle: TextStyle;
  readonly items: readonly ListItem[];
}

export interface ListItem {
  readonly node: Node;
  readonly counter: number | null;
  readonly listType: string | null;
  /** Absent or null: the list's own. */
  readonly markerColor?: Rgb | null;
}

/** Bounds that keep the aspect ratio, applied after width and height. */
export interface SizeBounds {
  readonly widthMaxPt: number | null;
  readonly heightMaxPt: number | null;
  readonly widthMinPt: number | null;
  readonly heightMinPt: number | null;
}

export interface ImageNode extends NodeBase {
  readonly kind: 'image';
  readonly source:
    | { readonly kind: 'static'; readonly image: Picture }
    | { readonly kind: 'field'; readonly field: number };
  readonly widthPt: number | null;
  readonly heightPt: number | null;
  readonly fit: readonly [number, number] | null;
  readonly bounds?: SizeBounds | null;
  readonly cover: {
    readonly widthPt: number;
    readonly heightPt: number;
    readonly align: 'left' | 'center' | 'right';
    readonly valign: 'top' | 'center' | 'bottom';
  } | null;
  readonly opacity: number;
  readonly alignment: Alignment;
  readonly link: Run['link'];
}

export interface SvgNode extends NodeBase {
  readonly kind: 'svg';
  readonly source:
    | { readonly kind: 'static'; readonly root: SvgElement }
    | { readonly kind: 'field'; readonly field: number };
  readonly widthPt: number | null;
  readonly heightPt: number | null;
  readonly fit: readonly [number, number] | null;
  readonly bounds?: SizeBounds | null;
  readonly alignment: Alignment;
  /** Style that `text` elements start from. */
  readonly textStyle: TextStyle;
  readonly link: Run['link'];
}

export interface QrNode extends NodeBase {
  readonly kind: 'qr';
  readonly text: TextTemplate;
  readonly fitPt: number | null;
  readonly version: number | null;
  readonly eccLevel: 'L' | 'M' | 'Q' | 'H';
  readonly mask: number | null;
  readonly mode: 'numeric' | 'alphanumeric' | 'octet' | null;
  readonly foreground: Rgb;
  readonly background: Rgb | null;
  /** Blank modules on each side; absent: 0. */
  readonly paddingModules?: number;
  readonly alignment: Alignment;
}

/** A barcode, or a QR code with the payload of a payment standard. */
export interface BarcodeNode extends NodeBase {
  readonly kind: 'barcode';
  readonly symbology: BarcodeKind;
  /** The parts that the template gives. */
  readonly parts: readonly { readonly part: BarcodePart; readonly text: TextTemplate }[];
  /** Size of a module in points; null: the size of the code decides. */
  readonly modulePt: number | null;
  readonly widthPt: number | null;
  /** Height of bars, or of a matrix code without `widthPt`. */
  readonly heightPt: number | null;
  readonly fit: readonly [number, number] | null;
  readonly foreground: Rgb;
  readonly background: Rgb | null;
  /** Quiet zone in modules, for bars only left and right; null: as the standard demands. */
  readonly paddingModules: number | null;
  readonly alignment: Alignment;
}

/** Paths that do not depend on data. */
export interface CanvasNode extends NodeBase {
  readonly kind: 'canvas';
  readonly vectors: readonly {
    readonly path: PathData;
    readonly fill: Fill | null;
    readonly stroke: Stroke | null;
  }[];
  readonly widthPt: number;
  readonly heightPt: number;
  readonly alignment: Alignment;
}

export interface TocNode extends NodeBase {
  readonly kind: 'toc';
  readonly name: string;
  readonly title: Node | null;
  readonly textStyle: TextStyle;
  readonly numberStyle: TextStyle;
  readonly textMargin: Margin;
  readonly sortBy: 'page' | 'title';
  /** The language that titles are compared by: a well-formed BCP 47 tag. */
  readonly sortLocale: string;
  readonly hideEmpty: boolean;
}

export type Node =
  | TextNode
  | StackNode
  | ColumnsNode
  | TableNode
  | ListNode
  | ImageNode
  | SvgNode
  | QrNode
  | BarcodeNode
  | CanvasNode
  | TocNode;

/** The nodes that stand directly in a node, in document order. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'stack':
      return node.children;
    case 'columns':
      return node.columns.map((column) => column.node);
    case 'list':
      return node.items.map((item) => item.node);
    case 'table':
      return node.rows.flatMap((row) => row.cells.flatMap((cell) => cell?.node ?? []));
    case 'toc':
      return node.title === null ? [] : [node.title];
    case 'text':
    case 'image':
    case 'svg':
    case 'qr':
    case 'barcode':
    case 'canvas':
      return [];
  }
}

/** A header, footer or background: its node, or none, on the first, the last and other pages. */
export interface RunningElement {
  readonly first: Node | null;
  readonly rest: Node | null;
  readonly last: Node | null;
}

export interface PageSetup {
  readonly widthPt: number;
  /** Infinity: as high as the content (one page). */
  readonly heightPt: number;
  readonly margins: Margin;
  readonly header: RunningElement | null;
  readonly footer: RunningElement | null;
  readonly background: RunningElement | null;
}

/** A stretch of content with one page set-up; a document without `section` has one. */
export interface Section {
  readonly path: string;
  readonly setup: PageSetup;
  readonly content: StackNode;
  /** Begun by a page break: it takes a new page even after an empty one. Absent: false. */
  readonly followsBreak?: boolean;
}

export interface CompiledTemplate extends PrintedData {
  readonly hash: string;
  readonly templateId: string;
  readonly name: string;
  readonly language: string;
  readonly fields: readonly FieldDescriptor[];
  readonly sections: readonly Section[];
  readonly watermark: {
    readonly text: TextTemplate;
    /** `sizePt` 0: as large as the page allows (pdfmake's "auto"). */
    readonly style: TextStyle;
    /** Degrees, clockwise; null: along the page's diagonal. */
    readonly angle: number | null;
    readonly opacity: number;
  } | null;
  readonly breakBefore: { readonly headlineLevel: number; readonly minFollowing: number } | null;
  /** Treatment of a character that no face can draw. */
  readonly missingGlyph: 'reject' | 'fallback' | 'notdef';
  /** Treatment of an amount that is wider than its line. */
  readonly wideAmount: 'shrink' | 'reject';
  /** null: the document has no title but the request's. */
  readonly info: InfoTemplate | null;
  readonly profile: Profile;
  /** null: a signature is invisible. */
  readonly signatureField: SignatureField | null;
  /** Embedded in every document. */
  readonly files: readonly FileTemplate[];
  readonly attachedPages: { readonly header: boolean; readonly footer: boolean };
  readonly compress: boolean;
  readonly fontUses: readonly FontUse[];
  /** Written once for all documents: the images that each draws, and pages of PDFs. */
  readonly images: readonly Picture[];
  /** Estimated bytes this object holds, for the cache's bound. */
  readonly bytes: number;
}
