/** One statement of a script: a transaction whose statements are all known before it begins. */
export interface ScriptStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Number of rows that it must change, else the transaction is rolled back; null: any number. */
  readonly changes: number | null;
}

/** Statement `index` of a transaction changed an unexpected number of rows. */
export class Miscount extends Error {
  override readonly name = 'Miscount';
  readonly index: number;

  constructor(index: number) {
    super(`statement ${index} of a transaction changed an unexpected number of rows`);
    this.index = index;
  }
}
