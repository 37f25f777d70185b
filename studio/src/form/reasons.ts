import { NO_ROOM } from '../api/client.ts';
import type { FieldError } from '../api/types.ts';
import type { Field } from '../api/field-types.ts';
import { formatDate, t } from '../i18n/i18n.ts';
import { exampleOf, headingsOf, helpOf, labelOf } from './presentation.ts';
import { patternWords, takesDigitsOnly } from './pattern-words.ts';

/** Why the service refuses a field, for the person who fills in the form. */
export interface SpokenReason {
  readonly text: string;
  /** The language of the service's own words; undefined: the reader's. */
  readonly lang?: 'en';
}

/** docs/contract.md lists the reasons; those that only other systems can provoke stay as they are. */
const SPOKEN: readonly (readonly [RegExp, (field: Field, ...found: string[]) => string])[] = [
  [/^required$/, () => t('form.reason_required')],
  [/^text does not match the pattern/, (field) => expectationOf(field)],
  [/^text does not fit the mask/, (field) => maskWords(field)],
  [/^one of the choices/, () => t('form.choice_expected')],
  [/^number expected/, () => t('form.number_expected')],
  [/^number of at least (.+) expected/, (_, value = '') => t('form.reason_min', { value })],
  [/^number of at most (.+) expected/, (_, value = '') => t('form.reason_max', { value })],
  [/^date expected/, () => t('form.date_expected')],
  [/^date from (.+) on/, (_, day = '') => t('form.reason_from', { value: formatDate(day) })],
  [
    /^date until (.+) expected/,
    (_, day = '') => t('form.reason_until', { value: formatDate(day) }),
  ],
  [/^text of at least (\d+)/, (_, value = '') => t('form.reason_min_length', { value })],
  [/^text of at most (\d+)/, (_, value = '') => t('form.reason_max_length', { value })],
  [/no font can draw$/, () => t('form.reason_undrawable')],
  [NO_ROOM, () => t('form.reason_place')],
  [/^plain amount expected in row (\d+), column (\d+)/, amountReason],
];

export function spoken(field: Field, reason: string): SpokenReason {
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
    const own = found.at(-1);
    if (own === undefined) return { name: field, text: reason, lang: 'en' };
    return { name: found.map(labelOf).join(' – '), ...spoken(own, reason) };
  };
}

/** The field of this path, such as `customer.name`, after the records around it; empty: none. */
function fieldsAt(fields: readonly Field[], path: string): readonly Field[] {
  const own = fields.find(({ name }) => name === path);
  if (own !== undefined) return [own];
  for (const field of fields) {
    if (field.type !== 'record' || !path.startsWith(`${field.name}.`)) continue;
    // Fields of a record have the same keys as those outside (field-types.ts).
    const inner = (field.fields ?? []) as unknown as readonly Field[];
    const found = fieldsAt(inner, path.slice(field.name.length + 1));
    if (found.length > 0) return [field, ...found];
  }
  return [];
}

/** Describes the expected text: by example, by help, or by the pattern in words. */
function expectationOf(field: Field): string {
  const example = exampleOf(field);
  if (example !== '') return t('form.reason_form_example', { example });
  const words = patternWords(field.validation?.pattern ?? '', t);
  if (words !== '') return t('form.reason_form_words', { words });
  const help = helpOf(field);
  return help === '' ? t('form.reason_form') : t('form.reason_form_help', { help });
}

/** The letters and digits that a mask takes, and how they are printed. */
export function maskWords({ format, validation }: Pick<Field, 'format' | 'validation'>): string {
  const mask = format?.mask ?? '';
  const places = mask.replaceAll(/'[^']*'/g, '').match(/[xX*•]/gu) ?? [];
  const isDigits = takesDigitsOnly(validation?.pattern ?? '');
  return t(isDigits ? 'form.mask_digits' : 'form.mask', { count: places.length, mask });
}

function amountReason(field: Field, row = '', column = ''): string {
  const index = Number(column);
  const heading = headingsOf(field)[index] ?? '';
  return t('form.reason_amount', {
    row: Number(row) + 1,
    column: heading === '' ? index + 1 : heading,
  });
}
