import { VALUES as V } from './values.ts';
import type { Checked, KeyTable } from './values.ts';

/**
 * The vocabulary: which keys each kind of object may have. The checker, the compiler's types and the
 * editors' schema all read these tables, so they cannot disagree.
 */

/** Keys inherited by all nodes inside a node (pdfmake's style properties). */
export const STYLE_KEYS = {
  font: V.name,
  fontSize: V.size,
  bold: V.boolean,
  italics: V.boolean,
  color: V.color,
  background: V.color,
  lineHeight: V.size,
  characterSpacing: V.number,
  alignment: V.alignment,
  decoration: V.decoration,
  decorationStyle: V.decorationStyle,
  decorationColor: V.color,
  decorationThickness: V.size,
  noWrap: V.boolean,
  wordBreak: V.wordBreak,
  lineBreaking: V.lineBreaking,
  preserveLeadingSpaces: V.boolean,
  preserveTrailingSpaces: V.boolean,
  leadingIndent: V.number,
  fontFeatures: V.fontFeatures,
  sup: V.boolean,
  sub: V.boolean,
  opacity: V.share,
  link: V.string,
  linkToPage: V.ordinal,
  linkToDestination: V.name,
  fillColor: V.paint,
  fillOpacity: V.share,
  columnGap: V.length,
  markerColor: V.color,
  language: V.language,
} as const satisfies KeyTable;

export const MARGIN_KEYS = {
  margin: V.margin,
  marginLeft: V.number,
  marginTop: V.number,
  marginRight: V.number,
  marginBottom: V.number,
} as const satisfies KeyTable;

/** An entry of `styles`, or `defaultStyle`. */
export const NAMED_STYLE_KEYS = {
  ...STYLE_KEYS,
  ...MARGIN_KEYS,
  extends: V.styleNames,
} as const satisfies KeyTable;

/** Conditions and repetition: on nodes, runs and rows. */
export const FLOW_KEYS = {
  if: V.name,
  unless: V.name,
  each: V.name,
  as: V.name,
  filter: V.name,
  sortBy: V.sortKeys,
} as const satisfies KeyTable;

/** Anchors, contents and outlines: on nodes and runs. */
export const ANCHOR_KEYS = {
  id: V.name,
  tocItem: V.tocItem,
  tocStyle: V.styleOrNames,
  tocNumberStyle: V.styleOrNames,
  tocMargin: V.margin,
  outline: V.boolean,
  outlineText: V.string,
  outlineParentId: V.name,
  outlineExpanded: V.boolean,
} as const satisfies KeyTable;

/** Keys that every node may have, whatever its kind and its place. */
export const BLOCK_KEYS = {
  ...FLOW_KEYS,
  groupBy: V.name,
  groupHeader: V.node,
  groupFooter: V.node,
  ...STYLE_KEYS,
  ...MARGIN_KEYS,
  ...ANCHOR_KEYS,
  style: V.styleNames,
  width: V.width,
  pageBreak: V.pageBreak,
  pageOrientation: V.pageOrientation,
  absolutePosition: V.turnedPosition,
  relativePosition: V.position,
  unbreakable: V.boolean,
  headlineLevel: V.integer,
  keepWithNext: V.boolean,
  verticalAlignment: V.verticalAlignment,
  role: V.role,
  // In a table cell.
  colSpan: V.ordinal,
  rowSpan: V.ordinal,
  border: V.border,
  borderColor: V.borderColor,
  overlayPattern: V.paint,
  overlayOpacity: V.share,
  // In a list.
  counter: V.integer,
  listType: V.listType,
} as const satisfies KeyTable;

const SIZE_KEYS = {
  height: V.length,
  fit: V.fit,
  minWidth: V.length,
  maxWidth: V.length,
  minHeight: V.length,
  maxHeight: V.length,
} as const satisfies KeyTable;

const TEXT_KEYS = {
  ...BLOCK_KEYS,
  text: V.text,
  format: V.format,
  pageReference: V.name,
  textReference: V.name,
  maxHeight: V.size,
  shrink: V.size,
  orphans: V.ordinal,
  widows: V.ordinal,
} as const satisfies KeyTable;

/** Kinds of node by the key that names them, in pdfmake's order of precedence. */
export const NODE_KEYS = {
  columns: { ...BLOCK_KEYS, columns: V.nodes, snakingColumns: V.boolean },
  stack: { ...BLOCK_KEYS, stack: V.nodes },
  ul: { ...BLOCK_KEYS, ul: V.nodes, type: V.unorderedType },
  ol: {
    ...BLOCK_KEYS,
    ol: V.nodes,
    type: V.orderedType,
    start: V.integer,
    reversed: V.boolean,
    separator: V.separator,
  },
  table: { ...BLOCK_KEYS, table: V.table, layout: V.layout },
  text: TEXT_KEYS,
  toc: { ...BLOCK_KEYS, toc: V.toc },
  image: { ...BLOCK_KEYS, ...SIZE_KEYS, alt: V.string, image: V.name, cover: V.cover },
  svg: { ...BLOCK_KEYS, ...SIZE_KEYS, alt: V.string, svg: V.name },
  pdf: { ...BLOCK_KEYS, ...SIZE_KEYS, alt: V.string, pdf: V.name, page: V.ordinal, cover: V.cover },
  canvas: { ...BLOCK_KEYS, alt: V.string, canvas: V.vectors },
  qr: {
    ...BLOCK_KEYS,
    alt: V.string,
    qr: V.bindable,
    fit: V.size,
    version: V.qrVersion,
    eccLevel: V.eccLevel,
    mask: V.qrMask,
    mode: V.qrMode,
    foreground: V.color,
    padding: V.count,
  },
  barcode: {
    ...BLOCK_KEYS,
    alt: V.string,
    barcode: V.barcodeKind,
    data: V.bindable,
    payee: V.bindable,
    biller: V.bindable,
    reference1: V.bindable,
    reference2: V.bindable,
    amount: V.bindable,
    module: V.size,
    height: V.size,
    fit: V.fit,
    foreground: V.color,
    padding: V.count,
  },
} as const satisfies Record<string, KeyTable>;

export type NodeKind = keyof typeof NODE_KEYS;
export type NodeSource<K extends NodeKind> = Checked<(typeof NODE_KEYS)[K]>;
export type BlockSource = Checked<typeof BLOCK_KEYS>;
export type StyleSource = Checked<typeof STYLE_KEYS>;
export type NamedStyleSource = Checked<typeof NAMED_STYLE_KEYS>;

/** An inline run. */
export const RUN_KEYS = {
  ...FLOW_KEYS,
  ...STYLE_KEYS,
  ...ANCHOR_KEYS,
  style: V.styleNames,
  text: V.text,
  format: V.format,
  pageReference: V.name,
  textReference: V.name,
} as const satisfies KeyTable;
export type RunSource = Checked<typeof RUN_KEYS>;

export const TABLE_KEYS = {
  body: V.body,
  widths: V.widths,
  heights: V.heights,
  headerRows: V.count,
  headerColumns: V.count,
  keepWithHeaderRows: V.count,
  dontBreakRows: V.boolean,
  keepRowsAtStart: V.ordinal,
  keepRowsAtEnd: V.ordinal,
  statement: V.object,
} as const satisfies KeyTable;

export const ROW_KEYS = {
  ...FLOW_KEYS,
  groupBy: V.name,
  groupHeader: V.row,
  groupFooter: V.row,
  cells: V.list,
} as const satisfies KeyTable;

/** Keys of a group header or footer that is written as an object. */
export const GROUP_ROW_KEYS = { cells: V.list } as const satisfies KeyTable;

export const STATEMENT_KEYS = {
  each: V.name,
  opening: V.name,
  credit: V.columnOrName,
  debit: V.columnOrName,
  format: V.format,
  broughtForward: V.row,
  carriedForward: V.row,
  pageTotal: V.row,
} as const satisfies KeyTable;

export const TOC_KEYS = {
  id: V.name,
  title: V.node,
  textStyle: V.styleOrNames,
  numberStyle: V.styleOrNames,
  textMargin: V.margin,
  sortBy: V.sortBy,
  sortLocale: V.name,
  hideEmpty: V.boolean,
  outlines: V.boolean,
} as const satisfies KeyTable;

export const SECTION_KEYS = {
  section: V.node,
  pageSize: V.anything,
  pageOrientation: V.anything,
  pageMargins: V.anything,
  header: V.runningElement,
  footer: V.runningElement,
  background: V.runningElement,
} as const satisfies KeyTable;

/**
 * Keys of pdfmake's section that have no effect here; the document's watermark covers all pages.
 */
export const IGNORED_SECTION_KEYS: readonly string[] = ['watermark'];

export const RUNNING_ELEMENT_KEYS = {
  first: V.node,
  rest: V.node,
  last: V.node,
} as const satisfies KeyTable;

export const WATERMARK_KEYS = {
  text: V.name,
  font: V.name,
  fontSize: V.anything,
  bold: V.boolean,
  italics: V.boolean,
  color: V.color,
  opacity: V.share,
  angle: V.number,
} as const satisfies KeyTable;

export const PATTERN_KEYS = {
  boundingBox: V.list,
  xStep: V.size,
  yStep: V.size,
  pattern: V.name,
  colored: V.boolean,
} as const satisfies KeyTable;

export const BREAK_BEFORE_KEYS = {
  headlineLevel: V.integer,
  minFollowing: V.count,
} as const satisfies KeyTable;

export const ATTACHED_KEYS = {
  header: V.boolean,
  footer: V.boolean,
} as const satisfies KeyTable;

/** Document information that readers show: pdfmake's `info`. */
export const INFO_KEYS = {
  title: V.string,
  subject: V.string,
  author: V.string,
  keywords: V.string,
} as const satisfies KeyTable;

/** Keys of pdfmake's info that the service decides. */
export const IGNORED_INFO_KEYS: readonly string[] = [
  'creator',
  'producer',
  'creationDate',
  'modDate',
  'trapped',
];

export const DOCUMENT_KEYS = {
  content: V.node,
  info: V.object,
  pageSize: V.pageSize,
  pageOrientation: V.pageOrientation,
  pageMargins: V.margin,
  defaultStyle: V.object,
  styles: V.object,
  images: V.object,
  pdfs: V.object,
  patterns: V.object,
  tableLayouts: V.object,
  header: V.runningElement,
  footer: V.runningElement,
  background: V.runningElement,
  watermark: V.watermark,
  breakBefore: V.object,
  compress: V.boolean,
  attachedPages: V.object,
  missingGlyph: V.missingGlyph,
  tagged: V.boolean,
} as const satisfies KeyTable;

/** Keys of pdfmake's definition that belong to the request or the service here. */
export const IGNORED_DOCUMENT_KEYS: readonly string[] = [
  'language',
  'version',
  'subset',
  'displayTitle',
  'userPassword',
  'ownerPassword',
  'permissions',
  'maxPagesNumber',
];

/** A file that every document embeds. */
export const FILE_KEYS = {
  name: V.name,
  mediaType: V.mediaType,
  relationship: V.fileRelationship,
  description: V.name,
  data: V.string,
  plain: V.boolean,
  facturX: V.facturX,
  metadata: V.object,
} as const satisfies KeyTable;

/** Description of an embedded file in a document's metadata. */
export const FILE_METADATA_KEYS = {
  schema: V.name,
  namespace: V.namespace,
  prefix: V.name,
  properties: V.object,
} as const satisfies KeyTable;

/** Where a signature is shown, and what it shows. */
export const SIGNATURE_FIELD_KEYS = {
  page: V.signaturePage,
  at: V.name,
  x: V.number,
  y: V.number,
  width: V.size,
  height: V.size,
  content: V.node,
  reason: V.string,
  location: V.string,
  utcOffset: V.utcOffset,
  alt: V.name,
} as const satisfies KeyTable;

/** By what a document is searched. */
export const REFERENCE_KEYS = {
  value: V.name,
  keep: V.referenceKeep,
} as const satisfies KeyTable;

export const TEMPLATE_KEYS = {
  $schema: V.string,
  templateId: V.name,
  name: V.name,
  description: V.string,
  language: V.name,
  fields: V.list,
  document: V.object,
  samples: V.list,
  watermark: V.watermark,
  attachedPages: V.object,
  missingGlyph: V.missingGlyph,
  wideAmount: V.wideAmount,
  archive: V.archive,
  signature: V.boolean,
  signatureField: V.object,
  files: V.list,
  words: V.thaiWords,
  reference: V.reference,
  fileName: V.name,
} as const satisfies KeyTable;

/** Keys of a table layout, with the type of one value of each. */
export const LAYOUT_KEYS = {
  extends: V.namedLayout,
  hLineWidth: V.length,
  vLineWidth: V.length,
  hLineColor: V.color,
  vLineColor: V.color,
  hLineStyle: V.object,
  vLineStyle: V.object,
  paddingLeft: V.length,
  paddingRight: V.length,
  paddingTop: V.length,
  paddingBottom: V.length,
  fillColor: V.paint,
  fillOpacity: V.share,
  defaultBorder: V.boolean,
  hLineWhenBroken: V.boolean,
} as const satisfies KeyTable;

const STROKE_KEYS = {
  type: V.name,
  lineWidth: V.length,
  lineColor: V.color,
  lineCap: V.name,
  lineJoin: V.name,
  dash: V.object,
  strokeOpacity: V.share,
} as const satisfies KeyTable;

const FILL_KEYS = {
  color: V.paint,
  fillOpacity: V.share,
  linearGradient: V.list,
} as const satisfies KeyTable;

export const VECTOR_KEYS = {
  line: { ...STROKE_KEYS, x1: V.number, y1: V.number, x2: V.number, y2: V.number },
  rect: {
    ...STROKE_KEYS,
    ...FILL_KEYS,
    x: V.number,
    y: V.number,
    w: V.length,
    h: V.length,
    r: V.length,
  },
  ellipse: {
    ...STROKE_KEYS,
    ...FILL_KEYS,
    x: V.number,
    y: V.number,
    r1: V.length,
    r2: V.length,
  },
  polyline: { ...STROKE_KEYS, ...FILL_KEYS, points: V.list, closePath: V.boolean },
} as const satisfies Record<string, KeyTable>;
