import { CORRECTION } from '../../../../src/runtime/contract/correction.ts';
import type { Field } from '../../api/field-types.ts';
import { type FirstValues, headerOf } from './first-rows.ts';
import type { RowFile } from './rows.ts';

/** Characters of a row's id, as the service counts them (src/limits.ts). */
const ID_LENGTH_MAX = 128;
/** A number that a spreadsheet has shortened: it makes the same text of many numbers. */
const SHORTENED = /^\d(?:[.,]\d+)?E\+\d+$/;
const ONLY_FIELD = /^\{\{\s*([^{}\s]+)\s*\}\}$/;

type Columns = Pick<RowFile, 'columns' | 'format'>;

/**
 * The column that identifies the rows, as far as those that were read tell: the one that the empty
 * CSV has for it, then the field by which the documents are found, then the first one that can.
 *
 * @param reference The text of the template's `reference`, such as `{{receiptNo}}`.
 */
export function chooseIdColumn(
  rows: Columns,
  values: FirstValues,
  fields: readonly Field[],
  reference: string,
): string {
  const [own = ''] = headerOf(fields);
  const [, referred = ''] = ONLY_FIELD.exec(reference) ?? [];
  const possible = rows.columns.filter((name) => mayIdentify(name, fields));
  const preferred = [own, referred].filter((name) => possible.includes(name));
  const tried = [...preferred, ...possible];
  const found = tried.find(
    (name) => countFaultyIds(rows, values, name) === 0 && !isAmount(rows, values, name, fields),
  );
  return found ?? tried[0] ?? rows.columns[0] ?? '';
}

/** Whether the service takes the column as an id: it refuses secrets, and only texts and numbers are ids. */
function mayIdentify(name: string, fields: readonly Field[]): boolean {
  if (Object.values<string>(CORRECTION).includes(name)) return false;
  const field = fields.find((one) => one.name === name);
  if (field === undefined) return true;
  return (
    (field.type === 'text' || field.type === 'number') &&
    field.format?.presentation?.secret !== true
  );
}

/** Whether the column holds decimals, which differ by chance: the service would take those of a CSV. */
function isAmount(
  { columns }: Columns,
  values: FirstValues,
  name: string,
  fields: readonly Field[],
): boolean {
  if (fields.find((field) => field.name === name)?.type !== 'number') return false;
  const column = columns.indexOf(name);
  return values.some((row) => !/^\d+$/.test(String(row[column])));
}

/**
 * How many of these rows would be invalid if the column identified them: it has no usable id there, or
 * the id of an earlier row. A row that equals an earlier one is none: no second document is made.
 */
export function countFaultyIds(
  { columns, format }: Columns,
  values: FirstValues,
  name: string,
): number {
  const column = columns.indexOf(name);
  const ids = new Set<string>();
  const seen = new Set<string>();
  let count = 0;
  for (const row of values) {
    const text = JSON.stringify(row);
    if (seen.has(text)) continue;
    seen.add(text);
    const id = idOf(row[column], format);
    if (id === null || ids.has(id)) count += 1;
    else ids.add(id);
  }
  return count;
}

/** The id, as the service reads it (src/engine/rows/rows.ts); null: the value is none. */
function idOf(value: unknown, format: RowFile['format']): string | null {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof id !== 'string' || id === '' || id.length > ID_LENGTH_MAX) return null;
  if (id.trim() !== id || /\p{Cc}/u.test(id)) return null;
  return format === 'csv' && SHORTENED.test(id) ? null : id;
}
