import { type CsvFormat, readCell } from './csv-format.ts';

/** A field of a contract: only the properties that decide how its cells are read. */
export interface CellField {
  readonly name: string;
  readonly type: string;
  /** The fields of a record or list; absent for all other types. */
  readonly fields?: readonly CellField[];
}

/** Numbers as they were written: JSON.parse would keep 17 digits of them. Node's types lack both. */
interface ExactJson {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
}

const EXACT = JSON as unknown as ExactJson;

/**
 * Writes the cell of any field as the field contract takes it. The cell of a record or list is JSON:
 * its texts for number and date fields are in the format of the file, as those of a spreadsheet's
 * cells are; JSON's own numbers are as they stand.
 */
export function readFieldCell(cell: string, field: CellField, format: CsvFormat): string {
  if (field.fields === undefined) return readCell(cell, field.type, format);
  const value = parsed(cell);
  // The contract names the fault of a text that is not JSON.
  if (value === undefined || !convert(value, field.fields, format)) return cell;
  return JSON.stringify(value);
}

function parsed(cell: string): unknown {
  try {
    return EXACT.parse(cell, (_, value, context) =>
      typeof value === 'number' ? EXACT.rawJSON(context.source) : value,
    );
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Converts texts of a record, or of all entries of a list, in place; whether there was one. */
function convert(value: unknown, fields: readonly CellField[], format: CsvFormat): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    const changes = value.map((entry) => !Array.isArray(entry) && convert(entry, fields, format));
    return changes.includes(true);
  }
  // An object has members by name.
  const members = value as Record<string, unknown>;
  let isChanged = false;
  for (const field of fields) {
    const member = Object.hasOwn(members, field.name) ? members[field.name] : undefined;
    if (field.fields !== undefined) {
      isChanged = convert(member, field.fields, format) || isChanged;
    } else if (typeof member === 'string' && member !== '') {
      const read = readCell(member, field.type, format);
      isChanged ||= read !== member;
      members[field.name] = read;
    }
  }
  return isChanged;
}
