import type { FieldDescriptor, PlainField } from '../types.ts';

/**
 * The values of an entry of a list, as strings in one row: what `{{name}}` prints, and what a format at
 * a binding starts from. Both the check that fills rows and the bindings that read them ask here.
 */
export interface EntryColumn {
  /** Its path in the entry: `amount`, `address.city`. */
  readonly name: string;
  /** A record in the entry prints nothing: its column tells whether it is there. */
  readonly of: PlainField | 'record';
  /** Column of the printed text; '' where the value is absent. */
  readonly column: number;
  /** Column of the value before its field's own format; the same one where that changes nothing. */
  readonly rawColumn: number;
}

/** Names that every entry has beside its fields; no field of a record or list may have one. */
export const ENTRY_NAMES = ['_number', '_first', '_last'] as const;

const NUMBER: PlainField = { name: '_number', type: 'number', required: true };
const FLAG = { type: 'text', required: true } as const;

/** Columns of the number of an entry, from 1, and of the marks of the first and the last one. */
export const NUMBER_COLUMN = 0;
export const FIRST_COLUMN = 1;
export const LAST_COLUMN = 2;

/** The columns of the entries of a list with these fields; lists inside it have rows of their own. */
export function entryColumns(fields: readonly FieldDescriptor[]): readonly EntryColumn[] {
  const columns: EntryColumn[] = [
    { name: '_number', of: NUMBER, column: NUMBER_COLUMN, rawColumn: NUMBER_COLUMN },
    {
      name: '_first',
      of: { ...FLAG, name: '_first' },
      column: FIRST_COLUMN,
      rawColumn: FIRST_COLUMN,
    },
    { name: '_last', of: { ...FLAG, name: '_last' }, column: LAST_COLUMN, rawColumn: LAST_COLUMN },
  ];
  addColumns(fields, '', LAST_COLUMN + 1, columns);
  return columns;
}

/** The number of cells in a row with these columns. */
export function cellCount(columns: readonly EntryColumn[]): number {
  return Math.max(...columns.map(({ column, rawColumn }) => Math.max(column, rawColumn))) + 1;
}

/** Adds the columns of fields from `next` on; gives the first free one. */
function addColumns(
  fields: readonly FieldDescriptor[],
  prefix: string,
  next: number,
  columns: EntryColumn[],
): number {
  let free = next;
  for (const field of fields) {
    const name = prefix + field.name;
    if (field.type === 'list') continue;
    if (field.type === 'record') {
      columns.push({ name, of: 'record', column: free, rawColumn: free });
      free = addColumns(field.fields, `${name}.`, free + 1, columns);
      continue;
    }
    const rawColumn = changesInPrint(field) ? free + 1 : free;
    columns.push({ name, of: { ...field, name }, column: free, rawColumn });
    free = rawColumn + 1;
  }
  return free;
}

/** Whether the printed text may differ from the value. */
function changesInPrint({ type, format }: PlainField): boolean {
  return type === 'number' || type === 'date' || format !== undefined;
}
