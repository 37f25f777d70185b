import { addressKey } from '../store/runs/sorting.ts';
import type { CheckedChunkRow } from '../store/runs/types.ts';
import type { FaultyRow, FaultyRows } from './exceptions.ts';

/**
 * Narrows `lacks` of corrections, which holds every field that they do not name, to the fields in
 * which the row that they correct has a value. Such a correction would be valid, and its document
 * would be without an optional field that the file of the run had.
 */
export async function withLacks(
  faulty: Pick<FaultyRows, 'at'>,
  rows: readonly CheckedChunkRow[],
): Promise<readonly CheckedChunkRow[]> {
  const asked = rows.flatMap(({ corrects, lacks }) => (lacks.length > 0 ? (corrects ?? []) : []));
  if (asked.length === 0) return rows;
  const corrected = await faulty.at(asked);
  return rows.map((row) => {
    const { corrects, lacks } = row;
    if (corrects === null || lacks.length === 0) return row;
    const before = corrected.get(addressKey(corrects));
    return { ...row, lacks: lacks.filter((name) => hasValue(before, name)) };
  });
}

/**
 * Whether the row has a value in the field. Where its cells do not fit its columns, any of them may
 * be the one of this field.
 */
function hasValue(row: FaultyRow | undefined, name: string): boolean {
  const data = row?.data ?? null;
  if (data === null || !Object.hasOwn(data, name)) return false;
  const value = data[name];
  return row?.text !== '' || (value !== '' && value !== null);
}
