import type { AmountColumn } from '../model/printed.ts';

/** The summed columns of a template, gathered while the document is read. */
export class AmountColumns {
  readonly #byKey = new Map<string, AmountColumn>();

  add(field: number, column: number, path: string): void {
    const key = `${field}.${column}`;
    if (!this.#byKey.has(key)) this.#byKey.set(key, { field, column, path });
  }

  /** By field, then by column. */
  list(): readonly AmountColumn[] {
    return [...this.#byKey.values()].toSorted((a, b) => a.field - b.field || a.column - b.column);
  }
}
