import type { ImageFault } from '../image/fault.ts';
import type { SvgFault } from '../svg/tree.ts';

/**
 * Every reason a field can be refused for, as callers see it in `fields[].reason`. The texts are
 * stable: callers may compare them. They never quote the value that was sent; the bounds in
 * some of them come from the template. docs/contract.md lists them, and a test compares the two.
 */
export const REASONS = {
  required: 'required',
  text: 'text expected',
  mask: 'text does not fit the mask of the field',
  pattern: 'text does not match the pattern of the field',
  undrawable: 'text has a character that no font can draw',
  secretLeftOut: 'secret value expected: lists leave it out, so send it again',
  passwordEmpty: 'password expected: the row makes it empty',
  passwordLong: 'password of at most 127 bytes expected',
  passwordSign: 'password has a character that readers of PDF do not take',
  passwordMask: 'value does not fit the mask of the password',
  choice: 'one of the choices of the field expected',
  number: 'number expected',
  numberDigits: 'number has more than 40 digits',
  date: 'date expected as YYYY-MM-DD',
  qrcode: 'text expected',
  qrcodeTooLong: 'text is longer than a QR code can hold',
  barcodeCharacters: 'text has a character that the barcode cannot hold',
  barcodeDigits: 'an even number of digits expected',
  barcodeEan13: '12 digits, or 13 with the right check digit expected',
  barcodeLength: 'text is too long for the barcode',
  barcodesMany: 'barcodes together have more than 15000 characters',
  payee: 'phone number, tax id or e-wallet id expected',
  biller: 'biller id of 15 digits expected',
  paymentReference: 'reference of at most 20 capital letters and digits expected',
  paymentAmount: 'amount from 0 to 9999999999.99 expected',
  amountWide: 'amount is wider than its place on the page',
  amountCut: 'amount would be cut by the edge of the page',
  amountTouches: 'amount touches the amount beside it',
  textLong: 'text is longer than its place on the page',
  codeLarge: 'code is larger than its place on the page',
  codeCovered: 'code would share its place with a text or another code',
  referenceLong: 'reference of the document is longer than 200 characters',
  table: 'table expected as an array of rows of strings',
  tableCell: 'table cells must be strings',
  tableRows: 'table has more than 2000 rows',
  tableCells: 'table has more than 20000 cells',
  computed: 'computed by the template: leave it out',
  record: 'object expected',
  list: 'array of objects expected',
  listCells: 'list has more than 400000 values, absent ones included',
  image: 'image expected as a data URL',
  imageType: 'image must be PNG, JPEG, GIF or WebP',
  imageBase64: 'image data URL is not valid base64',
  imageMismatch: 'image content is not of the type its data URL says',
  imagePixels: 'image has more than 30000000 pixels',
  imageSide: 'image has a side of more than 65535 pixels',
  imageSum: 'images together have more than 60000000 pixels',
  imageColors: 'image must be grey or RGB in an archive document',
  imageDamaged: 'image cannot be decoded',
  imageSlow: 'image takes too long to decode',
  svg: 'svg expected as markup with <svg and </svg>',
  svgMalformed: 'svg is not well-formed XML',
  svgElement: 'svg holds an element that is not allowed',
  svgHandler: 'svg holds an event handler',
  svgDeclaration: 'svg holds a DOCTYPE, an entity or a processing instruction',
  svgReference: 'svg refers to an external resource',
  svgStyle: 'svg holds a style that is not allowed',
  svgCycle: 'svg refers to itself',
  svgSize: 'svg is too large or too deeply nested',
} as const;

/** Why a field is refused: a text of `REASONS`, or one made from a bound by a function below. */
export type Reason = string;

/** The reason for each fault of an image. */
export const IMAGE_REASONS: Readonly<Record<ImageFault, Reason>> = {
  notDataUrl: REASONS.image,
  base64: REASONS.imageBase64,
  type: REASONS.imageType,
  pixels: REASONS.imagePixels,
  side: REASONS.imageSide,
  damaged: REASONS.imageDamaged,
  slow: REASONS.imageSlow,
};

/** The reason for each fault of an SVG. */
export const SVG_REASONS: Readonly<Record<SvgFault, Reason>> = {
  notSvg: REASONS.svg,
  malformed: REASONS.svgMalformed,
  element: REASONS.svgElement,
  handler: REASONS.svgHandler,
  declaration: REASONS.svgDeclaration,
  reference: REASONS.svgReference,
  style: REASONS.svgStyle,
  cycle: REASONS.svgCycle,
  size: REASONS.svgSize,
};

export const numberAtLeast = (min: string): Reason => `number of at least ${min} expected`;
export const numberAtMost = (max: string): Reason => `number of at most ${max} expected`;
export const dateFrom = (min: string): Reason => `date from ${min} on expected`;
export const dateUntil = (max: string): Reason => `date until ${max} expected`;
export const textAtLeast = (length: number): Reason =>
  `text of at least ${length} characters expected`;
export const textAtMost = (length: number): Reason =>
  `text of at most ${length} characters expected`;
export const itemsAtLeast = (count: number): Reason =>
  `list of at least ${count} ${entries(count)} expected`;
export const itemsAtMost = (count: number): Reason =>
  `list of at most ${count} ${entries(count)} expected`;
const entries = (count: number): string => (count === 1 ? 'entry' : 'entries');
export const itemsInAll = (count: number): Reason =>
  `list has more than ${count} entries, those of lists inside it included`;
/** A cell by its indices in the data: `rows[2][1]` is row 2, column 1. */
export const amountInCell = (row: number, column: number): Reason =>
  `plain amount expected in row ${row}, column ${column} (from 0)`;
/** `message`: why the expression of a computed value, or of the layout, has none with this data. */
export const notComputed = (message: string): Reason => `${NOT_COMPUTED}${message}`;
const NOT_COMPUTED = 'cannot be computed: ';
/** Whether a reason is one of `notComputed`. */
export const isNotComputed = (reason: string): boolean => reason.startsWith(NOT_COMPUTED);
