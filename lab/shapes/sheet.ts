/**
 * One document as a peer draws it: blocks with every string formatted. The service gets the raw
 * data and formats it itself; a peer is spared that work.
 */
export interface Sheet {
  readonly blocks: readonly Block[];
}

/** A stretch of text in one font. */
export interface SheetRun {
  readonly text: string;
  readonly bold: boolean;
}

export type Align = 'left' | 'right' | 'center';

export interface TextBlock {
  readonly kind: 'text';
  readonly runs: readonly SheetRun[];
  readonly size: number;
  readonly align: Align;
  readonly lineHeight: number;
  /** Space below in points. */
  readonly after: number;
}

/** Logo on the left, lines set right on the right. */
export interface MastheadBlock {
  readonly kind: 'masthead';
  readonly lines: readonly SheetRun[];
  readonly size: number;
  readonly after: number;
}

/** Labels in bold with their values, column after column. */
export interface PairsBlock {
  readonly kind: 'pairs';
  readonly columns: readonly (readonly (readonly [label: string, value: string])[])[];
  readonly size: number;
  readonly after: number;
}

export interface TableBlock {
  readonly kind: 'table';
  /** Widths of the columns' text in points, without the padding of `TABLE`. */
  readonly widths: readonly number[];
  readonly aligns: readonly Align[];
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly size: number;
  readonly paddingY: number;
  readonly after: number;
}

export interface QrBlock {
  readonly kind: 'qr';
  readonly text: string;
  readonly size: number;
}

export type Block = TextBlock | MastheadBlock | PairsBlock | TableBlock | QrBlock;

/** Page geometry of all three shapes, in points. */
export const PAGE = { width: 595.28, height: 841.89, marginX: 40, marginY: 50 } as const;
export const CONTENT_WIDTH = PAGE.width - 2 * PAGE.marginX;
/** Padding left and right of a table cell; the lines between rows. */
export const TABLE = { paddingX: 4, lineWidth: 0.5, lineColor: '#aaaaaa' } as const;
/** Two columns of pairs: width of the labels, gap between the columns, padding of a row. */
export const PAIRS = { labelWidth: 90, columnGap: 16, paddingX: 4, paddingY: 2 } as const;
/** The page number, `gap` below the content: a text before the number of the page and of all pages. */
export const FOOTER = { size: 9, gap: 15, text: ['หน้า ', ' จาก '] } as const;
/** The height of a line of Sarabun, in em. */
export const LINE_HEIGHT_EM = 1.3;

export const SHAPE_NAMES = ['A', 'B', 'C'] as const;
export type ShapeName = (typeof SHAPE_NAMES)[number];

/** A kind of document: a template of the service, and any number of documents for it. */
export interface Shape {
  readonly name: ShapeName;
  readonly title: string;
  /** Pages of a document that has the default number of rows. */
  readonly pages: number;
  /** The template file, as authors write it. */
  readonly template: Readonly<Record<string, unknown>>;
  /** The document with this number: distinct seeds give distinct data. */
  document(this: void, seed: number, options: DocumentOptions): ShapeDocument;
}

export interface DocumentOptions {
  /** Every Thai word is made up, so that no shaping cache helps. */
  readonly cold: boolean;
  /** Rows of the statement; the other shapes have no table whose length varies. */
  readonly rows?: number;
}

export interface ShapeDocument {
  /** The `data` of the request. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The same document for a peer. */
  sheet(): Sheet;
  /** Every string of the data as it must be read back from the page. */
  strings(): readonly string[];
}
