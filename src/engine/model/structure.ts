import type { CellFormatter, Node, TextTemplate } from './nodes.ts';

/** Types of structure elements (ISO 32000-1 §14.8.4) that templates make. */
export const STRUCT_TYPES = [
  'Document',
  'Div',
  'P',
  'H1',
  'H2',
  'H3',
  'H4',
  'H5',
  'H6',
  'Note',
  'L',
  'LI',
  'Lbl',
  'LBody',
  'TOC',
  'TOCI',
  'Reference',
  'Table',
  'THead',
  'TBody',
  'TR',
  'TH',
  'TD',
  'Figure',
  'Link',
  'Span',
  'Form',
] as const;

export type StructType = (typeof STRUCT_TYPES)[number];

/** Spans of a cell, and what it is a header of. */
export interface CellPlace {
  readonly colSpan: number;
  readonly rowSpan: number;
  /** The cells that a header cell describes; null: it is not a header. */
  readonly scope: 'Column' | 'Row' | null;
}

/**
 * An element of the structure tree. Layout makes it when it places a node. Only elements of painted
 * content get into the document, because a placement may be undone.
 */
export class StructElement {
  readonly type: StructType;
  readonly parent: StructElement | null;
  /** Its position in reading order among all elements and their content. */
  readonly order: number;
  /** BCP 47; null: that of its parent. */
  readonly lang: string | null;
  /** Alternate description of a figure, or null. */
  readonly alt: string | null;
  /** Null for all elements but cells. */
  readonly cell: CellPlace | null;
  /** The cells of a row, of which all or none are in the document; null for all but rows. */
  readonly cells: StructElement[] | null;
  /** Array of a figure's corners, y up from the foot of its page; set when it is painted. */
  boundingBox: string | null = null;
  /** Set by the log of marked content, which counts the elements that hold any. */
  number = 0;

  constructor(
    type: StructType,
    parent: StructElement | null,
    order: number,
    lang: string | null = null,
    alt: string | null = null,
    cell: CellPlace | null = null,
  ) {
    this.type = type;
    this.parent = parent;
    this.order = order;
    this.lang = lang;
    this.alt = alt;
    this.cell = cell;
    this.cells = type === 'TR' ? [] : null;
    if (cellTypes.has(type)) parent?.cells?.push(this);
  }
}

/**
 * Rows of plain cells, each with one line of text or none, that follow one another in their parent.
 * They have no elements, because a statement has ten thousand such cells; the writer tags them by
 * what they have in common.
 */
export interface PlainRows {
  readonly parent: StructElement;
  /** The position of all these rows in their parent, in reading order. */
  readonly order: number;
  /** By column: the cells that a header cell describes; null: it is not a header. */
  readonly scopes: readonly CellPlace['scope'][];
}

const cellTypes: ReadonlySet<StructType> = new Set(['TH', 'TD']);

/**
 * `layout`: a table that only arranges content; `artifact`: content that is not read; `rowHeader`: a
 * cell that says what its row is about; `contents`: the entries of a table of contents.
 */
export type NodeRole =
  | 'h1'
  | 'h2'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'h6'
  | 'p'
  | 'note'
  | 'layout'
  | 'artifact'
  | 'rowHeader'
  | 'contents';

/** A level of PDF/A that every document of a template keeps (ISO 19005). */
export interface ArchiveLevel {
  readonly part: 2 | 3;
  /** U: every character maps to Unicode. A: the document is tagged as well. */
  readonly conformance: 'U' | 'A';
}

/** How an embedded file belongs to its document (ISO 19005-3, 6.8). */
export type FileRelationship = 'Source' | 'Data' | 'Alternative' | 'Supplement' | 'Unspecified';

/** A file that every document of a template embeds. */
export interface FileTemplate {
  readonly name: string;
  readonly mediaType: string;
  readonly relationship: FileRelationship;
  /** Description that readers show. */
  readonly about: string;
  /** Its content, as UTF-8. */
  readonly content: TextTemplate;
  /** Values are written for programs, without the formats of their fields. */
  readonly isPlain: boolean;
  /** How values are escaped; null: not at all. */
  readonly escapes: 'xml' | 'json' | null;
  /** Its description in the document's metadata; null: none. */
  readonly metadata: FileMetadata<TextTemplate> | null;
}

/** A schema of the document's metadata for one embedded file, with its properties (ISO 16684-1). */
export interface FileMetadata<Value> {
  readonly schema: string;
  readonly namespace: string;
  readonly prefix: string;
  readonly properties: readonly {
    readonly name: string;
    readonly description: string;
    readonly value: Value;
  }[];
}

/** Properties of a signature that a text in its field may show. */
export interface SignaturePart {
  readonly kind: 'signature';
  readonly shows: 'signer' | 'date' | 'time';
  /** Formats the date, given as YYYY-MM-DD; null for signer and time. */
  readonly format: CellFormatter | null;
}

/** Document information that readers show; null for what the template does not state. */
export interface InfoTemplate {
  readonly title: TextTemplate | null;
  readonly subject: TextTemplate | null;
  readonly author: TextTemplate | null;
  readonly keywords: TextTemplate | null;
}

/** Position and content of a visible signature (ISO 32000-1 §12.7.4.5). */
export interface SignatureField {
  /** Number of the page, from 1; Infinity: the last. */
  readonly page: number;
  /** Id of the node that (x, y) is relative to, instead of a page; or null. */
  readonly at: string | null;
  /** Top left corner relative to that of the page or node, y down. */
  readonly xPt: number;
  readonly yPt: number;
  readonly widthPt: number;
  readonly heightPt: number;
  readonly content: Node;
  /** What a draft shows in the field; `{{signature.signer}}` holds the words for it. */
  readonly draftContent: Node;
  readonly reason: TextTemplate | null;
  readonly location: TextTemplate | null;
  /** Name of the field for screen readers. */
  readonly alt: TextTemplate;
  /** Offset of `{{signature.time}}` from UTC. */
  readonly utcOffsetMinutes: number;
}

/** The kind of file that a template asks for, decided once when it is compiled. */
export type Profile = SigningProfile & (PlainProfile | TaggedProfile | ArchiveProfile);

interface SigningProfile {
  /** Whether every document is signed; if not, the request decides. */
  readonly isSigned: boolean;
}

interface PlainProfile {
  readonly kind: 'plain';
  readonly isTagged: false;
}

/** Tagged for screen readers (ISO 14289-1). */
interface TaggedProfile {
  readonly kind: 'tagged';
  readonly isTagged: true;
}

/** PDF/A (ISO 19005): tagged at the levels a, and where the template asks for it. */
interface ArchiveProfile {
  readonly kind: 'archive';
  readonly isTagged: boolean;
  readonly level: ArchiveLevel;
}
