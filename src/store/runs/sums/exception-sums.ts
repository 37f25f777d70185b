/**
 * Control sums over the exceptions of a run, in the order of the summed fields in the spec. An amount
 * that cannot be read counts as 0.
 */
export interface ExceptionSums {
  /** Over invalid and failed rows. */
  readonly open: readonly string[];
  readonly withdrawn: readonly string[];
  /** How many of these rows have an amount that cannot be read. */
  readonly unread: { readonly open: readonly number[]; readonly withdrawn: readonly number[] };
}
