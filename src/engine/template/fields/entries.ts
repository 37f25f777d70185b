/** The lists whose `each` stands around a place: their indexes by the names in `as`. */
export type Entries = ReadonlyMap<string, number>;

/** Stands for a list that is not known, where `as` names its entries. */
export const UNKNOWN_LIST = -1;

/**
 * Key of the entries of an `each` whose `as` is missing or wrong. Any unknown name inside that node
 * may be the name that the author meant, so unknown names are not reported there.
 */
export const ANY_NAME = '*';

/** Whether a name begins with that of the entries of an `each` around it. */
export function isEntryPath(name: string, entries: Entries): boolean {
  return entries.size > 0 && entries.has(headOf(name));
}

/** The first name of a path. */
export function headOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? name : name.slice(0, dot);
}
