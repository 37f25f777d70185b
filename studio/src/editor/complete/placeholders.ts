import type { Completion } from '@codemirror/autocomplete';
import type { FieldType, LocalText } from '../../api/field-types.ts';
import type { en } from '../../i18n/en.ts';
import type { NamedField, Names } from './names.ts';
import type { Place } from './reading.ts';

/** The reader's language, apart from the browser, so that tests can read these files. */
export interface Speech {
  readonly t: (
    key: keyof typeof en,
    parameters?: Readonly<Record<string, string | number>>,
  ) => string;
  /** A text of the template; '' if it has none. */
  readonly textIn: (text: LocalText | undefined) => string;
  /** Shows a description of the schema, which is English. */
  readonly note: (english: string) => Exclude<Completion['info'], undefined>;
}

/** What may stand between `{{` and `}}`, and a word on what it prints. */
export interface Placeholder {
  readonly name: string;
  readonly detail: string;
  /** Higher ones come first. */
  readonly rank: number;
}

/** The types that a text prints; those of the contract, which a test compares. */
export const PRINTED: readonly FieldType[] = ['text', 'number', 'date', 'qrcode'];

/** Keys of the file whose texts take placeholders. */
const BOUND = ['document', 'watermark', 'reference', 'fileName', 'files', 'signatureField'];
const RUNNING = new Set(['header', 'footer', 'background']);
const PAGE_ROWS = ['broughtForward', 'carriedForward', 'pageTotal'];
/** Columns that are offered of a table of which nothing is known. */
const COLUMNS_UNKNOWN = 3;

/** Whether a string there may hold placeholders. */
export function takesPlaceholders({ path, kind }: Place): boolean {
  return kind === 'value' && BOUND.some((key) => key === path[0]);
}

/** The placeholders that mean something at the place. */
export function placeholdersAt(place: Place, names: Names, speech: Speech): Placeholder[] {
  const fields = [...names.fields.values()];
  const ofField = (field: NamedField): Placeholder => ({
    name: field.name,
    detail: typeText(field, speech),
    rank: 1,
  });
  const key = place.path.findLast((one) => typeof one === 'string');
  const inDocument = place.path[0] === 'document';
  if (inDocument && (key === 'image' || key === 'svg')) {
    return fields.filter(({ type }) => type === key).map(ofField);
  }
  const tables = fields.filter(({ type }) => type === 'table');
  return [
    ...cells(place, names, speech),
    ...words(place, speech),
    ...fields.filter(({ type }) => type === '' || PRINTED.includes(type)).map(ofField),
    ...tables.flatMap((table) => sums(table, names, speech)),
  ];
}

/** The sums of a table: of columns that hold amounts, if samples have rows that show which do. */
function sums(table: NamedField, names: Names, speech: Speech): readonly Placeholder[] {
  return headings(table, names, speech).flatMap((heading, index) => {
    const column = `${table.name}.${index}`;
    if (names.widths.has(table.name) && !names.amounts.has(column)) return [];
    const detail = speech.t('complete.sum', { column: heading });
    return [{ name: `sum ${column}`, detail, rank: 0 }];
  });
}

/** The type of a field, and its label. */
export function typeText({ type, label }: NamedField, { t, textIn }: Speech): string {
  return [type === '' ? '' : t(`type.${type}`), textIn(label)]
    .filter((part) => part !== '')
    .join(' · ');
}

/** The cells of the row that is repeated here. */
function cells(place: Place, names: Names, speech: Speech): Placeholder[] {
  const table = names.fields.get(tableOf(place));
  if (table === undefined) return [];
  return headings(table, names, speech).map((heading, index) => ({
    name: String(index),
    detail: heading,
    rank: 2,
  }));
}

/** The table field of the innermost `each`; '' if nothing is repeated here. */
export function tableOf({ levels, path }: Place): string {
  for (let index = levels.length - 1; index >= 0; index -= 1) {
    const table = levels[index]?.member('each') ?? '';
    // The rows that a statement adds to pages are no rows of its table.
    if (table !== '') return path[index - 1] === 'statement' ? '' : table;
  }
  return '';
}

/** The headings of a table, or the numbers of its columns. */
export function headings(
  { name, columns }: NamedField,
  { widths }: Names,
  { t, textIn }: Speech,
): readonly string[] {
  const count = Math.max(columns.length, widths.get(name) ?? 0) || COLUMNS_UNKNOWN;
  return Array.from(
    { length: count },
    (_, index) => textIn(columns[index]) || t('complete.column', { number: index }),
  );
}

/** The words of the language that are known at the place. */
function words({ path, levels }: Place, { t }: Speech): Placeholder[] {
  const known: Placeholder[] = [];
  const add = (name: string, detail: string): unknown => known.push({ name, detail, rank: 2 });
  const isOfSection = path[1] === 'content' && levels[3]?.member('section') !== null;
  if (path[0] === 'document' && RUNNING.has(String(path[isOfSection ? 3 : 1]))) {
    add('page', t('complete.page'));
    add('pages', t('complete.pages'));
  }
  if (levels.some((level) => level.member('statement') !== null)) {
    add('statement.balance', t('complete.balance'));
    add('statement.credits', t('complete.credits'));
    add('statement.debits', t('complete.debits'));
    add('statement.rows', t('complete.rows'));
    if (PAGE_ROWS.some((key) => path.includes(key))) {
      add('statement.pageCredits', t('complete.page_credits'));
      add('statement.pageDebits', t('complete.page_debits'));
      add('statement.pageRows', t('complete.page_rows'));
    }
  }
  if (path[0] === 'signatureField') {
    add('signature.signer', t('complete.signer'));
    add('signature.date', t('complete.signed_date'));
    add('signature.time', t('complete.signed_time'));
    add('signature.reason', t('complete.signed_reason'));
    add('signature.location', t('complete.signed_location'));
  }
  return known;
}
