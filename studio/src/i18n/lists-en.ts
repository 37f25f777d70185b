/** Texts of lists in English; lists-th.ts has the same keys. */
export const listsEn = {
  'list.found': 'Found: {count}',
  'list.found_more': 'Found: {count}, and there are more',
} as const satisfies Record<string, string>;
