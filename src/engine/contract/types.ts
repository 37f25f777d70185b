import type { PreparedImage } from '../image/image.ts';
import type { SvgElement } from '../svg/tree.ts';

/** The types of a single value. */
export const PLAIN_TYPES = ['text', 'number', 'date', 'image', 'qrcode', 'table', 'svg'] as const;
export type PlainType = (typeof PLAIN_TYPES)[number];
/** All types: those of a single value, and those that have fields of their own. */
export const FIELD_TYPES = [...PLAIN_TYPES, 'record', 'list'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** `format` of a field descriptor, or of a text node, where it applies to the placeholders. */
export interface FieldFormat {
  /** number: fraction digits, 0 to 20; rounded half away from zero. */
  readonly decimals?: number;
  readonly thousandsSeparator?: boolean;
  readonly prefix?: string;
  readonly suffix?: string;
  /** number: amount in Thai words; the same as `words` with `currency: "THB"` in Thai. */
  readonly style?: 'bahttext';
  /** number: in words; without `currency` a plain number, with it an amount of money. */
  readonly words?: boolean;
  /** number: ISO 4217 code of the money that `words` spells. */
  readonly currency?: string;
  /** text, number, date: letter case of the printed text; `title` capitalises each word. */
  readonly case?: 'upper' | 'lower' | 'title';
  /** number, date: BCP 47 tag of the language of words, names and separators. */
  readonly language?: string;
  /** number, date: which digits to print; `latin` unless given. */
  readonly digits?: 'latin' | 'thai';
  /**
   * text: `x` prints the next letter or digit of the value; `X`, `*` and `•` are printed in place
   * of it; `'…'` quotes a literal; all else stands for itself: `xxx-x-xxxxx-x`.
   */
  readonly mask?: string;
  /**
   * date: the era that years are counted in; `gregory` unless given. `buddhist` adds 543 to the
   * year. If only the calendar is given, the date is printed as `d MMMM yyyy`.
   */
  readonly calendar?: 'gregory' | 'buddhist';
  /** date: CLDR letters `d dd M MM MMM MMMM y yy yyyy E EEEE`, quotes for literals. */
  readonly pattern?: string;
}

/**
 * Lengths count code points; `min` and `max` are numbers, or for a date field days as YYYY-MM-DD.
 */
export interface FieldValidation {
  readonly min?: number | string;
  readonly max?: number | string;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression without back-references and look-around, matched in linear time. */
  readonly pattern?: string;
  /** text, number, date: the only values that are taken. */
  readonly choices?: readonly string[];
  /** list: entries of each array. */
  readonly minItems?: number;
  readonly maxItems?: number;
  /** A list that stands in no other: entries of all its arrays, those of lists inside it included. */
  readonly maxItemsTotal?: number;
}

/** What fields of all types have. */
interface CommonField {
  readonly name: string;
  readonly required: boolean;
  readonly format?: FieldFormat;
  readonly validation?: FieldValidation;
}

/** A field that holds a single value. */
export interface PlainField extends CommonField {
  readonly type: PlainType;
}

/** A field that holds an object with fields of its own. */
export interface RecordField extends CommonField {
  readonly type: 'record';
  readonly fields: readonly FieldDescriptor[];
}

/** A field that holds an array of objects, its entries, which all have the same fields. */
export interface ListField extends CommonField {
  readonly type: 'list';
  readonly fields: readonly FieldDescriptor[];
}

/** One field of the contract, as field discovery describes it. */
export type FieldDescriptor = PlainField | RecordField | ListField;

/** A value that a binding can print. */
interface Printed {
  /** The formatted text. */
  readonly display: string;
  /** The value before the field's own format, where that can change it. */
  readonly raw?: string;
}

/** A checked value, ready for the template. */
export type FieldValue =
  /** `sent`: the text as sent, if control characters were removed from it. */
  | (Printed & { readonly type: 'text'; readonly sent?: string })
  /** `raw`: the exact decimal that was sent. */
  | (Printed & { readonly type: 'number'; readonly raw: string })
  /** `raw`: the day as YYYY-MM-DD. */
  | (Printed & { readonly type: 'date'; readonly raw: string })
  | (Printed & { readonly type: 'qrcode' })
  | { readonly type: 'image'; readonly image: PreparedImage }
  | { readonly type: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly type: 'svg'; readonly root: SvgElement }
  /** The values of its fields have places of their own. */
  | { readonly type: 'record' }
  | ListValue
  | ViewValue;

/**
 * All entries of a list, those of a list inside another one after the other. `nested/columns.ts` says
 * which column holds which value.
 */
export interface ListValue {
  readonly type: 'list';
  readonly rows: readonly (readonly string[])[];
  /** Index of the list around it in the contract; -1: it stands in none. */
  readonly parent: number;
  /** By entry of the list around it: the index of its first row here. Empty without such a list. */
  readonly starts: readonly number[];
}

/**
 * Entries of a list as an `each` goes over them: some of them, sorted, in groups. Nobody sends it; it
 * has an index behind those of the contract.
 */
export interface ViewValue {
  readonly type: 'view';
  /** For each of its entries: its number and marks here, and values of expressions. */
  readonly rows: readonly (readonly string[])[];
  /** The list around `list`, and where its entries begin here; as in `ListValue`. */
  readonly parent: number;
  readonly starts: readonly number[];
  /** Index of the list, and for each row here the row there. */
  readonly list: number;
  readonly order: readonly number[];
}

/** By the field's index in the contract; null where the field is absent. */
export type FieldValues = readonly (FieldValue | null)[];
