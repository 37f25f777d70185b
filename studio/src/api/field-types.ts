// Made from the schemas of the service by `npm run generate`.

export const FIELD_TYPES = [
  'text',
  'number',
  'date',
  'image',
  'qrcode',
  'table',
  'svg',
  'record',
  'list',
] as const;

/** A text by language tag, such as { "th": "…", "en": "…" }. */
export type LocalText = Readonly<Record<string, string>>;

export type FieldType =
  'text' | 'number' | 'date' | 'image' | 'qrcode' | 'table' | 'svg' | 'record' | 'list';

/** How people are asked for the value, in the languages of the template. */
export interface FieldPresentation {
  /** A text by language tag, such as { "th": "…", "en": "…" }. */
  readonly label?: Readonly<Record<string, string>>;
  /** A text by language tag, such as { "th": "…", "en": "…" }. */
  readonly help?: Readonly<Record<string, string>>;
  /** A text by language tag, such as { "th": "…", "en": "…" }. */
  readonly group?: Readonly<Record<string, string>>;
  /** A text by language tag, such as { "th": "…", "en": "…" }. */
  readonly example?: Readonly<Record<string, string>>;
  /** Labels of validation.choices, by value. */
  readonly choices?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** table: headings of the columns */
  readonly columns?: readonly Readonly<Record<string, string>>[];
  /** text, date: the service shows the value to nobody again */
  readonly secret?: boolean;
}

/** How the template prints the value; for callers to show the same. */
export interface FieldFormat {
  /** number */
  readonly decimals?: number;
  /** number */
  readonly thousandsSeparator?: boolean;
  /** number */
  readonly prefix?: string;
  /** number */
  readonly suffix?: string;
  /** number */
  readonly style?: 'bahttext';
  /** number: spelled out */
  readonly words?: boolean;
  /** number: ISO 4217 code of the money in words */
  readonly currency?: string;
  /** text, number, date */
  readonly case?: 'upper' | 'lower' | 'title';
  /** text, number, date: BCP 47 tag */
  readonly language?: string;
  /** number, date */
  readonly digits?: 'latin' | 'thai';
  /** text: signs shown and hidden, such as XXX-X-Xxxxx-x */
  readonly mask?: string;
  /** date */
  readonly calendar?: 'gregory' | 'buddhist';
  /** date: such as d MMMM yyyy */
  readonly pattern?: string;
  /** How people are asked for the value, in the languages of the template. */
  readonly presentation?: FieldPresentation;
}

/** Conditions on the value beyond its type. */
export interface FieldValidation {
  /** number: inclusive; date: YYYY-MM-DD */
  readonly min?: number | string;
  /** number: inclusive; date: YYYY-MM-DD */
  readonly max?: number | string;
  /** text: Unicode code points */
  readonly minLength?: number;
  /** text: Unicode code points */
  readonly maxLength?: number;
  /** text: regular expression */
  readonly pattern?: string;
  /** text, number, date: the only values that are taken */
  readonly choices?: readonly string[];
  /** text, number, date, qrcode: the template computes it; callers cannot send it */
  readonly computed?: boolean;
  /** list: entries of each array */
  readonly minItems?: number;
  /** list: entries of each array */
  readonly maxItems?: number;
  /** list: entries of all its arrays, with those of lists inside it */
  readonly maxItemsTotal?: number;
}

/** A field of a template. */
export interface Field {
  /** Key to use inside data. */
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  /** How the template prints the value; for callers to show the same. */
  readonly format?: FieldFormat;
  /** Conditions on the value beyond its type. */
  readonly validation?: FieldValidation;
  /** record, list: the fields of the object, or of each entry; they have the same keys. */
  readonly fields?: readonly Readonly<Record<string, unknown>>[];
}

/** The fields of a template version. */
export interface FieldContract {
  readonly templateId: string;
  readonly version: number;
  readonly status: 'published' | 'draft';
  readonly fields: readonly Field[];
}
