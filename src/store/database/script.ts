/** A statement of a transaction that is sent as a whole. */
export interface ScriptStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Rows that it must change, or the whole transaction is rolled back; null: any number. */
  readonly changes: number | null;
}

/** Statement `index` of a script changed another number of rows than it must. */
export class Miscount extends Error {
  override readonly name = 'Miscount';
  readonly index: number;

  constructor(index: number) {
    super(`statement ${index} of a transaction changed another number of rows`);
    this.index = index;
  }
}
