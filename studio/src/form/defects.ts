import type { defectsEn } from '../i18n/defects-en.ts';
import type { formEn } from '../i18n/form-en.ts';

export type TextKey = keyof typeof defectsEn | keyof typeof formEn;

/**
 * The reasons of docs/contract.md and the texts for them; tests run this file without a browser and
 * compare it with the reasons that the service has.
 */

/** A text and its parameters. */
interface Said {
  readonly key: TextKey;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Reasons whose text comes from the field: its example, its mask, or the heading of a column. */
export const OF_FIELD = {
  pattern: /^text does not match the pattern/,
  mask: /^text does not fit the mask of the field/,
  amount: /^plain amount expected in row (\d+), column (\d+)/,
  from: /^date from (.+) on expected/,
  until: /^date until (.+) expected/,
} as const;

const WHOLE: Readonly<Record<string, TextKey>> = {
  required: 'form.reason_required',
  'one of the choices of the field expected': 'form.choice_expected',
  'number expected': 'form.number_expected',
  'date expected as YYYY-MM-DD': 'form.date_expected',
  'text has a character that no font can draw': 'form.reason_undrawable',
  'amount is wider than its place on the page': 'form.reason_place',
  'amount would be cut by the edge of the page': 'form.reason_place',
  'amount touches the amount beside it': 'form.reason_place',
  'text is longer than its place on the page': 'form.reason_place',
  'code is larger than its place on the page': 'form.reason_place',
  'code would share its place with a text or another code': 'form.reason_place',
  'text has a character that the barcode cannot hold': 'defect.barcode_character',
  'an even number of digits expected': 'defect.barcode_digits',
  '12 digits, or 13 with the right check digit expected': 'defect.barcode_ean13',
  'text is too long for the barcode': 'defect.barcode_length',
  'biller id of 15 digits expected': 'defect.biller',
  'table cells must be strings': 'defect.cells',
  'computed by the template: leave it out': 'defect.computed',
  'image expected as a data URL': 'defect.image',
  'image data URL is not valid base64': 'defect.image_base64',
  'image must be grey or RGB in an archive document': 'defect.image_colors',
  'image cannot be decoded': 'defect.image_damaged',
  'image content is not of the type its data URL says': 'defect.image_mismatch',
  'image takes too long to decode': 'defect.image_slow',
  'image must be PNG, JPEG, GIF or WebP': 'defect.image_type',
  'array of objects expected': 'defect.list',
  'password expected: the row makes it empty': 'defect.password_empty',
  'password of at most 127 bytes expected': 'defect.password_long',
  'value does not fit the mask of the password': 'defect.password_mask',
  'password has a character that readers of PDF do not take': 'defect.password_sign',
  'phone number, tax id or e-wallet id expected': 'defect.payee',
  'amount from 0 to 9999999999.99 expected': 'defect.payment_amount',
  'reference of at most 20 capital letters and digits expected': 'defect.payment_reference',
  'text is longer than a QR code can hold': 'defect.qrcode_long',
  'object expected': 'defect.record',
  'reference of the document is longer than 200 characters': 'defect.reference_long',
  'secret value expected: lists leave it out, so send it again': 'defect.secret',
  'svg expected as markup with <svg and </svg>': 'defect.svg',
  'svg refers to itself': 'defect.svg_cycle',
  'svg holds a DOCTYPE, an entity or a processing instruction': 'defect.svg_declaration',
  'svg holds an element that is not allowed': 'defect.svg_element',
  'svg holds an event handler': 'defect.svg_handler',
  'svg is not well-formed XML': 'defect.svg_malformed',
  'svg refers to an external resource': 'defect.svg_reference',
  'svg is too large or too deeply nested': 'defect.svg_size',
  'svg holds a style that is not allowed': 'defect.svg_style',
  'table expected as an array of rows of strings': 'defect.table',
  'text expected': 'defect.text',
};

/** Reasons with a bound of the template or of the service, which the text repeats. */
const BOUNDED: readonly (readonly [RegExp, TextKey])[] = [
  [/^number of at least (.+) expected$/, 'form.reason_min'],
  [/^number of at most (.+) expected$/, 'form.reason_max'],
  [/^number has more than (\d+) digits$/, 'defect.number_digits'],
  [/^text of at least (\d+) characters expected$/, 'form.reason_min_length'],
  [/^text of at most (\d+) characters expected$/, 'form.reason_max_length'],
  [/^barcodes together have more than (\d+) characters$/, 'defect.barcodes_many'],
  [/^image has more than (\d+) pixels$/, 'defect.image_pixels'],
  [/^image has a side of more than (\d+) pixels$/, 'defect.image_side'],
  [/^images together have more than (\d+) pixels$/, 'defect.image_sum'],
  [/^list has more than (\d+) entries, those of lists inside it included$/, 'defect.items_in_all'],
  [/^list of at most (\d+) entr(?:y|ies) expected$/, 'defect.items_max'],
  [/^list of at least (\d+) entr(?:y|ies) expected$/, 'defect.items_min'],
  [/^list has more than (\d+) values, absent ones included$/, 'defect.list_values'],
  [/^cannot be computed: (.*)$/s, 'defect.not_computed'],
  [/^table has more than (\d+) cells$/, 'defect.table_cells'],
  [/^table has more than (\d+) rows$/, 'defect.table_rows'],
];

/** The text for a reason that does not depend on the field; null if there is none. */
export function sayDefect(reason: string): Said | null {
  const whole = Object.hasOwn(WHOLE, reason) ? WHOLE[reason] : undefined;
  if (whole !== undefined) return { key: whole, parameters: {} };
  for (const [pattern, key] of BOUNDED) {
    const [, value] = pattern.exec(reason) ?? [];
    if (value !== undefined) return { key, parameters: { value } };
  }
  return null;
}
