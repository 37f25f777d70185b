/** Where the opening balance is: in a field, or in the entry of a list around the table. */
export type OpeningBalance =
  { readonly field: number } | { readonly list: number; readonly column: number };

/** A column of a table field whose cells are added up: by `{{sum …}}` or by a statement table. */
export interface AmountColumn {
  /** Index of the table field in the contract. */
  readonly field: number;
  readonly column: number;
  /** Path of the first place that adds the column up. */
  readonly path: string;
}

/** What a template does with the values of its fields: what the check of values has to know. */
export interface PrintedData {
  /** Fields, except tables, that some text or an SVG draws. */
  readonly drawnFields: ReadonlySet<number>;
  /** By field and column, each once. */
  readonly amountColumns: readonly AmountColumn[];
}
