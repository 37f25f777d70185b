import type { TextTemplate } from './nodes.ts';

/** Types of structure elements (ISO 32000-1 §14.8.4) that templates make. */
export type StructType =
  | 'Document'
  | 'Div'
  | 'P'
  | 'H1'
  | 'H2'
  | 'H3'
  | 'H4'
  | 'H5'
  | 'H6'
  | 'Note'
  | 'L'
  | 'LI'
  | 'Lbl'
  | 'LBody'
  | 'Table'
  | 'THead'
  | 'TBody'
  | 'TR'
  | 'TH'
  | 'TD'
  | 'Figure'
  | 'Link'
  | 'Form';

/** How a cell lies in its table. */
export interface CellPlace {
  readonly colSpan: number;
  readonly rowSpan: number;
  /** Which cells a header cell speaks of; null: it is no header. */
  readonly scope: 'Column' | 'Row' | null;
}

/**
 * An element of the structure tree. Layout makes it when it places a node; it is in the document
 * when something of it was painted, for a placement may be taken back.
 */
export class StructElement {
  readonly type: StructType;
  readonly parent: StructElement | null;
  /** Its place among all elements and their content, in reading order. */
  readonly order: number;
  /** BCP 47; null: as around it. */
  readonly lang: string | null;
  /** Alternate description of a figure, or null. */
  readonly alt: string | null;
  /** Place of a cell in its table; null for all others. */
  readonly cell: CellPlace | null;
  /** Cells of a row, all of which are in the document when one is; null for all others. */
  readonly cells: StructElement[] | null;

  constructor(
    type: StructType,
    parent: StructElement | null,
    order: number,
    more: {
      readonly lang?: string | null;
      readonly alt?: string | null;
      readonly cell?: CellPlace | null;
    } = {},
  ) {
    this.type = type;
    this.parent = parent;
    this.order = order;
    this.lang = more.lang ?? null;
    this.alt = more.alt ?? null;
    this.cell = more.cell ?? null;
    this.cells = type === 'TR' ? [] : null;
    if (cellTypes.has(type)) parent?.cells?.push(this);
  }
}

const cellTypes: ReadonlySet<StructType> = new Set(['TH', 'TD']);

/** `layout`: a table that only arranges content; `artifact`: content that is not read. */
export type NodeRole =
  'h1' | 'h2' | 'h3' | 'h4' | 'h5' | 'h6' | 'p' | 'note' | 'layout' | 'artifact';

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
}
