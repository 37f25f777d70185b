import type { RunException } from '#client';

/** Where a row stands, and its id, for a person: `line 19 of part 2 (R-18)`. */
export function nameOf(row: RunException): string {
  return `${placeOf(row)}${row.rowId === '' ? '' : ` (${row.rowId})`}`;
}

export function placeOf({ part, line }: RunException): string {
  return part === 1 ? `line ${line}` : `line ${line} of part ${part}`;
}

/** The names of the first rows, at most `countMax`. */
export function namesOf(rows: readonly RunException[], countMax: number): string {
  const names = rows.slice(0, countMax).map(nameOf).join(', ');
  return rows.length > countMax ? `${names}, …` : names;
}
