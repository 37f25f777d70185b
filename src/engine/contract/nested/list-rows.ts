import type { Checked, ListMember } from './check.ts';

/** The rows of one list while its entries are read. */
export interface OpenRows {
  readonly rows: string[][];
  /** For each entry of the enclosing list: the index of its first row here. */
  readonly starts: number[];
}

/** The rows of a list and of the lists in its entries, by the index of each list. */
export class ListRows {
  readonly #rows = new Map<number, OpenRows>();

  /** Prepares empty rows for a list and for the lists inside it. */
  open({ index, lists }: ListMember): void {
    this.#rows.set(index, { rows: [], starts: [] });
    for (const inner of lists) this.open(inner);
  }

  of(index: number): OpenRows {
    const rows = this.#rows.get(index);
    if (rows === undefined) throw new Error('a list was not opened');
    return rows;
  }

  /** Stores the rows of a list, and of the lists inside it, in the results. */
  close({ index, parent, lists }: ListMember, results: Checked[]): void {
    const { rows, starts } = this.of(index);
    results[index] = { type: 'list', rows, parent, starts };
    for (const inner of lists) this.close(inner, results);
  }
}
