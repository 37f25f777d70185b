import type { FieldError } from '../api/types.ts';
import type { Field } from '../api/field-types.ts';
import { formatDate, t } from '../i18n/i18n.ts';
import { OF_FIELD, sayDefect } from './defects.ts';
import { exampleOf, headingsOf, helpOf, labelOf } from './presentation.ts';
import { patternWords, takesDigitsOnly } from './pattern-words.ts';

/** Why the service refuses a field, for the person who fills in the form. */
export interface SpokenReason {
  readonly text: string;
  /** The language of the service's own words; undefined: the reader's. */
  readonly lang?: 'en';
}

/** Texts for the reasons that depend on the field, or that contain a date. */
const SPOKEN: readonly (readonly [RegExp, (field: Field | null, ...found: string[]) => string])[] =
  [
    [OF_FIELD.pattern, expectationOf],
    [OF_FIELD.mask, maskReason],
    [OF_FIELD.amount, amountReason],
    [OF_FIELD.from, (_, day = '') => t('form.reason_from', { value: formatDate(day) })],
    [OF_FIELD.until, (_, day = '') => t('form.reason_until', { value: formatDate(day) })],
  ];

/**
 * Returns a reason of docs/contract.md in the reader's language. `field` is null if it is not
 * known.
 */
export function spoken(field: Field | null, reason: string): SpokenReason {
  const said = sayDefect(reason);
  if (said !== null) return { text: t(said.key, said.parameters) };
  for (const [pattern, say] of SPOKEN) {
    const found = pattern.exec(reason);
    if (found !== null) return { text: say(field, ...found.slice(1)) };
  }
  return { text: reason, lang: 'en' };
}

/** Names a field of an error by its label, and says its reason in the reader's language. */
export function describeReason(
  fields: readonly Field[],
): (one: FieldError) => SpokenReason & { readonly name: string } {
  return ({ field, reason }) => {
    const found = fieldsAt(fields, field);
    const own = found.at(-1) ?? null;
    const name = own === null ? field : found.map(labelOf).join(' – ');
    return { name, ...spoken(own, reason) };
  };
}

/**
 * The records around the field at this path, such as `customer.name`, and then the field. Empty if
 * there is none.
 */
function fieldsAt(fields: readonly Field[], path: string): readonly Field[] {
  const own = fields.find(({ name }) => name === path);
  if (own !== undefined) return [own];
  for (const field of fields) {
    if (field.type !== 'record' || !path.startsWith(`${field.name}.`)) continue;
    // Fields inside records have the same keys as others (field-types.ts).
    const inner = (field.fields ?? []) as unknown as readonly Field[];
    const found = fieldsAt(inner, path.slice(field.name.length + 1));
    if (found.length > 0) return [field, ...found];
  }
  return [];
}

/** Describes the expected text: by example, by help, or by the pattern in words. */
function expectationOf(field: Field | null): string {
  if (field === null) return t('form.reason_form');
  const example = exampleOf(field);
  if (example !== '') return t('form.reason_form_example', { example });
  const words = patternWords(field.validation?.pattern ?? '', t);
  if (words !== '') return t('form.reason_form_words', { words });
  const help = helpOf(field);
  return help === '' ? t('form.reason_form') : t('form.reason_form_help', { help });
}

/**
 * The text that a mask expects. Where the author says it in the help, which stands below the field, the
 * words made from the mask would say it a second time, and differently.
 */
function maskReason(field: Field | null): string {
  if (field === null) return t('form.reason_form');
  if (helpOf(field) === '') return maskWords(field);
  const example = exampleOf(field);
  return example === '' ? t('form.reason_form') : t('form.reason_form_example', { example });
}

/** The letters and digits that a mask takes, and how they are printed. */
export function maskWords({ format, validation }: Pick<Field, 'format' | 'validation'>): string {
  const mask = format?.mask ?? '';
  const places = mask.replaceAll(/'[^']*'/g, '').match(/[xX*•]/gu) ?? [];
  const isDigits = takesDigitsOnly(validation?.pattern ?? '');
  return t(isDigits ? 'form.mask_digits' : 'form.mask', { count: places.length, mask });
}

function amountReason(field: Field | null, row = '', column = ''): string {
  const index = Number(column);
  const heading = field === null ? '' : (headingsOf(field)[index] ?? '');
  return t('form.reason_amount', {
    row: Number(row) + 1,
    column: heading === '' ? index + 1 : heading,
  });
}
