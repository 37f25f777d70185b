import { compareDecimals } from '../../contract/format/decimal.ts';
import { FIRST_COLUMN, LAST_COLUMN, NUMBER_COLUMN } from '../../contract/nested/columns.ts';
import type { ListValue, ViewValue } from '../../contract/types.ts';
import type { ViewDerivation } from './derive.ts';
import type { EntryKey } from './expressions.ts';

type Rows = readonly (readonly string[])[];

/** The entries of a list as a view shows them, and the rows of the list by group. */
export function makeView(
  { list, cells, keys, group, collator }: ViewDerivation,
  value: ListValue,
  isWanted: (row: number) => boolean,
): { readonly made: ViewValue; readonly groups: readonly (readonly number[])[] } {
  const { rows, parent } = value;
  const order: number[] = [];
  const starts: number[] = [];
  const shown: string[][] = [];
  const groups: (readonly number[])[] = [];
  for (const [from, to] of stretchesOf(value)) {
    starts.push(order.length);
    const wanted: number[] = [];
    for (let row = from; row < to; row++) if (isWanted(row)) wanted.push(row);
    if (keys.length > 0) {
      wanted.sort((a, b) => {
        for (const key of keys) {
          const by = compare(
            key,
            rows[a]?.[key.column] ?? '',
            rows[b]?.[key.column] ?? '',
            collator,
          );
          if (by !== 0) return by;
        }
        return 0;
      });
    }
    for (const members of group === null ? [wanted] : groupsOf(group, rows, wanted)) {
      if (members.length > 0) groups.push(members);
      for (const [index, row] of members.entries()) {
        order.push(row);
        shown.push(rowOf(cells, index, members.length));
      }
    }
  }
  const own = parent < 0 ? [] : starts;
  const made = { type: 'view', rows: shown, parent, starts: own, list: list.index, order } as const;
  return { made, groups };
}

/** Code units of a text that a comparison by a dictionary reads in one step, as measured. */
const COLLATED_UNITS = 32;

/** Steps, of about 100 ns each, that a view of a list takes. */
export function stepsOf({ keys }: ViewDerivation, { rows }: ListValue): number {
  let steps = rows.length * 2;
  const comparisons = Math.ceil(Math.log2(rows.length + 1));
  for (const { column, kind } of keys) {
    let perRow = 1;
    if (kind === 'text') {
      const units = rows.reduce((sum, row) => sum + (row[column]?.length ?? 0), 0);
      perRow += units / COLLATED_UNITS / rows.length;
    }
    steps += perRow * rows.length * comparisons;
  }
  return rows.length === 0 ? 0 : Math.ceil(steps);
}

/** From and to of the rows that stand in one array of the data. */
function stretchesOf({ rows, parent, starts }: ListValue): readonly (readonly [number, number])[] {
  if (parent < 0) return [[0, rows.length]];
  return starts.map((from, index) => [from, starts[index + 1] ?? rows.length]);
}

function rowOf(cells: number, index: number, count: number): string[] {
  const row = Array.from({ length: cells }, () => '');
  row[NUMBER_COLUMN] = String(index + 1);
  if (index === 0) row[FIRST_COLUMN] = '1';
  if (index === count - 1) row[LAST_COLUMN] = '1';
  return row;
}

/** Absent values come last, whichever way the others go. */
function compare(
  { kind, isDescending }: EntryKey & { readonly isDescending: boolean },
  a: string,
  b: string,
  collator: Intl.Collator,
): number {
  if (a === b) return 0;
  if (kind !== 'boolean' && (a === '' || b === '')) return a === '' ? 1 : -1;
  const by =
    kind === 'number'
      ? compareDecimals(a, b)
      : kind === 'text'
        ? collator.compare(a, b)
        : compareCodes(a, b);
  return isDescending ? -by : by;
}

function compareCodes(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** The rows by the values of a key, in the order in which the values first occur. */
function groupsOf(
  { column, kind }: EntryKey,
  rows: Rows,
  wanted: readonly number[],
): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>();
  for (const row of wanted) {
    const cell = rows[row]?.[column] ?? '';
    const key = kind === 'number' ? plainNumber(cell) : cell;
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [row]);
    else members.push(row);
  }
  return [...groups.values()];
}

/** 7 and 7.00 are one value. */
function plainNumber(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/u, '') : text;
}
