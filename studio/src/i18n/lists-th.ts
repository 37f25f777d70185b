import type { listsEn } from './lists-en.ts';

/** Texts of lists in Thai. */
export const listsTh: Readonly<Record<keyof typeof listsEn, string>> = {
  'list.found': 'พบ {count} รายการ',
  'list.found_more': 'พบ {count} รายการ และยังมีอีก',
};
