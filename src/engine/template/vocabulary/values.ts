import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import { isLanguage } from '../../contract/descriptor.ts';
import { BARCODE_KINDS } from '../../barcode/barcode.ts';
import type { BarcodeKind } from '../../barcode/barcode.ts';
import { parseColor } from '../../model/color.ts';

/** A JSON schema, as ajv takes it and as the editors' schema prints it. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/**
 * Permitted values of one key of a template file: the check, the words of its message and the
 * schema that editors see. A schema is compiled at its first use, because a worker meets few of
 * them.
 */
export class ValueType<T> {
  /** Completes "must be …". */
  readonly says: string;
  readonly schema: JsonSchema;
  /** Schema for editors where the check itself happens elsewhere (nested nodes). */
  readonly editor: JsonSchema;
  readonly #refine: (value: unknown) => boolean;
  #validate: ValidateFunction | null = null;

  constructor(
    says: string,
    schema: JsonSchema,
    more: { editor?: JsonSchema; refine?: (value: unknown) => boolean } = {},
  ) {
    this.says = says;
    this.schema = schema;
    this.editor = more.editor ?? schema;
    this.#refine = more.refine ?? (() => true);
  }

  accepts(value: unknown): value is T {
    this.#validate ??= ajv.compile(this.schema);
    return this.#validate(value) && this.#refine(value);
  }
}

// `accepts` asks only for yes or no, once for each value of a template. The schemas themselves are
// checked by values.test.ts: here ajv would compile the schema of schemas for that.
const ajv = new Ajv({
  allErrors: false,
  allowUnionTypes: true,
  strict: true,
  meta: false,
  validateSchema: false,
  messages: false,
  code: { optimize: false },
});

/** The value that a key of this type holds once it is checked. */
export type ValueOf<V> = V extends ValueType<infer T> ? T : never;

/** The keys of one kind of object, each with its type. */
export type KeyTable = Readonly<Record<string, ValueType<unknown>>>;

/** A checked object: only known keys, each of its type; null counts as absent. */
export type Checked<K extends KeyTable> = { readonly [P in keyof K]?: ValueOf<K[P]> };

const NUMBER = { type: 'number' } as const;
const LENGTH = { type: 'number', minimum: 0 } as const;
const STRING = { type: 'string' } as const;

function oneOf<const T extends string>(...words: readonly T[]): ValueType<T> {
  return new ValueType<T>(`one of ${words.map((word) => `"${word}"`).join(', ')}`, {
    enum: words,
  });
}

function reference<T>(says: string, definition: string): ValueType<T> {
  return new ValueType<T>(says, true, { editor: { $ref: `#/definitions/${definition}` } });
}

/** A pair of numbers: `fit`, `boundingBox` corners. */
const PAIR = { type: 'array', items: LENGTH, minItems: 2, maxItems: 2 } as const;

const COLOR_SCHEMA = {
  anyOf: [STRING, { type: 'array', items: NUMBER, minItems: 3, maxItems: 4 }],
} as const;

export type ColorSource = string | readonly number[];
export type PaintSource = ColorSource | readonly [string, ColorSource];
export type WidthSource = number | string;
export type MarginSource =
  number | readonly [number, number] | readonly [number, number, number, number];

function isPaint(value: unknown): boolean {
  if (parseColor(value) !== null) return true;
  return Array.isArray(value) && typeof value[0] === 'string' && parseColor(value[1]) !== null;
}

function isWidth(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0;
  return typeof value === 'string' && /^(\*|star|auto|\d+(\.\d+)?%)$/.test(value);
}

const WIDTH_SCHEMA = {
  anyOf: [LENGTH, { type: 'string', pattern: '^(\\*|star|auto|\\d+(\\.\\d+)?%)$' }],
} as const;

const WIDTH_SAYS = 'a number of points, "*", "auto" or a share like "30%"';

/** Profiles of the XML data in a Factur-X invoice. */
export type FacturXLevel = 'MINIMUM' | 'BASIC WL' | 'BASIC' | 'EN 16931' | 'EXTENDED' | 'XRECHNUNG';

/** Every type of value in a template file. */
export const VALUES = {
  anything: new ValueType<unknown>('any value', true),
  string: new ValueType<string>('a string', STRING),
  name: new ValueType<string>('a string that is not empty', { type: 'string', minLength: 1 }),
  language: new ValueType<string>(
    'a language tag such as "th" or "en"',
    { type: 'string', minLength: 1 },
    { refine: (value) => typeof value === 'string' && isLanguage(value) },
  ),
  boolean: new ValueType<boolean>('true or false', { type: 'boolean' }),
  number: new ValueType<number>('a number', NUMBER),
  length: new ValueType<number>('a number of points, 0 or more', LENGTH),
  size: new ValueType<number>('a number greater than 0', { type: 'number', exclusiveMinimum: 0 }),
  share: new ValueType<number>('a number from 0 to 1', { type: 'number', minimum: 0, maximum: 1 }),
  count: new ValueType<number>('a whole number, 0 or more', { type: 'integer', minimum: 0 }),
  columnOrName: new ValueType<number | string>(
    'a column of the table, from 0, or the name of a number field of the list’s entries',
    {
      anyOf: [
        { type: 'integer', minimum: 0 },
        { type: 'string', minLength: 1 },
      ],
    },
  ),
  ordinal: new ValueType<number>('a whole number, 1 or more', { type: 'integer', minimum: 1 }),
  integer: new ValueType<number>('a whole number', { type: 'integer' }),
  list: new ValueType<readonly unknown[]>('an array', { type: 'array' }),
  sortKeys: new ValueType<string | readonly string[]>(
    'an expression, or an array of 1 to 8 expressions, each with "desc" behind it if wanted',
    {
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', minItems: 1, maxItems: 8, items: { type: 'string', minLength: 1 } },
      ],
    },
  ),
  object: new ValueType<Readonly<Record<string, unknown>>>('an object', { type: 'object' }),

  color: new ValueType<ColorSource>(
    'a colour: "#rrggbb", "#rgb", a CSS name, [r, g, b] of 0 to 255 or [c, m, y, k] of 0 to 100',
    COLOR_SCHEMA,
    { refine: (value) => parseColor(value) !== null },
  ),
  paint: new ValueType<PaintSource>(
    'a colour ("#rrggbb", a CSS name, …) or [pattern name, colour]',
    { anyOf: [STRING, { type: 'array', minItems: 2, maxItems: 4 }] },
    { refine: isPaint },
  ),
  alignment: oneOf('left', 'right', 'center', 'justify'),
  verticalAlignment: oneOf('top', 'middle', 'bottom'),
  decoration: new ValueType<string | readonly string[]>(
    '"underline", "lineThrough", "overline" or an array of these',
    {
      anyOf: [
        { enum: ['underline', 'lineThrough', 'overline'] },
        { type: 'array', items: { enum: ['underline', 'lineThrough', 'overline'] } },
      ],
    },
  ),
  decorationStyle: oneOf('solid', 'dashed', 'dotted', 'double', 'wavy'),
  wordBreak: oneOf('normal', 'break-all'),
  lineBreaking: oneOf('greedy', 'best'),
  thaiWords: new ValueType<readonly string[]>(
    'an array of at most 2,000 words of 2 to 60 Thai letters each',
    {
      type: 'array',
      maxItems: 2_000,
      items: { type: 'string', pattern: '^[\u0e01-\u0e3a\u0e40-\u0e4e]{2,60}$' },
    },
  ),
  fontFeatures: new ValueType<readonly string[] | Readonly<Record<string, boolean | number>>>(
    'an array of OpenType tags, or an object of tags with true, false or a number',
    {
      anyOf: [
        { type: 'array', items: { type: 'string', minLength: 4, maxLength: 4 }, maxItems: 32 },
        {
          type: 'object',
          maxProperties: 32,
          propertyNames: { minLength: 4, maxLength: 4 },
          additionalProperties: { type: ['boolean', 'integer'] },
        },
      ],
    },
  ),
  styleNames: new ValueType<string | readonly string[]>('a style name or an array of style names', {
    anyOf: [STRING, { type: 'array', items: STRING, maxItems: 32 }],
  }),
  margin: new ValueType<MarginSource>(
    'a number, [horizontal, vertical] or [left, top, right, bottom] in points',
    {
      anyOf: [
        NUMBER,
        { type: 'array', items: NUMBER, minItems: 2, maxItems: 2 },
        { type: 'array', items: NUMBER, minItems: 4, maxItems: 4 },
      ],
    },
  ),
  width: new ValueType<WidthSource>(WIDTH_SAYS, WIDTH_SCHEMA, { refine: isWidth }),
  widths: new ValueType<WidthSource | readonly WidthSource[]>(
    `an array with one width a column, or one width for all; a width is ${WIDTH_SAYS}`,
    { anyOf: [WIDTH_SCHEMA, { type: 'array', items: WIDTH_SCHEMA, maxItems: 200 }] },
    { refine: (value) => (Array.isArray(value) ? value.every(isWidth) : isWidth(value)) },
  ),
  heights: new ValueType<number | 'auto' | readonly (number | 'auto')[]>(
    'a number of points, "auto", or an array of these by row',
    {
      anyOf: [
        LENGTH,
        { const: 'auto' },
        { type: 'array', items: { anyOf: [LENGTH, { const: 'auto' }] } },
      ],
    },
  ),
  position: new ValueType<{ readonly x?: number; readonly y?: number }>(
    '{"x": points, "y": points}',
    { type: 'object', properties: { x: NUMBER, y: NUMBER }, additionalProperties: false },
  ),
  turnedPosition: new ValueType<{
    readonly x?: number;
    readonly y?: number;
    readonly rotate?: number;
  }>('{"x": points, "y": points}, with "rotate" in degrees if wanted', {
    type: 'object',
    properties: { x: NUMBER, y: NUMBER, rotate: NUMBER },
    additionalProperties: false,
  }),
  fit: new ValueType<readonly [number, number]>('[width, height] in points', PAIR),
  cover: new ValueType<{
    readonly width: number;
    readonly height: number;
    readonly align?: 'left' | 'center' | 'right';
    readonly valign?: 'top' | 'center' | 'bottom';
  }>('{"width", "height"} in points, with "align" and "valign" if wanted', {
    type: 'object',
    required: ['width', 'height'],
    properties: {
      width: LENGTH,
      height: LENGTH,
      align: { enum: ['left', 'center', 'right'] },
      valign: { enum: ['top', 'center', 'bottom'] },
    },
    additionalProperties: false,
  }),
  pageSize: new ValueType<string | { readonly width: number; readonly height: number | 'auto' }>(
    'a size name such as "A4", or {"width": points, "height": points or "auto"}',
    {
      anyOf: [
        STRING,
        {
          type: 'object',
          required: ['width', 'height'],
          properties: {
            width: { type: 'number', exclusiveMinimum: 0, maximum: 14_400 },
            height: {
              anyOf: [{ type: 'number', exclusiveMinimum: 0, maximum: 14_400 }, { const: 'auto' }],
            },
          },
          additionalProperties: false,
        },
      ],
    },
  ),
  pageOrientation: new ValueType<string>('"portrait" or "landscape"', {
    enum: ['portrait', 'landscape'],
  }),
  pageBreak: oneOf('before', 'after', 'beforeOdd', 'beforeEven', 'afterOdd', 'afterEven'),
  border: new ValueType<readonly [boolean, boolean, boolean, boolean]>(
    '[left, top, right, bottom], each true or false',
    { type: 'array', items: { type: 'boolean' }, minItems: 4, maxItems: 4 },
  ),
  borderColor: new ValueType<readonly [ColorSource, ColorSource, ColorSource, ColorSource]>(
    '[left, top, right, bottom], each a colour',
    { type: 'array', items: COLOR_SCHEMA, minItems: 4, maxItems: 4 },
    { refine: (value) => Array.isArray(value) && value.every((c) => parseColor(c) !== null) },
  ),
  tocItem: new ValueType<boolean | string | readonly (boolean | string)[]>(
    'true, the name of a table of contents, or an array of names',
    {
      anyOf: [
        { type: ['boolean', 'string'] },
        { type: 'array', items: { type: ['boolean', 'string'] } },
      ],
    },
  ),
  separator: new ValueType<string | readonly [string, string]>(
    'a string that follows the number, or [before, after]',
    { anyOf: [STRING, { type: 'array', items: STRING, minItems: 2, maxItems: 2 }] },
  ),
  unorderedType: oneOf('disc', 'square', 'circle', 'none'),
  orderedType: oneOf('decimal', 'lower-alpha', 'upper-alpha', 'lower-roman', 'upper-roman', 'none'),
  listType: oneOf(
    'disc',
    'square',
    'circle',
    'none',
    'decimal',
    'lower-alpha',
    'upper-alpha',
    'lower-roman',
    'upper-roman',
  ),
  barcodeKind: oneOf<BarcodeKind>(...BARCODE_KINDS),
  eccLevel: oneOf('L', 'M', 'Q', 'H'),
  qrMode: oneOf('numeric', 'alphanumeric', 'octet'),
  qrVersion: new ValueType<number>('a whole number from 1 to 40', {
    type: 'integer',
    minimum: 1,
    maximum: 40,
  }),
  qrMask: new ValueType<number>('a whole number from -1 to 7', {
    type: 'integer',
    minimum: -1,
    maximum: 7,
  }),
  sortBy: oneOf('page', 'title'),
  namedLayout: oneOf('noBorders', 'headerLineOnly', 'lightHorizontalLines'),
  mediaType: new ValueType<string>('a media type such as "text/xml"', {
    type: 'string',
    pattern: '^[-\\w+.]+/[-\\w+.]+$',
  }),
  signaturePage: new ValueType<'first' | 'last' | number>(
    '"first", "last" or the number of a page',
    { anyOf: [{ enum: ['first', 'last'] }, { type: 'integer', minimum: 1, maximum: 10_000 }] },
  ),
  utcOffset: new ValueType<string>('an offset such as "+07:00"', {
    type: 'string',
    pattern: '^[-+](0\\d|1[0-4]):[0-5]\\d$',
  }),
  facturX: oneOf<FacturXLevel>('MINIMUM', 'BASIC WL', 'BASIC', 'EN 16931', 'EXTENDED', 'XRECHNUNG'),
  namespace: new ValueType<string>('a URI that ends with # or /', {
    type: 'string',
    pattern: '^[A-Za-z][-A-Za-z0-9+.]*:[^\\s"<>&\']+[#/]$',
  }),
  fileRelationship: oneOf('Source', 'Data', 'Alternative', 'Supplement', 'Unspecified'),
  archive: oneOf('PDF/A-2u', 'PDF/A-2a', 'PDF/A-3u', 'PDF/A-3a'),
  role: oneOf('h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'note', 'rowHeader', 'layout', 'artifact'),
  wideAmount: oneOf('shrink', 'reject'),
  missingGlyph: oneOf('reject', 'fallback', 'notdef'),
  bindable: new ValueType<string | number | boolean>('a string', {
    type: ['string', 'number', 'boolean'],
  }),

  text: reference<unknown>('text', 'text'),
  node: reference<unknown>('a node', 'node'),
  nodes: new ValueType<readonly unknown[]>(
    'an array of nodes',
    { type: 'array' },
    { editor: { type: 'array', items: { $ref: '#/definitions/node' } } },
  ),
  runningElement: reference<unknown>(
    'a node, or {"first", "rest", "last"} of nodes',
    'runningElement',
  ),
  layout: reference<unknown>('the name of a table layout, or a layout object', 'layout'),
  table: reference<unknown>('an object with "body"', 'table'),
  toc: reference<unknown>('an object, {} at least', 'toc'),
  body: new ValueType<readonly unknown[]>(
    'an array of rows',
    { type: 'array' },
    { editor: { type: 'array', items: { $ref: '#/definitions/row' } } },
  ),
  row: reference<unknown>('a row: an array of cells', 'row'),
  vectors: new ValueType<readonly unknown[]>(
    'an array of vectors',
    { type: 'array' },
    { editor: { type: 'array', items: { $ref: '#/definitions/vector' } } },
  ),
  format: reference<unknown>('a format object', 'format'),
  styleOrNames: reference<unknown>('a style name, an array of names, or a style', 'styleOrNames'),
  referenceKeep: oneOf('hash', 'plain'),
  reference: reference<unknown>('a string or an object with "value"', 'reference'),
  watermark: reference<unknown>('a string or an object with "text"', 'watermark'),
} as const satisfies Record<string, ValueType<unknown>>;
