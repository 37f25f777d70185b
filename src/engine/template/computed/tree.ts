import type { FieldValues, ListValue } from '../../contract/types.ts';
import type { Shape } from './shape.ts';

/** A record of the data; computed fields are added while they are evaluated. */
export type DataRecord = Record<string, unknown>;

/**
 * The checked values of a document as expressions read them: numbers and dates as exact texts. Only
 * what some expression of the template reads is here.
 */
export class DataTree {
  readonly root: DataRecord;
  readonly #values: FieldValues;
  /** By index of a list: its entries, in the order of its rows. */
  readonly #entries: DataRecord[][] = [];
  /** By index of a list: for each of its rows the row of the list around it. */
  readonly #parents: Int32Array[] = [];

  constructor(shape: Shape, values: FieldValues) {
    this.#values = values;
    this.root = this.#record(shape, (at) => rawOf(values, at));
  }

  /** A list of the contract; null: it is absent. */
  list(index: number): ListValue | null {
    const value = this.#values[index];
    return value?.type === 'list' ? value : null;
  }

  /** The entry of a row; null when no expression reads its list. */
  entry(list: number, row: number): DataRecord | null {
    return this.#entries[list]?.[row] ?? null;
  }

  /** The row of the list around a list in which one of its rows stands. */
  parentRow(list: number, row: number): number {
    let parents = this.#parents[list];
    if (parents === undefined) {
      parents = this.#parentsOf(list);
      this.#parents[list] = parents;
    }
    return parents[row] ?? -1;
  }

  #parentsOf(list: number): Int32Array {
    const { rows, starts } = this.list(list) ?? { rows: [], starts: [] };
    const parents = new Int32Array(rows.length);
    for (let parent = 0; parent < starts.length; parent++) {
      parents.fill(parent, starts[parent], starts[parent + 1] ?? rows.length);
    }
    return parents;
  }

  /** An object whose scalars `read` gives; `row`: that of the entry it is in. */
  #record(shape: Shape, read: (at: number) => string | null, row = -1): DataRecord {
    const record: DataRecord = {};
    for (const { name, at } of shape.scalars) record[name] = read(at);
    for (const { name, at } of shape.flags) record[name] = read(at) !== null;
    for (const { name, at } of shape.tables) record[name] = this.#rowsOf(at);
    for (const one of shape.records) {
      record[one.name] = read(one.at) === null ? null : this.#record(one.in, read, row);
    }
    for (const one of shape.lists) record[one.name] = this.#listIn(one.list, one.in, row);
    return record;
  }

  /** The entries of a list, of those that stand in one row of the list around it. */
  #listIn(index: number, shape: Shape, row: number): readonly DataRecord[] {
    const list = this.list(index);
    if (list === null) return [];
    const all = (this.#entries[index] ??= []);
    const [from, to] =
      list.parent < 0
        ? [0, list.rows.length]
        : [list.starts[row] ?? 0, list.starts[row + 1] ?? list.rows.length];
    for (let at = from; at < to; at++) {
      const cells = list.rows[at] ?? [];
      const read = (column: number): string | null => cells[column] || null;
      all[at] = this.#record(shape, read, at);
    }
    return all.slice(from, to);
  }

  #rowsOf(index: number): readonly (readonly string[])[] {
    const value = this.#values[index];
    return value?.type === 'table' ? value.rows : [];
  }
}

/** The value of a field before its format; a text that is not null for a record that is there. */
function rawOf(values: FieldValues, index: number): string | null {
  const value = values[index] ?? null;
  if (value === null) return null;
  if (value.type === 'record') return '1';
  return 'display' in value ? (value.raw ?? value.display) : null;
}
