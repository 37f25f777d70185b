import { LIMITS } from '../../limits.ts';
import type { FieldCheck, FieldDefinition } from './definition.ts';
import type { Reason } from './reasons.ts';
import { REASONS } from './reasons.ts';
import { cleanText } from './text-field.ts';

/** table: rows of strings, or a JSON string of them; rows may differ in length. */
export const TABLE_FIELD: FieldDefinition = {
  formatKeys: [],
  validationKeys: [],
  prints: null,
  compile: compileTable,
};

function compileTable(): FieldCheck {
  return (value, input) => {
    const isEncoded = typeof value === 'string';
    const parsed = isEncoded ? parseTable(value) : value;
    const rows = checkRows(parsed, !isEncoded && input.isClean);
    return typeof rows === 'string' ? rows : { type: 'table', rows };
  };
}

function parseTable(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * The rows, with controls stripped in place: the arrays were parsed for this request alone. Bounds
 * are checked first, so that the cells of a table over its limit are not read.
 */
function checkRows(value: unknown, isClean: boolean): string[][] | Reason {
  if (!Array.isArray(value)) return REASONS.table;
  const rows: unknown[] = value;
  if (rows.length > LIMITS.tableRowsMax) return REASONS.tableRows;
  let cells = 0;
  for (const row of rows) {
    if (!Array.isArray(row)) return REASONS.table;
    cells += row.length;
  }
  if (cells > LIMITS.tableCellsMax) return REASONS.tableCells;
  for (const row of rows as unknown[][]) {
    for (let column = 0; column < row.length; column++) {
      const cell = row[column];
      if (typeof cell !== 'string') return REASONS.tableCell;
      if (!isClean) row[column] = cleanText(cell);
    }
  }
  // Every cell was just seen to be a string.
  return rows as string[][];
}
