import type { Checked, ListMember } from './check.ts';

/** The rows of one list while its entries are read. */
export interface OpenRows {
  readonly rows: string[][];
  /** For each entry of the list around it: the first row of its own entries. */
  readonly starts: number[];
}

/** The rows of a list and of the lists in its entries, by the indexes of these lists. */
export class ListRows {
  readonly #rows = new Map<number, OpenRows>();

  /** Begins a list that stands in no other, and those in it. */
  open({ index, lists }: ListMember): void {
    this.#rows.set(index, { rows: [], starts: [] });
    for (const inner of lists) this.open(inner);
  }

  of(index: number): OpenRows {
    const rows = this.#rows.get(index);
    if (rows === undefined) throw new Error('a list was not opened');
    return rows;
  }

  /** Puts the rows of a list, and of those in it, among the results. */
  close({ index, parent, lists }: ListMember, results: Checked[]): void {
    const { rows, starts } = this.of(index);
    results[index] = { type: 'list', rows, parent, starts };
    for (const inner of lists) this.close(inner, results);
  }
}
