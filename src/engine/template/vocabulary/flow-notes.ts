/** Notes on the keys of conditions and repetition. */
export const FLOW_NOTES = {
  if: 'Field name, or an expression: drawn only when the field has a value, or the condition holds.',
  unless: 'Field name, or an expression: drawn only when it has no value, or does not hold.',
  each: 'Table field or list: one copy for each row or entry; {{0}}, {{1}}, … are a row’s cells.',
  as: 'Name of the entries of the list that “each” names: {{account.number}} prints a value of one.',
  filter: 'Expression: only entries of the list for which it holds.',
  sortBy:
    'Expression, or an array of them: the order of the entries; “desc” behind one turns it round.',
  groupBy: 'Expression: entries with the same value stand together.',
  groupHeader: 'Stands before the entries of each group; expressions know them as “group”.',
  groupFooter: 'Stands behind the entries of each group, for subtotals.',
} as const;
