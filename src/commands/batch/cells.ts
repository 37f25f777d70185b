import { convertsCells, type CsvFormat } from '../../runtime/csv/csv-format.ts';
import { readFieldCell } from '../../runtime/csv/nested-cell.ts';
import { CommandFailed } from '../console/failure.ts';
import type { ContractField } from './contract.ts';
import type { BatchRecord } from './input.ts';

const NEEDS_FIELDS =
  '--decimal and --date need the types of the fields: give the key the scope templates:read';

/**
 * The records with their number and date cells as the field contract has them; `source` stays as it
 * is in the file. `fields`: null: the key may not read them.
 */
export async function* inFormat(
  records: AsyncGenerator<BatchRecord, void, undefined>,
  format: CsvFormat | undefined,
  fields: readonly ContractField[] | null,
): AsyncGenerator<BatchRecord, void, undefined> {
  if (format === undefined || !convertsCells(format)) {
    yield* records;
    return;
  }
  if (fields === null) throw new CommandFailed(NEEDS_FIELDS);
  const fieldOf = new Map(fields.map((field) => [field.name, field]));
  for await (const record of records) {
    // Cells of CSV are text.
    const cells = Object.entries(JSON.parse(record.data) as Readonly<Record<string, string>>);
    const read = cells.map(([name, cell]) => {
      const field = fieldOf.get(name);
      return [name, field === undefined ? cell : readFieldCell(cell, field, format)];
    });
    yield { ...record, data: JSON.stringify(Object.fromEntries(read)) };
  }
}
