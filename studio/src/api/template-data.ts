/** Values for the fields of a template. */
export type Data = Readonly<Record<string, unknown>>;

/** A sample in a template file. */
export interface Sample {
  readonly name?: string;
  readonly data: Data;
}
