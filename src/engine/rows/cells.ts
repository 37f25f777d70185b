import type { Outcome } from '../../errors.ts';
import { succeed } from '../../errors.ts';
import { CORRECTION } from '../../runtime/contract/correction.ts';
import { convertsCells, type CsvFormat } from '../../runtime/csv/csv-format.ts';
import { readFieldCell } from '../../runtime/csv/nested-cell.ts';
import type { FieldDescriptor } from '../contract/types.ts';

/** Types of fields that have numbers or dates. */
const IN_FORMAT: ReadonlySet<string> = new Set(['number', 'date', 'record', 'list']);

type ReadRow = (index: number) => Outcome<Uint8Array>;

/**
 * Reads rows whose number and date fields are in the format of the file. Corrections as JSON have the
 * cells of their rows, so those are in it, too; other JSON rows are as the contract has them.
 */
export function inFormat(
  read: ReadRow,
  format: CsvFormat | undefined,
  fields: readonly FieldDescriptor[],
  isCsv: boolean,
): ReadRow {
  if (format === undefined || !convertsCells(format)) return read;
  const typed = fields.filter(({ type }) => IN_FORMAT.has(type));
  return (index) => {
    const row = read(index);
    if (!row.ok) return row;
    const values = objectOf(row.value);
    if (values === null || (!isCsv && !isCorrection(values))) return row;
    for (const field of typed) {
      const cell = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
      if (typeof cell === 'string' && cell !== '')
        values[field.name] = readFieldCell(cell, field, format);
    }
    return succeed(Buffer.from(JSON.stringify(values)));
  };
}

/** The members of a row; null when it is no JSON object, which is told by what reads it next. */
function objectOf(row: Uint8Array): Record<string, unknown> | null {
  try {
    const text = Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('utf8');
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    // An object has members by name.
    return isObject ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Whether the row corrects cells. A number that JSON.parse may have changed leaves it as it is. */
function isCorrection(values: Readonly<Record<string, unknown>>): boolean {
  return Object.hasOwn(values, CORRECTION.line) && Object.values(values).every(isKept);
}

function isKept(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return typeof value === 'string' || value === null;
}
